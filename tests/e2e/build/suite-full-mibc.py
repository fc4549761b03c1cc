#!/usr/bin/env -S python3 -B
# level: full
"""Two real programs start as fast when only what their start calls is compiled ahead as when all is, and grow by less:
a service of ASP.NET Core with Entity Framework, up to its first answer, and a compiler, up to its first assembly. Their
own assemblies and those of packages are compiled by crossgen2, with a startup profile that one run has given. Times are
the least of many runs, one of each kind after the other."""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
sys.path[0] += "/../.."
from kit import (BUILD, LIB, ROOT, check, command, csc, equal, finish, fresh, has, ilinject, read, scratch, skip, true,
                 write)

CROSSGEN, VERSION = "Microsoft.NETCore.App.Crossgen2.linux-x64", "10.0.12"
ROUNDS = 15
LEAST_METHODS, SLOWER, GROWTH = 1000, 1.05, 0.60

PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk{web}">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><UseAppHost>false</UseAppHost>
    <AssemblyName>{name}</AssemblyName><SatelliteResourceLanguages>en</SatelliteResourceLanguages>
    <InvariantGlobalization>true</InvariantGlobalization><GenerateDocumentationFile>false</GenerateDocumentationFile>
    <EnableDefaultItems>false</EnableDefaultItems></PropertyGroup>
  <ItemGroup><Compile Include="{name}.cs"/><PackageReference Include="{package}" Version="{version}"/></ItemGroup>
</Project>
"""
SERVICE = read(ROOT / "tests/bench/ahead/Service.cs")
COMPILER = """\
using System;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

public static class Program {
    public static int Main(string[] args) {
        string framework = Path.GetDirectoryName(typeof(object).Assembly.Location);
        var references = new[] { "System.Private.CoreLib", "System.Runtime", "System.Console", "System.Linq",
                                 "System.Collections" }
            .Select(n => MetadataReference.CreateFromFile(Path.Combine(framework, n + ".dll")));
        var made = CSharpCompilation.Create("made", new[] { CSharpSyntaxTree.ParseText(File.ReadAllText(args[0])) },
            references, new CSharpCompilationOptions(OutputKind.ConsoleApplication));
        var result = made.Emit(args[1]);
        foreach (var problem in result.Diagnostics) Console.WriteLine(problem);
        Console.WriteLine(result.Success ? "made" : "failed");
        return result.Success ? 0 : 1;
    }
}
"""
COMPILED = """\
using System;
using System.Collections.Generic;
using System.Linq;
class P {
    record Line(string Name, int Count);
    static IEnumerable<int> Numbers(int n) { for (int i = 0; i < n; i++) yield return i; }
    static void Main(string[] args) {
        var lines = Numbers(9).Select(i => new Line($"line {i}", i)).Where(l => l.Count % 2 == 0).ToList();
        foreach (var (name, count) in lines.OrderBy(l => l.Name)) Console.WriteLine($"{name}: {count:D3}");
        switch (args.Length) { case > 2: throw new ArgumentException(); default: break; }
    }
}
"""


def service(folder, profile=None, extra=None):
    """Seconds from the process's start to the first answer; the first run makes the database."""
    env = {**os.environ, **(extra or {}), **({"ILINJECT_OUT": profile} if profile else {})}
    begun = time.monotonic()
    with subprocess.Popen(["dotnet", f"{folder}/Service.dll", str(scratch() / "shop.db")], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, text=True) as run:
        address = run.stdout.readline().strip()
        try:
            with urllib.request.urlopen(f"{address}/customers/1", timeout=100) as answer:
                said = answer.read().decode()
            took = time.monotonic() - begun
        finally:
            run.terminate()
            errors = run.communicate()[1]
    true(said == '{"name":"Ada","orders":2,"total":7}', f"{said} {errors}")
    return took


def compiler(folder, profile=None, extra=None):
    """Seconds that the whole run takes."""
    env = {**os.environ, **(extra or {}), **({"ILINJECT_OUT": profile} if profile else {})}
    begun = time.monotonic()
    said = subprocess.run(["dotnet", f"{folder}/Compiler.dll", "made.cs", "made.dll"], capture_output=True, env=env,
                          text=True, check=False)
    took = time.monotonic() - begun
    true(said.returncode == 0 and said.stdout == "made\n", f"{said}")
    return took


NATIVE = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><PublishAot>true</PublishAot>
    <InvariantGlobalization>true</InvariantGlobalization><EnableDefaultItems>false</EnableDefaultItems></PropertyGroup>
  <ItemGroup><Compile Include="{source}"/><MibcFile Include="$(Mibc)" Condition="'$(Mibc)' != ''"/></ItemGroup>
</Project>
"""
PROGRAMS = {
    "Service": (SERVICE, "Microsoft.EntityFrameworkCore.Sqlite", "10.0.0", ".Web", service),
    "Compiler": (COMPILER, "Microsoft.CodeAnalysis.CSharp", "4.14.0", "", compiler),
}
packages = BUILD / "tests/packages"


def build(name):
    """Builds a program into the folder of its name; what went wrong, or None."""
    source, package, version, web, _ = PROGRAMS[name]
    fresh(f"src/{name}")
    write(f"src/{name}/{name}.csproj", PROJECT.format(name=name, package=package, version=version, web=web))
    write(f"src/{name}/{name}.cs", source)
    packages.mkdir(parents=True, exist_ok=True)
    with open(f"{packages}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = command(f"dotnet publish -c Release -r linux-x64 --self-contained false -o {scratch()}/{name}/il",
                       f"-p:RestorePackagesPath={packages}", f"src/{name}/{name}.csproj", status=None, seconds=900)
    failed = re.search(r"error (?:NU|MSB4236|NETSDK)\S*: .{1,150}", said.out)
    true(said.status == 0 or failed, said)
    return None if said.status == 0 else failed[0]


def frameworks():
    """The folders of the shared frameworks that a program runs on here."""
    said = command("dotnet --list-runtimes").out
    found = re.findall(r"^(Microsoft\.(?:NETCore|AspNetCore)\.App) (10\.\S+) \[(.*)\]$", said, re.M)
    return [f"{folder}/{version}" for _, version, folder in found]


def crossgen(name, kind, file, *options):
    references = [word for folder in (f"{name}/il", *frameworks()) for word in ("-r", f"{folder}/*.dll")]
    return command(packages / CROSSGEN.lower() / VERSION / "tools/crossgen2", f"{name}/il/{file}", "-o",
                   f"{name}/{kind}/{file}", *references, "--targetos:linux", "--targetarch:x64", "-O", *options,
                   seconds=900).out


def named(file):
    """The methods that a startup profile names, by assembly, as System.Reflection.Metadata reads it."""
    found = {}
    for line in command("dotnet MibcCheck.dll", file).out.splitlines():
        if line.startswith("["):
            found.setdefault(line[1:line.index("]")], set()).add(line)
    return found


def record(name):
    """Two runs of the instrumented program, as the first one makes its database; what their profile names."""
    ilinject("-q --all", f"{name}/il", "-o", f"{name}/ins")
    for run in ("first", "later"):
        PROGRAMS[name][4](f"{name}/ins", str(scratch() / f"{name}.{run}.ilprof"))
    ilinject(f"mibc {name}.first.ilprof {name}.later.ilprof --assembly={name}/il -o {name}.mibc")
    methods = named(f"{name}.mibc")
    count = sum(map(len, methods.values()))
    size = (scratch() / f"{name}.mibc").stat().st_size
    print(f"# {name}: {count} methods of {len(methods)} assemblies, {size} bytes")
    true(count >= LEAST_METHODS, f"{count} methods")
    return methods


compiled = {}  # by program: what crossgen2 says it has compiled of what is named
possible = {}  # by program: what it compiles when all is asked for


def compiling(said):
    return {line.split(" ", 1)[1] for line in said.splitlines() if line.startswith("Compiling ")}


def images(name):
    """The program with all of the named assemblies compiled, and with no more of them than what is named."""
    compiled[name], possible[name] = set(), set()
    for kind in ("full", "part"):
        shutil.copytree(f"{name}/il", f"{name}/{kind}", dirs_exist_ok=True)
    for assembly in sorted(named(f"{name}.mibc")):
        possible[name] |= compiling(crossgen(name, "full", f"{assembly}.dll", "--verbose"))
        compiled[name] |= compiling(crossgen(name, "part", f"{assembly}.dll", "--mibc", f"{name}.mibc", "--partial",
                                             "--verbose"))


def only_named(name):
    """crossgen2 compiles what is named and nothing else. What it leaves out it leaves out of full images, too: methods
    over structs of the framework, which is another version bubble."""
    wanted = {line for lines in named(f"{name}.mibc").values() for line in lines}
    made, most, wanted_names = ({re.sub(r"\(.*", "", line) for line in lines}
                                for lines in (compiled[name], possible[name], wanted))
    extra, missing = made - wanted_names, wanted_names - made
    print(f"# {name}: {len(compiled[name])} methods compiled, {len(missing)} of {len(wanted_names)} names not")
    for line in sorted(missing)[:20]:
        print(f"#   not: {line}")
    equal((sorted(extra), sorted(missing & most)), ([], []))
    true(len(missing) * 10 <= len(wanted_names), f"{len(missing)} of {len(wanted_names)} are not compiled")


def jitted(name, kind):
    """The methods that are compiled at the start all the same, as the runtime lists them."""
    log = scratch() / f"{name}.{kind}.jit"
    PROGRAMS[name][4](f"{name}/{kind}", extra={"DOTNET_JitStdOutFile": str(log), "DOTNET_JitDisasmSummary": "1"})
    found = re.findall(r"JIT compiled (.*) \[(?:Tier0|FullOpts)", log.read_text(errors="replace"))
    return {line.replace(":", ".", 1) for line in found if "dynamicClass" not in line}


def none_is_jitted(name):
    """The runtime compiles no method that is compiled already; it does not take the code of some, as of full images."""
    made = {re.sub(r"\(.*", "", line).split("]", 1)[1] for line in compiled[name]}
    lines = {kind: jitted(name, kind) for kind in ("il", "full", "part")}
    print(f"# {name}: compiled at the start: " + ", ".join(f"{kind} {len(found)}" for kind, found in lines.items()))
    again = {line for line in lines["part"] if re.sub(r"[\[(].*", "", line) in made}
    print(f"#   {len(again)} of them have code, {len(again & lines['full'])} of these with full images, too")
    equal(sorted(again - lines["full"]), [])


def measure(name):
    kinds = ("il", "full", "part")
    run = PROGRAMS[name][4]
    least = {kind: float("inf") for kind in kinds}
    for kind in kinds:
        run(f"{name}/{kind}")  # files are in memory from now on
    for _ in range(ROUNDS):
        for kind in kinds:
            least[kind] = min(least[kind], run(f"{name}/{kind}"))
    files = [f"{assembly}.dll" for assembly in named(f"{name}.mibc")]
    size = {kind: sum((scratch() / name / kind / file).stat().st_size for file in files) for kind in kinds}
    print(f"# {name:10} {'time':>9} {'of full':>8} {'bytes':>12} {'growth':>12} {'of full':>8}")
    for kind in kinds:
        grown, whole = size[kind] - size["il"], size["full"] - size["il"]
        print(f"#   {kind:8} {least[kind] * 1000:6.0f} ms {least[kind] / least['full']:8.3f} {size[kind]:12} "
              f"{grown:12} {grown / whole:8.3f}")
    return least, size


def claims(name):
    least, size = measure(name)
    grown = (size["part"] - size["il"]) / (size["full"] - size["il"])
    true(least["part"] <= SLOWER * least["full"], f"{least['part'] / least['full']:.3f} of full's time")
    true(grown <= GROWTH, f"{grown:.3f} of full's growth")
    true(least["full"] < least["il"] and least["part"] < least["il"], "compiling ahead is worth nothing here")


def published(*options):
    """What the native compiler says of the program, into native/out; all of it is made."""
    shutil.rmtree("native/obj", ignore_errors=True)
    shutil.rmtree("native/out", ignore_errors=True)
    with open(f"{packages}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return command(f"dotnet publish -c Release -r linux-x64 -o {scratch()}/native/out",
                       f"-p:RestorePackagesPath={packages}", *options, "native/Startup.csproj", status=None,
                       seconds=900)


def native():
    """NativeAOT's compiler gets the file, without a word about it, and the program is what it was."""
    ilinject("-q native/Startup.dll -o native/ins/Startup.dll")
    write("native/ins/Startup.runtimeconfig.json", read("native/Startup.runtimeconfig.json"))
    ran = command("dotnet native/ins/Startup.dll", env={"ILINJECT_OUT": str(scratch() / "native.ilprof")})
    ilinject("mibc native.ilprof --assembly=native/Startup.dll -o native.mibc")
    said = published(f"-p:Mibc={scratch()}/native.mibc")
    equal((said.status, re.findall(r"warning.*", said.out)), (0, []))
    rsp = "".join(file.read_text() for file in (scratch() / "native/obj").rglob("*.ilc.rsp"))
    true(f"--mibc:{scratch()}/native.mibc" in rsp, rsp[-500:])
    equal(command("native/out/Startup").out, ran.out)
    sizes = {"without": plain_size, "with": (scratch() / "native/out/Startup").stat().st_size}
    print(f"# NativeAOT: bytes of the program {sizes}")


def lacking():
    if not has("dotnet") or len(frameworks()) < 2:
        return "no .NET 10 with ASP.NET Core"
    fetched = command(ROOT / "tests/nuget-fetch", f"{CROSSGEN}/{VERSION}", status=None)
    return None if fetched.status == 0 else fetched.out.strip()


lacks = lacking()
write("made.cs", COMPILED)
if not lacks:
    csc("MibcCheck.dll", LIB / "cs/MibcCheck.cs")
for program in PROGRAMS:
    missing = lacks or build(program)
    if missing:
        skip(f"{program}: time and growth", missing)
        continue
    check(f"{program}: a run gives a startup profile of {LEAST_METHODS} methods and more", record, program)
    images(program)
    check(f"{program}: crossgen2 compiles what is named", only_named, program)
    check(f"{program}: what it has compiled is not compiled at the start", none_is_jitted, program)
    check(f"{program}: it starts as fast as with all of it compiled, and grows by less", claims, program)
    shutil.rmtree(scratch() / program, ignore_errors=True)
fresh("native")
write("native/Startup.csproj", NATIVE.format(source=LIB / "cs/Startup.cs"))
lacks = lacks or (None if has("clang") or has("gcc") else "no linker for native code")
first = None if lacks else published()
if first and first.status == 0:
    csc("native/Startup.dll", "-optimize+", "-nowarn:8632", LIB / "cs/Startup.cs")
    plain_size = (scratch() / "native/out/Startup").stat().st_size
    check("NativeAOT takes a startup profile without a warning", native)
else:
    skip("NativeAOT takes a startup profile without a warning", lacks or first.out.strip().splitlines()[-1][:150])
finish()
