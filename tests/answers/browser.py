"""A page in a headless Chromium, by WebDriver: what stands in the first view of 1280 x 800."""
import contextlib
import json
import re
import shutil
import subprocess
import urllib.request

from kit import scratch, true, within

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--window-size=1280,800"]
WIDTH, HEIGHT = 1280, 800
# The frames that are wide enough for a name, and the functions that took most: as a line, and the
# rows of the table, as far as they are in sight.
SEEN = """
const inSight = e => { const r = e.getBoundingClientRect(); return r.width > 60 && r.top >= 0 && r.left >= 0 &&
  r.bottom <= HEIGHT && r.right <= WIDTH + 1; };
return JSON.stringify({
  frames: [...document.querySelectorAll('g.frame')].filter(inSight)
    .map(e => e.__data__.data.frame ? e.__data__.data.frame.name : ''),
  most: document.getElementById('details').textContent,
  rows: [...document.querySelectorAll('#top-table tbody tr')].filter(inSight).map(e => e.cells[0].textContent),
  failed: document.documentElement.dataset.failed || '', ready: document.documentElement.dataset.ready || '',
});""".replace("HEIGHT", str(HEIGHT)).replace("WIDTH", str(WIDTH))


def can():
    return shutil.which("chromedriver") and shutil.which("chromium")


class Browser:
    def __init__(self, address):
        self.address = address

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(f"{self.address}/{path}".rstrip("/"), method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=100) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.ask("execute/sync", {"script": script, "args": []})

    def seen(self, page):
        """What stands in the first view of a file."""
        self.ask("url", {"url": f"file://{page}"})
        found = within(100, lambda: (lambda s: s if s["ready"] else None)(json.loads(self.run(SEEN))))
        true(not found["failed"], found["failed"])
        return found


@contextlib.contextmanager
def browser():
    """A window whose inside is of that size."""
    log = scratch() / "chromedriver.log"
    with open(log, "wb") as out:
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=out, stderr=out)
    try:
        port = within(100, lambda: re.search(r"started successfully on port (\d+)", log.read_text(errors="replace")))[1]
        options = {"binary": shutil.which("chromium"), "args": [*ARGUMENTS, f"--user-data-dir={scratch()}/chromium"]}
        root = Browser(f"http://127.0.0.1:{port}")
        made = root.ask("session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        b = Browser(f"{root.address}/session/{made['sessionId']}")
        inside = b.run("return [innerWidth, innerHeight]")
        b.ask("window/rect", {"width": 2 * WIDTH - inside[0], "height": 2 * HEIGHT - inside[1]})
        yield b
        b.ask("", method="DELETE")
    finally:
        driver.terminate()
        driver.wait()
