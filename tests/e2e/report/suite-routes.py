#!/usr/bin/env -S python3 -B
"""Names that people know: endpoints of ASP.NET have their routes, as ASP.NET itself says them of a program that runs
(tests/e2e/lib/cs/Routes.cs); F#'s `main` is no iterator, and closures say whose part they are."""
import json
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
from kit import (LIB, ROOT, check, command, csc, equal, finish, has, ilinject, program, report, scratch, skip, true,
                 write)

ROUTES = "endpoints have the routes that ASP.NET gives them"
CLOSURES = "closures of F# say whose part they are"


def shared_framework():
    """The folder of ASP.NET's newest shared framework, and its version; None where there is none."""
    said = command("dotnet --list-runtimes", status=None).out if has("dotnet") else ""
    found = re.findall(r"^Microsoft\.AspNetCore\.App (\S+) \[(.*)\]", said, re.M)
    return (Path(found[-1][1]) / found[-1][0], found[-1][0]) if found else None


# ---- Routes --------------------------------------------------------------------------------------

ALONE = """\
2 GET /
3 GET /hits
5 GET /raw
6 GET /todos
7 GET /todos/{id:int}
8 POST /todos
9 DELETE /api/v1/x/{id}
10 PUT,PATCH /many
11 OPTIONS /single
12 ANY /any
13 GET /kept
17 GET /shared/{id}
18 GET /inner
19 GET /inner/deep/{id}
28 GET /sum
29 GET /later
22 GET …/both"""
WITHIN = [(r"GET /sum\.lambda#\d+\(int\)", 84), (r"GET /sum\.lambda#\d+\(int\)", 84),
          (r"GET /later\.lambda#\d+\(int\)( \[async\])?", 29)]
NAMED = """\
4 Program.Local() [GET /local]
15 Shared.Twice() [GET /twice, PUT /twice]
23 ItemsController.List() [GET /api/Items]
24 ItemsController.One(int) [GET /api/Items/{id:int}]
25 ItemsController.Other(int) [GET /other/{id}]
26 ItemsController.AddAsync() [POST /api/Items/Add]
27 BasedController.Get() [GET /based/Get]"""


class Routes:
    def __init__(self, folder, version):
        csc_out = scratch() / "Routes.dll"
        references = [f"-r:{file}" for file in sorted(folder.glob("*.dll"))]
        self.made = csc(csc_out, "-target:exe", "-optimize+", *references, LIB / "cs/Routes.cs")
        if not self.made:
            return
        ilinject("-q", csc_out, "-o", "out/Routes.dll")
        framework = {"name": "Microsoft.AspNetCore.App", "version": version}
        write("out/Routes.runtimeconfig.json", json.dumps({"runtimeOptions": {"framework": framework}}))
        self.ran = program("dotnet", "out/Routes.dll", status=0, env={"ASPNETCORE_ENVIRONMENT": "Production"})
        self.functions = report(self.ran.profile)["functions"]

    def text(self, *options):
        return ilinject("report --view=functions --width=200", *options, self.ran.profile).out

    def calls_agree(self):
        """By hand: as often as the source asks for it."""
        found = {f["name"] + (f" [{f['route']}]" if f.get("route", f["name"]) != f["name"] else ""): f["calls"]
                 for f in self.functions}
        for line in (ALONE + "\n" + NAMED).splitlines():
            calls, name = line.split(" ", 1)
            equal((name, found.get(name)), (name, int(calls)))

    def agrees_with_aspnet(self):
        """Each endpoint's token has the route of ASP.NET's own metadata; what is computed has none."""
        told = {}
        for token, verbs, pattern in re.findall(r"^endpoint (\S+) (\S+) ?(.*)$", self.ran.out, re.M):
            told.setdefault(int(token, 16), []).append(f"{verbs} /{pattern.strip('/')}")
        true(len(told) > 20, f"ASP.NET tells of {len(told)} endpoints")
        known = 0
        for function in self.functions:
            routes = told.get(int(str(function["token"]), 0)) if function["token"] else None
            shown = function.get("route")
            if shown and "…" in shown:
                true(routes and all(r.endswith(shown.split("…")[1]) for r in routes), f"{shown}: {routes}")
            elif shown and shown != "GET /raw":  # ASP.NET does not say whose it is
                equal(shown, ", ".join(routes or []))
                known += 1
            else:
                true(not routes or "computed" in routes[0] or "some" in routes[0], f"{function['name']}: {routes}")
        equal(known, len((ALONE + "\n" + NAMED).splitlines()) - 2)

    def filtered(self):
        found = self.text("--filter=Program.Main")
        true("GET /todos " in found and "GET /shared" not in found, found)
        found = self.text("--filter=GET /todos/{id:int}")
        true("GET /todos/{id:int}" in found and "GET /todos " not in found and "GET /hits" not in found, found)
        found = self.text("--filter=GET *")
        true("GET /shared" in found and "POST /todos" not in found and "DELETE" not in found, found)

    def judged(self):
        """It was called six times."""
        profile = self.ran.profile
        ilinject("diff", profile, profile, "--fail-if=GET /todos: calls > 5", status=4).says("ILJ0608")
        ilinject("diff", profile, profile, "--fail-if=GET /todos: calls > 6")

    def within(self):
        """By hand: 28 requests with three calls each, which have no, one and two items."""
        found = [(f["name"], f["calls"]) for f in self.functions if "." in f["name"] and f["name"].startswith("GET /")]
        equal(len(found), len(WITHIN))
        for pattern, calls in WITHIN:
            true(any(re.fullmatch(pattern, name) and calls == made for name, made in found), f"no {pattern}: {found}")
        shown = self.text("--filter=Program.Main", "--top=0")
        true("GET /sum.lambda#" in shown and "GET /shared" not in shown, shown)

    def narrow(self):
        found = ilinject("report --view=functions --top=0 --width=80", self.ran.profile).out
        true(re.search(r" GET /todos/\{id:int\}$", found, re.M), found)
        true(re.search(r" ItemsController\.One(\(\S+\))?( \[GET /api/Items/\{id:int\}\])?$", found, re.M), found)

    def grouped(self):
        found = ilinject("report --view=functions --by=type --width=120", self.ran.profile).out
        equal(len(re.findall(r"\[[A-Z, ]+ /", self.text("--top=1000"))), len(NAMED.splitlines()))
        true(re.search(r"\(endpoints\)$", found, re.M) and re.search(r"ItemsController$", found, re.M), found)


def routes():
    framework = shared_framework()
    if not framework:
        return skip(ROUTES, "no shared framework of ASP.NET")
    made = Routes(*framework)
    if not made.made:
        return skip(ROUTES, "no compiler of .NET")
    check(ROUTES, made.agrees_with_aspnet)
    check("each endpoint has as many calls as were asked for", made.calls_agree)
    check("what was written within an endpoint's lambda has its route", made.within)
    check("a filter finds an endpoint by its route, and by the method that it stands in", made.filtered)
    check("a condition of diff names an endpoint by its route", made.judged)
    check("a narrow table keeps the route of a lambda and the name of a method", made.narrow)
    check("endpoints are a group of their own by type", made.grouped)
    found = made.text("--raw-names")
    check("raw names have no route", lambda: true("GET /" not in found and "<Main>b__" in found, found))


# ---- F# ------------------------------------------------------------------------------------------

FSHARP = """\
module Demo
open System.Threading.Tasks
let squares n = seq { for i in 1 .. n do yield i * i }
let load (id: int) = task {
    do! Task.Delay 1
    return id + 1 }
type Worker(k: int) =
    member _.Run(xs: int list) = xs |> List.map (fun x -> x + k)
let atStart = seq { for i in 1 .. 3 do yield i }
[<EntryPoint>]
let main argv =
    let total = squares 10 |> Seq.filter (fun x -> x % 3 = 0) |> Seq.sum
    let inner = seq { for i in 1 .. 10 do
                        if i % 2 = 0 then yield i }
    let both = task {
        let! a = load 1
        return a + argv.Length }
    let rec loop n acc = if n > 100 then 0 elif n <= 0 then acc + loop 200 0 else loop (n - 1) (acc + total) + 1
    let worker = Worker both.Result
    printfn "%d %d %d" (Seq.sum inner) (loop 3 0 + Seq.sum atStart) (worker.Run [ 1; 2 ]).Length
    0
"""
# Counted by hand: the calls; null is no machine.
PARTS = [("Demo.main(string[])", 1, None), ("Demo.squares(int)", 1, "iterator"), ("Demo.load(int)", 1, "async"),
         ("Demo.main.total@12(int)", 10, None), ("Demo.Worker.Run@8(int)", 2, None)]


class FSharp:
    def __init__(self):
        write("Demo.fs", FSHARP)
        done = command(ROOT / "tests/dotnet-compile", "fsc", scratch() / "Demo.dll", "Demo.fs", "--optimize+",
                       status=None)
        self.lacks = done.out if done.status == 77 else None
        if self.lacks:
            return
        equal(done.status, 0)
        ilinject("-q", "Demo.dll", "-o", "fs/Demo.dll")
        for file in ("FSharp.Core.dll", "Demo.runtimeconfig.json"):
            (scratch() / "fs" / file).write_bytes((scratch() / file).read_bytes())
        self.ran = program("dotnet", "fs/Demo.dll", status=0)
        self.functions = {f["name"]: f for f in report(self.ran.profile)["functions"]}

    def parts(self):
        for name, calls, machine in PARTS:
            true(name in self.functions, f"{name} is not among {sorted(self.functions)}")
            found = self.functions[name]
            equal((name, found["calls"], found["machine"]), (name, calls, machine))

    def machines(self):
        text = ilinject("report --view=functions --width=160", self.ran.profile).out
        for shown in (r"Demo\.main\(string\[\]\)", r"Demo\.main\.inner@13 \[iterator\]",
                      r"Demo\.main\.both@15 \[async\]", r"Demo\.atStart@9 \[iterator\]",
                      r"Demo\.load\(int\) \[async\]"):
            true(re.search(f" {shown}$", text, re.M), f"{shown}\n{text}")


def closures():
    made = FSharp() if has("dotnet") else None
    if not made or made.lacks:
        return skip(CLOSURES, made.lacks if made else "no dotnet")
    check(CLOSURES, made.parts)
    check("a sequence and a task in main are no bodies of main", made.machines)


routes()
closures()
finish()
