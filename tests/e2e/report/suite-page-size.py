#!/usr/bin/env -S python3 -B
"""The page stays small: what it holds is deflated where that is worth it, and nothing is lost."""
import base64
import json
import re
import sys
import zlib
from pathlib import Path
sys.path[0] += "/../.."
from kit import BUILD, ROOT, check, command, equal, finish, has, ilinject, skip, true, write

PLACES, METHODS = 30_000, 3_000  # as many as a page takes; as those of a compiler
# The page's own code, in node: the data as its scripts see them.
NODE = """
const fs = require('fs'), [file, script] = process.argv.slice(2);
const [, type, text] = /<script type="([^"]*)" id="profile">([^<]*)<.script>/.exec(fs.readFileSync(file, 'utf8'));
const dataOf = new Function(fs.readFileSync(script, 'utf8') + '; return dataOf;')();
dataOf({ type, textContent: text }).then(data => process.stdout.write(JSON.stringify(data)));
"""


def page_of(name, places, methods):
    """The type and text of its data, and its size."""
    command(BUILD / "tests/large_profile", f"{name}.ilprof", places, methods)
    ilinject("report --html", f"{name}.html", f"{name}.ilprof")
    page = Path(f"{name}.html").read_bytes()
    return *re.search(rb'<script type="([^"]*)" id="profile">([^<]*)</script>', page).groups(), len(page)


def is_small():
    kind, packed, size = page_of("large", PLACES, METHODS)
    plain = zlib.decompress(base64.b64decode(packed, validate=True))
    equal(kind, b"text/plain")
    equal(json.loads(plain)["profile"]["nodes"]["left_out"], 0)
    true(size <= 1_000_000, f"the page has {size} bytes")
    true(2 * len(packed) <= len(plain), f"{len(packed)} of {len(plain)} bytes")


def stays_bounded():
    _, _, size = page_of("larger", 30 * PLACES, METHODS)
    true(size <= 1_500_000, f"the page has {size} bytes")


def is_plain_when_small():
    kind, text, _ = page_of("small", 500, 100)
    equal(kind, b"application/json")
    true(json.loads(text)["profile"]["functions"]["name"])


def is_read_by_the_page():
    for name in "large", "small":
        kind, text, _ = page_of(name, *((PLACES, METHODS) if name == "large" else (500, 100)))
        expected = text if name == "small" else zlib.decompress(base64.b64decode(text))
        seen = command("node", write("data.js", NODE), f"{name}.html", ROOT / "src/report/page/model.js").json()
        equal((name, seen == json.loads(expected)), (name, True))


check("a page of all places of a compiler's size has at most 1,000,000 bytes, and any zlib reads it", is_small)
check("thirty times the places make a page of half as many bytes more at most", stays_bounded)
check("a small page's data is plain JSON", is_plain_when_small)
if has("node"):
    check("the page's scripts read both", is_read_by_the_page)
else:
    skip("the page's scripts read both", "node is not installed")
finish()
