#!/usr/bin/env -S python3 -B
"""`ilinject explain` against the tables of the source, and the groups of --help against the options."""
import re
import sys
sys.path[0] += "/../.."
from kit import BUILD, ROOT, check, command, equal, finish, has, ilinject, mcs, skip

ROWS = re.findall(r'^DIAG\((\d+), ([A-Z_0-9]+), ([A-Z]+), [A-Z_]+, "(.*)"\)$',
                  (ROOT / "ecma335/base/diagnostics.def").read_text(), re.M)
GROUPS = re.sub(r"/\*.*?\*/", "", (ROOT / "src/cli/groups.def").read_text(), flags=re.S)
COMMANDS = "instrument list dump report merge diff run ctl serve explain".split()


def explained(*words):
    return ilinject("explain", *words).out


def contains(text, part):
    assert part in text, f"'{part}' is not in:\n{text}"


def plain(text):
    """Words alone: without line ends, back quotes and the apostrophes that take their place."""
    return " ".join(re.sub(r"[`']", "", text).split())


def table(name):
    """The cells of a table that is made of src/facts, without its head."""
    lines = command(BUILD / "tests/fact_tables", name).out.splitlines()
    return [[plain(cell) for cell in line.strip("| ").split(" | ")] for line in lines[2:]]


def explains_each_diagnostic():
    assert len(ROWS) > 100, len(ROWS)
    for number, _, severity, meaning in ROWS:
        text = explained(number)
        head, cause, remedy = re.fullmatch(r"(.*?)\n\nCause\n(.*?)\n\nWhat to do\n(.*)", text, re.S).groups()
        equal(plain(head), f"ILJ{int(number):04} {severity.lower()}: {plain(meaning)}")
        assert cause.strip() and remedy.strip(), text


def takes_codes_in_each_form():
    for form in "0435", "ILJ0435", "ilj0435", "ILJ435":
        equal(explained(form), explained("435"))


def explains_each_setting():
    rows = table("settings")
    assert len(rows) > 20, rows
    for name, values, usual, meaning in rows:
        text = plain(explained(name))
        assert text.startswith(f"{name}: a setting of the tracker"), text
        assert meaning in text and f"Values: {values}. Default: {usual}." in text, text
        equal(explained(f"ILINJECT_{name.upper()}=1"), explained(f"{name}=1"))


def explains_each_column():
    rows = table("columns")
    assert len(rows) > 20, rows
    for key, title, meaning in rows:
        for word in (key, title.lower()):
            text = plain(explained(word))
            assert f'{key}: the column "{title}" of a report' in text and meaning in text, text


def lists_all():
    everything = explained()
    parts = [explained(word) for word in ("diagnostics", "settings", "columns")]
    equal(everything, "\n".join(parts))
    for number, _, _, meaning in ROWS:
        contains(plain(everything), plain(meaning))
    for names, part in (("settings", parts[1]), ("columns", parts[2])):
        equal([line.split()[0] for line in part.splitlines() if re.match("  [a-z]", line)],
              [row[0] for row in table(names)])


def fits():
    too_wide = [line for line in explained().splitlines() if len(line) > 80]
    equal(too_wide, [])
    equal([line for line in explained(*[row[0] for row in ROWS]).splitlines() if len(line) > 80], [])


def names_the_near_ones():
    for word, near in (("histogramm", "near: histogram"), ("436x", "no diagnostic"), ("443", "near: ILJ0442, ILJ0450"),
                       ("inclusve", "near: inclusive"), ("ovrhead", "near: overhead"), ("setting", "near: settings")):
        done = ilinject("explain", word, status=2)
        equal(done.out, "")
        equal(len(done.err.splitlines()), 1)
        contains(done.err, near)


def listed(of):
    return re.findall(r"^  (?:-.,|   ) --([a-z0-9-]+)", ilinject(of, "--help=all").out, re.M)


def has_a_group():
    lost = []
    for of in COMMANDS:
        other = re.search(r"^Other:\n((?: +.*\n)*)", ilinject(of, "--help=all").out, re.M)
        lost += [f"--{name} of {of}" for name in re.findall("  --([a-z0-9-]+)", other[1] if other else "")]
    assert not lost, f"in no group of src/cli/groups.def: {', '.join(lost)}"


def groups_name_options():
    rows = re.findall(r'(FIRST|GROUP)\("([a-z]+)",(?: *"[^"]*",)?\s*"([^"]*)"\)', GROUPS)
    equal(len(rows), len(re.findall("FIRST|GROUP", GROUPS)))
    for kind, of, names in rows:
        unknown = set(names.split()) - set(listed(of))
        assert not unknown, f"{kind} of {of} names what is no option: {unknown}"
        assert kind == "GROUP" or len(names.split()) <= 8, names


def help_is_short():
    for of in COMMANDS:
        short = re.findall(r"^  (?:-.,|   ) --", ilinject(of, "--help").out, re.M)
        assert len(short) <= 8 + 4, f"{of}: {len(short)} options" # with those of every command
        assert len(short) <= len(listed(of))
        equal(len(listed(of)), len(set(listed(of))))


def older_spellings():
    for words in (["--by=method"], ["--by=function"], ["--time=inclusive"], ["--sort=inclusive"]):
        contains(ilinject("diff", *words, "no.ilprof", "no.ilprof", status=1).err, "ILJ0900")
    contains(ilinject("diff --by=other a b", status=2).err, "is not one of function|path (")
    assert "time" not in listed("diff")
    ilinject("diff --help=all").shows("--by=function|path ").lacks("method|path", "path|method")


def choices(of, option):
    text = ilinject(of, "--help=all").out
    found = re.search(rf"^ +--{option}=((?:[a-z0-9|]+\|\n +)*[a-z0-9|]+)", text, re.M)
    return re.sub(r"\s", "", found[1])


def share_names():
    for option in "view", "by", "sort":
        equal(choices("run", option), choices("report", option))
    assert choices("diff", "by").split("|")[0] == choices("report", "by").split("|")[0]
    for of, option in (("diff", "sort"), ("report", "weight")):
        equal(set(choices(of, option).split("|")) - set(choices("report", "sort").split("|")), set())


def run_shows_a_view():
    mcs("Fig.exe", code="class Fig { static void Main() { Eat(); } static void Eat() { } }")
    ilinject("run --view=hot Fig.exe").says("Hot path").lacks("Exclusive  Function")
    ilinject("run --view=functions --by=type Fig.exe").says("Fig").lacks("Fig.Eat()")


check("each diagnostic has its meaning, a cause and a remedy", explains_each_diagnostic)
check("its code may be given in each form", takes_codes_in_each_form)
check("each setting has its values, its default and its text", explains_each_setting)
check("each column has its text, by its name and by its head", explains_each_column)
check("without a word the lists of all three are printed", lists_all)
check("no line has more than 80 columns", fits)
check("an unknown word is one line with the names that are near", names_the_near_ones)
check("each option of a command with groups is in one", has_a_group)
check("groups name options, the first of them at most eight", groups_name_options)
check("--help shows at most eight options of a command, --help=all each once", help_is_short)
check("options that say what is shown have the same names in each command", share_names)
if has("mcs", "mono"):
    check("run shows the view that was asked for", run_shows_a_view)
else:
    skip("run shows the view that was asked for", "Mono is not installed")
check("older spellings of diff's options work, and are not shown", older_spellings)
finish()
