#!/usr/bin/env -S python3 -B
"""The identity of an assembly: strong name and signature, the facts in its PE headers, its modules,
and what other tools have left in it. Judged by sn, objdump, osslsigncode, monodis and the runtimes."""
import hashlib
import os
import re
import sys
from pathlib import Path
sys.path[0] += "/../.."
import images
from kit import (BUILD, DATA, FIXTURES, FULL, ILINJECT, LIB, Wrong, can, check, command, copied, csc, differ, equal,
                 fails, finish, fresh, has, ilinject, like, mcs, program, put, refusals, runtimeconfig, runtimes, same,
                 same_run, skip, true, write)

if not has("mcs", "sn"):
    skip("identities", "mcs or sn is not installed")
    finish()


def refused(arguments, status, message):
    """One line, and no output."""
    ilinject(arguments, "-o", "refused/", status=int(status)).says(message, lines=1)
    output = Path("refused", arguments.split()[0])
    true(not output.exists(), f"there is {output}")


def valid(file):
    command("sn -q -v", file)


def invalid(file):
    fails("sn -q -v", file)


def is_signed(file):
    """The check of tests/e2e/lib/cs/SignatureCheck.cs, which calls no library for it."""
    command("mono check.exe", file)


def flags(file):
    """Those of the CLI header."""
    text = ilinject("dump --headers", file).out
    return re.search("^ +Flags (0x[0-9a-f]+)", text[text.index("\nCLI header"):], re.M)[1]


def demo(out, *options, code=None):
    return mcs(out, *options, FIXTURES / "Demo.cs", code=code)


def signed(file, folder, key="key/1024.snk"):
    """Its output, signed without a word."""
    ilinject(file, "-o", f"{folder}/", "--key", key).silent()
    return f"{folder}/{Path(file).name}"


SIZES, KEYS = (1024, 2048, 4096), DATA / "keys"
mcs("check.exe", LIB / "cs/SignatureCheck.cs")
os.mkdir("key")
# sn looks for the primes of a large key for half a minute, so those were made once.
for size in SIZES:
    if (KEYS / f"{size}.snk").exists() and not FULL:
        copied(KEYS / f"{size}.snk", f"key/{size}.snk")
    else:
        command(f"sn -q -k {size} key/{size}.snk")
command("sn -q -k key/other.snk")
command("sn -q -p key/1024.snk key/public.snk")
demo("plain.exe")
demo("app.exe", "-keyfile:key/1024.snk")
demo("delayed.exe", "-delaysign+", "-keyfile:key/public.snk")

# ---- Signing ---------------------------------------------------------------------------------------

for size in SIZES:
    original = demo(f"k{size}.exe", f"-keyfile:key/{size}.snk")
    check(f"the original verifies ({size} bits)", valid, original)
    check(f"the foreign check agrees ({size} bits)", is_signed, original)

    @check(f"without the key the output does not verify ({size} bits)")
    def _():
        ilinject(original, "-o", "nokey/")
        invalid(f"nokey/{original}")

    @check(f"with the key it does ({size} bits)")
    def _():
        output = signed(original, "keyed", f"key/{size}.snk")
        valid(output)
        is_signed(output)

copied("app.exe", fresh("before"))
runtimeconfig("before/app.exe")
runtimeconfig(signed("app.exe", "after"))
stale = {}
for runtime in runtimes():
    before = program(runtime, "before/app.exe")
    check(f"a signed output runs as before ({runtime})", lambda: same_run(
        before, program(runtime, "after/app.exe", name="signed")))
    stale[runtime] = before, program(runtime, "nokey/k1024.exe")
check("an output with a stale signature runs (mono)", lambda: same_run(*stale["mono"]))
check("a stale signature is said, with what minds it",
      lambda: ilinject("app.exe -o nokey/").says("info ILJ0410", ".NET Framework"))
check("its flag stays", lambda: equal([flags("nokey/app.exe"), flags("app.exe")], ["0x9", "0x9"]))
check("the same key gives the same bytes", lambda: same("after/app.exe", signed("app.exe", "again")))
check("the public key stays", lambda: equal(command("monodis --assembly after/app.exe").out,
                                            command("monodis --assembly app.exe").out))
check("a PE32+ image is signed", lambda: is_signed(
    signed(demo("wide.exe", "-platform:x64", "-keyfile:key/1024.snk"), "keyed")))


@check("one changed byte is seen")
def _():
    changed = copied("keyed/k1024.exe", "keyed/changed.exe", (96, b"X"))
    invalid(changed)
    fails("mono check.exe", changed)


# ---- SHA-2: the public key names the hash ----------------------------------------------------------

def sha2(algorithm):
    """A public key that names the algorithm; the compiler puts it into an assembly that is not signed."""
    command("sn -q -p key/2048.snk key/sha2-public.snk")
    put("key/sha2-public.snk", 4, algorithm)
    csc("sha2.dll", FIXTURES / "Demo.cs", "-publicsign+", "-keyfile:key/sha2-public.snk", "-optimize+")
    ilinject("sha2.dll -o nokey/").says("ILJ0410")
    fails("mono check.exe nokey/sha2.dll")
    is_signed(signed("sha2.dll", "keyed", "key/2048.snk"))


if can("dotnet"):
    check("a key of SHA-256 signs with that; public-signed input", sha2, b"\x0c")
    check("a key of SHA-512 signs with that", sha2, b"\x0e")
    copied("sha2.runtimeconfig.json", "keyed/")
    check("CoreCLR runs it", lambda: equal(command("dotnet keyed/sha2.dll", status=None).out,
                                           command("dotnet sha2.dll", status=None).out))
else:
    skip("a key of SHA-256 signs with that", "there is no .NET SDK")


# ---- Unsigned on purpose ---------------------------------------------------------------------------

def room(file):
    """Its signature is 128 zeros; mcs's only section begins at 0x2000, and at 0x200 of the file."""
    headers = ilinject("dump --headers", file).out
    start = int(re.search("^ *StrongNameSignature rva (0x[0-9a-f]+) size 0x80$", headers, re.M)[1], 16) - 0x1E00
    equal(Path(file).read_bytes()[start:start + 128], bytes(128))


def has_flags(expected, file, folder, options="", *texts):
    """Those of the output; the texts are said, and nothing when there is none."""
    said = ilinject(file, "-o", f"{folder}/", options.split())
    said.says(*texts, lines=None if texts else 0)
    equal(flags(f"{folder}/{file}"), expected)


check("a delay-signed input stays so", has_flags, "0x1", "delayed.exe", "delayed")


@check("it is signed with the key")
def _():
    has_flags("0x9", "delayed.exe", "keyed", "--key key/1024.snk")
    valid("keyed/delayed.exe")


@check("--delay-sign leaves room")
def _():
    has_flags("0x1", "app.exe", "delayed", "--delay-sign", "info ILJ0456")
    room("delayed/app.exe")


@check("sn can sign that")
def _():
    command("sn -q -R delayed/app.exe key/1024.snk")
    valid("delayed/app.exe")


@check("--delay-sign needs only the public key")
def _():
    ilinject("app.exe -o delayed/ --delay-sign --key key/public.snk")
    room("delayed/app.exe")


check("--clear-signed-flag clears it, and says so", has_flags, "0x1", "app.exe", "cleared",
      "--clear-signed-flag", "info ILJ0457")


@check("a flag without a signature goes")
def _():
    # The directory of the signature in the CLI header, which mcs puts at 0x208, after the import addresses.
    copied("app.exe", "empty.exe", (0x208 + 32, bytes(8)))
    equal(flags("empty.exe"), "0x9")
    has_flags("0x1", "empty.exe", "cleared", "", "info ILJ0457")


# ---- The MVID --------------------------------------------------------------------------------------

def mvid(file):
    return images.mvid(command("monodis --module", file).out)


def all_differ(*files):
    """Each output runs as another assembly would: what tells two of them apart is in their MVIDs, too."""
    found = [mvid(file) for file in files]
    true(len(set(found)) == len(files), "\n".join(found))


if has("monodis"):
    for name, options in (("none", []), ("first", ["-keyfile:key/1024.snk"]), ("other", ["-keyfile:key/other.snk"])):
        tracker = mcs(f"trackers/{name}/PlainTracker.dll", *options, FIXTURES / "PlainTracker.cs")
        ilinject(f"app.exe -o trackers/{name}/out/ --tracker", tracker)
    check("the tracker's key is part of the MVID", all_differ,
          *(f"trackers/{name}/out/app.exe" for name in ("none", "first", "other")))
    check("so is what becomes of the signature", all_differ,
          *(f"{folder}/app.exe" for folder in ("nokey", "after", "cleared", "delayed")))

    @check("where there is nothing to sign, --clear-signed-flag changes nothing")
    def _():
        ilinject("plain.exe -o plain1/")
        ilinject("plain.exe -o plain2/ --clear-signed-flag")
        same("plain1/plain.exe", "plain2/plain.exe")
else:
    skip("the tracker's key is part of the MVID", "no monodis")


# ---- Keys that do not fit, or are none -------------------------------------------------------------

def token(key):
    """The token that sn tells of a public key."""
    return re.search("^Public Key Token: (.*)", command("sn -q -t", key).out, re.M)[1]


command("sn -q -p key/other.snk other.pub")
check("a wrong key is refused with both tokens", lambda: refused(
    "app.exe --key key/other.snk", 2, "error ILJ0452: the key in key/other.snk has the token "
    f"{token('other.pub')}, the assembly {token('key/public.snk')}"))
write("key/cut.snk", Path("key/1024.snk").read_bytes()[:300])
write("key/text.snk", "no key at all\n")
write("key/empty.snk", "")
copied("key/1024.snk", "key/numbers.snk", (148, b"U" * 448))
refusals("refusals/keys", refused)

# ---- A set: those are signed that the key fits -----------------------------------------------------

# friend.dll and use.exe have one key, and the second sees the first's internals by it; plain.dll has
# no strong name, strange.dll another.
OURS, OTHERS = "-keyfile:key/1024.snk", "-keyfile:key/other.snk"
mcs("set/strange.dll", OTHERS, code="public class Strange { public static int One() { return 1; } }")
mcs("set/plain.dll", code="public class Plain { public static int Two() { return 2; } }")
PUBLIC = Path("key/public.snk").read_bytes().hex()
mcs("set/friend.dll", OURS, code=f"""
[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("use, PublicKey={PUBLIC}")]
class Inside {{ internal static int Three() {{ return 3; }} }}""")
mcs("set/use.exe", OURS, "-r:set/strange.dll", "-r:set/friend.dll", code="""
class Use { static void Main() { System.Console.WriteLine(Inside.Three() + Strange.One()); } }""")
for source in Path("set").glob("*.cs"):
    source.unlink()
SET = [f"set/{name}" for name in ("friend.dll", "plain.dll", "strange.dll", "use.exe")]


def visible_to(file):
    return [line for line in command("monodis --customattr", file).out.splitlines() if "InternalsVisibleTo" in line]


def runs_as_four(file):
    if can("mono"):
        equal(command("mono", file).out, "4\n")


def signed_set(inputs, folder):
    said = ilinject(inputs, "-o", f"{folder}/" if len(inputs) > 1 else folder, "--key key/1024.snk --strict".split())
    valid(f"{folder}/use.exe")
    valid(f"{folder}/friend.dll")
    invalid(f"{folder}/strange.dll")
    differ("set/plain.dll", f"{folder}/plain.dll")
    equal(visible_to(f"{folder}/friend.dll"), visible_to("set/friend.dll"))
    equal(len(re.findall(f"info ILJ0410.*{token('key/public.snk')}.*{token('other.pub')}", said.err)), 1)
    said.lacks("error", "warning")
    runs_as_four(f"{folder}/use.exe")


check("a folder's assemblies are signed whose key it is, and run", signed_set, ["set"], "set-folder")
check("so are several inputs", signed_set, SET, "set-files")


@check("the others are as without a key")
def _():
    ilinject("set -o set-bare")
    for name in ("strange.dll", "plain.dll"):
        same(f"set-bare/{name}", f"set-folder/{name}")
    differ("set-bare/friend.dll", "set-folder/friend.dll")


@check("a key of none of them is said, and --strict minds")
def _():
    ilinject("set -o set-none --key key/4096.snk").says("the key in key/4096.snk is that of no assembly")
    ilinject("set -o set-none --key key/4096.snk --strict", status=3)


@check("delay-signed are those whose key it is")
def _():
    ilinject("set -o set-delayed --key key/public.snk --delay-sign")
    equal(flags("set-delayed/friend.dll"), "0x1")
    same("set-bare/strange.dll", "set-delayed/strange.dll")


@check("with cleared flags they run, too")
def _():
    ilinject("set -o set-cleared --clear-signed-flag")
    equal(visible_to("set-cleared/friend.dll"), visible_to("set/friend.dll"))
    runs_as_four("set-cleared/use.exe")


# ---- Keys in .pfx files ----------------------------------------------------------------------------

def openssl_makes_keys():
    """A certificate of the key, and .pfx files of three kinds."""
    try:
        command("openssl rsa -inform 'MS PRIVATEKEYBLOB' -in key/1024.snk -out key/pem")
        command("openssl req -x509 -new -key key/pem -subj /CN=test -out key/crt -days 30")
        for name, options in (("a", "-passout pass:secret"), ("legacy", "-legacy -passout pass:secret"),
                              ("open", "-passout pass:")):
            command(f"openssl pkcs12 -export -inkey key/pem -in key/crt -out key/{name}.pfx {options}")
    except Wrong:
        return False
    return True


def signs_alike(options, password=None, folder="pfx"):
    """As the .snk of the same key does."""
    ilinject(f"app.exe -o {folder}/ {options}", env={"ILINJECT_KEY_PASSWORD": password} if password else {})
    same(f"{folder}/app.exe", "after/app.exe")


WITH_FILE = "--key-password-file key/password"
if has("openssl") and openssl_makes_keys():
    write("key/password", "secret\n")
    write("key/wrong", "wrong\n")
    check("a .pfx signs as the .snk does", signs_alike, f"--key key/a.pfx {WITH_FILE}")
    check("so does one with the ciphers of old", signs_alike, f"--key key/legacy.pfx {WITH_FILE}")
    check("the environment has the password, too", signs_alike, "--key key/a.pfx", "secret")
    check("the file counts for more than the environment", signs_alike, f"--key key/a.pfx {WITH_FILE}", "wrong")
    check("a .pfx may have an empty password", signs_alike, "--key key/open.pfx")
    write("key/cut.pfx", Path("key/a.pfx").read_bytes()[:400])
    write("key/long", f"{0:01023d}\n")
    command("openssl pkcs12 -export -nokeys -in key/crt -out key/none.pfx -passout pass:secret")
    refusals("refusals/keys-pfx", refused)
else:
    skip("keys in .pfx files", "openssl is not installed")


# ---- libcrypto is loaded when it is needed, and only then ------------------------------------------

def loads(options=""):
    """The dynamic linker says each file that it loads."""
    return "libcrypto" in ilinject(f"app.exe -o loads/ {options}", env={"LD_DEBUG": "files"}, status=None).err


if BUILD.name == "san":
    skip("a plain run loads the C library alone", "this build is one with sanitizers")
else:
    @check("the program is linked with the C library alone")
    def _():
        linked = command("ldd", ILINJECT, status=None).out.splitlines()
        equal([line for line in linked if not re.search(r"linux-vdso|libc\.so|ld-linux", line)], [])

    check("a plain run does not load libcrypto", lambda: equal(loads(), False))
    check("a run that signs does", lambda: equal(loads("--key key/1024.snk"), True))

# ---- The PE headers --------------------------------------------------------------------------------

FACTS = re.compile(r"Characteristics|\t|Magic|Major|Minor|ImageBase|SectionAl|FileAl|Subsystem|DllChar|"
                   r"SizeOf(Stack|Heap)|LoaderFlags|Number|Time")
MOVES = re.compile(r"\t(vma|DLL|[0-9a-f]{4,}|reloc|page)|\t ")


def facts(file):
    """The lines of objdump but those that a new layout changes by right."""
    return [line for line in command("objdump -p", file).out.splitlines()[3:]
            if FACTS.match(line) and not MOVES.match(line)]


def kept(file, pattern=""):
    """The facts of the output are those of the input, and the changed one is among them."""
    ilinject(file, "-o", "kept/")
    equal(facts(f"kept/{file}"), facts(file))
    command("objdump -p", f"kept/{file}").shows(like(pattern))


def checksum_is_right(file):
    said = command("osslsigncode verify -in", file, status=None)
    return bool(re.search("^PE checksum", str(said), re.M)) and "MISMATCH" not in str(said)


if has("objdump") and command("objdump -p app.exe", status=None).status == 0:
    # mcs puts the PE signature at 0x80, so the optional header at 0x98.
    copied("plain.exe", "stack.exe", (0xE0, images.u32(0x400000, 0x20000, 0x200000)))
    copied("plain.exe", "large.exe", (0x96, b"\x22\x01"))
    copied("plain.exe", "window.exe", (0xDC, b"\2\0"))
    copied("plain.exe", "dll.exe", (0xDE, b"\0\0"))
    copied("plain.exe", "versions.exe", (0xC0, b"\5\0\1\0\7\0\2\0\6\0\1\0"))
    copied("plain.exe", "stamp.exe", (0x88, b"\1\2\3\4"))
    check("stack and heap reserve are kept", kept, "stack.exe")
    check("stack and heap reserve were changed", lambda: command("objdump -p kept/stack.exe").shows(
        like(r"^SizeOfStackReserve\s*00400000$")))
    check("LargeAddressAware is kept", kept, "large.exe", "large address aware")
    check("the subsystem is kept", kept, "window.exe", "Windows GUI")
    check("DLL characteristics are kept", kept, "dll.exe", r"^DllCharacteristics\s*00000000")
    check("versions are kept", kept, "versions.exe")
    check("the time stamp is kept", kept, "stamp.exe")
else:
    skip("what stands in the PE headers", "objdump reads no PE here")
if has("osslsigncode"):
    for sentence, file in (("the original has a right checksum", "app.exe"), ("the checksum is right", "nokey/app.exe"),
                           ("it is right when signed", "after/app.exe"),
                           ("it is right with a cleared flag", "cleared/app.exe")):
        check(sentence, lambda: equal(checksum_is_right(file), True))
    put("nokey/app.exe", 0x600, b"X")
    check("a wrong checksum is seen", lambda: equal(checksum_is_right("nokey/app.exe"), False))
    copied("plain.exe", "none.exe", (0xD8, bytes(4)))

    @check("where there was none, there is none")
    def _():
        ilinject("none.exe -o kept/")
        command("objdump -p kept/none.exe").shows(like(r"^CheckSum\s*00000000"))

    if os.path.exists("key/pem") and command("osslsigncode sign -certs key/crt -key key/pem -in plain.exe "
                                             "-out stamped.exe", status=None).status == 0:
        @check("an Authenticode signature is dropped, and that is said once")
        def _():
            equal(ilinject("stamped.exe -o kept/").err.count("ILJ0458"), 1)
            true("No signature found" in str(command("osslsigncode verify -in kept/stamped.exe", status=None)))
            true(checksum_is_right("kept/stamped.exe"))

        @check("what is left is what comes of the unsigned one")
        def _():
            ilinject("plain.exe -o unstamped/")
            equal(os.path.getsize("kept/stamped.exe"), os.path.getsize("unstamped/plain.exe"))
else:
    skip("checksums and Authenticode", "osslsigncode is not installed")


def resources_kept(file, least, kind=None):
    """All leaves with their bytes, at least so many, one of the kind among them."""
    ilinject(file, "-o", "kept/")
    leaves = images.Image(file).native_resources()
    true(len(leaves) >= least and (kind is None or any(path[0] == kind for path in leaves)), str(list(leaves)))
    true(images.Image(f"kept/{file}").native_resources() == leaves, "the leaves differ")


write("icon.ico", b"\0\0\1\0\1\0\1\1\0\0\1\0\x20\0\x30\0\0\0\x16\0\0\0" + b"U" * 48)
write("manifest.res",  # the empty first entry, then a manifest (type 24)
      b"\0\0\0\0\x20\0\0\0\xff\xff\0\0\xff\xff\0\0" + bytes(16) +
      b"\x24\0\0\0\x20\0\0\0\xff\xff\x18\0\xff\xff\1\0" + b"\0\0\0\0\x30\x10" + bytes(10) +
      b'<assembly manifestVersion="1.0" a="123"/>'[:36])
check("version resources are kept", lambda: resources_kept(demo("info.exe", code="""
[assembly: System.Reflection.AssemblyVersion("1.2.3.4")] [assembly: System.Reflection.AssemblyTitle("kept")]"""), 1))
check("an icon is kept", lambda: resources_kept(demo("icon.exe", "-win32icon:icon.ico"), 2))
check("a manifest is kept", lambda: resources_kept(demo("manifest.exe", "-win32res:manifest.res"), 1, 24))

# ---- Modules ---------------------------------------------------------------------------------------

PART = """public class Part { public static int Twice(int x) { return Plus(x, x); }
static int Plus(int a, int b) { return a + b; } }"""
MAIN = """class Program { static void Main() { System.Console.WriteLine(Part.Twice(21)); Other(); }
static void Other() { Part.Twice(1); } }"""
mcs("part.netmodule", code=PART)
mcs("main.exe", OURS, "-addmodule:part.netmodule", code=MAIN)
MODULE = "part.netmodule"


def hash_in(manifest):
    """The hash that it has of the module."""
    found = re.search(rf"^[0-9]+: {MODULE} .*\[(.*)\]$", command("monodis --file", manifest).out, re.M)
    return found[1].replace(" ", "").lower()


def in_step(manifest, module):
    equal(hash_in(manifest), hashlib.sha1(Path(module).read_bytes()).hexdigest())


def together(*inputs):
    fresh("together")
    said = ilinject(inputs, "-o", "together/", "--key", "key/1024.snk").lacks("warning")
    in_step("together/main.exe", f"together/{MODULE}")
    differ(MODULE, f"together/{MODULE}")
    valid("together/main.exe")
    return said


def runs(folder, file, shown, status=0, lacks=()):
    """Prints 42; its report has these methods by name."""
    said = program("mono", file, cwd=folder, status=status)
    equal(said.out, "42\n")
    ilinject("report --json", said.profile).silent().shows(*shown).lacks(*lacks)


check("the compiler's hash is one of the file", in_step, "main.exe", MODULE)
check("a manifest and its module go together", together, MODULE, "main.exe")
check("in any order", together, "main.exe", MODULE)
check("the module says what it needs", lambda: together("main.exe", MODULE).says(f"{MODULE}: info ILJ0461"))
if can("mono"):
    check("they run, and both modules' methods are in the report by name",
          runs, "together", "main.exe", ["Part.Plus", "Program.Other"])
check("alone, the manifest's output lacks its module, which is said", lambda: ilinject("main.exe -o alone/").says(
    f"warning ILJ0462: its module {MODULE} is not beside the output"))


@check("the module as it was fits the hash as it was")
def _():
    copied(MODULE, fresh("copied"))
    ilinject("main.exe -o copied/").lacks("warning")
    in_step("copied/main.exe", MODULE)


@check("another module is not vouched for")
def _():
    mcs(f"wrong/{MODULE}", code=PART.replace("(x, x)", "(x, 2 * x)"))
    ilinject("main.exe -o wrong/").says(f"warning ILJ0462: its module {MODULE} beside the output is another")
    in_step("wrong/main.exe", MODULE)


@check("in place, too")
def _():
    for file in ("main.exe", MODULE):
        Path("place").mkdir(exist_ok=True)
        copied(file, "place/")
    ilinject(f"--in-place place/main.exe place/{MODULE}")
    in_step("place/main.exe", f"place/{MODULE}")


def linked():
    """Assemblies that al has made, with little or no code of their own."""
    al = "al -nologo -target:library"
    command(f"{al} -keyfile:key/1024.snk -out:linked.dll {MODULE}")

    @check("a manifest without code of its own is brought in step and signed")
    def _():
        ilinject(f"linked.dll {MODULE} -o linked/ --key key/1024.snk")
        in_step("linked/linked.dll", f"linked/{MODULE}")
        valid("linked/linked.dll")

    mcs("uses.exe", "-r:linked.dll", code="""
class Program { static int Main() { System.Console.WriteLine(Part.Twice(21)); return 5; } }""")
    if can("mono"):
        @check("its module's methods are in the report by name")
        def _():
            ilinject(f"{MODULE} linked.dll uses.exe -o linked/")
            runs("linked", "uses.exe", ["Part.Plus", "Part.Twice"], status=5)

    # Its rows and hashes change, its MVID does not, as no code of its own does.
    check("its MVID stays", lambda: equal(mvid("linked/linked.dll"), mvid("linked.dll")))

    @check("a second run adds nothing")
    def _():
        ilinject(f"linked/linked.dll linked/{MODULE} -o linked2/")
        same("linked/linked.dll", "linked2/linked.dll")

    @check("a manifest whose own methods are left out leads to its modules' names, too, and keeps its symbols")
    def _():
        mcs("partly.exe", "-debug", f"-addmodule:{MODULE}", code=MAIN)
        ilinject(f"{MODULE} partly.exe -o partly/ --exclude Program")
        same("partly.exe.mdb", "partly/partly.exe.mdb")
        runs("partly", "partly.exe", ["Part.Plus"], lacks=["Program"])

    @check("and copied when its module was")
    def _():
        copied(MODULE, fresh("same"))
        ilinject("linked.dll -o same/")
        same("linked.dll", "same/linked.dll")

    write("note.txt", "text\n")
    command(f"{al} -culture:de -embed:note.txt -out:app.resources.dll")
    command(f"{al} -embed:note.txt -out:notes.dll")

    @check("a satellite is copied")
    def _():
        ilinject("app.resources.dll -o satellite/").shows("satellite assembly")
        same("app.resources.dll", "satellite/app.resources.dll")

    @check("an assembly of resources alone is copied")
    def _():
        ilinject("notes.dll -o satellite/").says("info ILJ0402")
        same("notes.dll", "satellite/notes.dll")


if has("al"):
    linked()


def windows_metadata():
    """A compiler writes the version it is told only when no core library is there to take it from."""
    if not can("dotnet"):
        return False
    sdks = re.findall(r"^(\S+) \[(.*)\]$", command("dotnet --list-sdks", status=None).out, re.M)
    compiler = Path(sdks[-1][1], sdks[-1][0], "Roslyn/bincore/csc.dll") if sdks else Path("none")
    write("core.cs", """namespace System { public class Object { } public struct Void { } public class ValueType { }
public struct Int32 { } public struct RuntimeTypeHandle { } public class Part { public int Two() { return 2; } } }""")
    return compiler.exists() and command(
        "dotnet exec", compiler, "-nologo -noconfig -nostdlib -langversion:7 -target:library".split(),
        "-runtimemetadataversion:WindowsRuntime 1.4", "-out:native.winmd", "core.cs", status=None).status == 0


if windows_metadata():
    @check("Windows metadata is copied")
    def _():
        ilinject("native.winmd -o winmd/").says("info ILJ0463")
        same("native.winmd", "winmd/native.winmd")

    @check("unless forced")
    def _():
        ilinject("native.winmd -o winmd/ --force").shows(like("[1-9][0-9]* methods instrumented"))
        differ("native.winmd", "winmd/native.winmd")
else:
    skip("Windows metadata is copied", "there is no .NET SDK")

# ---- Other tools -----------------------------------------------------------------------------------

RECORDER = "public class Recorder { public static void Visit() { } }"
VISITS = "class Visits { public static void Visit() { Recorder.Visit(); } }"
mcs("AltCover.Recorder.g.dll", code=RECORDER)
mcs("MiniCover.HitServices.dll", code=RECORDER)
for sentence, name, code, library, message in (
        ("coverlet's marker is named", "coverlet", "namespace Coverlet.Core.Instrumentation.Tracker {"
         " class app_8d6a { static int hits; static void Hit() { hits++; } } }", None,
         "warning ILJ0459: instrumented by coverlet"),
        ("Fody's is, as information", "fody", "class app_ProcessedByFody { }", None, "info ILJ0460: Fody"),
        ("AltCover's is", "altcover", VISITS, "AltCover.Recorder.g.dll", "warning ILJ0459: instrumented by AltCover"),
        ("MiniCover's is", "minicover", VISITS, "MiniCover.HitServices.dll",
         "warning ILJ0459: instrumented by MiniCover")):
    check(sentence, lambda: ilinject(
        demo(f"{name}.exe", *([f"-r:{library}"] if library else []), code=code), "-o", "foreign/").says(message))
check("what has none is not named", lambda: ilinject("plain.exe -o foreign/").silent())


@check("our own is not doubled")
def _():
    ilinject("foreign/plain.exe -o foreign2/").says("info ILJ0400")
    same("foreign/plain.exe", "foreign2/plain.exe")


# ---- A tracker without a name ----------------------------------------------------------------------

source = (FIXTURES / "PlainTracker.cs").read_text(encoding="utf-8")
TYPE = ".".join(re.search(pattern, source, re.M)[1] for pattern in ("namespace ([A-Za-z.]+)", "class ([A-Za-z]+)"))
mcs("MyTracker.dll", FIXTURES / "PlainTracker.cs")
MINE = f"-o mine/ --tracker MyTracker.dll --tracker-type {TYPE}"


@check("a strong-named input with an unsigned tracker: who minds is said")
def _():
    ilinject(f"app.exe --key key/1024.snk {MINE}").says("info ILJ0464")
    valid("mine/app.exe")


check("no word of it when the input has no strong name", lambda: ilinject(f"plain.exe {MINE}").silent())
finish()
