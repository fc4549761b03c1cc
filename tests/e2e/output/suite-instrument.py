#!/usr/bin/env -S python3 -B
"""The promises of instrumenting beyond a program that runs: same input, same bytes; copying through;
running it twice; what is refused; where the output goes and what it keeps; trackers of every
shape; the edges of locals, overlays, certificates, native resources."""
import os
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
import images
from kit import (FIXTURES, ILINJECT, can, check, command, copied, differ, equal, finish, fresh, has, ilinject, like,
                 mcs, names_in, profile_agrees, program, put, read, refusals, runtimeconfig, same, same_run, scratch,
                 skip, true, write)

if not has("mcs", "mono"):
    skip("instrumenting keeps its promises", "no mono or no mcs")
    finish()
os.chmod(".", 0o755)
TRACKER = "ProfileInfoTracker.dll"
APP = runtimeconfig(mcs(scratch() / "before/app.exe", FIXTURES / "TestClass.cs"))


def one_error(said, text):
    said.says(like(f"error ILJ[0-9]*: .*{re.escape(text)}"), lines=1)


def mvid(file):
    return images.mvid(command("monodis --module", file).out)


# ---- Same input, same bytes ------------------------------------------------------------------------

ilinject("-q", APP, "-o", "first.exe")


def same_bytes(*line, **options):
    """What the command writes to again.exe is first.exe."""
    Path("again.exe").unlink(missing_ok=True)
    command([*line], **options)
    same("first.exe", "again.exe")


def elsewhere():
    fresh("deep/er")
    copied(APP, "deep/er/other.exe")
    same_bytes(ILINJECT, "other.exe", "-o", "../../again.exe", cwd="deep/er")


def in_language(locale):
    """Made here: a C library takes a language that is not installed for C, which would prove nothing."""
    env = {"LOCPATH": str(scratch() / "locales"), "LC_ALL": locale, "LANGUAGE": locale.split("_")[0]}
    equal(command("locale charmap", env=env).out.strip(), locale.split(".")[1])
    same_bytes(ILINJECT, "-v", APP, "-o", "again.exe", env=env)


check("the same input gives the same bytes again", same_bytes, ILINJECT, APP, "-o", "again.exe")
check("under another name, in another folder", elsewhere)
check("in another time zone",
      lambda: same_bytes(ILINJECT, "-v", APP, "-o", "again.exe", env={"TZ": "Pacific/Auckland"}))
os.mkdir("locales")
for locale in ("tr_TR.UTF-8", "ja_JP.EUC-JP"):
    language, charset = locale.split(".")
    made = has("localedef") and command(f"localedef -i {language} -f {charset} locales/{locale}", status=None)
    if made and made.status == 0:
        check(f"in another language: {locale}", in_language, locale)
    else:
        skip(f"in another language: {locale}", "localedef cannot make it")
if has("script"):  # input, output and error are the terminal
    check("on a terminal", same_bytes, "script", "-qec", f"'{ILINJECT}' '{APP}' -o again.exe", "/dev/null")
else:
    skip("on a terminal", "no script")
check("without standard input and error", same_bytes, "bash", "-c", '"$0" "$1" -o again.exe <&- 2>&-', ILINJECT, APP)
if has("taskset"):
    numbers = re.findall(r"^processor\s*: (\d+)", read("/proc/cpuinfo"), re.M)
    for processor in sorted({numbers[0], numbers[-1]}, key=int):
        check(f"on processor {processor} alone", same_bytes,
              "taskset", "-c", processor, ILINJECT, APP, "-o", "again.exe")
else:
    skip("on one processor alone", "no taskset")
mcs("before/debug.exe", "-debug", FIXTURES / "TestClass.cs")


def with_symbols(folder, umask="022", **options):
    """The assembly, its symbols, the tracker."""
    fresh(folder)
    for name in ("debug.exe", "debug.exe.mdb"):
        copied(f"before/{name}", f"{folder}/")
    command(["bash", "-c", f'umask {umask}; exec "$0" debug.exe -o out/', ILINJECT], cwd=folder, **options)


@check("all that is written beside it is the same, too")
def _():
    with_symbols("one")
    with_symbols("an/other", "077", env={"TZ": "Asia/Kolkata"})
    command("diff -r one/out an/other/out")
    equal(len(names_in("one/out")), 3)


# Under a sanitizer (its shadow takes terabytes of addresses) only the umask differs.
check("with another umask and little memory", same_bytes, "bash", "-c",
      'umask 077; (ulimit -v 400000; "$0" --version) >/dev/null 2>&1 && ulimit -v 400000; exec "$0" "$@"',
      ILINJECT, APP, "-o", "again.exe")
if os.geteuid() == 0 and has("setpriv"):
    @check("as another user")
    def _():
        copied(ILINJECT, "program")
        os.mkdir("theirs")
        os.chmod("theirs", 0o777)
        os.chmod(copied(APP, "theirs/app.exe"), 0o644)
        command("setpriv --reuid=65534 --regid=65534 --clear-groups "
                "env -i ./program theirs/app.exe -o theirs/again.exe")
        same("first.exe", "theirs/again.exe")
else:
    skip("as another user", "not root")


# ---- Copied through --------------------------------------------------------------------------------

def copied_through(file, text):
    fresh("copy")
    ilinject(file, "-o", "copy/").says(like(f"info ILJ04[0-9]*: .*{text}")).shows("copied unchanged")
    same(file, f"copy/{file}")


TYPES = "public interface I { int F(); } public enum E { A, B } public delegate void D();"
write("text", "".join(f"{n}\n" for n in range(1, 1001)))
mcs("types.dll", code=TYPES)
mcs("text.dll", "-resource:text", code=TYPES)
check("an assembly without bodies is copied through", copied_through, "types.dll", "no method has a body")
check("one that carries resources, too", copied_through, "text.dll", "no method has a body")
if has("al"):
    command("al -nologo -target:library -culture:de -embed:text -out:app.resources.dll")
    check("a satellite assembly is copied through", copied_through, "app.resources.dll", "a satellite assembly")
else:
    skip("a satellite assembly is copied through", "no al")
check("the tracker itself is copied through", copied_through, TRACKER, "the tracker itself")


@check("an instrumented one is copied through, with the tracker")
def _():
    copied_through("first.exe", "instrumented already")
    same(TRACKER, f"copy/{TRACKER}")


mcs("reference.dll", code="[assembly: System.Runtime.CompilerServices.ReferenceAssembly] "
                          "public class R { public int F() { throw null; } }")
check("a reference assembly is copied through", copied_through, "reference.dll", "reference assembly")


@check("unless forced")
def _():
    ilinject("--force reference.dll -o copy/")
    differ("reference.dll", "copy/reference.dll")


# ---- Twice -----------------------------------------------------------------------------------------

fresh("twice", "thrice")


@check("--force instruments again")
def _():
    ilinject("--force first.exe -o twice/app.exe").shows("instrumenting itself")
    differ("first.exe", "twice/app.exe")


@check("under the names that the tracker's contract has")
def _():
    ilinject("list twice/app.exe").shows(like("^class Instrumenter.<ilinject>2  "))
    ilinject("dump twice/app.exe").shows("ilinject.names.2")


check("and again", lambda: ilinject("--force twice/app.exe -o thrice/app.exe"))


def names_complete(profile, times):
    """Every function has its name, each as often as it was instrumented."""
    said = ilinject("report --json", profile).lacks('"name": "app!#')
    equal(said.out.count('"name": "Sample.TestClass.PublicVoidFunction()"'), times)


for runtime in ("mono", "dotnet"):
    if not can(runtime):
        skip(f"what is instrumented three times runs under {runtime}", f"{runtime} is not there")
        continue
    before = program(runtime, APP)
    for folder, times in (("twice", 2), ("thrice", 3)):
        after = program(runtime, runtimeconfig(f"{folder}/app.exe"), name=folder)
        check(f"what is instrumented {folder} runs under {runtime}", same_run, before, after)
        check("its counts agree", profile_agrees, after.profile)
        check("its names are complete", names_complete, after.profile, times)

# ---- Identity --------------------------------------------------------------------------------------

if has("monodis"):
    check("the output has an MVID of its own", lambda: true(mvid("first.exe") != mvid(APP)))

    @check("--keep-mvid keeps it")
    def _():
        ilinject(APP, "-o", "kept.exe", "--keep-mvid")
        equal(mvid("kept.exe"), mvid(APP))

    @check("nothing but the MVID differs then")
    def _():
        kept, first = Path("kept.exe").read_bytes(), Path("first.exe").read_bytes()
        true(len(kept) == len(first) and sum(a != b for a, b in zip(kept, first)) <= 16)
else:
    skip("MVIDs are as asked", "no monodis")
if has("sn", "monodis"):
    @check("a signed tracker is referred to by its token, which sn knows")
    def _():
        command("sn -q -k key.snk")
        mcs("PlainTracker.dll", "-keyfile:key.snk", FIXTURES / "PlainTracker.cs")
        token = re.search("[Tt]oken: *(.*)", command("sn -q -T PlainTracker.dll").out)[1].strip().upper()
        ilinject(APP, "-o", "signed/", "--tracker", "PlainTracker.dll")
        found = re.search("Name=PlainTracker(?:\n.*){4}", command("monodis --assemblyref signed/app.exe").out)[0]
        true(" ".join(token[i:i + 2] for i in range(0, len(token), 2)) + " " in found, f"{token} in {found}")
else:
    skip("a signed tracker is referred to by its token", "no sn or no monodis")

# ---- Where the output goes -------------------------------------------------------------------------

fresh("place")
copied(APP, "place/app.exe")
os.link("place/app.exe", "place/hard.exe")
os.symlink("app.exe", "place/soft.exe")


def same_refused(output):
    one_error(ilinject("place/app.exe -o", output, status=2), "same file")
    same(APP, "place/app.exe")
    true(not Path("place", TRACKER).exists())


check("the input as output is refused", same_refused, "place/app.exe")
check("by another path", same_refused, "place/../place//app.exe")
check("through a symbolic link", same_refused, "place/soft.exe")
check("through a hard link", same_refused, "place/hard.exe")


def listed():
    """All files and folders below this one: sizes, times, permissions."""
    return sorted((str(path), *(getattr(path.lstat(), f"st_{what}") for what in ("size", "mtime_ns", "mode")))
                  for path in Path().rglob("*"))


def dry(*options):
    before = listed()
    ilinject("--dry-run", *options)
    equal(listed(), before)


check("--dry-run writes nothing", dry, APP, "-o", "place/new.exe")
check("--dry-run --in-place writes nothing", dry, "--in-place", "place/app.exe")


def mode(file):
    return oct(os.stat(file).st_mode & 0o7777)


@check("a new output has the input's permissions")
def _():
    os.chmod("place/app.exe", 0o750)
    ilinject("place/app.exe -o place/out.exe")
    equal(mode("place/out.exe"), "0o750")


@check("one that is replaced keeps its own")
def _():
    os.chmod(write("place/old.exe", "old\n"), 0o604)
    ilinject("place/app.exe -o place/old.exe")
    equal(mode("place/old.exe"), "0o604")
    same("place/old.exe", "first.exe")


@check("in place through a link the link stays")
def _():
    ilinject("--in-place place/soft.exe")
    true(os.path.islink("place/soft.exe"))
    same("place/app.exe", "first.exe")
    equal(mode("place/app.exe"), "0o750")


check("and another name of the file keeps the original", same, "place/hard.exe", APP)
check("no temporary file is left", lambda: equal(list(Path().rglob(".ilinject-*")), []))

# ---- Other kinds of modules ------------------------------------------------------------------------


@check("a netmodule is instrumented, and the assembly it is linked into runs")
def _():
    mcs("netmodule/part.netmodule", code="""
public static class Part { public static string Say(int n) { return n == 0 ? "part" : Say(n - 1); } }""")
    ilinject("--in-place netmodule/part.netmodule")
    write("netmodule/whole.cs", "class Whole { static void Main() { System.Console.WriteLine(Part.Say(3)); } }")
    command("mcs -nologo -addmodule:part.netmodule -out:whole.exe whole.cs", cwd="netmodule")
    said = program("mono", "whole.exe", cwd="netmodule", status=0)
    equal(said.out, "part\n")
    ilinject("report --json", said.profile).shows('"calls": 4')


app = program("mono", APP)


@check("PE32 and PE32+ of every platform are instrumented and run")
def _():
    for platform in ("x86", "x64", "anycpu32bitpreferred", "arm"):
        ilinject(mcs(f"{platform}.exe", f"-platform:{platform}", FIXTURES / "TestClass.cs"), "-o", "platforms/")
        if platform != "arm":
            equal(program("mono", f"platforms/{platform}.exe").out, app.out)


# mcs's images: the PE header at 0x80, after the headers the section of code, which begins with the
# import addresses and the CLI header.
original = images.Image(APP)
CLI, DIRECTORIES = original.u32(original.optional + 60) + 8, original.directories
CHARACTERISTICS = original.optional + 32


def refused(name, text, *patches):
    copied(APP, f"{name}.dll", *patches)
    fresh("none")
    one_error(ilinject(f"{name}.dll -o none/x.dll", status=1), text)
    equal(names_in("none"), [])


check("a mixed-mode image that nothing can be added to is refused by name", refused, "mixed", "mixed-mode",
      (CLI + 16, images.u32(0)), (CHARACTERISTICS, images.u32(0x200)))
check("an image with exports is refused by name", refused, "exports", "data directory EXPORT",
      (DIRECTORIES, images.u32(0x2000, 40)))
check("an image that is precompiled, but not ReadyToRun, is refused by name", refused, "ngen", "managed native header",
      (CLI + 64, images.u32(0x2000, 8)))

# ---- One body for two methods ----------------------------------------------------------------------


@check("two methods that share a body behave as before and are counted apart")
def _():
    mcs("two.exe", code="""class Two
{
    static int First() { return 1111; }
    static int Second() { return 2222; }
    static void Main() { System.Console.WriteLine(First() + " " + Second() + " " + Second()); }
}""")
    rows = ilinject("dump two.exe").out
    first, second = (int(re.search(f'^0x06.* RVA=(0x[0-9a-f]+) .*Name="{name}"', rows, re.M)[1], 16)
                     for name in ("First", "Second"))
    data = Path("two.exe").read_bytes()
    equal(data.count(images.u32(second)), 1)
    put("two.exe", data.index(images.u32(second)), images.u32(first))
    equal(command("mono two.exe").out, "1111 1111 1111\n")
    ilinject("two.exe -o shared/")
    said = program("mono", "shared/two.exe", status=0)
    equal(said.out, "1111 1111 1111\n")
    ilinject("report", said.profile).shows(like(r"^ *2 .*Two.Second\(\)"), like(r"^ *1 .*Two.First\(\)"))


# ---- Around the sections ---------------------------------------------------------------------------


@check("bytes behind the last section are kept")
def _():
    overlay = b"what an installer appended"
    write("overlay.exe", APP.read_bytes() + overlay)
    ilinject("overlay.exe -o overlaid.exe")
    written = Path("overlaid.exe").read_bytes()
    true(written.endswith(overlay) and len(written) == os.path.getsize("first.exe") + len(overlay), str(len(written)))
    equal(program("mono", "overlaid.exe").out, app.out)


@check("an Authenticode signature is dropped, with its directory")
def _():
    write("certified.exe", APP.read_bytes() + os.urandom(512))
    put("certified.exe", DIRECTORIES + 4 * 8, images.u32(os.path.getsize(APP), 512))
    ilinject("certified.exe -o stripped.exe")
    equal(images.Image("stripped.exe").directory(4), (0, 0))
    equal(os.path.getsize("stripped.exe"), os.path.getsize("first.exe"))


@check("native resources move along and are read as before")
def _():
    # A version, read by Mono's own reader, and an icon, found by its bytes. 300 methods push the section along.
    pixels = os.urandom(3000)
    write("many.ico", b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0\xb8\x0b\0\0\x16\0\0\0" + pixels)
    methods = "\n".join(f"static int F{i}(int n) {{ return n > {i} ? n * {i} : n - {i}; }}" for i in range(1, 301))
    mcs("many.exe", "-win32icon:many.ico", code=f"""
using System.Reflection; [assembly: AssemblyFileVersion("3.1.4.1")] [assembly: AssemblyProduct("Pi")] class Many {{
{methods}
static void Main() {{ System.Console.WriteLine(F1(7)); }} }}""")
    mcs("version.exe", code="""class Version
{
    static void Main(string[] args)
    {
        var info = System.Diagnostics.FileVersionInfo.GetVersionInfo(args[0]);
        System.Console.WriteLine(info.FileVersion + " " + info.ProductName + " " + info.OriginalFilename);
    }
}""")
    ilinject("many.exe -o grown/")
    was, now = images.Image("many.exe"), images.Image("grown/many.exe")
    true(now.directory(2)[0] > was.directory(2)[0], "the resources did not move")
    for folder in (".", "grown"):
        equal(command("mono version.exe", os.path.abspath(f"{folder}/many.exe")).out, "3.1.4.1 Pi many.exe\n")
    true(pixels in now.native_resources().values(), "the icon is not there")
    true(now.native_resources() == was.native_resources(), "the leaves differ")


# ---- Trackers --------------------------------------------------------------------------------------

NAMES = {"TYPE{": "public class ProfileInfoTracker {",
         "ENTER": "public static void WhenEnteringMethod() { }",
         "LEAVE": "public static void WhenLeavingMethod() { }",
         "TRACKS": "public static int WhenEnteringMethod(int id) { return 1; } "
                   "public static void WhenLeavingMethod(int token) { }"}


def tracker_refused(source, message, options="", status=2):
    """One error, no output. Without a source: bad.dll as it is."""
    fresh("none")
    if source:
        for name, meaning in NAMES.items():
            source = re.sub(rf"\b{re.escape(name)}(?!\w)", meaning, source)
        mcs("bad.dll", "-nowarn:169,649", code=f"using System; namespace Instrumenter {{ {source} }}")
    one_error(ilinject(APP, "-o none/x.exe --tracker bad.dll".split(), options.split(), status=status), message)
    equal(names_in("none"), [])


check("a tracker that is missing is refused", tracker_refused, "", "No such file", "", 1)
refusals("refusals/trackers", tracker_refused)
copied(APP, "bad.dll")
check("an assembly that is no tracker", tracker_refused, "", "no type")
write("bad.dll", "text\n")
check("a file that is no assembly", tracker_refused, "", "MZ", "", 1)

# Every argument with every token, as types of one assembly. The counts of a tracker: enters and
# leaves, and the sum of the tokens that did not come back; both hand-counted for the program below,
# with eleven calls; one ends by an exception.
CALLED = """using System;
namespace Space
{
    class Outer<T>
    {
        public class Inner { public U Give<U>(T[] ts, ref U u, params string[] more) { return u; } }
    }
    static class Program
    {
        static int Factorial(int n) { return n <= 1 ? 1 : n * Factorial(n - 1); }
        static void Fail(bool really) { if (really) throw new InvalidOperationException("failed"); }
        static int Main()
        {
            Console.WriteLine(Factorial(5));
            try { Fail(true); } catch (InvalidOperationException e) { Console.WriteLine(e.Message); }
            Fail(false);
            int x = 4;
            Console.WriteLine(new Outer<byte>.Inner().Give(null, ref x));
            return 0;
        }
    }
}
"""
COUNTER = """using System;
public class Counter
{
    static int entered, left; static long sum;
    static Counter()
    {
        AppDomain.CurrentDomain.ProcessExit += delegate {
            Console.Error.WriteLine("entered {0} left {1} sum {2}", entered, left, sum); };
    }
    public static int Enter(object what)
    {
        if (what != null && Environment.GetEnvironmentVariable("SHOW") != null) Console.Error.WriteLine("> " + what);
        sum += ++entered;
        return entered;
    }
    public static void Leave(object token) { left++; if (token != null) sum -= Convert.ToInt64(token); }
}
"""
ARGUMENTS = ("nothing", "int", "string", "RuntimeMethodHandle")
TOKENS = ("void", "int", "long", "string", "object", "double")


def shape(argument, token):
    """A tracker's type."""
    parameter, what = ("", "null") if argument == "nothing" else (f"{argument} what", "what")
    enter = f"Counter.Enter({what})"
    body = {"void": f"{enter};", "string": f"return {enter}.ToString();"}.get(token, f"return {enter};")
    leave = f"({parameter}) {{ Counter.Leave(null); }}"
    if token != "void":
        leave = f"({token} token) {{ Counter.Leave(token); }}"
    return f"""public static class With_{argument}_{token} {{
    public static {token} WhenEnteringMethod({parameter}) {{ {body} }}
    public static void WhenLeavingMethod{leave}
}}
"""


mcs("shapes.dll", code=COUNTER + "".join(shape(argument, token) for argument in ARGUMENTS for token in TOKENS))
runtimeconfig(mcs("before/called.exe", code=CALLED))
called = {}


def run_shape(name, runtime, exits, counts):
    ilinject(f"before/called.exe -o after/{name}/ --exits={exits} --tracker shapes.dll --tracker-type {name}")
    said = program(runtime, f"after/{name}/called.exe", name=name)
    same_run(called[runtime], said)
    true(f"entered 10 {counts}" in said.err.splitlines(), said.err)


def is_sample(argument, token):
    """A sample is enough on .NET."""
    return token[0] not in {"int": "ls", "string": "id", "RuntimeMethodHandle": "ld"}.get(argument, "")


for runtime in ("mono", "dotnet"):
    if not can(runtime):
        skip(f"trackers of every shape are called under {runtime}", f"{runtime} is not there")
        continue
    called[runtime] = program(runtime, "before/called.exe")
    for argument in ARGUMENTS:
        for token in TOKENS:
            if runtime == "dotnet" and not is_sample(argument, token):
                continue
            # Without tokens all 55 stay; with them, that of the seventh call, which failed. A guard leaves
            # by a fault clause, too.
            name, tokenless = f"With_{argument}_{token}", token == "void"
            check(f"a tracker of ({argument}) -> {token} counts right under {runtime}", run_shape, name, runtime, "ret",
                  "left 9 sum 55" if tokenless else "left 9 sum 7")
            if runtime == "mono":
                check(f"a guarded tracker of ({argument}) -> {token} counts right", run_shape, name, runtime, "guarded",
                      "left 10 sum 55" if tokenless else "left 10 sum 0")


@check("a (string) tracker gets full names")
def _():
    said = command("mono after/With_string_object/called.exe", env={"SHOW": "1"})
    equal(set(re.findall("^> (.*)", said.err, re.M)), {
        "Space.Outer<T>.Inner.Give<U>(T[], ref U, string[])", "Space.Outer<T>.Inner.ctor()",
        "Space.Program.Factorial(int)", "Space.Program.Fail(bool)", "Space.Program.Main()"})


# ---- Locals ----------------------------------------------------------------------------------------

def many_locals(count, warned, *where):
    """A method with so many, whose last one is used."""
    write("locals.il", f""".assembly extern mscorlib {{}} .assembly locals {{}} .class public Program {{
.method static int32 Many() {{ .maxstack 2 .locals init ({", ".join(["int32"] * count)})
ldc.i4 42 stloc {count - 1} ldloc {count - 1} {"ldc.i4 0 add " * 3}ret }}
.method static void Main() {{ .entrypoint call int32 Program::Many()
call void [mscorlib]System.Console::WriteLine(int32) ret }} }}""")
    command("ilasm -quiet -output:before/locals.exe locals.il")
    said = ilinject("before/locals.exe -o after/locals.exe")
    equal(said.err.count("ILJ0301"), warned)
    for runtime in filter(can, where):
        before = program(runtime, runtimeconfig("before/locals.exe"))
        after = program(runtime, runtimeconfig("after/locals.exe"), name="locals-after")
        same_run(before, after)
        profile_agrees(after.profile)


if has("ilasm"):
    check("256 locals take a two-byte index", many_locals, 256, 0, "mono", "dotnet")
    check("65,534 locals leave room for the token", many_locals, 65534, 0, "mono", "dotnet")
    check("65,535 do not, which is said, and the method is entered only", many_locals, 65535, 1, "mono", "dotnet")
else:
    skip("many locals leave room or none", "no ilasm")
finish()
