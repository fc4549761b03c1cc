// Runs the program fixtures/cs/Everywhere.cs as .NET for WebAssembly has published it, beside the folder _framework: in node, with
// the folder for the outcome as an argument, or in a page, which puts it to the server. In node other programs, too: then the
// method whose end writes the profile and the program's argument follow. The outcome: `said` and `told`, the lines
// of standard output and of everything else; `profile`; `code`, which comes last.
const inNode = typeof process === 'object';
const [folder, flush = 'Everywhere.Main', argument = 'single'] = inNode ? process.argv.slice(2) : [];
const said = [], told = [];
for (const name of ['log', 'info', 'debug', 'warn', 'error'])
    console[name] = (...words) => (name === 'log' ? said : told).push(words.join(' '));

const { dotnet } = await import('./_framework/dotnet.js');
const { runMain, getConfig, Module } = await dotnet
    .withEnvironmentVariable('ILINJECT_OUT', '/profile')
    .withEnvironmentVariable('ILINJECT_FLUSH', flush)
    .create();
let code = 'none', profile = new Uint8Array();
try {
    code = await runMain(getConfig().mainAssemblyName, [argument]);
    // It was written when Main was left.
    profile = Module.FS.readFile('/profile');
} catch (problem) {
    told.push(String(problem.stack ?? problem));
}

const outcome = { said: said.join('\n') + '\n', told: told.map(line => line + '\n').join(''), profile, code: code + '\n' };
for (const [name, content] of Object.entries(outcome))
    if (inNode)
        (await import('node:fs')).writeFileSync(folder + '/' + name, content);
    else
        await fetch(name, { method: 'PUT', body: content });
if (inNode)
    process.exit(0);
