// Runs SQL files in DuckDB or chdb and prints what each question answers, with how long it took.
//   fleet.mjs duckdb|chdb NODE_MODULES DATABASE JOB
// JOB: JSON, an array of steps: {"set": {NAME: VALUE}} variables or parameters, {"run": FILE}, {"sql": TEXT},
// {"ask": FILE, "as": NAME}, {"ask_sql": TEXT, "as": NAME}; the last two go into the result, a line of JSON:
// {NAME: {"rows": [...], "seconds": N}}, and {"seconds": {FILE: N}} of what was run.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [engine, modules, database, job] = process.argv.slice(2);
const require = createRequire(modules + '/x.js');
const statements = text => text.replace(/^--.*$/gm, '').split(/;\s*$/m).map(s => s.trim()).filter(s => s);

async function duckdb() {
    const { DuckDBInstance } = require('@duckdb/node-api');
    const instance = await DuckDBInstance.create(database);
    const connection = await instance.connect();
    await connection.run("SET threads = 2; SET memory_limit = '3GB'");
    return {
        set: async (name, value) => connection.run(`SET VARIABLE ${name} = ${value}`),
        run: async sql => { await connection.run(sql); },
        ask: async sql => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    };
}

async function chdb() {
    const { Session } = require('chdb');
    const session = new Session(database);
    await session.query('SET max_threads = 2');
    return {
        set: async (name, value) => { await session.query(`SET param_${name} = ${value}`); },
        run: async sql => { await session.query(sql); },
        ask: async sql => {
            const said = String(await session.query(sql + ' FORMAT JSONEachRow'));
            return said.split('\n').filter(l => l).map(l => JSON.parse(l));
        },
    };
}

const db = await (engine === 'duckdb' ? duckdb() : chdb());
const result = { seconds: {} };
for (const step of JSON.parse(fs.readFileSync(job, 'utf8'))) {
    const start = performance.now();
    for (const [name, value] of Object.entries(step.set || {}))
        await db.set(name, value);
    if (step.run || step.sql) {
        for (const sql of statements(step.sql || fs.readFileSync(step.run, 'utf8')))
            await db.run(sql);
        if (step.run)
            result.seconds[step.as || step.run.split('/').pop()] = (performance.now() - start) / 1000;
    }
    if (step.ask || step.ask_sql) {
        const all = statements(step.ask_sql || fs.readFileSync(step.ask, 'utf8'));
        for (const sql of all.slice(0, -1))
            await db.run(sql);
        const rows = await db.ask(all[all.length - 1]);
        result[step.as] = { rows, seconds: (performance.now() - start) / 1000 };
    }
}
fs.writeSync(1, JSON.stringify(result, (_, v) => typeof v === 'bigint' ? Number(v) : v) + '\n');
process.exit(0);
