"""Test suites of five frameworks, of the same tests: plain and async ones, rows, exceptions, set-up, all in parallel."""
import fcntl
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "../../.."))
from kit import BUILD, ROOT, build_options, command, write

RUNNER = {"Microsoft.NET.Test.Sdk": "17.14.1"}
# packages; using; an attribute of a test, of a theory, of a row, of the class; whether the tests' program runs them itself
FRAMEWORKS = {
    "xunit2": ({"xunit": "2.9.3", "xunit.runner.visualstudio": "3.1.5", **RUNNER}, "Xunit",
               "[Fact]", "[Theory]", "InlineData", "", False),
    "xunit3": ({"xunit.v3": "4.0.2"}, "Xunit", "[Fact]", "[Theory]", "InlineData", "", True),
    "nunit": ({"NUnit": "5.0.0", "NUnit3TestAdapter": "6.3.1", **RUNNER}, "NUnit.Framework", "[Test]", "", "TestCase",
              "[TestFixture, Parallelizable(ParallelScope.All), FixtureLifeCycle(LifeCycle.InstancePerTestCase)]", False),
    "mstest": ({"MSTest": "4.5.2"}, "Microsoft.VisualStudio.TestTools.UnitTesting", "[TestMethod]", "[TestMethod]",
               "DataRow", "[TestClass]", False),
    "tunit": ({"TUnit": "1.81.10"}, "TUnit.Core", "[Test]", "[Test]", "Arguments", "", True),
}
BEFORE_AND_AFTER = {"nunit": ("SetUp", "TearDown"), "mstest": ("TestInitialize", "TestCleanup"),
                    "tunit": ("Before(Test)", "After(Test)")}
CLASSES = "ABC"
TESTS = ["Adds", "Sleeps", "Loads", "LoadsMany", "Fails", "Rows", "RowsAsync"]
QUICK = 8
NAMES = sorted([f"Suite.Tests{c}.{t}" for c in CLASSES for t in TESTS] +
               [f"Suite.TestsA.Quick{i}" for i in range(QUICK)])
CALLS = {name: 3 if ".Rows" in name else 1 for name in NAMES}
SLEPT_MS = {"Sleeps": 60, "Loads": 60, "LoadsMany": 80, "Rows": 60, "RowsAsync": 30}  # at least, of all rows


def sources(framework, folder):
    packages, using, fact, theory, row, of_class, _ = FRAMEWORKS[framework]
    rows = " ".join(f"[{row}({i})]" for i in (1, 2, 3))
    lines = [f"using {using};", "using System;", "using System.Threading.Tasks;", "using Shop;"]
    if framework == "mstest":
        lines.append("[assembly: Parallelize(Workers = 4, Scope = ExecutionScope.MethodLevel)]")
    lines.append("namespace Suite {")
    if framework.startswith("xunit"):
        lines.append("public class Fixture { public Fixture() { Prices.Of(3); } }")
    for c in CLASSES:
        bases = "IClassFixture<Fixture>, IDisposable" if c == "A" else "IDisposable"
        lines.append(f"{of_class} public class Tests{c}{' : ' + bases if framework.startswith('xunit') else ''} {{")
        lines.append("readonly Store store = new Store();")
        if framework.startswith("xunit"):
            lines.append(f"public Tests{c}({'Fixture f' if c == 'A' else ''}) {{ Store.Open(); }}")
            lines.append("public void Dispose() { store.Close(); }")
        else:
            before, after = BEFORE_AND_AFTER[framework]
            lines.append(f"[{before}] public void Begin() {{ Store.Open(); }}")
            lines.append(f"[{after}] public void End() {{ store.Close(); }}")
        lines += [
            f"{fact} public void Adds() {{ store.Put(1, 2); Prices.Of(5); }}",
            f"{fact} public void Sleeps() {{ Prices.Wait(60); }}",
            f"{fact} public async Task Loads() {{ store.Put(await store.LoadAsync(1, 60), 1); }}",
            f"{fact} public async Task LoadsMany() {{ var all = new Task<int>[5];",
            "for (int i = 0; i < 5; i++) all[i] = store.LoadAsync(i, 80); await Task.WhenAll(all); }",
            f"{fact} public void Fails() {{ try {{ store.Fail(); }} catch (InvalidOperationException) {{ store.Put(0, 0); }} }}",
            f"{theory} {rows} public void Rows(int n) {{ Prices.Wait(n * 10); }}",
            f"{theory} {rows} public async Task RowsAsync(int n) {{ await store.SaveAsync(n); await Task.Delay(n * 5); }}"]
        if c == "A":
            lines += [f"{fact} public async Task Quick{i}() {{ await Task.Yield(); await store.SaveAsync({i}); }}"
                      for i in range(QUICK)]
        lines.append("}")
    write(f"{folder}/Tests.cs", "\n".join(lines + ["}"]) + "\n")
    write(f"{folder}/Shop.cs", (ROOT / "tests/e2e/lib/cs/Tested.cs").read_text())
    references = "".join(f'<PackageReference Include="{n}" Version="{v}" />' for n, v in packages.items())
    program = "<OutputType>Exe</OutputType>" if FRAMEWORKS[framework][6] else ""
    write(f"{folder}/Suite.csproj", f"""<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><TargetFramework>net10.0</TargetFramework><IsTestProject>true</IsTestProject>{program}
<Nullable>disable</Nullable><ImplicitUsings>disable</ImplicitUsings><TreatWarningsAsErrors>false</TreatWarningsAsErrors>
<RestorePackagesPath>{BUILD}/tests/published</RestorePackagesPath></PropertyGroup>
<ItemGroup>{references}</ItemGroup>
</Project>
""")


def build(framework, folder):
    """Builds it; the reason why that cannot be done, or None."""
    sources(framework, folder)
    with open(BUILD / "tests/published.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = command("dotnet build -c Release -v q", build_options(), cwd=folder, status=None, seconds=900)
    if said.status == 0:
        return None
    if re.search(r"NU1301|NU1101|NU1102|NU1100|Unable to load the service index", said.out):
        return "its packages cannot be had"
    raise AssertionError(said.out[-3000:])


def output(framework, folder):
    return Path(folder).absolute() / "bin/Release/net10.0"


def durations(trx):
    """Of each test in milliseconds, all of its rows together, as the runner has measured it."""
    space = {"t": "http://microsoft.com/schemas/VisualStudio/TeamTest/2010"}
    root = ET.parse(trx).getroot()
    names, sums = {}, {}
    for test in root.iterfind(".//t:UnitTest", space):
        method = test.find("t:TestMethod", space)
        names[test.get("id")] = method.get("className").split(",")[0] + "." + method.get("name").split("(")[0].split(".")[-1]
    for result in root.iterfind(".//t:UnitTestResult", space):
        if result.get("resultType") == "DataDrivenTest":
            continue
        hours, minutes, seconds = (result.get("duration") or "0:0:0").split(":")
        name = names[result.get("testId")]
        sums[name] = sums.get(name, 0) + (int(hours) * 3600 + int(minutes) * 60 + float(seconds)) * 1000
    return sums


def first_started(trx):
    """The test that began first: in its time the runner itself is compiled."""
    space = {"t": "http://microsoft.com/schemas/VisualStudio/TeamTest/2010"}
    results = ET.parse(trx).getroot().iterfind(".//t:UnitTestResult", space)
    return plain(min(results, key=lambda result: result.get("startTime")).get("testName"))


def plain(name):
    """Without parameters: as runners name tests."""
    return name.split("(")[0]
