#!/usr/bin/env -S python3 -B
"""A startup profile (MIBC) names what a run has called, as another reader has it (tests/e2e/lib/cs/MibcCheck.cs), and
crossgen2 compiles just that (tests/e2e/lib/cs/Startup.cs)."""
import re
import sys
sys.path[0] += "/../.."
from kit import (BUILD, LIB, check, command, csc, equal, finish, fresh, has, ilinject, program, read, scratch, skip,
                 true, write)

CROSSGEN = BUILD / "tests/packages/microsoft.netcore.app.crossgen2.linux-x64"
VERSIONS = ["10.0.12", "9.0.23"]
# What compilers add, and nothing calls.
UNCALLED = re.compile(r"Never|\.Only$|\.SetStateMachine$|System\.Collections\.IEnumer|\.Reset$")


def named(file, *options):
    return command("dotnet MibcCheck.dll", *options, file).out.splitlines()


def names_what_ran():
    """Every method of the program with a body but those that nothing calls."""
    found = named("app.mibc")
    equal(len(found), len(set(found)))
    methods = set(named("src/Startup.dll", "-m"))
    equal(sorted(set(named("app.mibc", "-d"))), sorted(m for m in methods if not UNCALLED.search(m)))
    true(found[0].startswith("[Startup]Shop.Program.Main("), found[0])
    true(found.index("[Startup]Shop.Program.Hot(int32)") < found.index("[Startup]Shop.Program.LoadAsync(int32)") <
         found.index("[Startup]Shop.Square..ctor()"), "the order of first calls")


def instantiations():
    """By hand: those that the program's source has."""
    found = set(named("app.mibc"))
    repo = {re.sub(r"\[Startup\]Shop\.Repo`1<(.*)>\.Get\(\)", r"\1", line) for line in found if ".Get()" in line}
    equal(repo, {"int32", "System.__Canon", "Shop.Money", "Shop.Pair`2<int32,System.__Canon>", "float64"})
    for line in ("Shop.Program.Later<int32>(int32)", "Shop.Program.Later<__Canon>(__Canon)",
                 "Shop.Program+<Later>d__6`1<int32>.MoveNext()",
                 "Shop.Repo`1<int32>.As<__Canon>(Func`2<int32,__Canon>)",
                 "Shop.Repo`1<System.__Canon>.As<int32>(Func`2<__Canon,int32>)", "Shop.Program.Same<float64>(float64)",
                 "Shop.Repo`1+Inner<int32>.Keep<__Canon>(__Canon,int32)", "Shop.Pair`2<int64,System.__Canon>.Second()"):
        true(re.sub(r"d__\d+", "d__", line) in {re.sub(r"d__\d+", "d__", one.split("]", 1)[1]) for one in found}, line)
    true(not any("Guid" in line for line in found), "a method that did not run has instantiated it")


def weights():
    """Calls, each callee once: by hand."""
    lines = named("app.mibc", "-w")
    main = lines[1:next(i for i in range(1, len(lines)) if not lines[i].startswith("\t"))]
    true("\tweight 1" in main and "\tcalls [Startup]Shop.Program.Hot(int32) 5" in main, "\n".join(main))
    at = lines.index("[Startup]Shop.Program.Hot(int32)")
    equal(lines[at + 1], "\tweight 6")


def same_bytes(*files):
    first = (scratch() / files[0]).read_bytes()
    true(all((scratch() / file).read_bytes() == first for file in files[1:]), f"{files} differ")


def the_same():
    """The same profiles give the same bytes, whichever command and whichever of the two assemblies is read."""
    ilinject(f"mibc {ran} --assembly=src -o again.mibc")
    ilinject(f"report --format=mibc {ran} --assembly=src/Startup.dll -o report.mibc")
    same_bytes("app.mibc", "again.mibc", "report.mibc")
    write("beside/out.ilprof", ran.read_bytes())
    write("beside/Startup.dll", (scratch() / "made/Startup.dll").read_bytes())
    ilinject("mibc beside -o beside.mibc")
    equal(named("beside.mibc"), named("app.mibc"))


def union():
    """Two runs: the methods of both, each once."""
    ilinject(f"mibc {ran} {more} --assembly=src -o both.mibc")
    ilinject(f"merge {more} {ran} -o merged.ilprof")
    ilinject("mibc merged.ilprof --assembly=src -o merged.mibc")
    both = named("both.mibc")
    equal(set(both) - set(named("app.mibc")), {"[Startup]Shop.Program.Only(string[])"})
    equal((len(both), sorted(both)), (len(set(both)), sorted(named("merged.mibc"))))


def refused():
    """One line, a value that is not 0, and no file."""
    for arguments, said in ((f"mibc {ran} --assembly=other -o no.mibc", "ILJ0641"),
                            (f"mibc {ran} --assembly=other/Startup.dll -o no.mibc", "ILJ0641"),
                            (f"mibc {ran} --assembly=empty -o no.mibc", "ILJ0642"),
                            (f"mibc {ran} --assembly=src/none.dll -o no.mibc", "none.dll"),
                            (f"mibc {ran} --assembly={ran} -o no.mibc", str(ran)),
                            (f"mibc {off} --assembly=src -o no.mibc", "ILJ0640")):
        ilinject(arguments, status=1).says(said, lines=1)
    ilinject(f"mibc {ran}", status=2).says("no output")
    ilinject("mibc -o no.mibc", status=2).says("no profile")
    ilinject(f"report {ran} --assembly=src", status=2).says("--assembly is for --format=mibc")
    true(not (scratch() / "no.mibc").exists(), "a file was written")


def mono_reads():
    said = command("monodis app.mibc")
    true("AssemblyDictionary" in said.out and said.out.count("pop") > 100, said.out[:300])


def compiles(version, assembly):
    """The methods that crossgen2 says that it compiles, of all of what is in `assembly`."""
    framework = re.search(r"^Microsoft\.NETCore\.App 10\S* \[(.*)\]$", command("dotnet --list-runtimes").out, re.M)
    folder = re.search(r"^Microsoft\.NETCore\.App (10\S*) ", command("dotnet --list-runtimes").out, re.M)[1]
    said = command(CROSSGEN / version / "tools/crossgen2", assembly, "-o", f"ready/{version}/Startup.dll", "-r",
                   f"{framework[1]}/{folder}/*.dll", "--targetos:linux", "--targetarch:x64", "--mibc", "app.mibc",
                   "--partial", "--verbose")
    return sorted(line.split(" ", 1)[1] for line in said.out.splitlines() if line.startswith("Compiling "))


def compiled(version):
    fresh(f"ready/{version}")
    wanted = sorted(named("app.mibc"))
    # Another build has none of some methods that are named, amid those that it has.
    equal(compiles(version, "other/Startup.dll"), [line for line in wanted if "Gone" not in line])
    equal(compiles(version, "src/Startup.dll"), wanted)


def not_jitted():
    """The runtime's own list of what it compiles at the start has none of the program's methods."""
    fresh("start")
    write("start/Startup.dll", (scratch() / f"ready/{VERSIONS[0]}/Startup.dll").read_bytes())
    write("start/Startup.runtimeconfig.json", read("src/Startup.runtimeconfig.json"))
    listed = {}
    for folder in ("src", "start"):
        command("dotnet", f"{folder}/Startup.dll", env={"DOTNET_JitStdOutFile": str(scratch() / "jit.txt"),
                                                      "DOTNET_JitDisasmSummary": "1"})
        lines = re.findall(r"JIT compiled (Shop\..*?:.*?)\(", read("jit.txt"))
        listed[folder] = sorted(set(lines))
        (scratch() / "jit.txt").unlink()
    true(len(listed["src"]) > 30, str(listed["src"]))
    equal(listed["start"], [])


fresh("src", "other", "empty")
if not has("dotnet") or not csc("MibcCheck.dll", LIB / "cs/MibcCheck.cs"):
    skip("startup profiles", "no .NET SDK")
    finish()
csc("src/Startup.dll", "-optimize+", "-nowarn:8632", LIB / "cs/Startup.cs")
csc("other/Startup.dll", "-optimize+", "-nowarn:8632", "-d:OTHER", LIB / "cs/Startup.cs")
ilinject("-q src/Startup.dll -o made/Startup.dll")
ran = program("dotnet", "made/Startup.dll", status=0).profile
more = program("dotnet", "made/Startup.dll", "one", name="more", status=0).profile
off = program("dotnet", "made/Startup.dll", name="off", status=0, env={"ILINJECT_START": "off"}).profile
ilinject(f"mibc {ran} --assembly=src -o app.mibc")
check("a startup profile names every method that has run, in the order of first calls, and no other", names_what_ran)
check("generic methods are named for the arguments that the code has", instantiations)
check("weights are calls, and no callee stands twice", weights)
check("the same profile gives the same bytes, from the assembly or what was made of it", the_same)
check("several profiles give the methods of all", union)
check("what cannot be named is refused in one line", refused)
if has("monodis"):
    check("Mono reads the file as an assembly", mono_reads)
else:
    skip("Mono reads the file as an assembly", "Mono is not installed")
there = [version for version in VERSIONS if (CROSSGEN / version / "tools/crossgen2").exists()]
for one in VERSIONS:
    sentence = f"crossgen2 {one} compiles what is named, whatever else is named that is not there"
    if one in there:
        check(sentence, compiled, one)
    else:
        skip(sentence, "it is not among the packages of build/tests")
if VERSIONS[0] in there:
    check("the runtime compiles none of these at the start", not_jitted)
finish()
