#!/usr/bin/env -S python3 -B
"""Counts as a contract: a baseline is written, runs are compared with it, and one call more is found at its
place. Counts and lines were worked out by hand from the source below."""
import json
import re
import sys
sys.path[0] += "/../.."
from kit import (check, equal, finish, has, ilinject, mcs, program, read, scratch, skip, true, within,  # noqa: F401
                 write)

SOURCE = """\
using System;
using System.Collections.Generic;
namespace Shop
{
    class Item
    {
        public int Price;
        public static Item Load(int i)
        {
            return new Item { Price = i };
        }
    }
    class Cart
    {
        List<Item> items = new List<Item>();
        public void Add(int count)
        {
            for (int i = 0; i < count; i++)
                items.Add(Item.Load(i));
#if MORE
            Item.Load(0);
#endif
        }
        public int Sum()
        {
            int sum = 0;
            foreach (var item in items)
                sum += Tax(item.Price) + Tax(0);
            return sum;
        }
        static int Tax(int price)
        {
            return price / 5;
        }
    }
    static class Program
    {
        static void Fail(int i)
        {
            if (i % 3 == 0)
                throw new InvalidOperationException("no");
        }
        static void Poll() { }
        static void Old() { }
        static byte[] Big(int bytes)
        {
            return new byte[bytes];
        }
        static void Main(string[] arguments)
        {
            var cart = new Cart();
            cart.Add(33000);
            for (int i = 0; i < 9; i++)
                try { Fail(i); } catch (InvalidOperationException) { }
            for (int i = 0; i < arguments.Length; i++)
                Poll();
#if !GONE
            Old();
#endif
#if BIG
            Big(100000);
#else
            Big(10000);
#endif
            Console.WriteLine(cart.Sum());
        }
    }
}
"""

check("a baseline needs a profile and an output", lambda: [
    ilinject("baseline a.ilprof", status=2).says("no output: give -o FILE"),
    ilinject("baseline -o x.txt", status=2).says("no profile is given"),
    ilinject("check x.txt", status=2).says("a baseline and a profile are needed"),
    ilinject("check x.txt a.ilprof --source=nowhere", status=2).says("--source is FROM=DIR, found 'nowhere'")])
check("a profile that is not there is named, and nothing is written", lambda: [
    ilinject("baseline none.ilprof -o none.txt", status=1).says("none.ilprof: error ILJ0900"),
    true(not (scratch() / "none.txt").exists())])
if not has("mcs", "mono"):
    skip("runs are compared with a baseline", "mono is not installed")
    finish()

write("Shop.cs", SOURCE)
write(".git/HEAD", "")  # so that this folder is the repository's


def build(folder, *defines, instrument="--set alloc=bytes"):
    mcs(f"{folder}/Shop.exe", "-debug", "Shop.cs", [f"-define:{name}" for name in defines])
    ilinject(f"-q {folder}/Shop.exe -o {folder}/bin/ {instrument}")


def run(folder, name, *arguments):
    """The profile of a run."""
    return program("mono", f"{folder}/bin/Shop.exe", *arguments, name=name, status=0).profile


build("old")
build("new", "MORE")
build("big", "BIG")
build("gone", "GONE")
OLD = [run("old", f"old{i}", *["x"] * (i // 3 + 8)) for i in range(7)]  # Poll is called 8 to 10 times
NEW = run("new", "new", *["x"] * 8)
BIG = run("big", "big", *["x"] * 8)
GONE = run("gone", "gone", *["x"] * 8)


def entries(file):
    """What the lines of a baseline say, by type and name."""
    found, kind = {}, ""
    for line in read(file).splitlines():
        if line.startswith("type "):
            kind = line[5:]
        elif kind and line:
            *numbers, name = line.split(" ", 4)
            found[f"{kind}.{name}"] = numbers
    return found


@check("a baseline has the calls, the calls made, and the exceptions of each method, with ranges")
def _():
    ilinject("baseline", OLD, "-o", "calls.txt").silent()
    found = entries("calls.txt")
    equal({name: (n[0], n[1], n[3]) for name, n in found.items()}, {
        "Shop.Cart.Add(int)": ("1", "33000", "0"), "Shop.Cart.Cart()": ("1", "0", "0"),
        "Shop.Cart.Sum()": ("1", "66000", "0"), "Shop.Cart.Tax(int)": ("66000", "0", "0"),
        "Shop.Item.Item()": ("33000", "0", "0"), "Shop.Item.Load(int)": ("33000", "33000", "0"),
        "Shop.Program.Big(int)": ("1", "0", "0"), "Shop.Program.Fail(int)": ("9", "0", "3"),
        "Shop.Program.Main(string[])": ("1", "22..24", "0"), "Shop.Program.Old()": ("1", "0", "0"),
        "Shop.Program.Poll()": ("8..10", "0", "0")})
    true(int(found["Shop.Item.Load(int)"][2]) >= 33000 * 16)
    true(int(found["Shop.Program.Big(int)"][2]) >= 10000)


def sorted_lines():
    lines = read("calls.txt").splitlines()
    types = [line for line in lines if line.startswith("type ")]
    equal(types, sorted(types))
    true("runs 7" in lines and "columns calls made bytes exceptions" in lines)


check("its lines are sorted", sorted_lines)
check("the order of the profiles changes nothing", lambda: [
    ilinject("baseline", OLD[::-1], "-o", "again.txt"), equal(read("again.txt"), read("calls.txt"))])
check("the runs that it is made of are as it says", lambda: [
    ilinject("check calls.txt", one).shows("Nothing changed: 11 as in the baseline.") for one in OLD])
check("a method that does not hold still may lie beyond its range by its width, and no further", lambda: [
    ilinject("check calls.txt", run("old", "six", *["x"] * 6)),
    ilinject("check calls.txt", run("old", "five", *["x"] * 5), status=4).shows(
        "Shop.Program.Poll()  Shop.cs:43: calls 8..10 -> 5 (-3)")])


@check("one call more in 100,000 is found, and its place named: exit 4")
def _():
    said = ilinject("check calls.txt", NEW, status=4)
    said.says("calls.txt: error ILJ0632: 3 methods changed; 8 as in the baseline")
    place = re.search(r"^Where the call trees part:\n((?:  .*\n)+)", said.out, re.M)[1]
    true("  Shop.Cart.Add(int)  Shop.cs:17\n    calls made 33,000 -> 33,001 (+1" in place, place)
    true("    calls Shop.Item.Load(int)  Shop.cs:9: calls 33,000 -> 33,001 (+1" in place, place)
    true("    path: Program.Main > Cart.Add\n" in place, place)
    follows = re.search(r"^What changed with these:\n((?:  .*\n)+)", said.out, re.M)[1]
    equal(sorted(line.split(":")[0].split("  ")[1] for line in follows.splitlines()),
          ["Shop.Item.Item()", "Shop.Item.Load(int)"])


@check("what is gone, or new, follows from the method that calls it no longer, or now")
def _():
    ilinject("baseline", OLD[0], "-o", "one.txt")
    said = ilinject("check one.txt", GONE, status=4)
    said.shows("  Shop.Program.Main(string[])  Shop.cs:50\n    calls made 22 -> 21 (-1)\n",
               "  Shop.Program.Old(): not called any more: in the baseline 1 time\n")
    ilinject("baseline", GONE, "-o", "less.txt")
    ilinject("check less.txt", OLD[0], status=4).shows(
        "    calls Shop.Program.Old()  Shop.cs:44: new: called 1 time\n")


check("a method that allocates more is found where its calls are as before",
      lambda: ilinject("check calls.txt", BIG, status=4).shows(
          "Where counts differ first:\n  Shop.Program.Big(int)  Shop.cs:46\n    bytes "))
check("of several runs all have to differ", lambda: ilinject("check calls.txt", NEW, OLD[0]))


# ---- Formats ---------------------------------------------------------------------------------------

def sarif():
    said = json.loads(ilinject("check calls.txt --format=sarif", NEW, status=4).out)
    equal(said["version"], "2.1.0")
    run_, = said["runs"]
    result, = run_["results"]
    equal(result["ruleId"], run_["tool"]["driver"]["rules"][0]["id"])
    place = result["locations"][0]["physicalLocation"]
    equal((place["artifactLocation"]["uri"], place["region"]["startLine"]), ("Shop.cs", 17))
    true(result["message"]["text"].startswith("Shop.Cart.Add(int): calls made 33,000 -> 33,001 (+1"))
    equal(run_["originalUriBaseIds"]["SRCROOT"]["uri"], f"file://{scratch()}/")


def gitlab():
    one, = json.loads(ilinject("check calls.txt --format=gitlab -o quality.json", NEW, status=4).out or
                      read("quality.json"))
    equal(one["location"], {"path": "Shop.cs", "lines": {"begin": 17}})
    true(re.fullmatch("[0-9a-f]{16}", one["fingerprint"]))


check("SARIF has one finding, with its path from the repository and its line", sarif)
check("an annotation of GitHub is one line, with percent signs escaped", lambda: equal(
    re.sub(r"%25", "%", ilinject("check calls.txt --format=github", NEW, status=4).out).split("::")[1:],
    ["error file=Shop.cs,line=17,title=Shop.Cart.Add(int)",
     "Shop.Cart.Add(int): calls made 33,000 -> 33,001 (+1, +0.0 %); it calls Shop.Item.Load(int): "
     "calls 33,000 -> 33,001 (+1, +0.0 %); 2 more changed with it\n"]))
check("GitLab's report has it, too", gitlab)
check("a path below another root stays as the compiler had it", lambda: true(
    f'"uri":"file://{scratch()}/Shop.cs"' in
    ilinject("check calls.txt --format=sarif --root=/elsewhere", NEW, status=4).out))
check("without a change the files for forges are empty lists", lambda: [
    equal(json.loads(ilinject("check calls.txt --format=gitlab", OLD[0]).out), []),
    equal(json.loads(ilinject("check calls.txt --format=sarif", OLD[0]).out)["runs"][0]["results"], []),
    equal(ilinject("check calls.txt --format=github", OLD[0]).out, "")])
check("Markdown has names as code, and what follows in a table", lambda: [
    ilinject("check calls.txt --format=markdown", NEW, status=4).shows(
        "- `Shop.Cart.Add(int)` at `Shop.cs:17`: calls made 33,000 -> 33,001 (+1", "  - path `Program.Main > Cart.Add`",
        "| `Shop.Item.Item()` |  | calls 33,000 -> 33,001 (+1")])
check("the gates of diff have the same formats", lambda: [
    equal(json.loads(ilinject("diff --fail-if 'Shop.Item.Load: calls > +0' --format=sarif", OLD[0], NEW, status=4)
                     .out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"], {"startLine": 9}),
    ilinject("diff --fail-if 'Shop.Item.Load: calls > +0' --format=github", OLD[0], NEW, status=4).shows(
        "::error file=Shop.cs,line=9,title=Shop.Item.Load(int)::Shop.Item.Load(int): 33,000 -> 33,001"),
    equal(json.loads(ilinject("diff --fail-if 'Shop: calls > +100' --format=gitlab", OLD[0], NEW).out), [])])


# ---- Rules -----------------------------------------------------------------------------------------

def ruled(*rules):
    write("ruled.txt", read("calls.txt").replace("allow bytes 1%+16384 **\n", "".join(f"{rule}\n" for rule in rules)))


def allowed():
    ruled(
    "allow calls 1 Shop.Item",
    "allow made 0.01% Shop.Cart.Add(int)",
    "ignore Shop.Program.Old",
    "allow bytes 1% **",
     "allow made 1 Shop.Item.Load")
    ilinject("check ruled.txt", NEW).shows("Nothing changed: 10 as in the baseline, 1 by rules not compared.")


def kept():
    ruled("# why: the cache is warm", "ignore Shop.Item")
    ilinject("baseline", NEW, "-o", "ruled.txt")
    true("# why: the cache is warm\nignore Shop.Item\n" in read("ruled.txt") and "runs 1\n" in read("ruled.txt"))
    ilinject("check ruled.txt", NEW)


def refused():
    write("calls.md", "# A page\n")
    ilinject("baseline", NEW, "-o", "calls.md", status=1).says(
        "calls.md: error ILJ0630: line 1: expected `ilinject baseline 1`, found '# A page'")
    equal(read("calls.md"), "# A page\n")
    ruled("allow cals 1% **")
    ilinject("check ruled.txt", NEW, status=1).says(
        "ruled.txt: error ILJ0630: line 6: expected calls, made, bytes, exceptions, objects or all, found 'cals'")


check("rules let figures change by a count or a percentage, or are not compared", allowed)
check("a rule that names nothing is told", lambda: [
    ruled("ignore Legacy.**"), ilinject("check ruled.txt", OLD[0]).says(
        "ruled.txt: warning ILJ0633: line 6: the pattern names no method that was called: Legacy.**")])
check("a new baseline takes the rules and comments of the old one over", kept)
check("a file that is no baseline is not written over, and a wrong line is named", refused)


# ---- Other recordings ------------------------------------------------------------------------------

def counted():
    build("counted", instrument="--counts")
    build("more", "MORE", instrument="--counts")
    ilinject("baseline", run("counted", "counted"), "-o", "counted.txt")
    true("columns calls\n" in read("counted.txt") and "\n33000 Load(int)\n" in read("counted.txt"))
    said = ilinject("check counted.txt", run("more", "more"), status=4)
    said.shows("  Shop.Item.Load(int)  Shop.cs:9\n    calls 33,000 -> 33,001 (+1, +0.0 %)\n"
               "    called, by its IL, by Shop.Cart.Add(int)  Shop.cs:17\n")
    ilinject("check calls.txt", run("counted", "counted8", *["x"] * 8)).says(
        "ILJ0634: the profiles have not recorded all that it holds; not compared: made, bytes, exceptions")


def objects():
    build("counting", instrument="--allocations")
    build("other", "MORE", "BIG", instrument="--allocations")
    ilinject("baseline", run("counting", "counting"), "-o", "objects.txt")
    true("\nobjects\n" in read("objects.txt") and "\n33000 Shop.Item\n" in read("objects.txt"), read("objects.txt"))
    ilinject("check objects.txt", run("other", "other"), status=4).shows(
        "  Shop.Item  Shop.cs:9: objects 33,000 -> 33,001 (+1")


def merged():
    ilinject("merge", OLD[0], OLD[1], "-o", "both.ilprof")
    ilinject("baseline both.ilprof -o both.txt")
    true("runs 1\n" in read("both.txt") and entries("both.txt")["Shop.Cart.Tax(int)"][0] == "132000")


def small():
    """1,000 methods, each with two parameters, called from a main method."""
    methods = "".join(f"    static int Compute{i}(int number, string text) {{ return number + {i}; }}\n"
                      for i in range(1000))
    calls = "".join(f"s += Compute{i}(s, null);" for i in range(1000))
    write("Many.cs", f"class Many\n{{\n{methods}    static void Main() {{ int s = 0; {calls} }}\n}}\n")
    mcs("Many.exe", "Many.cs")
    ilinject("-q Many.exe -o many/ --set alloc=bytes")
    ilinject("baseline", program("mono", "many/Many.exe").profile, "-o", "many.txt")
    size = len(read("many.txt"))
    true(1000 * 20 < size <= 50_000, f"{size} bytes")


check("where calls were only counted, the callers are known by the IL", counted)
check("objects are compared by type", objects)
check("a merged profile is one run, of several processes", merged)
check("1,000 methods take no more than 50 KB", small)
finish()
