#!/usr/bin/env -S python3 -B
"""A folder as input: its own assemblies are instrumented, all else is copied byte for byte with
permissions, links and empty folders; the result runs; a run that was killed and is started again
gives the same bytes; what cannot be meant is refused before anything is written."""
import os
import pwd
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
sys.path[0] += "/../.."
from kit import (BUILD, FIXTURES, ILINJECT, build_options, check, command, copied, equal, finish, fresh, has, ilinject,
                 like, mcs, names_in, program, read, refusals, same, scratch, skip, true, write)

if not has("mcs", "mono"):
    skip("a folder as input", "no mono or no mcs")
    finish()
TRACKER = "ProfileInfoTracker.dll"
OWN = ["app.exe", "lib.dll", "plugins/one/plugin.dll"]

# ---- A program of Mono with all that may stand around one ------------------------------------------

LIBRARY = "public static class Lib { public static int Twice(int n) { return 2 * n; } }"
mcs("in/lib.dll", write("lib.cs", LIBRARY))
mcs("in/System.Vendor.dll", write("vendor.cs", """
namespace System { public static class Vendor { public static int Half(int n) { return n / 2; } } }"""))
mcs("in/app.exe", "-debug", "-r:in/lib.dll", "-r:in/System.Vendor.dll", write("app.cs", """class Program {
    static void Main(string[] words)
    {
        System.Console.WriteLine("{0} {1}", Lib.Twice(words.Length), System.Vendor.Half(8));
    }
}"""))
mcs("in/de/app.resources.dll", write("culture.cs", '[assembly: System.Reflection.AssemblyCulture("de")]'))
mcs("in/ref/lib.dll", write("reference.cs", "[assembly: System.Runtime.CompilerServices.ReferenceAssembly]\n"
                            + LIBRARY.replace("2 * n", "0")))
mcs("in/plugins/one/plugin.dll", "lib.cs")
ilinject("-q --in-place", mcs("in/old.dll", "lib.cs"))
os.remove(f"in/{TRACKER}")
for name, content in (("in/native.so", os.urandom(3000)), ("in/app.exe.config", "<configuration/>\n"),
                      ("in/strange.deps.json", "{}\n"), ("in/with space/a file", "text\n"),
                      ("outside/elsewhere.txt", "secret\n"), ("in/start", "#!/bin/sh\n")):
    write(name, content)
os.makedirs("in/data/empty")
for name, mode in (("in/native.so", 0o600), ("in/start", 0o751), ("in/data", 0o750)):
    os.chmod(name, mode)
OUTSIDE = scratch() / "outside"
for link, target in (("in/link.dll", "lib.dll"), ("in/data/up.dll", "../lib.dll"), ("in/dangling", "nowhere"),
                     ("in/data.link", "data"), ("in/outside", OUTSIDE),
                     ("in/elsewhere.txt", OUTSIDE / "elsewhere.txt")):
    os.symlink(target, link)


def told(said, *texts):
    for text in texts:
        true(text in str(said), f"not said: {text}\n{said}")


def run(line, *texts, status=0, **options):
    told(ilinject(line, status=status, **options), *texts)


def instrumented(*files):
    for file in files:
        ilinject("dump --tables", file).shows("ProfileInfoTracker")


def entries(folder):
    """All entries with kind and permissions and where links lead, but for what stands beside what is
    instrumented."""
    return sorted((str(path.relative_to(folder)), oct(path.lstat().st_mode),
                   os.readlink(path) if path.is_symlink() else "")
                  for path in Path(folder).rglob("*") if not path.name.endswith((TRACKER, ".mdb", "elsewhere.txt")))


check("a folder is taken whole", run, "in -o out",
      "in: 5 assemblies to instrument, ", "total of 5", "2 copied unchanged")
check("its own assemblies are instrumented", instrumented, "out/old.dll", *(f"out/{name}" for name in OWN))
check("what is in it, and with what permissions, stays", lambda: equal(entries("out"), entries("in")))


@check("all else is what it was to the byte")
def _():
    for path in Path("in").rglob("*"):
        name = path.relative_to("in")
        if path.is_file() and not path.is_symlink() and path.suffix != ".mdb" and str(name) not in OWN:
            same(path, Path("out", name))


@check("a link to a file elsewhere becomes that file")
def _():
    true(not os.path.islink("out/elsewhere.txt"))
    same("outside/elsewhere.txt", "out/elsewhere.txt")


check("the tracker stands once in each folder with an instrumented assembly", lambda: equal(
    sorted(str(path.relative_to("out")) for path in Path("out").rglob(TRACKER)), [TRACKER, f"plugins/one/{TRACKER}"]))


@check("the copy runs as the original does, and is measured")
def _():
    equal(command("mono in/app.exe a b").out, "4 4\n")
    said = program("mono", "out/app.exe", "a", "b")
    equal(said.out, "4 4\n")
    ilinject("report", said.profile).shows("Twice")


check("instrumented already is copied with one line", run, "in -o out", "in/old.dll: info ILJ0400")

# ---- Again, by other ways --------------------------------------------------------------------------


def same_as_out(folder):
    command("diff -r --no-dereference out", folder)
    equal(entries(folder), entries("out"))


def afresh(name, source="in"):
    """A copy of a folder that nothing was done to."""
    shutil.rmtree(name, ignore_errors=True)
    return copied(source, name)


@check("any number of threads gives the same")
def _():
    for line, folder in (("-j 1 in -o out1", "out1"), ("-j 4 in/ -o out4/", "out4")):
        run(line)
        same_as_out(folder)


@check("once more changes nothing, not even times")
def _():
    def times():
        return [os.lstat(f"out/{name}").st_mtime_ns for name in ("native.so", "start", "app.exe.config")]
    afresh("before", "out")
    was = times()
    run("in -o out")
    same_as_out("before")
    equal(times(), was)


@check("what is old in the output is replaced, what a killed run left goes, and no link is written through")
def _():
    worn = afresh("worn", "out")
    write(worn / "start", "old\n")
    shutil.rmtree(worn / "plugins")
    for name in ("native.so", "lib.dll"):
        os.remove(worn / name)
        os.symlink(OUTSIDE / "elsewhere.txt", worn / name)
    write(worn / "de/.ilinject-0123456789abcdef", "half\n")
    os.chmod(worn / "native.so", 0o777)
    run("in -o worn")
    same_as_out("worn")
    equal(read("outside/elsewhere.txt"), "secret\n")


@check("what else stands in the output stays")
def _():
    write(afresh("kept", "out") / "notes.txt", "mine\n")
    run("in -o kept")
    equal(read("kept/notes.txt"), "mine\n")


@check("the files without the folder give the same")
def _():
    run("in/app.exe in/lib.dll -o single/")
    for name in ("app.exe", "lib.dll", "app.exe.mdb"):
        same(f"single/{name}", f"out/{name}")


@check("--all takes those of frameworks, too")
def _():
    run("--all in -o all")
    instrumented("all/System.Vendor.dll")
    equal(command("mono all/app.exe a").out, "2 4\n")
    same("in/de/app.resources.dll", "all/de/app.resources.dll")


@check("rules select in all of them")
def _():
    run("in -o chosen --include 'Lib.*'")
    same("in/app.exe", "chosen/app.exe")
    instrumented("chosen/lib.dll", "chosen/plugins/one/plugin.dll")


@check("--in-place takes the folder itself, and leaves it when done")
def _():
    place = afresh("place")
    (place / ".ilinject-fedcba9876543210").touch()
    run("--in-place place")
    (place / "elsewhere.txt").unlink()
    copied("out/elsewhere.txt", "place/")
    same_as_out("place")
    afresh("twice", "place")
    run("--in-place place")
    same_as_out("place")


@check("--dry-run writes nothing")
def _():
    run("--dry-run in -o never", "would be", "5 assemblies to instrument")
    true(not os.path.exists("never"))


@check("several inputs go by their names")
def _():
    run("in in/de in/lib.dll -o several")
    same_as_out("several/in")
    same("out/lib.dll", "several/lib.dll")
    same("in/de/app.resources.dll", "several/de/app.resources.dll")


check("and a machine is told", run, "--json in -o out",
      '"assemblies": 5', '"foreign": 1', '"satellites": 1', '"links": 5')

# ---- Refusals --------------------------------------------------------------------------------------


def refused(arguments, message):
    """Nothing is written into the input."""
    def listing():
        return sorted((str(path), path.lstat().st_size, path.lstat().st_mode) for path in Path("in").rglob("*"))
    before = listing()
    run(arguments, message, status=2)
    equal(listing(), before)
    equal(read("file"), "x\n")


os.symlink("in", "alias")
write("file", "x\n")
refusals("refusals/folder", refused)


@check("a folder with nothing of its own is said")
def _():
    copied("in/System.Vendor.dll", fresh("nothing"))
    run("nothing -o nothing.out", "ILJ0466", "1 of packages and frameworks, which --all instruments")
    same("in/System.Vendor.dll", "nothing.out/System.Vendor.dll")


TESTS = {"Shop.Tests.dll": True, "NUnit3.TestAdapter.dll": False, "nunit.engine.dll": False}
for name in TESTS:
    copied("in/lib.dll", write(f"tests/{name}", ""))
write("tests/t.deps.json", '{"runtimeTarget":{"name":"n"},"targets":{"n":{}}}\n')


@check("what runs tests is not its own")
def _():
    run("tests -o tests.out", "1 assembly to instrument", "2 assemblies of packages and frameworks")
    same("in/lib.dll", "tests.out/nunit.engine.dll")
    instrumented("tests.out/Shop.Tests.dll")


@check("… but with --all")
def _():
    run("tests --all -o tests.all", "3 assemblies to instrument")
    instrumented("tests.all/nunit.engine.dll")


@check("a pipe is left out, with a word")
def _():
    os.mkfifo(afresh("piped") / "pipe")
    run("piped -o piped.out", "piped/pipe: warning ILJ0467")
    same_as_out("piped.out")


# A launcher's place for the offset of its bundle, 0 and not 0, and the mark after it.
MARK = bytes.fromhex("8b1202b96a612038727b930214d7a03213f5b9e6efae3318ee3b2dce24b36aae")
LAUNCHER, SINGLE = (b"\x7fELF some code" + offset + MARK + b"and more" for offset in (bytes(8), b"\0\0\1\0\0\0\0\0"))


@check("a single-file program is refused with advice, and loses nothing of the others")
def _():
    folder = afresh("bundled")
    write(folder / "launcher", LAUNCHER)
    write(folder / "single", SINGLE)
    run("bundled -o bundled.out", "bundled/single: error ILJ0465", "PublishSingleFile", "1 failed", status=1)
    true(not os.path.exists("bundled.out/single"))
    same("bundled/launcher", "bundled.out/launcher")
    os.remove("bundled.out/launcher")
    same_as_out("bundled.out")


# ---- Folders that a run makes ----------------------------------------------------------------------


@check("the folder of an output is made")
def _():
    run("in/app.exe -o 'made/by it/app.exe'")
    instrumented("made/by it/app.exe")


@check("one that cannot be made is named")
def _():
    ilinject("in/app.exe -o file/by/app.exe", status=1).says("the folder file/by cannot be made", lines=1)


def nothing_left(line, status=1):
    run(line, status=status)
    for name in ("gone", "still/gone"):
        true(not os.path.exists(name), name)


@check("a run that fails leaves no folder that it has made: a tracker that is not there")
def _():
    write("still/file", "x\n")
    nothing_left("in -o still/gone/deep --tracker none.dll")
    equal(names_in("still"), ["file"])


check("… a pattern that is wrong", nothing_left, "in -o gone --include '(('", 2)
check("… of a file, too", nothing_left, "in/app.exe -o gone/deep/app.exe --tracker none.dll")


@check("… nothing but a single-file program")
def _():
    write("lonely/single", SINGLE)
    copied("in/app.exe.config", "lonely/")
    nothing_left("lonely -o gone")


@check("… one that was there stays, with what was in it")
def _():
    write("stays/file", "x\n")
    run("in -o stays --tracker none.dll", status=1)
    true(os.path.exists("stays/file"))


# ---- Assemblies in other files ---------------------------------------------------------------------

# By what the formats' makers write at the head of each, and by the names that they give: the page
# that says what to do.
HIDDEN = {"Packed.dll": "maui", "Shop.exe.deploy": "framework", "Shop.wasm": "browser", "assemblies.blob": "maui",
          "global-metadata.dat": "unity", "lib/lib_Shop.dll.so": "maui"}


def hide(folder):
    """A file of each kind, and one more of one."""
    for name, content in (("Packed.dll", b"XALZ\1\0\0\0\x10\0\0\0"), ("assemblies.blob", b"XABA\3\0\0\0"),
                          ("lib/libassemblies.arm64-v8a.blob.so", b"\x7fELF\2\1"),
                          ("lib/lib_Shop.dll.so", b"\x7fELF\2\1"),
                          ("Shop.wasm", b"\0asm\1\0\0\0 some sections WbIL"),
                          ("global-metadata.dat", b"\xaf\x1b\xb1\xfa\x1d\0")):
        write(f"{folder}/{name}", content)
    copied("in/app.exe", f"{folder}/Shop.exe.deploy")


def names_page(file, page):
    return like(rf"^hidden/{re.escape(file)}: error ILJ0492: .*\(docs/[a-z]*/{page}\.md\)")


@check("a folder whose assemblies are packed in other files fails, and names each kind and the page that says "
       "what to do")
def _():
    hide("hidden")
    said = ilinject("hidden -o hidden.out", status=1)
    said.says(*(names_page(*row) for row in HIDDEN.items()), "1 more like it", lines=6).lacks("ILJ0466")
    true(not os.path.exists("hidden.out"))


@check("beside assemblies they are copied as they are, with a word")
def _():
    hide("mixed")
    copied("in/app.exe", "mixed/")
    said = ilinject("mixed -o mixed.out")
    equal(len(re.findall(r"^mixed/.*: warning ILJ0493: left as it is", said.err, re.M)), 6)
    same("mixed/Packed.dll", "mixed.out/Packed.dll")
    instrumented("mixed.out/app.exe")


@check("named, each is told for what it is")
def _():
    for file, page in HIDDEN.items():
        if file != "Shop.exe.deploy":
            ilinject(f"hidden/{file} -o named.out", status=1).says(names_page(file, page), lines=1)


def packed_in(ending):
    command(f"zip -q -r ../app.{ending} .", cwd="hidden")
    run(f"app.{ending} -o packed.{ending}", f"app.{ending}/Packed.dll: error ILJ0492",
        f"app.{ending}/lib/lib_Shop.dll.so: error ILJ0492", status=1)
    true(not os.path.exists(f"packed.{ending}"))


if has("zip"):
    check("so it is in a package for Android", packed_in, "apk")
    check("and in a bundle of such", packed_in, "aab")
else:
    skip("so it is in a package for Android", "no zip")


@check("a manifest with hashes of files that change is told")
def _():
    copied("in/app.exe", fresh("click"))
    write("click/app.exe.manifest", "<asmv1:assembly><dsig:DigestValue>x</dsig:DigestValue></asmv1:assembly>\n")
    write("click/plain.manifest", "<assembly/>\n")
    said = ilinject("click -o click.out").lacks("plain.manifest")
    told(said, "click/app.exe.manifest: warning ILJ0493")


@check("a program of NativeAOT's is told, where nothing else is")
def _():
    for name in ("shop", "libshop.so"):
        write(f"native/{name}", b"\x7fELF code DotNetRuntimeDebugHeader")
    ilinject("native -o native.out", status=1).says("native/shop: error ILJ0465: a program that NativeAOT",
                                                    "docs/tasks/nativeaot.md", lines=1)
    copied("in/app.exe", "native/")
    ilinject("native -o native.out").lacks("NativeAOT")
    run("native/shop -o x", "native/shop: error ILJ0465", status=1)


@check("a single-file program that is named gets the true reason")
def _():
    copied("in/lib.dll", "bundled/single.dll")
    said = ilinject("bundled/single -o x", status=1).lacks("single.dll")
    told(said, "bundled/single: error ILJ0465: a program in a single file", "PublishSingleFile")


@check("what is called .dll and cannot be read as an assembly is copied")
def _():
    write(afresh("broken") / "lib.dll", Path("in/lib.dll").read_bytes()[:1500])
    run("broken -o broken.out")
    same("broken/lib.dll", "broken.out/lib.dll")
    same("out/app.exe", "broken.out/app.exe")


# ---- Unreadable files ------------------------------------------------------------------------------

# Named, an error, and the rest is done as ever: no file that cannot be read is taken for one that is
# no assembly.

def unreadable(file):
    return {"FAULT_READ": f"/unread/{file}", "LD_PRELOAD": str(BUILD / "tests/faults.so")}


def unread_in_place(file):
    afresh("unread")
    copied("in/lib.dll", "unread/prog")
    said = ilinject("--in-place unread", status=1, env=unreadable(file))
    told(said, f"unread/{file}: error ILJ0900: cannot be read: Input/output error", "1 that cannot be read")
    equal(said.err.count(f"unread/{file}"), 1)
    instrumented("unread/app.exe")
    same("in/lib.dll", f"unread/{file}")


def unread_copy():
    afresh("unread")
    run("unread -o unread.out", "unread/lib.dll: error ILJ0900", status=1, env=unreadable("lib.dll"))
    true(not os.path.exists("unread.out/lib.dll"))
    same("out/app.exe", "unread.out/app.exe")


if b"__asan_init" in (BUILD / "ilinject").read_bytes():
    skip("what cannot be read is an error", "a sanitizer wants to be the first library")
else:
    check("in place an assembly that cannot be read is named, an error, and the rest is done",
          unread_in_place, "lib.dll")
    check("so is what may be a launcher", unread_in_place, "prog")
    check("in a copy, too", unread_copy)


def nobody():
    """The words that run a command as another user, or the reason why there are none."""
    try:
        user = pwd.getpwnam("nobody")
    except KeyError:
        user = None
    if os.geteuid() != 0 or not has("setpriv") or not user:
        return None, "only root can become another user"
    words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    if command(words, "test", "-x", os.environ.get("TMPDIR", "/tmp"), status=None).status != 0:
        return None, "another user cannot reach the program"
    return words, ""


def closed():
    fresh("closed/below")
    for name in ("a.dll", "b.dll", "below/lib.dll"):
        copied("in/lib.dll", f"closed/{name}")
    os.chmod(copied(BUILD / "ilinject", "ilinject"), 0o755)
    for name in ("closed/below", "closed/a.dll"):
        os.chmod(name, 0)
    command("chown -R nobody closed")
    scratch().chmod(0o755)
    told(command(as_nobody, "./ilinject", "--in-place", "closed", status=1),
         "closed/a.dll: error ILJ0900: cannot be read: Permission denied",
         "closed/below cannot be listed: Permission denied", "2 that cannot be read")
    instrumented("closed/b.dll")


as_nobody, reason = nobody()
if as_nobody:
    check("what its rights keep from us is named, files and folders", closed)
else:
    skip("what its rights keep from us is named", reason)


@check("what stands in the way is said, and nothing else is lost")
def _():
    fresh("blocked/native.so", "blocked/app.exe")
    run("in -o blocked", "blocked/native.so", "blocked/app.exe", status=1)
    same("out/lib.dll", "blocked/lib.dll")
    same("in/start", "blocked/start")


# ---- Killed, and started again ---------------------------------------------------------------------

fresh("many/below")
largest = sorted(Path("/usr/lib/mono/4.5").glob("*.dll"), key=lambda file: (-file.lstat().st_size, file.name))
for number, file in enumerate(largest[1:25], 1):
    copied(file.resolve(), f"many/{'' if number % 3 else 'below/'}{file.name}")


@check("a run that was killed is started again, and gives the same bytes")
def _():
    run("-q --all -j 2 many -o whole")
    ended = 0
    for wait in (0.01, 0.05, 0.1, 0.2, 0.4):
        shutil.rmtree("half", ignore_errors=True)
        process = subprocess.Popen([ILINJECT, *"-q --all -j 2 many -o half".split()], stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.kill()
        ended += process.wait() != 0
        run("-q --all -j 2 many -o half")
        command("diff -r whole half")
    if not ended:
        print("no run was killed in time")


# ---- A folder that the SDK built -------------------------------------------------------------------

if not has("dotnet") or not command("dotnet --list-sdks", status=None).out:
    skip("what the SDK built", "no .NET SDK")
    finish()
os.environ.update(DOTNET_CLI_HOME=str(scratch() / "home"), DOTNET_NOLOGO="1", DOTNET_CLI_TELEMETRY_OPTOUT="1",
                  DOTNET_SKIP_FIRST_TIME_EXPERIENCE="1")
copied(FIXTURES.parent / "net", "net")
check("the SDK builds a program", command, "dotnet build net/app/app.csproj -o bin -v q", build_options())


@check("it runs instrumented from the copy, by dotnet and its launcher")
def _():
    run("bin -o bin-prof", "2 assemblies to instrument")
    instrumented("bin-prof/app.dll", "bin-prof/lib.dll")
    for name in ("app.deps.json", "lib.deps.json"):
        true(TRACKER in read(f"bin-prof/{name}"), name)
    for name in ("app.runtimeconfig.json", "app"):
        same(f"bin/{name}", f"bin-prof/{name}")
    said = program("dotnet", "bin-prof/app.dll", "argument")
    equal(said.out, command("dotnet bin/app.dll argument", status=None).out)
    ilinject("report", said.profile).shows("Twice")
    launched = str(scratch() / "launched.ilprof")
    equal(command("bin-prof/app argument", env={"ILINJECT_OUT": launched}, status=None).out, "twice 10\n")
    ilinject("report", launched).shows("Twice")


@check("a project that is referenced as a file, too, is the program's own; a file that is only referenced is not")
def _():
    deps = read("bin/app.deps.json")
    lib = '"lib/1.0.0": {"runtime": {"lib.dll": {}}}, '
    facts = '"lib/1.0.0.0": {"type": "reference", "serviceable": false, "sha512": ""}, '
    listed = re.sub(r'("\.NETCoreApp,Version=v[0-9.]+": \{)', r"\1" + lib.replace("1.0.0", "1.0.0.0"), deps)
    listed = listed.replace('"libraries": {', '"libraries": {' + facts)
    shutil.copytree("bin", "referenced")
    write("referenced/app.deps.json", listed)
    run("referenced -o referenced-out", "2 assemblies to instrument")
    instrumented("referenced-out/lib.dll")
    os.remove("referenced/lib.deps.json")
    write("referenced/app.deps.json", re.sub(r'("lib/1.0.0": \{[^}]*)"project"', r'\1"reference"', listed))
    run("referenced -o file-out", "1 assembly of packages")
    same("referenced/lib.dll", "file-out/lib.dll")


@check("what a package brings is left alone")
def _():
    # The library as a package: no longer its own.
    deps = read("bin/app.deps.json")
    write("bin/app.deps.json", re.sub(r'("lib/1.0.0": \{[^}]*)"project"', r'\1"package"', deps))
    os.remove("bin/lib.deps.json")
    run("bin -o packaged", "1 assembly of packages")
    same("bin/lib.dll", "packaged/lib.dll")
    instrumented("packaged/app.dll")


finish()
