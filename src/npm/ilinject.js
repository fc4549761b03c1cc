#!/usr/bin/env node
// Runs ilinject.wasm, which lies beside it, with this process's arguments, environment, input and outputs, and ends with its exit
// value. src/platform/wasi/host.h says what it needs.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import tty from 'node:tty';

// Node calls its WASI experimental; that is nothing a user of this program could act on.
const warn = process.emitWarning;
process.emitWarning = (warning, ...rest) => {
    if (!/WASI/.test(String(warning))) warn.call(process, warning, ...rest);
};
const { WASI } = await import('node:wasi');

function fail(text) {
    fs.writeSync(2, `ilinject: error: ${text}\n`);
    process.exit(1);
}
if (!WASI.prototype.getImportObject) fail(`it needs node 20 or later; this is ${process.version}`);

const windows = process.platform === 'win32';
const commandLine = process.argv.slice(2);

const guest = (name) => (windows ? (name[1] === ':' ? '/' : '') + name.replaceAll('\\', '/') : name);

// On Windows each drive, and each folder of a server that is named.
function preopens() {
    if (!windows) return { '/': '/' };
    const open = {};
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') if (fs.existsSync(`${letter}:\\`)) open[`/${letter}:`] = `${letter}:\\`;
    for (const text of [process.cwd(), ...commandLine]) {
        const server = /[\\/]{2}([^\\/?.][^\\/]*)[\\/]([^\\/]+)/.exec(text);
        if (server) open[`//${server[1]}/${server[2]}`] = `\\\\${server[1]}\\${server[2]}\\`;
    }
    return open;
}

// The terminal must not be asked through process.stdout: its writes would no longer wait for a reader.
function terminalSize() {
    if (windows || !tty.isatty(1)) return {};
    const [lines, columns] = String(spawnSync('stty', ['size'], { stdio: [1, 'pipe', 'ignore'] }).stdout ?? '').trim().split(' ');
    return columns > 0 ? { COLUMNS: columns, LINES: lines } : {};
}

// The pairs LIKE, FILE that the program has left.
function setPermissions(list) {
    if (!fs.existsSync(list)) return;
    const names = fs.readFileSync(list, 'utf8').split('\0');
    fs.rmSync(list);
    for (let i = 0; i + 1 < names.length; i += 2) {
        const narrows = names[i].startsWith('&'), like = narrows ? names[i].slice(1) : names[i];
        if (!fs.existsSync(like) || !fs.existsSync(names[i + 1])) continue;
        const mode = fs.statSync(like).mode & 0o777, now = fs.statSync(names[i + 1]);
        fs.chmodSync(names[i + 1], narrows ? (mode | 0o700) & now.mode & 0o777 : mode | (now.isDirectory() ? 0o700 : 0));
    }
}

const permissions = path.join(os.tmpdir(), `ilinject-${randomUUID()}`);
const env = { ...process.env, ...terminalSize(), PWD: guest(process.cwd()), TMPDIR: guest(os.tmpdir()) };
delete env.ILINJECT_WINDOWS;
delete env.ILINJECT_PERMISSIONS;
if (windows) env.ILINJECT_WINDOWS = '1';
else env.ILINJECT_PERMISSIONS = permissions;
try {
    const wasi = new WASI({ version: 'preview1', args: ['ilinject', ...commandLine], env, preopens: preopens(), returnOnExit: true });
    const module = await WebAssembly.compile(fs.readFileSync(new URL('ilinject.wasm', import.meta.url)));
    const imports = wasi.getImportObject();
    // Optimized WebAssembly calls the functions of node 20 itself by a short cut that damages the heap: now and then a process ended by a
    // segmentation fault behind a long run. It has none for functions of a script.
    for (const [name, of] of Object.entries(imports))
        imports[name] = Object.fromEntries(Object.entries(of).map(([each, call]) => [each, (...parameters) => call(...parameters)]));
    process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));
    setPermissions(permissions);
} catch (e) {
    fs.rmSync(permissions, { force: true });
    fail(e.message);
}
