#!/usr/bin/env -S python3 -B
"""A method that calls itself and costs too much for a price: its outermost calls are recorded alone. The counts are by
hand; between the calls that a price may record in any case and those that it never can there is nothing, so that the
processor time of a busy machine changes nothing."""
import sys
sys.path[0] += "/../.."
from kit import (can, check, csc, equal, finish, halves, ilinject, like, mcs, program, report, runtimeconfig,
                 skip, true, write)

# Fib(25) is called three times, of 242,785 calls each. IsEven and IsOdd call each other 400,000 times; Check calls the
# first one 40 times. Walk(24) calls itself 121,391 times by a lambda. Deep throws 100 times from 2,000 calls below.
CODE = """using System; using System.Collections.Generic;
class Numbers
{
    static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
    static bool IsEven(int n) { return n == 0 || IsOdd(n - 1); }
    static bool IsOdd(int n) { return n != 0 && IsEven(n - 1); }
    static int Check() { int even = 0; for (int i = 0; i < 40; i++) even += IsEven(10000 + i) ? 1 : 0; return even; }
    static int Walk(int n) { int sum = 1; Array.ForEach(new[] { n - 1, n - 2 }, m => sum += m > 0 ? Walk(m) : 0);
                             return sum; }
    static int Deep(int n) { if (n == 0) throw new Exception("deep"); return Deep(n - 1) + 1; }
    static int Catches() { int caught = 0; for (int i = 0; i < 100; i++)
                           try { Deep(2000); } catch (Exception) { caught++; } return caught; }
    static int Main()
    {
        int fib = 0;
        for (int i = 0; i < 3; i++) fib += Fib(25);
        Console.WriteLine(fib + " " + Check() + " " + Walk(24) + " " + Catches());
        return 3;
    }
}
"""
OUTPUT, PRICE = "225075 20 121392 100\n", "--overhead=1%"
VISITED = {"ctor", "closure"}  # cost next to nothing
KEPT = {"Main", "Check", "Catches"}
RECORDED = {"Fib": 3, "IsEven": 40, "Walk": 1, "Deep": 100, "Main": 1, "Check": 1, "Catches": 1}


def found(profile):
    """Of each method that has a row: its calls. Those of the outermost calls alone, too."""
    functions = [f for f in report(profile)["functions"] if "lambda" not in f["name"]]
    name = {id(f): f["name"].split("(")[0].split(".")[-1] for f in functions}
    return ({name[id(f)]: f["calls"] for f in functions},
            {name[id(f)] for f in functions if f.get("outermost")})


def prices(runtime):
    write("Numbers.cs", CODE)
    if not can(runtime) or not (mcs("Numbers.exe", "-optimize+", "Numbers.cs") if runtime == "mono" else
                                csc("Numbers.dll", "-optimize+", "Numbers.cs")):
        skip(f"outermost calls on {runtime}", "there is no such runtime with a compiler")
        return
    file = f"Numbers.{'exe' if runtime == 'mono' else 'dll'}"
    ilinject(f"-q {file} -o counted/ --counts")
    ilinject(f"-q {file} -o full/")
    counted, full = (program(runtime, runtimeconfig(f"{folder}/{file}"), name=folder, status=3)
                     for folder in ("counted", "full"))

    check(f"a module that counts prints the same, on {runtime}", lambda: equal(counted.out, OUTPUT))
    check(f"its report has each call once, on {runtime}", lambda: equal(
        [found(counted.profile)[0], found(counted.profile)[1]], [found(full.profile)[0], set()]))

    def chosen(profile, name):
        ilinject(f"-q {file} -o {name}/ {PRICE} --set overhead=1000% --profile", profile)
        return program(runtime, runtimeconfig(f"{name}/{file}"), name=name, status=3)

    check(f"list says which, and --explain where, on {runtime}", lambda: [
        ilinject(f"list {file} {PRICE} --profile", counted.profile, how).shows(like(shown)) for how, shown in (
            ([], r"called too often .* Fib\(int\)  <- --overhead=1%: 728355 calls, but for outermost ones$"),
            (["--explain", "Numbers.Check"],
             r"^  leaves +IL_.* Numbers.IsEven\(int\): recorded here, as an outermost"))])
    # A tree does not say that a method calls itself by way of others, so that the code would have to be believed.
    for profile, name, alone in ((counted.profile, "by counts", {"Fib", "Deep", "IsEven", "Walk"}),
                                 (full.profile, "by a tree", {"Fib", "Deep"})):
        run = chosen(profile, name.replace(" ", "-"))
        calls, outermost = found(run.profile)
        recorded = {m: count for m, count in RECORDED.items() if m in alone or m in KEPT}
        check(f"chosen {name}, it prints the same, on {runtime}", lambda: equal(run.out, OUTPUT))
        check(f"chosen {name}, the outermost calls are recorded, and no others, on {runtime}",
              lambda: equal({m: count for m, count in calls.items() if m not in VISITED}, recorded))
        check(f"chosen {name}, they are marked, on {runtime}", lambda: equal(outermost, alone))
        check(f"chosen {name}, the report says so, on {runtime}", lambda: ilinject("report", run.profile).shows(
            like(r"^Left out for the price: Numbers.Fib, 728,355 calls, except the outermost"),
            like(r"Numbers\.Fib\(int\) \[outermost\]$")))


halves(prices)
finish()
