// The search of the site: words of a question, sections of pages in the order of how well they fit.
// findPages(SITE, "why is my first request slow") returns [{url, title, heading, text}, ...], a page once.
var STOP = new Set(("a about after all am an and any are as at be because been but by can cant could did do does doesnt doing for " +
    "from get gets had has have how i if in into is isnt it its just me my no not of off on or our out so some that the their them then " +
    "there these they this those to too up use using want was we were what when where which while who whose why will with without " +
    "would you your").split(" "));

// The stem of a word: "allocating", "allocates" and "allocation" are one, "call", "calls" and "callers" another.
function stem(word) {
    return word.replace(/([a-z]{2})ies$/, "$1y").replace(/([^s])s$/, "$1")
        .replace(/^(.{3,}?)(?:at(?:ion|or|ing|ed|e)|ing|ion|ed|er|ly|e)$/, "$1").replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}

function wordsOf(text) {
    return (text.toLowerCase().replace(/['’]/g, "").match(/[a-z0-9]+/g) || []);
}

function stemsOf(site) {
    if (!site.stems) {
        site.stems = new Map();
        for (const [word, places] of Object.entries(site.words)) {
            const key = stem(word);
            if (!site.stems.has(key)) site.stems.set(key, new Map());
            const units = site.stems.get(key);
            for (let i = 0; i < places.length; i += 2) units.set(places[i], Math.max(units.get(places[i]) || 0, places[i + 1]));
        }
    }
    return site.stems;
}

function findPages(site, query, most) {
    const stems = stemsOf(site), all = wordsOf(query);
    let asked = all.filter(word => !STOP.has(word));
    if (!asked.length) asked = all;
    const pages = new Map();
    asked.forEach((word, at) => {
        let found = stems.get(stem(word));
        if (!found && at === asked.length - 1) { // a word that is being typed
            found = new Map();
            for (const [key, units] of stems) {
                if (key.startsWith(word)) units.forEach((weight, unit) => found.set(unit, Math.max(found.get(unit) || 0, weight)));
            }
        }
        if (!found) return;
        const rare = Math.log(1 + site.units.length / found.size);
        found.forEach((weight, unit) => {
            const of = site.units[unit], url = of[0].replace(/#.*/, "");
            const score = rare * weight / (weight + 1 + of[4] / 300);
            if (!pages.has(url)) pages.set(url, {words: new Map(), units: new Map()});
            const page = pages.get(url);
            page.words.set(at, Math.max(page.words.get(at) || 0, score));
            page.units.set(unit, (page.units.get(unit) || 0) + score);
        });
    });
    return [...pages].map(([url, page]) => {
        const [unit, fits] = [...page.units].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0], of = site.units[unit];
        // Pages of tasks and places answer questions; the others are for those who know what they look for.
        const score = ([...page.words.values()].reduce((a, b) => a + b, 0) + fits) * (/(tasks|places)\//.test(url) ? 1.5 : 1) *
            Math.sqrt(page.words.size / asked.length);
        return {score, url: of[0], title: of[1], heading: of[2], text: of[3]};
    }).sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1)).slice(0, most || 8);
}

if (typeof module !== "undefined") module.exports = {findPages};
