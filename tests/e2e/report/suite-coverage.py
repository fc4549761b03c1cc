#!/usr/bin/env -S python3 -B
"""Method coverage: Cobertura, lcov, and the methods that were never called. Lines and counts are by hand."""
import re
import sys
import xml.etree.ElementTree as ElementTree
sys.path[0] += "/../.."
from kit import (check, command, csc, equal, finish, fresh, has, ilinject, mcs, program, runtimeconfig, scratch, skip,
                 true, write)

SOURCE = """\
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
namespace Shop {
    interface ISaved { void Save(); }
    class Cart : ISaved, IDisposable {
        public int Count { get { return 3; } }
        public void Add(int a, string b) { }
        public void Add(int a) { }
        void ISaved.Save() { }
        public void Dispose() { }
        ~Cart() { GC.KeepAlive(this); }
        public IEnumerable<int> Lazy() { yield return 1; }
        public IEnumerable<int> Walked() { yield return 1; }
        public async Task<int> Later() { await Task.Delay(1); return 2; }
        public class Line<T> { public static void Put(T it) { } }
    }
    class Old { public static void First() { } public static void Second() { }
    }
    static class Program {
        static void Main(string[] arguments) {
            var cart = new Cart(); cart.Add(1); cart.Add(2);
            GC.SuppressFinalize(cart);
            cart.Lazy();
            foreach (var i in cart.Walked()) Cart.Line<int>.Put(i);
            Func<int, int> twice =
                k => 2 * k;
            Console.WriteLine(twice(cart.Later().Result));
            if (arguments.Length > 0) Old.Second();
        }
    }
}
"""
# By name: the line, and how often it was hit. The body of Lazy did not run.
METHODS = {
    (
        "Shop.Cart", "get_Count"): (
            7, 0), ("Shop.Cart", "Add(int;string)"): (
                8, 0), ("Shop.Cart", "Add(int)"): (
                    9, 2), ("Shop.Cart", "Shop.ISaved.Save"): (
                        10, 0), ("Shop.Cart", "Dispose"): (
                            11, 0), ("Shop.Cart", "Finalize"): (
                                12, 0), ("Shop.Cart", "Lazy"): (
                                    13, 0), ("Shop.Cart", "Walked"): (
                                        14, 1), ("Shop.Cart", "Later"): (
                                            15, 1), ("Shop.Cart/Line`1", "Put"): (
                                                16, 1), ("Shop.Old", "First"): (
                                                    18, 0), ("Shop.Old", "Second"): (
                                                        18, 0), ("Shop.Program", "Main"): (
                                                            21, 1), ("Shop.Program", "Main.lambda#1"): (
                                                                27, 1)}

# Slots: who calls a method, its type's name does not say. The comment of a line: what --never says of it.
SLOTS = """\
using System;
using System.Collections.Generic;
namespace Slots {
    interface ISaved { void Save(); int Total { get; } }
    interface IBox<T> { void Put(T it); void Both<U>(U a, T b); }
    abstract class Base { public abstract void Must(); public virtual void May() { } } // -
    class Derived : Base, ISaved, IBox<int>, IComparer<int> {
        public override void Must() { }          // it overrides a base's method
        public override void May() { }           // it overrides a base's method
        public void Save() { }                   // it implements an interface
        public virtual int Total { get { return 3; } } // it implements an interface
        public void Put(int it) { }              // it implements an interface
        public virtual void Put(string it, int more) { } // -
        public virtual void Both<U>(U a, int b) { } // it implements an interface
        public int Compare(int a, int b) { return 0; } // it implements an interface
        public override string ToString() { return ""; } // frameworks call such methods
        public void Plain() { }
    }
    class Inherited { public virtual void Save() { Console.WriteLine(); } // it implements an interface
        public int Total { get { return 4; } } // it implements an interface
        public void Ran() { } }
    class Heir : Inherited, ISaved { }
    class Auto { public int Name { get; set; } public event EventHandler Gone;
        public int Written { get { return 1; } } // -
        public void Raise() { if (Gone != null) Gone(this, null); } }
    class Data { public int A { get; set; } public int B { get; set; } }
    class Used { public int A { get; set; } public int B { get; set; } }
    static class Program {
        static void Main() {
            new Derived().Plain(); new Heir().Ran(); new Auto().Raise(); new Used().A = new { X = 3 }.GetHashCode();
        }
    }
}
"""
RECORDS = """\
record Point(int X, string Y) { public int Own() => X; } // -
record Space(int X, string Y, int Z) : Point(X, Y);
static class Program { static void Main() { new Space(1, "", 2); } }
"""


def marked(source):
    """By line what a comment says of its method."""
    return {n: line.split("// ")[1] for n, line in enumerate(source.splitlines(), 1) if "// " in line}


def reasons(rows):
    found = {}
    for row in rows:
        name, line, reason = re.fullmatch(r"  (\S.*?)  \S+:(\d+)(?:  \((.*)\))?", row).groups()
        true(int(line) not in found, f"{row} stands in the line of another one: {rows}")
        found[int(line)] = "all" if ": all" in name else reason or "-"
    return found


if not has("mcs", "mono"):
    skip("which methods were called", "mono is not installed")
    finish()
write("Shop.cs", SOURCE)
mcs("Shop.exe", "-debug", "Shop.cs")
mcs("plain/Shop.exe", "Shop.cs")
ilinject("-q Shop.exe -o bin/")
ilinject("-q plain/Shop.exe -o plain/bin/")
RUN = program("mono", "bin/Shop.exe", status=0, name="one").profile
MORE = program("mono", "bin/Shop.exe", "more", status=0, name="two").profile


def cobertura(*profiles):
    root = ElementTree.fromstring(ilinject("report --format=cobertura", *profiles).out)
    equal((root.tag, root.find("packages/package").get("name")), ("coverage", "Shop"))
    equal(root.findtext("sources/source"), f"{scratch()}/")
    found = {}
    for one in root.iter("class"):
        equal(one.get("filename"), "Shop.cs")
        for method in one.iter("method"):
            line, = method.iter("line")
            name = method.get("name")
            name += method.get("signature").replace(", ", ";") if name == "Add" else ""
            found[one.get("name"), name] = int(line.get("number")), int(line.get("hits"))
    return root, found


def by_hand():
    root, found = cobertura(RUN)
    equal({name: place for name, place in found.items() if name[1] != ".ctor"}, METHODS)
    hit = sum(hits > 0 for _, hits in found.values())
    equal((root.get("lines-covered"), root.get("lines-valid")), (str(hit), str(len(found))))


def tracefile():
    text = ilinject("report --format=lcov", RUN).out
    lines = {int(line): int(hits) for line, hits in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}
    equal({line: hits for line, hits in lines.items() if line not in (6, 24)},
          {line: hits for line, hits in METHODS.values()})
    hits = dict(reversed(found) for found in re.findall(r"^FNDA:(\d+),(.*)$", text, re.M))
    equal((hits["Shop.Cart.Add(int;string)"], hits["Shop.Cart.Add(int)"]), ("0", "2"))
    true(f"SF:{scratch()}/Shop.cs\n" in text and text.endswith("end_of_record\n"))


def never(*profiles):
    out = ilinject("report --never", *profiles).out.splitlines()
    return out[0], out[1:]


def never_by_hand():
    head, rows = never(RUN)
    true(re.fullmatch(r"Never called: 8 of \d+ methods, in 1 run", head), head)
    equal(rows, ["  Shop.Cart.Add(int, string)  Shop.cs:8", "  Shop.Cart.Count.get  Shop.cs:7",
                 "  Shop.Cart.Dispose()  Shop.cs:11  (frameworks call such methods)",
                 "  Shop.Cart.ISaved.Save()  Shop.cs:10  (it implements an interface)",
                 "  Shop.Cart.Lazy()  Shop.cs:13", "  Shop.Cart.~Cart()  Shop.cs:12  (a finalizer)",
                 "  Shop.Old: all 2 methods  Shop.cs:18"])


def over_builds():
    """Another build of the same program, with another MVID, calls what this one does not."""
    write("b/Shop.cs", SOURCE.replace("cart.Lazy();", "cart.Lazy(); cart.Add(1, null);"))
    mcs("b/Shop.exe", "-debug", "b/Shop.cs")
    ilinject("-q b/Shop.exe -o b/bin/")
    other = program("mono", "b/bin/Shop.exe", status=0, name="other").profile
    ilinject("merge", RUN, MORE, other, "-o", "all.ilprof")
    for profiles in ([RUN, MORE, other], ["all.ilprof"]):
        head, rows = never(*profiles)
        true(re.fullmatch(r"Never called: 6 of \d+ methods, in 3 runs", head), head)
        true(not any("Add(int, string)" in row or "Second" in row for row in rows))
        true("  Shop.Old.First()  Shop.cs:18" in rows, str(rows))


def over_selections():
    """Of what two selections instrumented, each a part, all is known."""
    ilinject("-q Shop.exe -o part/ --include=Shop.Old --include=Shop.Program")
    ilinject("-q Shop.exe -o rest/ --exclude=Shop.Old")
    one, two = (program("mono", f"{name}/Shop.exe", status=0, name=name).profile for name in ("part", "rest"))
    equal([row for row in never(one, two)[1] if "Old" in row], ["  Shop.Old: all 2 methods  Shop.cs:18"])
    equal([row for row in never(two, one)[1] if "Old" in row], ["  Shop.Old: all 2 methods  Shop.cs:18"])


def counted():
    ilinject("-q Shop.exe -o counted/ --counts")
    profile = program("mono", "counted/Shop.exe", status=0, name="counted").profile
    equal(cobertura(profile)[1], cobertura(RUN)[1])
    equal(never(profile), never(RUN))


def slots():
    write("Slots.cs", SLOTS)
    mcs("Slots.exe", "-debug", "Slots.cs")
    ilinject("-q Slots.exe -o slots/")
    run = program("mono", "slots/Slots.exe", status=0, name="slots").profile
    at = next(n for n, line in enumerate(SLOTS.splitlines(), 1) if "class Data" in line)
    head, rows = never(run)
    equal(reasons(rows), {**marked(SLOTS), at: "all"})
    true("  Slots.Data: all 4 methods  Slots.cs:" + str(at) in rows, str(rows))
    true("Name" not in str(rows) and "Gone" not in str(rows) and "Used" not in str(rows), str(rows))
    equal(int(head.split()[2]), len(rows) + 3)


def records():
    write("Records.cs", RECORDS)
    fresh("records")
    if not csc("records/Records.dll", "-debug:portable", "Records.cs"):
        skip("--never: of a record what is written", "no SDK to compile with")
        return
    runtimeconfig("records/Records.dll")
    ilinject("-q records/Records.dll -o records/out/Records.dll")
    runtimeconfig("records/out/Records.dll")
    head, rows = never(program("dotnet", "records/out/Records.dll", status=0).profile)
    equal(reasons(rows), marked(RECORDS))
    true(head.startswith("Never called: 1 of 4 methods"), head)


def excluded():
    mark = "[System.Diagnostics.CodeAnalysis.ExcludeFromCodeCoverage]"
    write("Left.cs", f"""{mark} class Out {{ public void A() {{ }} public class In {{ public void B() {{ }} }} }}
class Kept {{
    {mark} public void C() {{ }}
    {mark} public int D {{ get {{ return 1; }} set {{ }} }}
    public int E {{ get {{ return 1; }} }}
    static void Main() {{ new Out().A(); new Kept().C(); }}
}}
""")
    mcs("Left.exe", "-debug", "Left.cs")
    ilinject("-q Left.exe -o left/")
    run = program("mono", "left/Left.exe", status=0).profile
    text = ilinject("report --format=cobertura", run).out
    equal(sorted(re.findall(r'<method name="(\w+)"', text)), ["Main", "get_E"])
    equal(sorted(re.findall(r"^FN:\d+,Kept\.(.*)$", ilinject("report --format=lcov", run).out, re.M)),
          ["E.get", "Main()"])


def partly_recorded():
    said = "; while recording was off, calls were not seen"
    for setting, value in (("START", "Shop.Cart.Later"), ("OFF", "Shop.Cart.Add")):
        run = program("mono", "bin/Shop.exe", status=0, name="partly", env={f"ILINJECT_{setting}": value}).profile
        true(never(run)[0].endswith(said), f"{setting}: {never(run)}")
    true(said not in never(RUN)[0])


check("Cobertura: each method by its type, with its line and its calls", by_hand)
check("two runs add up", lambda: equal(cobertura(RUN, MORE)[1]["Shop.Old", "Second"], (18, 1)))
check("lcov: the same", tracefile)
check("--never: what was not called, by type, and what may call it", never_by_hand)
check("--never: what implements an interface or overrides is named so; what a compiler adds is not listed", slots)
if has("dotnet"):
    check("--never: of a record what is written", records)
else:
    skip("--never: of a record what is written", "no dotnet")
check("what [ExcludeFromCodeCoverage] names is in no coverage", excluded)
check("--never says when recording was off for a time", partly_recorded)
check("builds add up by names, and so do merged profiles", over_builds)
check("what several selections instrumented is known together", over_selections)
check("where calls were only counted, coverage is the same", counted)
check("without symbols there is no coverage, but what was never called is known", lambda: [
    (bare := program("mono", "plain/bin/Shop.exe", status=0, name="plain").profile),
    ilinject("report --format=lcov", bare, status=1).says("ILJ0635: no method has a line"),
    true("  Shop.Old: all 3 methods" in never(bare)[1], str(never(bare)))])
if has("xmllint"):
    check(
    "the XML is well-formed",
    lambda: [
        ilinject(
            "report --format=cobertura -o c.xml",
            RUN),
             command("xmllint --noout c.xml")])
else:
    skip("the XML is well-formed", "xmllint is not installed")
finish()
