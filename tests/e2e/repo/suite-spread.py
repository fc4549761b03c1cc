#!/usr/bin/env -S python3 -B
"""tests/spread on a small tree: the files of a change, and those that name a fact."""
import re
import sys
sys.path[0] += "/../.."
from kit import ROOT, check, command, copied, equal, fails, finish, has, scratch, skip, write

if not has("git"):
    skip("a change is counted", "git is not installed")
    finish()
TABLE = "Prose.\n<!-- facts: rows -->\n| {} |\n<!-- end -->\n"


def git(line):
    return command(f"git -C tree -c user.name=x -c user.email=x@example.com {line}").out


def spread(line=""):
    return command(scratch() / "tree/tests/spread", line.split(), cwd="tree/src").out


def counts(*arguments):
    """The cells of the rows that tests/spread prints of a change."""
    return {line.split()[0]: [int(cell) for cell in line.split()[1:]] for line in spread(*arguments).splitlines()[1:]}


copied(ROOT / "tests/spread", write("tree/tests/spread", ""))
write("tree/src/rows.def", "ROW(apple)\n")
write("tree/src/plain.c", "int pear;\n")
write("tree/docs/page.md", TABLE.format("apple"))
write("tree/tests/suite", "apple pear\n")
write("tree/tests/data/spread", "# name | words\nfruit apple | \\bapples?\\b\nfruit pear | pear\n")
git("init -q")
git("add -A")
git("commit -qm one")


@check("without a change nothing is counted")
def _():
    equal(counts(), {kind: [0, 0, 0] for kind in ("source", "docs", "tests", "all")})


@check("files are counted by kind, new ones too, with lines that came and went")
def _():
    write("tree/src/rows.def", "ROW(apple)\nROW(plum)\n")
    write("tree/src/new.c", "int plum;\n")
    write("tree/tests/suite", "pear\n")
    equal(counts(), {"source": [2, 2, 0], "docs": [0, 0, 0], "tests": [1, 1, 1], "all": [3, 3, 1]})


@check("lines that a program writes are not")
def _():
    write("tree/docs/page.md", TABLE.format("apple |\n| plum"))
    equal(counts()["docs"], [0, 0, 0])
    write("tree/docs/page.md", TABLE.format("apple |\n| plum") + "Plums are fruit.\n")
    equal(counts()["docs"], [1, 1, 0])


@check("so is a range of commits")
def _():
    git("add -A")
    git("commit -qm two")
    equal(counts("HEAD~1..HEAD")["all"], [4, 4, 1])
    equal(counts("HEAD~1"), counts("HEAD~1..HEAD"))
    equal(counts()["all"], [0, 0, 0])


@check("files that name a fact are listed, but not where a program writes it")
def _():
    equal(spread("--names plum").splitlines(), ["src/new.c", "src/rows.def", "2 source, 0 docs, 0 tests, 2 all"])


@check("facts are compared with those of another commit")
def _():
    rows = [re.split("  +", line) for line in spread("--facts HEAD~1").splitlines()[2:]]
    equal(rows, [["fruit apple", *"1 0 1 2".split(), *"1 0 0 1".split()],
                 ["fruit pear", *"1 0 1 2".split(), *"1 0 1 2".split()]])


@check("an unknown revision or option is refused")
def _():
    for line in ("nowhere", "--fact", "--names"):
        fails("tree/tests/spread", line)


finish()
