#!/usr/bin/env -S python3 -B
"""Tests in a profile: which methods are tests, what each of them ran, and which a change touches."""
import re
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import frameworks
from kit import check, equal, finish, has, ilinject, mcs, program, report, skip, true, write

FRAMEWORK = """\
using System;
namespace Xunit {
    public class FactAttribute : Attribute { public string DisplayName { get; set; } public int Timeout { get; set; } }
    public class TheoryAttribute : FactAttribute { }
    public interface IClassFixture<T> { }
    public class CollectionAttribute : Attribute { public CollectionAttribute(string name) { } }
    public class CollectionDefinitionAttribute : Attribute { public CollectionDefinitionAttribute(string name) { } }
    public interface ICollectionFixture<T> { }
}
namespace Other {
    public class SlowTestAttribute : Attribute { }
    public class TestingAttribute : Attribute { }
}
"""
TESTS = """\
using System;
using Xunit;
namespace Suite {
    public class MineAttribute : FactAttribute { public MineAttribute(int a, string b) { } }
    public class Base { public Base() { Code.A(); System.Threading.Thread.Sleep(30); } }
    public class Fixture : IDisposable { public Fixture() { Code.F(); } public void Dispose() { Code.F(); } }
    public class Shared { public Shared() { Code.S(); } }
    [CollectionDefinition("all")] public class All : ICollectionFixture<Shared> { }
    public class One : Base, IClassFixture<Fixture>, IDisposable {
        [Fact] public void Plain() { Code.B(); }
        [Fact(Timeout = 7, DisplayName = "has a name: ü")] public void Named() { Code.B(); Code.C(); }
        [Theory] public void Rows(int n) { Code.C(); }
        public void NoTest() { Code.D(); }
        public void Dispose() { Code.E(); }
    }
    [Collection("all")] public class Two {
        [Mine(3, "x")] public void Extended() { Nested(); }
        [Other.SlowTest] public void ByEnding() { throw new Exception("b"); }
        [Other.Testing] public void Neither() { Code.D(); }
        [Fact] public void Nested() { Code.D(); }
        [Fact] public void NeverRun() { Code.G(); }
    }
    public static class Code {
        public static void A() { }
        public static void B() { Own(); }
        static void Own() { }
        public static void C() { }
        public static void D() { }
        public static void E() { }
        public static void F() { }
        public static void G() { }
        public static void S() { }
    }
    static class Runner {
        static void Run(object of, string name, params object[] values) {
            try { of.GetType().GetMethod(name).Invoke(of, values); } catch (Exception) { }
        }
        static void Main() {
            Type shared = typeof(Shared), two = typeof(Two), one = typeof(One), fixture = typeof(Fixture);
            Activator.CreateInstance(shared);
            IDisposable f = (IDisposable)Activator.CreateInstance(fixture);
            foreach (string name in new[] { "Plain", "Named" }) {
                object o = Activator.CreateInstance(one);
                Run(o, name);
                ((IDisposable)o).Dispose();
            }
            for (int n = 0; n < 3; n++) Run(Activator.CreateInstance(one), "Rows", n);
            foreach (string name in new[] { "Extended", "ByEnding", "Neither" })
                Run(Activator.CreateInstance(two), name);
            f.Dispose();
        }
    }
}
"""
profile = None


def ran(name, *options):
    mcs(f"{name}/Framework.dll", code=FRAMEWORK)
    mcs(f"{name}/Tests.exe", "-debug", f"-r:{name}/Framework.dll", code=TESTS)
    ilinject(f"{name}/Tests.exe -o {name}-out/Tests.exe", *options)
    (frameworks.Path(f"{name}-out") / \
     "Framework.dll").write_bytes(frameworks.Path(f"{name}/Framework.dll").read_bytes())
    said = program("mono", f"{name}-out/Tests.exe", status=0)
    return said.profile


def rows(of):
    return {row["name"]: row for row in report(of)["tests"]}


def known():
    found = {name: (row["kind"], row["calls"]) for name, row in rows(profile).items()}
    equal({n: f for n, f in found.items() if f[0] == "test"},
          {"Suite.One.Plain()": ("test", 1), "has a name: ü": ("test", 1), "Suite.One.Rows(int)": ("test", 3),
           "Suite.Two.Extended()": ("test", 1), "Suite.Two.ByEnding()": ("test", 1)})
    equal({n: f for n, f in found.items() if f[0] in ("set-up", "fixture")},
          {"Suite.One.One()": ("set-up", 5), "Suite.Two.Two()": ("set-up", 3), "Suite.One.Dispose()": ("set-up", 2),
           "Suite.Fixture.Fixture()": ("fixture", 1), "Suite.Fixture.Dispose()": ("fixture", 1),
           "Suite.Shared.Shared()": ("fixture", 1)})


def sums():
    whole = report(profile)
    tests = whole["tests"]
    equal(tests[-1]["kind"], "other")
    equal(sum(row["calls_below"] for row in tests), whole["totals"]["enters"] - whole["totals"]["steps"])
    equal(sum(row["exceptions"] for row in tests), whole["totals"]["by_exception"])
    taken = whole["totals"]["exclusive_ns"] + whole["totals"].get("waiting_ns", 0)
    true(abs(sum(row["inclusive_ns"] for row in tests) - taken) <= taken * 0.01 + 1000, f"{tests}\n{taken}")
    equal({row["name"]: row["calls_below"] for row in tests if row["kind"] == "test"},
          {"Suite.One.Plain()": 3, "has a name: ü": 4, "Suite.One.Rows(int)": 6, "Suite.Two.Extended()": 3,
           "Suite.Two.ByEnding()": 1})


def set_up():
    """What sets a test up and ends it, in equal parts; nothing of fixtures."""
    found = rows(profile)
    parts = {name: row["set_up_ns"] for name, row in found.items() if row["kind"] == "test"}
    of_one = found["Suite.One.One()"]["duration_ns"] + found["Suite.One.Dispose()"]["duration_ns"]
    for name, calls in (("Suite.One.Plain()", 1), ("has a name: ü", 1), ("Suite.One.Rows(int)", 3)):
        true(abs(parts[name] - of_one * calls / 5) <= 4, f"{name}: {parts}, {of_one}")
    equal(sum(parts.values()), sum(row["duration_ns"] for row in found.values() if row["kind"] == "set-up"))
    true(parts["Suite.One.Plain()"] > 20e6, f"the constructor sleeps: {parts}")
    true("set_up_ns" not in found["Suite.One.One()"], "a set-up has none")


def table():
    said = ilinject("report --by=test --width=100", profile).out
    true(re.search(r"^ *3 .* Suite\.One\.Rows\(int\)$", said, re.M), said)
    true("has a name: ü" in said and "Set-up, fixtures and other code:" in said, said)
    true("Neither" not in said and "(all other code)" in said, said)
    true(re.search(r"^Calls +Duration +Set-up +Inclusive", said, re.M), said)
    said = ilinject("report --by=test --top=1 --sort=calls", profile).out
    true("Suite.One.Rows(int)" in said and "… 4 more" in said and "Extended" not in said, said)


def one_tree():
    said = ilinject("report --test=Rows --width=100", profile).out
    true("Suite.One.Rows" in said and "Suite.Code.B" not in said, said)
    said = ilinject("report --test=Rows --format=calltree", profile).out
    true("Suite.One.Rows" in said and "Suite.Code.C()" in said and "Suite.Code.B" not in said, said)
    functions = ilinject("report --test=Rows --format=csv", profile).out
    equal(sorted(re.findall(r"Suite\.\w+\.\w+", functions)), ["Suite.Code.C", "Suite.One.Rows"])
    true("No test of that name" in ilinject("report --test=Neither", profile).out)
    said = ilinject("report --format=collapsed --test=*.Two.Ext*", profile).out
    true("Extended" in said and "Rows" not in said, said)


def names(*options):
    return [name.split(".", 1)[1] for name in ilinject("report", *options, profile).out.split()]


def covers():
    equal(names("--covers=Suite.Code.B"), ["One.Named", "One.Plain"])
    equal(names("--covers=Suite.Code.Own"), ["One.Named", "One.Plain"])
    equal(names("--covers=Suite.Code.C"), ["One.Named", "One.Rows"])
    equal(names("--covers=Suite.Code.D"), ["Two.Extended"])
    equal(names("--covers=Suite.Code.A"), ["One.Named", "One.Plain", "One.Rows"])  # by the base's constructor
    equal(names("--covers=Suite.Code.E"), ["One.Named", "One.Plain", "One.Rows"])
    equal(names("--covers=Suite.Code.F"), ["One.Named", "One.Plain", "One.Rows"])  # by the fixture
    equal(names("--covers=Suite.Code.S"), ["Two.ByEnding", "Two.Extended"])        # by the collection's
    equal(names("--covers=Suite.Code.G"), [])
    equal(names("--covers=Suite.Code.B", "--covers=Suite.Code.D"), ["One.Named", "One.Plain", "Two.Extended"])


GENERIC = """\
using Xunit;
namespace Suite {
    public class Box<T, U> {
        public class Lid { public W Of<V, W>(V of, T[] all) where W : new() { return new W(); } }
    }
    public class One {
        [Fact] public void Opens() { new Box<int, string>.Lid().Of<string, object>("", null); }
        [Fact] public void Other() { }
        static void Main() { new One().Opens(); new One().Other(); }
    }
}
"""


def shown_names():
    """A name is found as a report shows it, with its generic parameters."""
    mcs("generic/Framework.dll", code=FRAMEWORK)
    mcs("generic/Tests.exe", "-r:generic/Framework.dll", code=GENERIC)
    ilinject("generic/Tests.exe -o generic-out/Tests.exe")
    of = program("mono", "generic-out/Tests.exe", status=0, name="generic").profile
    name = next(f["name"] for f in report(of)["functions"] if ".Of<" in f["name"])
    equal(name, "Suite.Box<T, U>.Lid.Of<V, W>(V, T[])")
    for pattern in (name, name.split("(")[0], "Suite.Box.Lid.Of", "Suite.Box.Lid.Of(V, T[])"):
        equal(ilinject("report", f"--covers={pattern}", of).out, "Suite.One.Opens\n")
    equal(ilinject("report", f"--covers={name.replace('V', 'X')}", of).out, "")


def diff_of(*changes):
    """A diff of the suite's source: (text of a line, "-" or "+"), against what was compiled."""
    lines = TESTS.splitlines()
    out = ["diff --git a/some/Tests.cs b/some/Tests.cs", "--- a/ran/Tests.cs", "+++ b/ran/Tests.cs"]
    for text, mark in changes:
        at = next(i for i, line in enumerate(lines) if text in line) + 1
        out.append(f"@@ -{at},{1 if mark == '-' else 0} +{at},{0 if mark == '-' else 1} @@")
        out.append(mark + (lines[at - 1] if mark == "-" else " // new"))
    return write("change.diff", "\n".join(out) + "\n")


def tests_of():
    of = lambda *changes: names("--tests-of", diff_of(*changes))
    equal(of(("void C()", "-")), ["One.Named", "One.Rows"])
    equal(of(("void Own()", "-"), ("void D()", "-")), ["One.Named", "One.Plain", "Two.Extended"])
    equal(of(("void G()", "-")), [])
    equal(of(("void Plain()", "-")), ["One.Plain"])
    equal(of(("void E()", "+")), ["One.Named", "One.Plain", "One.Rows"])
    write("other.diff", "--- a/other.cs\t2026\n+++ b/other.cs\n@@ -1 +1 @@\n-a\n+b\n")
    said = ilinject("report --tests-of=other.diff", profile)
    true("ILJ0616" in said.err and "other.cs" in said.err and said.out == "", said)


def bad_diffs():
    for text, fault in [("", "no unified diff"), ("hello\n", "no unified diff"),
                        ("@@ -1 +1 @@\n-a\n+b\n", "line 1: a hunk stands before any file"),
                        ("--- a/x\n+++ b/x\n@@ -1,x +1 @@\n", "line 3: expected @@"),
                        ("--- a/x\n+++ b/x\n@@ -1,3 +1 @@\n-a\n", "cut off"),
                        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n", "line 5: expected a line of the hunk")]:
        write("bad.diff", text)
        said = ilinject("report --tests-of=bad.diff", profile, status=2)
        true("bad.diff" in said.err and "ILJ0615" in said.err and fault in said.err, f"{text}: {said}")
    ilinject("report --tests-of=none.diff", profile, status=1)


def own_roots():
    found = rows(ran("own", "--root=Suite.One.NoTest", "--root=@Other.Testing", "--root=Suite.Code.D"))
    equal({n: r["calls"] for n, r in found.items() if r["kind"] == "root"}, {"Suite.Two.Neither()": 1})
    said = ilinject("own/Tests.exe -o own-out/Tests.exe --root=Suite.Nothing")
    true("ILJ0410" in said.err or "matches no method" in said.err, said)


def nothing():
    mcs("plain/Plain.exe", code="class P { static void Main() { } }")
    ilinject("plain/Plain.exe -o plain-out/Plain.exe")
    of = program("mono", "plain-out/Plain.exe", status=0).profile
    true("tests" not in report(of))
    true("No tests were recorded" in ilinject("report --by=test", of).out)
    true('"tests":[' not in ilinject("report --format=html", of).out)


def only_counts():
    ilinject("ran/Tests.exe -o counts-out/Tests.exe --counts")
    (frameworks.Path("counts-out") / "Framework.dll").write_bytes(frameworks.Path("ran/Framework.dll").read_bytes())
    of = program("mono", "counts-out/Tests.exe", name="counts", status=0).profile
    true("Only calls were counted" in ilinject("report --by=test", of).out)
    true("tests" not in report(of))


def page():
    said = ilinject("report --format=html", profile).out
    true('"tests":[' in said and "has a name: ü" in said)


def full_tree():
    said = ilinject("report --by=test", profile).out
    true("had no place left" not in said, said)
    of = program("mono", "ran-out/Tests.exe", status=0, name="full", env={"ILINJECT_NODES": "8"}).profile
    said = ilinject("report --by=test", of).out
    folded = f"{report(of)['totals']['folded']:,}"
    true(f"\n{folded} calls had no place left in the trees" in said and folded != "0", said)


def all_known():
    """Each test has its calls and methods where there is room for none of them, nor for recursion."""
    said = program("mono", "ran-out/Tests.exe", status=0, name="covers", env={
        "ILINJECT_NODES": "0", "ILINJECT_COVERS": "1", "ILINJECT_CLOCK": "stopwatch"}).profile
    ticked = program("mono", "ran-out/Tests.exe", status=0, name="ticks", env={
        "ILINJECT_NODES": "0", "ILINJECT_COVERS": "1"}).profile
    ilinject("merge -o known.ilprof", said, ticked)
    for of in (said, ticked, "known.ilprof"):
        found = report(of)
        true(found["totals"]["folded"] > 5, found["totals"])
        for method in "ABCDEFGS":
            asked = ilinject(f"report --covers=Suite.Code.{method}", of)
            equal(asked.out + asked.err, ilinject(f"report --covers=Suite.Code.{method}", profile).out)
        true("had no place left" not in ilinject("report --by=test", of).out)
        listed = re.findall(r"Suite\.\w+\.\w+", ilinject("report --test=One.Plain --format=csv", of).out)
        equal(sorted(listed), ["Suite.Code.B", "Suite.Code.Own", "Suite.One.Plain"])
        if of != "known.ilprof":
            equal({name: row["calls_below"] for name, row in rows(of).items()},
                  {name: row["calls_below"] for name, row in rows(profile).items()})


def missing():
    """Where the tree was full, or a method was off: the list says so, if it is about such a method."""
    for options in ("--covers=Suite.Code.B", "--covers=Suite.Nothing"):
        equal(ilinject("report", options, profile).err, "")
    of = program("mono", "ran-out/Tests.exe", status=0, name="full", env={"ILINJECT_NODES": "8"}).profile
    said = ilinject("report --covers=Suite.Code.C", of)
    true(re.search(r"warning ILJ0617: 4 calls of these methods had no place in the trees$", said.err, re.M), said)
    equal(ilinject("report --covers=Suite.Nothing", of).err, "")
    of = program("mono", "ran-out/Tests.exe", status=0, name="off", env={"ILINJECT_OFF": "Suite.Code.D"}).profile
    for options in (["--covers=Suite.Code.D"], ["--tests-of", diff_of(("void D()", "-"))]):
        said = ilinject("report", *options, of)
        true("ILJ0617: Suite.Code.D() was switched off" in said.err and said.out == "", said)
    said = ilinject("report --tests-of", diff_of(("void C()", "-")), of)
    true(said.err == "" and "Suite.One.Rows" in said.out, said)


def usage():
    for options, text in [("--by=test --physical", "--physical exclude"), ("--test=a --json", "--test is not for"),
                          ("--covers=a --json", "are for the text format"),
                          ("--by=test --columns=calls", "--columns is not"),
                          ("--covers=a --raw-names", "--raw-names exclude")]:
        true(text in ilinject("report", options.split(), profile, status=2).err, options)
    true("--covers 'a(': " in ilinject("report --covers=a(", profile, status=2).err)


def real():
    """xunit 2 by VSTest, which ends its host soon after the last test."""
    reason = frameworks.build("xunit2", "real")
    if reason:
        skip("a suite of xunit 2: each test is a tree, whatever ran at the same time", reason)
        return
    check("a suite of xunit 2: each test is a tree, whatever ran at the same time", real_suite)


def real_suite():
    out = frameworks.output("xunit2", "real")
    ilinject("test -o real.ilprof -q", out, "--", "--nologo", seconds=600)
    whole = report("real.ilprof")
    tests = {frameworks.plain(row["name"]): row for row in whole["tests"] if row["kind"] == "test"}
    equal({name: row["calls"] for name, row in tests.items()}, frameworks.CALLS)
    equal(sum(row["calls_below"] for row in whole["tests"]), whole["totals"]["enters"] - whole["totals"]["steps"])


if has("mono", "mcs"):
    profile = ran("ran")
    check("tests are known by their attributes, their names, and what sets them up", known)
    check("the rows of all tests and all other code add up to the whole", sums)
    check("a table has a row for each test, with what sets it up apart", table)
    check("a test has its part of what sets it up and ends it", set_up)
    check("a report is about one test, in each format", one_tree)
    check("the tests that ran a method, or whose set-up did, are named", covers)
    check("with a setting, what tests have called is known where the trees have no room", all_known)
    check("a method is found by its name as a report shows it", shown_names)
    check("the tests that a diff touches are named", tests_of)
    check("a diff that cannot be read is refused, with the line", bad_diffs)
    check("other methods are roots by a pattern or an attribute", own_roots)
    check("a program without tests has nothing of them", nothing)
    check("where calls were only counted there is no tree of a test", only_counts)
    check("where the tree was full, the table says that trees are cut", full_tree)
    check("a list of tests that may lack some says so", missing)
    check("a page has the tests", page)
    check("options that exclude each other are refused", usage)
else:
    skip("tests in a profile", "no mono or no mcs")
if has("dotnet"):
    real()
else:
    skip("a suite of xunit 2: each test is a tree, whatever ran at the same time", "no dotnet")
finish()
