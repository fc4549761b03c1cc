#!/usr/bin/env -S python3 -B
"""The site that docs/site/make makes of the documents: its pages, its links, its folders. The search
answers questions that were asked about other profilers (tests/data/questions)."""
import html.parser
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote
sys.path[0] += "/../.."
from kit import ROOT, cases, check, command, copied, equal, finish, has, names_in, read, scratch, skip, true, write

MAKE = ROOT / "docs/site/make"
if "no module markdown" in command(MAKE, "made", status=None).err:
    skip("the site has a page for each document", "Python has no markdown (Debian: python3-markdown)")
    finish()
SITE = scratch() / "made"
DOCUMENTS = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))


class Links(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(read(path))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append(value)
            elif name == "srcset":
                self.links += [part.split()[0] for part in value.split(",")]


def page_of(name):
    return re.sub(r"README\.html$", "index.html", name[:-3] + ".html")


@check("the site has a page for each document, with its title")
def _():
    for name in ["README.md", *DOCUMENTS]:
        title = re.search(r"^# (.*)$", read(ROOT / name), re.M)[1].replace("`", "")
        found = re.search(r"<h1[^>]*>(.*?)</h1>", read(SITE / page_of(name)), re.S)
        equal(html.unescape(re.sub("<[^>]*>", "", found[1])), title)


@check("no link of it leads nowhere, nor to a heading that is not there")
def _():
    pages = {path: Links(path) for path in sorted(SITE.rglob("*.html"))}
    wrong, seen = [], 0
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            name, _, place = unquote(link).partition("#")
            to = Path(os.path.normpath(path.parent / name)) if name else path
            seen += 1
            if not to.is_file() or place and to in pages and place not in pages[to].anchors:
                wrong.append(f"{path.relative_to(SITE)}: {link}")
    equal(wrong, [])
    true(seen > 500, f"{seen} links")


@check("nothing of it comes from elsewhere")
def _():
    for path in [*SITE.rglob("*.html"), SITE / "style.css"]:
        equal(re.findall(r'(?:src|srcset|<link[^>]* href)="(?:https?:)?//[^"]*"|url\([^)]*\)', read(path)), [])


# ---- The search ------------------------------------------------------------------------------------

QUESTIONS = list(cases("questions"))
if has("node"):
    write("ask.js", """
const index = require('fs').readFileSync('made/index.js', 'utf8');
const {findPages} = require(process.cwd() + '/made/search.js');
const site = JSON.parse(index.replace('var SITE = ', ''));
console.log(JSON.stringify(process.argv.slice(2).map(query => findPages(site, query).map(found => found.url))));
""")

    def asked(*queries):
        return json.loads(command("node ask.js", queries).out)

    @check("at least ten questions are asked")
    def _():
        true(len(QUESTIONS) >= 10)

    for question, page, where in QUESTIONS:
        @check(f"one page answers first: {question}?")
        def _():
            equal([url.partition("#")[0] for url in asked(question)[0]][:1], [page])

    @check("the title of a page finds the page")
    def _():
        tasks = [name for name in DOCUMENTS if re.match(r"docs/(tasks|places)/", name)]
        titles = [re.search(r"^# (.*)$", read(ROOT / name), re.M)[1] for name in tasks]
        for name, found in zip(tasks, asked(*titles)):
            true(page_of(name) in [url.partition("#")[0] for url in found[:3]], f"{name}: {found}")

    @check("forms of a word are one, half a word is enough, and nonsense finds nothing")
    def _():
        forms = asked("allocating", "allocates", "allocation")
        equal(forms[1:], forms[:1] * 2)
        equal(asked("silverl")[0][0].partition("#")[0], "docs/tasks/silverlight.html")
        equal(asked("xyzzyx", ""), [[], []])
else:
    skip("the search of the site answers questions", "node is not installed")

if has("chromium"):
    @check("a browser shows the pages that are found, from a page in a folder, with links that are there")
    def _():
        said = command("timeout 150 chromium --headless --no-sandbox --disable-gpu --dump-dom",
                       "--virtual-time-budget=5000", f"--user-data-dir={scratch()}/chromium",
                       f"file://{SITE}/docs/tasks/mono.html?q=unity")
        found = re.search(r'<ol id="found">(.*?)</ol>', said.out, re.S)
        first = re.search(r'href="([^"]*)"', found[1])[1]
        equal(os.path.normpath(os.path.join("docs/tasks", first.partition("#")[0])), "docs/tasks/unity.html")
else:
    skip("a browser shows the pages that are found", "chromium is not installed")


# ---- Folders ---------------------------------------------------------------------------------------

def small(links=""):
    """A tree of few documents."""
    command("rm -rf tree")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md", "docs/README.md"):
        write(f"tree/{name}", f"# Page {name[:2]}\n\nSome words.\n")
    write("tree/docs/other.md", f"# Other\n\n## A part, with `code`\n\n{links}\n")
    copied(ROOT / "docs/site", "tree/docs/site")


def make(out, status=0):
    return command(scratch() / "tree/docs/site/make", out, status=status)


def refused(links, what):
    small(links)
    make("new", status=1).says(f"docs/site/make: error: docs/other.md: {what}", lines=1)
    true(not os.path.exists("new"))


check("a link to a file that is not there is refused by name, and nothing is written",
      lambda: refused("[x](lost.md)", "lost.md: no such file"))
check("so is one to a heading that is not there",
      lambda: refused("[x](README.md#lost)", "README.md#lost: docs/README.md has no heading of that name"))


@check("links to headings are those of GitHub, and a file that is linked comes along")
def _():
    small("[x](#a-part-with-code) [y](site/style.css) [z](README.md#page-do) [f](../tests)")
    make("new").shows("6 pages, 1 other files")
    true(os.path.exists("new/docs/site/style.css"))


@check("a link to a folder leads to a list of its files, which come along")
def _():
    small("[x](data)")
    write("tree/docs/data/deep/one.txt", "1")
    make("new")
    true(os.path.exists("new/docs/data/deep/one.txt"))
    equal(Links(Path("new/docs/data/index.html")).links[-4], "deep/one.txt")
    true('href="data/index.html"' in read("new/docs/other.html"))


@check("a site is made again in its folder, without what has gone, and is the same")
def _():
    os.remove("tree/docs/other.md")
    make("new")
    true(not os.path.exists("new/docs/other.html"))
    before = {path: path.read_bytes() for path in Path("new").rglob("*") if path.is_file()}
    make("new")
    equal({path: path.read_bytes() for path in Path("new").rglob("*") if path.is_file()} == before, True)
    equal([name for name in names_in(".") if name.startswith(".")], [])


def keeps(prepare, what):
    small()
    command("rm -rf full")
    prepare()
    before = sorted(map(str, Path("full").rglob("*")))
    make("full", status=1).says(f"docs/site/make: error: full {what}", lines=1)
    equal(sorted(map(str, Path("full").rglob("*"))), before)


check("a folder with another file is refused by name, and stays",
      lambda: keeps(lambda: write("full/deep/diary.txt", "x"), "holds deep/diary.txt, which is not of a site"))


@check("so is a site to which somebody has added a file")
def _():
    keeps(lambda: [make("full"), write("full/docs/mine.html", "x")], "holds docs/mine.html, which is not of a site")


check("a file in its place is refused", lambda: keeps(lambda: write("full", "x"), "is no folder"))
check("without a folder's name it says how it is called", lambda: command(MAKE, status=2).says("docs/site/make FOLDER"))
finish()
