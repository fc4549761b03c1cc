// Opens profiles and their sources in VS Code's core, as code-server has it, and prints what it shows: a line of JSON,
// {NAME: {"rows": [{"method": TEXT, "place": "FILE:LINE"}], "led": LINE,
//  "lenses": [{"line": N, "text": TEXT, "says": TEXT}]}}.
//   editor.mjs NODE_MODULES CHROMIUM ADDRESS JOB
// JOB: JSON, [{"name": NAME, "profile": FILE, "source": FILE, "click": METHOD, "lenses": how many to wait for}]. The
// folder that is open holds the profiles. The click is on that method's place in the table: it leads to the line in the
// source.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [modules, executablePath, address, job] = process.argv.slice(2);
const { chromium } = createRequire(modules + '/x.js')('playwright-core');
const PATIENCE = 120000, TABLE = 15000, LENSES = 60000; // milliseconds

const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--disable-sync'],
});
const page = await browser.newPage({ viewport: { width: 1500, height: 1400 } });
page.setDefaultTimeout(PATIENCE);
await page.goto(address);

// What the function returns, as soon as it is something, or null.
async function until(patience, ask) {
    for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(300)) {
        const found = await ask().catch(() => null);
        if (found)
            return found;
    }
    return null;
}

const tableOf = source => async () => {
    for (const frame of page.frames().slice(1))
        if (await frame.getByRole('treeitem').getByText(`/${source}:`).count())
            return frame;
    return null;
};

// Before the editor knows its viewers it takes a profile for a text: that is closed, and opened once more.
async function table(profile, source) {
    const frame = await until(PATIENCE, async () => {
        await page.locator(`.monaco-list-row[aria-label^="${profile}"]`).first().dblclick({ timeout: TABLE });
        const found = await until(TABLE, tableOf(source));
        if (!found)
            await page.locator('.tab.active .tab-actions a').click({ timeout: TABLE });
        return found;
    });
    if (!frame)
        throw new Error(`no table of ${profile}`);
    return frame;
}

// Each lens with the line below it: its number and its text, where no-break spaces stand for blanks.
const lenses = () => page.evaluate(() => {
    const editor = document.querySelector('.editor-instance .monaco-editor');
    const top = e => parseFloat(e.style.top), plain = e => e.textContent.replace(/\u00a0/g, ' ');
    const lines = [...editor.querySelectorAll('.view-lines > .view-line')].sort((a, b) => top(a) - top(b));
    const numbers = new Map([...editor.querySelectorAll('.margin-view-overlays > div')]
        .filter(e => e.querySelector('.line-numbers')).map(e => [top(e), Number(plain(e))]));
    return [...editor.querySelectorAll('.codelens-decoration')].filter(e => /\d/.test(plain(e))).map(lens => {
        const below = lines.find(line => top(line) > top(lens));
        return { line: numbers.get(top(below)), text: plain(below), says: plain(lens) };
    }).sort((a, b) => a.line - b.line);
});

const shown = {};
for (const { name, profile, source, click, lenses: wanted } of JSON.parse(fs.readFileSync(job, 'utf8'))) {
    const frame = await table(profile, source);
    const rows = await frame.getByRole('treeitem').evaluateAll(all => all.map(row => {
        const link = row.querySelector('a'), said = link ? link.textContent : '';
        const names = [...row.querySelectorAll('span')].filter(e => !e.children.length && e.textContent.trim());
        return { method: names[0].textContent, place: said };
    }));
    const row = frame.getByRole('treeitem').filter({ has: frame.getByText(click, { exact: true }) });
    await row.first().locator('a').click();
    await page.locator(`.tab.active[data-resource-name="${source}"]`).waitFor();
    let seen = [], before = '';
    await until(LENSES, async () => {
        before = JSON.stringify(seen);
        seen = await lenses();
        return seen.length >= wanted && JSON.stringify(seen) === before;
    });
    const at = /Ln (\d+)/.exec(await page.locator('.statusbar').first().innerText());
    shown[name] = { rows, led: at && Number(at[1]), lenses: seen };
}
fs.writeSync(1, JSON.stringify(shown) + '\n');
await browser.close();
