#!/usr/bin/env -S python3 -B
"""The selection by rules, attributes and the configuration file: against reflection, in running
programs, in exit values."""
import os
import re
import sys
sys.path[0] += "/../.."
from kit import (BUILD, FIXTURES, ILINJECT, LIB, ROOT, can, check, command, copied, csc, equal, finish, has,
                 ilinject, like, mcs, profile_agrees, program, read, runtimeconfig, same, same_run, skip, true,
                 write)

if not has("mcs"):
    skip("methods are selected", "no mcs")
    finish()
mcs("Selected.exe", FIXTURES / "Selected.cs")


def instrumented(listing):
    """The names of the methods that a listing instruments, in one line."""
    return " ".join(re.findall(r"^ *0x06[0-9a-f]* +[0-9]+  instrument .{34}([^ (]*)\(", listing, re.M))


def selected(expected, options):
    """Shorten carries [Profile]: a first include does not leave it out."""
    equal(instrumented(ilinject(f"list Selected.exe {options}").out), expected)


def guards(expected, options):
    """The methods that a foreign disassembler finds in a guard, in one line; ? is a filter around it."""
    ilinject(f"Selected.exe -o guarded.exe {options}")
    found, name, wanted = [], "", False
    for line in command("monodis guarded.exe").out.splitlines():
        if ".method" in line:
            name, wanted = "", True
        if wanted and (head := re.search(r"[A-Za-z_.]+'? \(", line)):
            name, wanted = re.sub(r"[^A-Za-z_.]", "", head[0]), False
        if re.match(r"\s*fault +\{", line):
            found.append(name)
        if re.match(r"\s*filter +\{", line):
            found.append("?")
    equal(" ".join(found), expected)


# ---- Shapes ----------------------------------------------------------------------------------------

check("what can throw is guarded", guards, "Add Pay Shorten", "--include Shop.Till --include 'Shop.Basket.Add(int)'")


@check("without guards there is none")
def _():
    ilinject("Selected.exe -o guarded.exe --exits=ret")
    command("monodis guarded.exe").lacks(like(r"^\s*(fault|filter) *\{"))


check("with the search pass there are filters", guards, "Pay ? Shorten ?", "--include Shop.Till --exceptions=full")
check("which needs guards", lambda: ilinject("Selected.exe -o guarded.exe --exits=ret --exceptions=full", status=2)
      .says("exceptions=full needs --exits=guarded"))
mcs("Plain.dll", FIXTURES / "PlainTracker.cs")
check("and a tracker that hears of it",
      lambda: ilinject("Selected.exe -o guarded.exe --exceptions=full --tracker Plain.dll", status=2)
      .says(like("ILJ.*WhenExceptionPasses")))

# ---- Rules -----------------------------------------------------------------------------------------

TILL = "--include Shop.Till"
for sentence, expected, options in (
        ("a type stands for all in it", ".ctor Pay Check Shorten", TILL),
        ("the last rule that matches decides", ".ctor Pay Shorten", f"{TILL} --exclude '**.Check'"),
        ("the order is that of the command line", ".ctor Pay Check",
         f"--exclude '**.Check' --exclude Shop {TILL} --exclude Program --exclude Instrumenter"),
        ("overloads are told apart", "Add Shorten", "--include 'Shop.Basket.Add(string, *)'"),
        ("an attribute selects", ".ctor Pay Check Shorten", "--include @Shop.Hot"),
        ("an assembly selects", ".ctor Pay Check Shorten", "--include '[Select*]Shop.Till'"),
        ("[Profile] and [NoProfile] come before the rules", "Shorten Main", "--include Program"),
        ("a rule overrules them", ".ctor Write Shorten", "--include Shop.Log"),
        ("accessors of a field can be left out", "get_Total",
         "--include 'Shop.Basket.get_*' --include 'Shop.Basket.set_*' --exclude Shop.Log --skip-trivial-accessors"),
        ("small methods can be left out", "Add", "--include 'Shop.Basket.Add' --exclude Shop.Log --min-il-size=14"),
        ("what the compiler made can be left out", "All .ctor Text", "--include '**.All' --include 'Shop.Basket.<*' "
         "--include Shop.Basket.Label --exclude Shop.Log --compiler-generated=no")):
    check(sentence, selected, expected, options)


def decided(method, rule, options):
    """The listing names the rule after the method."""
    ilinject(f"list Selected.exe {options}").shows(like(rf" {method}\(.*\)  <- {re.escape(rule)}$"))


check("list names the rule that decided", decided, "Pay", "--include 'Shop.Till'", TILL)
check("list names an attribute that decided", decided, "Write", "[NoProfile] of the type", "")
check("list says when no rule includes a method", decided, "Main", "no include names it", TILL)
check("the JSON of list has the rule", lambda: ilinject("list Selected.exe --json --exclude Shop.Till").shows(
    like('"name":"Pay\\(Basket\\)".*"reason":"by rule","rule":"--exclude .Shop.Till."')))


@check("instrumenting does what the listing says")
def _():
    options = "--include Shop --exclude '**.Add(**)' --min-il-size 8"
    listed = ilinject(f"list Selected.exe {options}").out.splitlines()[-1]
    total = ilinject(f"--dry-run --json Selected.exe {options}").json()["total"]
    equal(total["instrumented"], int(re.search(r".*: ([0-9]+) to instrument", listed)[1]))


check("the summary counts by reason",
      lambda: ilinject("--dry-run Selected.exe --exclude Shop.Till --min-il-size 8")
      .shows(like(r"left out \([0-9]+ by rule, [0-9]+ too small\)")))

# ---- Exit values and what is reported --------------------------------------------------------------


def tells(line, options, status=0):
    """A whole line on standard error."""
    said = ilinject(f"--dry-run Selected.exe {options}", status=status)
    true(line in said.err.splitlines(), f"not told: {line}\n{said.err}")


check("an include without a match is told with the near name", tells,
      "command line: warning ILJ0431: include 'Shop.Bsaket' matches no method; did you mean 'Shop.Basket'?",
      "--include Shop.Bsaket --include Program")
check("--strict makes it 3", lambda: ilinject(
    "--dry-run Selected.exe --include Shop.Bsaket --include Program --strict", status=3))
check("--strict is content when all matched",
      lambda: ilinject("--dry-run Selected.exe --include Shop.Basket --strict").silent())
check("an exclude without a match is no failure", tells,
      "command line: info ILJ0432: exclude 'Nothing' matches no method", "--exclude Nothing --strict")


@check("a rule needs to match in one of several inputs only")
def _():
    copied("Selected.exe", "Copy.exe")
    mcs("Other.dll", FIXTURES / "PlainTracker.cs")
    ilinject("--dry-run Selected.exe Other.dll --include Shop.Till --strict")


check("a wrong pattern is wrong usage", tells,
      "command line: error ILJ0430: include 'Shop..': a name is empty", "--include Shop..", 2)
check("a choice that is none is wrong usage",
      lambda: ilinject("--dry-run Selected.exe --compiler-generated=maybe", status=2))


@check("when all is left out, the input goes through unchanged")
def _():
    ilinject("Selected.exe -o none.exe --exclude '**'").says("ILJ0435")
    same("Selected.exe", "none.exe")


def mvid(file):
    return re.search('"mvid":"([^"]+)"', ilinject("list --json", file).out.splitlines()[0])[1]


@check("the same selection in other words gives the same bytes")
def _():
    ilinject("Selected.exe -o a/ --include Shop.Till --exclude Shop.Log")
    ilinject("Selected.exe -o b/ --include @Shop.Hot --exclude Shop.Log")
    same("a/Selected.exe", "b/Selected.exe")


@check("another selection gives another MVID")
def _():
    ilinject("Selected.exe -o c/ --include Shop.Till --exclude Shop.Log --exclude '**.Check'")
    true(mvid("a/Selected.exe") != mvid("c/Selected.exe"))


# ---- The file --------------------------------------------------------------------------------------

RULES = """<ilinject>
  <selection min-il-size="1">
    <include pattern="Shop.Till"/>
    <exclude pattern="**.Check"/>
  </selection>
</ilinject>
"""
EXITS = """<ilinject exits="ret" exceptions="full">
  <selection>
    <include pattern="Shop.Till"/>
    <include pattern="Shop.Basket.Add(**)" exits="guarded"/>
    <include pattern="Shop.Basket.Add(int)" exits="ret"/>
  </selection>
</ilinject>
"""
write("rules.xml", RULES)
write("wrong.xml", RULES.replace('min-il-size="1"', 'compiler-generated="never"').replace("exclude ", "exlude "))
write("exits.xml", EXITS)
write("wrong-exits.xml", EXITS.replace('exits="ret" exc', 'exits="both" exc'))


def configured(file, status, *texts):
    ilinject("--dry-run Selected.exe --config", file, status=status).says(*map(like, texts))


def files():
    """What a configuration file does, where libxml2 is there to read it."""
    check("a configuration file selects", selected, ".ctor Pay Shorten", "--config rules.xml")
    check("a rule in it chooses the shape", guards, "Add ?", "--config exits.xml")
    check("the command line's shape is for what no rule says", guards, "Add Pay Shorten",
          "--config exits.xml --exits=guarded --exceptions=paths")
    check("a shape there is not is told", configured, "wrong-exits.xml", 2, "ILJ0433.*exits")
    check("the command line comes after it", selected, ".ctor Pay Check Shorten",
          "--include Shop.Till.Check --config rules.xml")
    check("list names the line that decided", decided, "Check", "rules.xml:4 exclude '**.Check'", "--config rules.xml")
    check("a wrong value is told with its line", configured, "wrong.xml", 2,
          r"^wrong.xml\(2\): error ILJ0433: Element .selection., attribute .compiler-generated.")
    check("an element that is not known is told with its line", configured, "wrong.xml", 2,
          r"^wrong.xml\(4\): error ILJ0433: Element .exlude.: This element is not expected")
    check("a file that is missing is told", configured, "missing.xml", 1, "^missing.xml: error ILJ0900: ")

    @check("the example of the documentation is read")
    def _():
        page = read(ROOT / "docs/configuration.md")
        example = re.search(r"^    <\?xml.*?^    </ilinject>\n", page, re.M | re.S)[0]
        write("example.xml", re.sub("^    ", "", example, flags=re.M))
        ilinject("list Selected.exe --config example.xml")

    if has("xmllint"):
        @check("another validator takes the schema, and judges the same")
        def _():
            for file, status in (("rules.xml", 0), ("wrong.xml", 3)):
                command("xmllint --nonet --noout --schema", ROOT / "docs/ilinject-config.xsd", file, status=status)
    else:
        skip("another validator takes the schema, and judges the same", "xmllint is not installed")

    @check("the library that reads it is loaded only then")
    def _():
        files = {"LD_DEBUG": "files"}
        ilinject("--dry-run Selected.exe --include Shop", env=files).lacks("libxml2")
        ilinject("--dry-run Selected.exe --config rules.xml", env=files).says("libxml2")

    @check("without the library there is one line")
    def _():
        for name in ("libxml2.so.2", "libxml2.so.16"):
            write(f"lacking/{name}", "")
        ilinject("--dry-run Selected.exe --config rules.xml", status=1,
                 env={"LD_LIBRARY_PATH": os.path.abspath("lacking")}).says("ILJ0434", lines=1)

    @check("the library's newer name serves, too")
    def _():
        # As far as the name goes: the file that stands first under the older one cannot be loaded.
        said = ilinject("--dry-run Selected.exe --config rules.xml", env={"LD_DEBUG": "files"})
        write("newer/libxml2.so.2", "")
        os.symlink(re.search(r"calling init: (.*libxml2\.so\.[0-9]+)$", said.err, re.M)[1], "newer/libxml2.so.16")
        ilinject("--dry-run Selected.exe --config rules.xml",
                 env={"LD_LIBRARY_PATH": os.path.abspath("newer")}).silent()


if "ILJ0434" in ilinject("list Selected.exe --config rules.xml", status=None).err:
    skip("a configuration file selects", "libxml2 is not installed")
else:
    files()
if BUILD.name == "san":
    skip("the program needs the C library only", "sanitizers bring their own")
else:
    @check("the program needs the C library only")
    def _():
        libraries = command("ldd", ILINJECT).out.splitlines()
        equal([name for name in libraries if not re.search(r"linux-vdso|ld-linux|libc\.so\.6", name)], [])

# ---- Against reflection ----------------------------------------------------------------------------

CORE = "/usr/lib/mono/4.5/System.Core.dll"


def as_reflection(question, options):
    """The tokens that are selected are those that Selecting.cs has found for the question."""
    tokens = re.findall("^ *(0x06[0-9a-f]*) +[0-9]+  instrument ",
                        ilinject("list", CORE, *options, status=None).out, re.M)
    expected = re.findall(f"^{question} (.*)", theirs, re.M)
    true(expected, f"none {question}")
    equal(sorted(tokens), sorted(expected))


theirs = ""
if has("mono") and os.path.exists(CORE):
    mcs("Selecting.exe", "-r:System.Core", LIB / "cs/Selecting.cs")
    theirs = command("mono Selecting.exe", CORE, status=None).out
if theirs:
    for sentence, question, options in (
            ("a namespace is what reflection says it is", "namespace", ["--include", "System.Linq"]),
            ("methods by their names are", "getters", ["--include", "**.get_*(**)"]),
            ("what is left out and taken back is", "but",
             ["--exclude", "System.Linq", "--include", "**.Enumerable.Select*"]),
            ("what carries an attribute is", "attribute",
             ["--include", "@System.Runtime.CompilerServices.CompilerGeneratedAttribute"]),
            ("what has a size is", "size", ["--min-il-size", "50"]),
            ("what the compiler made is", "source", ["--compiler-generated=no"]),
            ("an overload is", "overload", ["--include", "**.Sum(IEnumerable<int>)"]),
            ("constructors are", "constructors", ["--include", "**..ctor"])):
        check(sentence, as_reflection, question, options)
else:
    skip("selections are what reflection says they are", "Mono or its System.Core is missing")

# ---- In running programs ---------------------------------------------------------------------------

runtimeconfig(mcs("before/Selected.exe", FIXTURES / "Selected.cs"))


def shows_only(name, runtime, counts, options):
    ilinject(f"before/Selected.exe -o after/{name}/ {options}")
    before = program(runtime, "before/Selected.exe")
    after = program(runtime, f"after/{name}/Selected.exe", name=name)
    same_run(before, after)
    profile_agrees(after.profile, counts)


def same_lines(options):
    """Bodies that stay are between bodies that change: the lines of stack traces are the original's."""
    ilinject(f"lines/Symbols.dll -o lines.out/ {options}")
    before, after = (command("dotnet Symbols.dll", cwd=folder, status=None).out for folder in ("lines", "lines.out"))
    true(re.search("Symbols.cs:[1-9]", before), before)
    equal(after, before)


if can("dotnet") and (os.mkdir("lines") or csc("lines/Symbols.dll", "-debug:portable", FIXTURES / "Symbols.cs")):
    check("with half of the methods selected, traces name the same lines", same_lines,
          "--include '**.*a*(**)' --exclude '**.*e' --strict")
    check("without what the compiler made, traces name the same lines", same_lines, "--compiler-generated=no")
else:
    skip("with half of the methods selected, traces name the same lines", "no .NET SDK")
for runtime in ("mono", "dotnet"):
    if can(runtime):
        check(f"a profile shows the selected methods alone under {runtime}", shows_only, "till", runtime,
              "1 Shop.Till::Pay*\n1 Shop.Till::Check*\n1 Shop.Till::Till*\n1 Shop.Log.Writer::Shorten*\n", TILL)
        check(f"a profile lacks what was left out under {runtime}", shows_only, "less", runtime,
              "6 Shop.Basket::Add*\n? Shop.Till::*\n? Shop.Basket*::*\n1 Shop.Log.Writer::Shorten*\n",
              "--exclude Program --exclude 'Shop.Basket.Add(string, int)'")
    else:
        skip(f"a profile shows the selected methods alone under {runtime}", f"{runtime} is not there")
finish()
