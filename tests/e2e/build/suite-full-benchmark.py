#!/usr/bin/env -S python3 -B
# level: full
"""The package for BenchmarkDotNet: calls and bytes of an operation, exact, and measured times of plain code."""
import csv
import os
import re
import sys
sys.path[0] += "/../.."
from pathlib import Path
from kit import (BUILD, ROOT, build_options, check, command, equal, finish, has, ilinject, locked, names_in, report,
                 scratch, skip, true, write)

VERSION = ilinject("--version").out.split()[1]
NAME = f"ILInject.BenchmarkDotNet.{VERSION}.nupkg"
BENCHMARKS = """\
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using ILInject;

[SimpleJob(warmupCount: 2, iterationCount: 3, invocationCount: 160), MemoryDiagnoser, ILInjectDiagnoser]
public class Counted {
    [Params(3, 7)] public int N;
    static readonly int[] table = Fill();
    static int[] Fill() { var made = new int[9]; for (int i = 0; i < 9; i++) made[i] = Twice(i); return made; }
    static int Twice(int i) { return 2 * i; }
    // Says whether a tracker is in this process, of every run of this benchmark.
    [GlobalCleanup] public void End() {
        Console.WriteLine("// tracker: " +
            AppDomain.CurrentDomain.GetAssemblies().Any(a => a.GetName().Name == "ProfileInfoTracker"));
    }
    [Benchmark] public int Work() { int sum = table[N]; for (int i = 0; i < N; i++) sum += Step(i); return sum; }
    [Benchmark] public object Make() { return Array(N); }
    [Benchmark] public async Task<int> Later() {
        int sum = 0;
        for (int i = 0; i < N; i++) { await Task.Yield(); sum += Step(i); }
        return sum;
    }
    [Benchmark] public void Wide() { Parallel.For(0, N, i => { Step(i); }); }
    [Benchmark(OperationsPerInvoke = 4)]
    public int Four() { int s = 0; for (int i = 0; i < 4; i++) s += Step(i); return s; }
    int Step(int i) { return Other(i) + Other(i + 1); }
    object Array(int n) { return new int[n]; }
    int Other(int i) { return i * 3; }
}
[SimpleJob(warmupCount: 1, iterationCount: 4, invocationCount: 1), ILInjectDiagnoser("--exclude=Prepared.Left")]
public class Prepared {
    List<int> list;
    [IterationSetup] public void Setup() { list = new List<int>(); for (int i = 0; i < 10; i++) Add(i); }
    [IterationCleanup] public void Cleanup() { Add(1); }
    [Benchmark(Description = "in order")]
    public int Sort() { Add(3); Left(); return list.Select(x => -x).OrderBy(x => x).First(); }
    void Add(int i) { list.Add(i); }
    void Left() { Add(5); }
}
[InProcess, ILInjectDiagnoser]
public class Inside {
    [Benchmark] public int Nothing() { return 1; }
}
static class Program {
    static void Main(string[] words) {
        // The machine does other work.
        var patient = ManualConfig.Create(DefaultConfig.Instance).WithBuildTimeout(TimeSpan.FromHours(1));
        BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(words, patient);
    }
}
"""
# Of each operation: what the loops above say.
EXPECTED = {
    f"Counted.{name}(N: {n})": rows for n in (3, 7) for name, rows in {
        "Work": {"Counted.Work()": 1, "Counted.Step(int)": n, "Counted.Other(int)": 2 * n},
        "Make": {"Counted.Make()": 1, "Counted.Array(int)": 1},
        "Later": {"Counted.Later()": 1, "Counted.Step(int)": n, "Counted.Other(int)": 2 * n},
        "Wide": {"Counted.Wide()": 1, "Counted.Wide.lambda#1(int)": n, "Counted.Step(int)": n,
                 "Counted.Other(int)": 2 * n},
        "Four": {"Counted.Four()": 0.25, "Counted.Step(int)": 1, "Counted.Other(int)": 2},
    }.items()}


def make():
    """The package with the program that is tested, in a feed of its own; None, or why there is none."""
    os.makedirs("feed")
    folder = BUILD.relative_to(ROOT)
    with locked(BUILD / "tests/package.lock"):
        said = command("make -s -C", ROOT, f"BUILD={folder}", *(["SAN=1"] if BUILD.name == "san" else []),
                       f"NUPKG_FOLDER={scratch()}/feed", f"NUPKG_PROGRAM={folder}/ilinject", f"{scratch()}/feed/{NAME}",
                       status=None, seconds=900, env={"MAKEFLAGS": "", "MAKELEVEL": ""})
    return None if said.status == 0 else said.err.strip().splitlines()[-1]


def build():
    write("NuGet.config",
          '<configuration><packageSources><add key="ours" value="feed" /></packageSources></configuration>')
    write("suite/suite.csproj", f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework><LangVersion>10</LangVersion></PropertyGroup>
  <ItemGroup><PackageReference Include="ILInject.BenchmarkDotNet" Version="{VERSION}" /></ItemGroup>
</Project>""")
    write("suite/suite.cs", BENCHMARKS)
    return command("dotnet build -c Release -v q -nologo", build_options(), cwd="suite", status=None, seconds=900)


def files_are_there():
    command("unzip -q", f"feed/{NAME}", "-d", "package")
    equal(names_in("package"), ["ILInject.BenchmarkDotNet.nuspec", "LICENSE", "NOTICES", "README.md",
                                "[Content_Types].xml", "_rels", "lib", "runtimes"])
    true(list(Path("suite/bin/Release/net10.0/runtimes").glob("linux-*/native/ilinject")),
         "no program beside the benchmarks")


def same_bytes():
    command(ROOT / "src/benchmark/compile", VERSION, "again/ILInject.BenchmarkDotNet.dll", seconds=600)
    equal(Path("again/ILInject.BenchmarkDotNet.dll").read_bytes(),
          Path("package/lib/netstandard2.0/ILInject.BenchmarkDotNet.dll").read_bytes())


def counted(name):
    rows = {}
    for row in csv.DictReader(open(f"suite/BenchmarkDotNet.Artifacts/results/{name}-calls.csv")):
        rows.setdefault(row["benchmark"], {})[row["method"]] = row
    return rows


def without_ilinject():
    return ":".join(p for p in os.environ["PATH"].split(":") if not Path(p, "ilinject").exists())


def run(pattern, log):
    said = command("dotnet bin/Release/net10.0/suite.dll --filter", pattern, cwd="suite", seconds=3600,
                   env={"PATH": without_ilinject()})
    write(log, said.out)
    true("// * Summary *" in said.out and "// Build Error" not in said.out, said.out[-3000:])
    return said.out


def calls_are_exact():
    run("*Counted*", "counted.log")
    found = counted("Counted")
    equal({name: {method: float(row["calls_per_operation"]) for method, row in rows.items()}
           for name, rows in found.items()},
          EXPECTED)
    for name, rows in found.items():
        operations = 4 * 480 if "Four" in name else 480
        equal({int(row["operations"]) for row in rows.values()}, {operations})
        for method, row in rows.items():
            equal(int(row["calls"]), EXPECTED[name][method] * operations)


def bytes_are_those_of_the_memory_diagnoser():
    """It reads the runtime's own counter, in the plain process."""
    found = counted("Counted")
    for row in csv.DictReader(open("suite/BenchmarkDotNet.Artifacts/results/Counted-report.csv")):
        if row["Method"] not in ("Work", "Make", "Four"):
            continue  # what a pool of threads allocates is not the same twice
        ours = sum(int(r["bytes_per_operation"]) for r in found[f"Counted.{row['Method']}(N: {row['N']})"].values())
        equal(f"{ours} B", row["Allocated"] if row["Allocated"] != "-" else "0 B")
    equal(found["Counted.Make(N: 7)"]["Counted.Array(int)"]["bytes_per_operation"], "56")


def summary_has_columns():
    log = Path("counted.log").read_text()
    line = next(line for line in log.splitlines() if re.match(r"\| Work +\| 7 ", line))
    head = next(line for line in log.splitlines() if line.startswith("| Method "))
    cells = dict(zip([c.strip() for c in head.split("|")], [c.strip() for c in line.split("|")]))
    equal((cells["Calls/op"], cells["Bytes/op"]), ("22", "-"))
    after = log[log.index("Diagnostic Output - ILInjectDiagnoser"):]
    true(re.search(r"^Counted.Work\(N: 3\)\n +Calls/op +Bytes/op +Method\n"
                   r" +6 +0 +Counted.Other\(int\)\n +3 +0 +Counted.Step\(int\)\n"
                   r" +1 +0 +Counted.Work\(\)\n +10 +0 +all, in 480 operations\n"
                   r"Profile: .*Counted.Work\(N=3\).ilprof$", after, re.M),
         after[:1500])


def measured_runs_are_plain():
    said = re.findall("^// tracker: (True|False)$", Path("counted.log").read_text(), re.M)
    equal(said, ["False", "True"] * len(EXPECTED))
    true(not list(Path("suite").rglob("*.ilinject")), "a copy is left")


def profiles_are_kept():
    found = report("suite/BenchmarkDotNet.Artifacts/Counted.Work(N=7).ilprof")
    equal({(row["name"], row["kind"], row["calls"], row["calls_below"]) for row in found["tests"]},
          {("Counted.Work()", "test", 480, 480 * 22)})


def set_up_is_apart():
    run("*Prepared*", "prepared.log")
    equal({name: {method: row["calls_per_operation"] for method, row in rows.items()}
           for name, rows in counted("Prepared").items()},
          {"Prepared.Sort": {"Prepared.Sort()": "1", "Prepared.Add(int)": "2", "Prepared.Sort.lambda#1(int)": "12",
                             "Prepared.Sort.lambda#2(int)": "12"}})


def in_process_is_refused():
    said = run("*Inside*", "inside.log")
    true("counts no calls here: an in-process toolchain has the assemblies loaded already" in said, said[-2000:])
    true("Diagnostic Output - ILInjectDiagnoser *\n\nInside" not in said)
    true(not list(Path("suite/BenchmarkDotNet.Artifacts").glob("Inside*.ilprof")))


def missing_tool():
    for file in Path("suite/bin/Release/net10.0/runtimes").glob("*/native/ilinject*"):
        file.unlink()
    said = command("dotnet bin/Release/net10.0/suite.dll --filter", "*Inside*", cwd="suite", seconds=1800,
                   env={"PATH": without_ilinject()}).out
    true("ILInjectDiagnoser: no ilinject beside the package's assembly or in PATH" in said, said[-2000:])


os.environ["NUGET_PACKAGES"] = str(BUILD / "tests/packages-benchmark")
os.environ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1"
if not has("dotnet", "zip", "unzip"):
    skip("BenchmarkDotNet counts calls", "no dotnet, zip or unzip")
elif reason := make():
    skip("BenchmarkDotNet counts calls", reason)
else:
    command("rm -rf", BUILD / "tests/packages-benchmark/ilinject.benchmarkdotnet")
    built = build()
    if built.status and "NU1" in built.out:
        skip("BenchmarkDotNet counts calls", built.out.strip().splitlines()[0][:150])
    else:
        check("a project takes the package from a feed and is built", lambda: true(built.status == 0, built.out))
        check("the package has the assembly, and the build puts its program beside the benchmarks", files_are_there)
        check("compiled in another folder, the assembly has the same bytes", same_bytes)
        check("calls of an operation are whole numbers, those that the program's loops say, on each thread",
              calls_are_exact)
        check("bytes are those of MemoryDiagnoser, which measures the plain run",
              bytes_are_those_of_the_memory_diagnoser)
        check("the summary has a column for both, and a table by method after it", summary_has_columns)
        check("measured runs have no tracker in them, and no copy stays", measured_runs_are_plain)
        check("each benchmark's profile lies with the artifacts, of measured operations alone", profiles_are_kept)
        check("what set-up and clean-up of iterations call does not count; options go to ilinject", set_up_is_apart)
        check("an in-process job is left out, with the reason", in_process_is_refused)
        check("without a program the run is refused before it begins", missing_tool)
finish()
