#!/usr/bin/env -S python3 -B
# level: full
"""Spans (--spans) elsewhere: compiled ahead of time by NativeAOT, with the package for MSBuild; on Mono, with the
package that has System.Diagnostics.Activity; without that, the program runs as before."""
import os
import shutil
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from kit import (BUILD, ILINJECT, LIB, ROOT, check, command, csc, equal, finish, has, ilinject,
                 mcs, scratch, skip, true, write)
from spans import PACKAGES, VERSION, instrumented, make, parsed, paths_of, paths_of_profile, root_of, run

NATIVE = "spans of a program that NativeAOT compiles nest as the calls of a profile do"
MONO = "spans are made on Mono with the package that has activities"
OTHERS = {"System.Diagnostics.DiagnosticSource": "6.0.0", "System.Memory": "4.5.4", "System.Buffers": "4.5.1",
          "System.Runtime.CompilerServices.Unsafe": "6.0.0", "System.Numerics.Vectors": "4.5.0"}
LISTENER = """using System;
using System.Diagnostics;
using System.Threading.Tasks;

class Pear
{
    static async Task<int> EatAsync(int n)
    {
        await Task.Delay(1);
        if (n > 1)
            throw new InvalidOperationException("on purpose");
        return Cut(n);
    }
    static int Cut(int n) { return n; }
    static async Task<int> DineAsync()
    {
        Task<int> first = EatAsync(0), second = EatAsync(1);
        try { await EatAsync(2); } catch (InvalidOperationException) { }
        return await first + await second;
    }
    static void Main()
    {
#if !QUIET
        Listener.Listen();
#endif
        Console.WriteLine(DineAsync().Result);
    }
}

#if !QUIET
class Listener
{
    internal static void Listen()
    {
        ActivitySource.AddActivityListener(new ActivityListener {
            ShouldListenTo = source => source.Name == "Pear",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) => ActivitySamplingResult.AllData,
            ActivityStopped = span => {
                lock (typeof(Listener))
                    Console.WriteLine(string.Join("\\t", span.SpanId, span.ParentSpanId, span.TraceId, span.Status,
                    span.DisplayName, "")); } });
    }
}
#endif
"""


# ---- NativeAOT -----------------------------------------------------------------------------------


def package():
    """The folder with the package for MSBuild of the program that is tested."""
    version = command(ILINJECT, "--version").out.split()[1]
    build = os.path.relpath(BUILD, ROOT)
    made = BUILD / f"tests/ILInject.MSBuild.{version}.nupkg"
    command("flock", BUILD / "tests/package.lock", "make", "-s", "-C", ROOT, f"BUILD={build}",
            f"NUPKG_FOLDER={build}/tests",
            f"NUPKG_PROGRAM={build}/ilinject", made.relative_to(ROOT), seconds=900)
    feed = scratch() / "feed"
    feed.mkdir(exist_ok=True)
    shutil.copy(made, feed)
    return feed, version


def publishes(framework, feed, version):
    folder = scratch() / framework
    references = "".join(f'<PackageReference Include="{name}" Version="{VERSION}" />' for name in PACKAGES)
    write(folder / "Orchard.csproj", f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType><TargetFramework>{framework}</TargetFramework><PublishAot>true</PublishAot>
    <RestoreAdditionalProjectSources>{feed}</RestoreAdditionalProjectSources>
    <DefineConstants>$(DefineConstants);ALONE</DefineConstants><InvariantGlobalization>true</InvariantGlobalization>
    <ILInjectEnabled>true</ILInjectEnabled><ILInjectSpans>Orchard.Work.*</ILInjectSpans>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="ILInject.MSBuild" Version="{version}" PrivateAssets="all" />{references}
  </ItemGroup>
</Project>
""")
    for source in ["SpanWork.cs", "SpanHost.cs"]:
        shutil.copy(LIB / "cs" / source, folder)
    return command("dotnet publish -c Release -r linux-x64 -o out --disable-build-servers", status=None,
                   cwd=folder, seconds=1200,
                   env={"NUGET_PACKAGES": str(BUILD / "tests/packages-msbuild"), "DOTNET_CLI_TELEMETRY_OPTOUT": "1"})


def native_nests(framework, expected, published):
    equal(published.status, 0)
    warned = [line for line in published.out.splitlines() if "ILInject.Spans" in line and "warning" in line]
    equal(warned, [])
    lines = command(scratch() / framework / "out/Orchard", "run").out.splitlines()
    spans = parsed(lines[1:])
    equal(paths_of(spans, root_of(spans)), expected)
    true((scratch() / framework / "out/Orchard.dll").exists() is False, "it is no native program")


def suspended_nests(expected):
    """Methods without state machines: the runtime itself suspends them."""
    shutil.copytree("app", "suspended")
    true(csc("suspended/Orchard.dll", "-target:library", "-optimize+",
             "-features:runtime-async=on", "-nowarn:SYSLIB5007",
             LIB / "cs/SpanWork.cs"))
    (scratch() / "suspended/Orchard.pdb").unlink()
    true(b"<LeafAsync>d__" not in (scratch() / "suspended/Orchard.dll").read_bytes(), "there is a state machine")
    ilinject("suspended/Orchard.dll -o instrumented/ --spans=Orchard.Work.*")
    for name in os.listdir("instrumented"):
        shutil.copy(f"instrumented/{name}", "suspended")
    _, spans, _ = run("suspended", "run", DOTNET_RuntimeAsync="1")
    equal(paths_of(spans, root_of(spans)), expected)


def native():
    missing = make() or (None if has("zip") else "no zip to make the package with")
    if missing:
        skip(NATIVE, missing)
        return
    instrumented("profile", "--include=Orchard.**")
    expected = paths_of_profile(run("profile", "run")[2], lambda part: "Each" in part)
    check("spans of methods that the runtime suspends nest so, too", suspended_nests, expected)
    feed, version = package()
    shutil.rmtree(BUILD / "tests/packages-msbuild/ilinject.msbuild", ignore_errors=True)
    for framework in os.environ.get("FRAMEWORKS", "net8.0 net9.0 net10.0").split():  # FRAMEWORKS= : none
        published = publishes(framework, feed, version)
        if "NU1101" in published.out or "NU1102" in published.out:
            skip(f"{framework}: {NATIVE}", "the package feed has not all of it")
        else:
            check(f"{framework}: {NATIVE}", native_nests, framework, expected, published)


# ---- Mono ----------------------------------------------------------------------------------------


def mono_makes_spans():
    ilinject("pear/Pear.exe -o out/ --spans=Pear.*")
    said = command("mono out/Pear.exe").out.splitlines()
    spans = parsed(line for line in said if "\t" in line)
    equal(said[-1], "1")
    dine = next(span for span in spans if span.name == "Pear.DineAsync")
    found = sorted((span.name, span.status, span.parent == dine.id) for span in spans if span.name == "Pear.EatAsync")
    equal(found, [("Pear.EatAsync", "Error", True)] + 2 * [("Pear.EatAsync", "Unset", True)])
    eaten = {span.id for span in spans if span.name == "Pear.EatAsync"}
    equal([span.parent in eaten for span in spans if span.name == "Pear.Cut"], [True, True])
    equal(spans[-1].name, "Pear.DineAsync")


def mono_lacks_them():
    mcs("pear/Quiet.exe", "-define:QUIET", code=LISTENER)
    ilinject("pear/Quiet.exe -o quiet/ --spans=Pear.*")
    equal(sorted(os.listdir("quiet")), ["ILInject.Spans.dll", "Quiet.exe"])
    said = command("mono quiet/Quiet.exe")
    equal((said.out, said.err), ("1\n", ""))


def mono():
    fetched = command(ROOT / "tests/nuget-fetch",
                      *[f"{name}/{version}" for name, version in OTHERS.items()], status=None)
    if fetched.status or not has("mono"):
        skip(MONO, fetched.out.strip() if has("mono") else "Mono is not installed")
        return
    folder = scratch() / "pear"
    folder.mkdir()
    for name, version in OTHERS.items():
        libraries = scratch().__class__(fetched.out.strip()) / name.lower() / version / "lib"
        shutil.copy(next(libraries / kind / f"{name}.dll" for kind in ["net461", "net46", "net45"]
                         if (libraries / kind / f"{name}.dll").exists()), folder)
    mcs(folder / "Pear.exe", f"-r:{folder}/System.Diagnostics.DiagnosticSource.dll",
        "-r:/usr/lib/mono/4.5/Facades/netstandard.dll",
        code=LISTENER)
    shutil.copytree(folder, "out")
    check(MONO, mono_makes_spans)
    check("… and where it is missing at run time, the program runs as before", mono_lacks_them)


mono()
if not os.environ.get("MONO_ALONE"):
    native()
finish()
