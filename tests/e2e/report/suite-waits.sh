#!/usr/bin/env bash
# A method's own time is work; what its thread waited stands apart, under the method that waited. Beside it stand the
# program's own readings of the system's scheduler (tests/e2e/lib/cs/Waits.cs), which hold at any load.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
if ! ready; then
    skip "waits stand apart from work" "no mono or no mcs"
    finish
fi
if ! [[ $(cat /proc/$$/schedstat 2>/dev/null) =~ ^[1-9] ]]; then
    skip "waits stand apart from work" "the kernel does not count how long threads run and wait"
    finish
fi
source=$ROOT/tests/e2e/lib/cs/Waits.cs
report() { "$ILINJECT" report --format=json -o "$SCRATCH/report.json" "$@"; }

# Each method that printed how long it was blocked has that as waiting time, its own and that of the
# calls below it, to 2 % and 6 ms. A reading may be blocked, too, at its outer side: waits in readings
# count where they are missing otherwise. A method that sleeps has its wait as its own.
as_told() { # PROFILE OUTPUT
    report "$1" && "$ILINJECT" report --format=collapsed --physical -o "$SCRATCH/stacks" "$1" &&
        python3 - "$SCRATCH/report.json" "$SCRATCH/stacks" "$2" <<'END'
import collections
import json
import re
import sys

LEAST = {"Sleeps": 600, "SleepsThenWorks": 50, "WorksThenSleeps": 50, "Inner": 30, "Nap": 20}
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
below, readings = collections.Counter(), collections.Counter()
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        stack, _, ns = line.rpartition(" ")
        if stack.endswith(";(waiting)"):
            for name in set(re.findall(r"Waits\.(\w+)\(", stack)):
                below[name] += int(ns)
                if re.search(r"Waits\.(Now|Tell)\(", stack):
                    readings[name] += int(ns)
told, bad = collections.Counter(), 0
with open(sys.argv[3], encoding="utf-8") as file:
    for name, blocked, _ in map(str.split, file):
        told[name] += int(blocked)
if told.keys() != {"first", "Sleeps", "Works", "Work", "SleepsThenWorks", "WorksThenSleeps", "Inner", "Locks", "ManyNaps", "Joins",
                   "WaitsForTask"}:
    sys.exit(f"the program told of {sorted(told)}")
del told["first"]
for name, blocked in told.items():
    error = blocked // 50 + 6000000
    if not below[name] - readings[name] - error <= blocked <= below[name] + error:
        bad = print(f"{name}: blocked for {blocked}, waiting {below[name]}, of it {readings[name]} in readings") or 1
functions = {f["method"].split("(")[0]: f for f in report["functions"]}
for name, milliseconds in LEAST.items():
    waiting = functions[name].get("waiting_ns", 0)
    if waiting < milliseconds * 1000000 - 3000000:
        bad = print(f"{name}: waited for {milliseconds} ms or more, waiting {waiting}") or 1
# Work is done in one method, for four others: two of Works and one each of the two that wait first, or last.
work = sum(functions[name]["exclusive_ns"] for name in ("Work", "Ran", "Now"))
if work < 475000000:
    bad = print(f"Work: own time {work}") or 1
whole = sum(f.get("waiting_ns", 0) for f in report["functions"])
if whole != report["totals"]["waiting_ns"]:
    bad = print(f"functions wait for {whole}, all for {report['totals']['waiting_ns']}") or 1
sys.exit(bad)
END
}
line_of() { # WORDS FILE: the number of the first line that has them
    grep -n -m 1 -F -- "$1" "$2" | cut -d: -f1
}
in_the_text() { # PROFILE
    local text=$SCRATCH/text joins waits
    "$ILINJECT" report -v --color=never --width=100 --top=100 -o "$text" "$1" && grep -q '^Waiting  [0-9.]* [a-z]* in which threads were blocked' "$text" || return 1
    grep -q '^ *Calls  .*Exclusive  *Waiting ' "$text" || { cat "$text"; return 1; }
    # By work alone the methods that work come first, though others took longer.
    "$ILINJECT" report --view=functions --sort=exclusive --color=never --width=100 --top=3 -o "$text.work" "$1" &&
        sed -n '/Exclusive  *Waiting/{n;p}' "$text.work" | grep -q 'Waits\.\(Work(long)\|Ran()\)$' || { cat "$text.work"; return 1; }
    # In the tree a wait stands below the method that waited. A busy machine makes the other waits too
    # small a part to be shown; a thread that joins waits for as long as the others work.
    sed -n '/Call tree$/,$p' "$text" >"$text.tree"
    joins=$(line_of '    Waits.Joins()' "$text.tree") waits=$(line_of '(waiting)' <(tail -n +"${joins:-0}" "$text.tree"))
    [ "${waits:-9}" -le 3 ] || { cat "$text.tree"; return 1; }
}
# Main waits in many places. On a busy machine one of those takes long enough to be on the path as well.
hot_path() { # PROFILE
    "$ILINJECT" report --view=hot --color=never "$1" | sed -n '/Hot path$/,$p' >"$SCRATCH/hot"
    [[ "$(grep -m 1 ' Waits[.]' "$SCRATCH/hot")" == *' Waits.Main('* ]] && grep -q 'Inclusive  *Waiting  *Exclusive' "$SCRATCH/hot" ||
        { cat "$SCRATCH/hot"; return 1; }
}
sorted() { # PROFILE
    local most
    report "$1" && most=$(python3 -c 'import json, sys; print(max(json.load(sys.stdin)["functions"], key=lambda f: f.get("waiting_ns", 0))["name"])' \
        <"$SCRATCH/report.json") && "$ILINJECT" report --view=functions --idle --sort=waiting --top=3 --color=never -o "$SCRATCH/sorted" "$1" &&
        grep -A 1 'Waiting.*Function' "$SCRATCH/sorted" | grep -qF "  $most" || { cat "$SCRATCH/sorted"; return 1; }
}
# Stacks of other tools have a frame of their own for it, and their sum is the same.
exported() { # PROFILE
    report "$1" && "$ILINJECT" report --format=collapsed -o "$SCRATCH/stacks" "$1" && grep -q 'Waits.Sleeps();(waiting) [0-9]*$' "$SCRATCH/stacks" || return 1
    python3 - "$SCRATCH/report.json" "$SCRATCH/stacks" <<'END' || return 1
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    said = json.load(file)
totals = said["totals"]
worked = sum(node["exclusive_ns"] for thread in said["threads"] for node in thread["tree"])
with open(sys.argv[2], encoding="utf-8") as file:
    stacks = [line.rsplit(" ", 1) for line in file]
waits = sum(int(ns) for stack, ns in stacks if stack.endswith(";(waiting)"))
rest = sum(int(ns) for stack, ns in stacks if not stack.endswith(";(waiting)"))
# Own times by ticks may be below 0 in the sum, which a place in the tree or a stack cannot say.
if waits != totals["waiting_ns"] or rest != worked or rest < totals["exclusive_ns"]:
    sys.exit(f"stacks wait for {waits} and work for {rest}, the tree for {worked}: {totals}")
END
    "$ILINJECT" report --format=csv -o "$SCRATCH/csv" "$1" && [ "$(head -n 1 "$SCRATCH/csv" | tr -d '\r' | sed 's/.*,waiting_ns/waiting_ns/')" = waiting_ns,file,line ] || return 1
    awk -F, '/Waits.Sleeps\(\)/ { found = $(NF - 2) } END { exit !(found + 0 > 590000000) }' "$SCRATCH/csv" &&
        "$ILINJECT" report --format=tree -o "$SCRATCH/tree" "$1" && ! grep -q waiting "$SCRATCH/tree"
}
# Two runs together wait for as long as each of them.
merged() { # PROFILE PROFILE
    "$ILINJECT" merge -q -o "$SCRATCH/merged.ilprof" "$1" "$2" && report "$1" "$2" && cp "$SCRATCH/report.json" "$SCRATCH/both.json" &&
        report "$SCRATCH/merged.ilprof" && python3 - "$SCRATCH/both.json" "$SCRATCH/report.json" <<'END'
import json, sys
sums = []
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    sums.append({f["name"]: f.get("waiting_ns", 0) for f in report["functions"]})
    sums[-1][""] = report["totals"]["waiting_ns"]
if sums[0].keys() != sums[1].keys() or any(abs(sums[0][name] - sums[1][name]) > 100 for name in sums[0]):
    sys.exit(f"{sums[0]}\n{sums[1]}")
END
}
# A frame that is open when the profile is written has waited, too.
open_frame() { # FOLDER COMMAND…
    local folder=$1 pid
    shift
    rm -f "$SCRATCH/open.ilprof"
    ILINJECT_OUT=$SCRATCH/open.ilprof ILINJECT_BEAT=1 "$@" "$folder" hang >"$SCRATCH/open.out" &
    pid=$!
    within 60 grep -q hangs "$SCRATCH/open.out" && within 60 waited_open
    kill -9 $pid
    wait $pid 2>/dev/null
    waited_open
}
waited_open() {
    [ -s "$SCRATCH/open.ilprof" ] && report "$SCRATCH/open.ilprof" 2>/dev/null && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
main = next((f for f in report["functions"] if f["method"].startswith("Main(")), None)
sys.exit(not (main and main["open"] == 1 and main.get("waiting_ns", 0) > 500000000 and main["exclusive_ns"] < main["waiting_ns"] / 2))
END
}
# These clocks do not show how long a thread was blocked, and nothing is said of it.
without() { # FILE CLOCK
    ILINJECT_CLOCK=$2 run_program "$2" mono "$1" idle && report "$SCRATCH/said/$2.mono.ilprof" && ! grep -q waiting_ns "$SCRATCH/report.json"
}
# The wait of a Main that the compiler has made for an async one is known by what it is.
entry() { # FILE
    ILINJECT_CLOCK=coarse run_program entry dotnet "$1" && report "$SCRATCH/said/entry.dotnet.ilprof" && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
waits = [f["name"] for f in report["functions"] if f.get("waiting_ns", 0) > 0]
main = next((f for f in report["functions"] if f.get("waiting_ns", 0) > 0), None)
sys.exit(not (len(waits) == 1 and main["exclusive_ns"] == 0 and main["waiting_ns"] > 100000000 and "Main" in waits[0]))
END
}
# Two new threads wait in their first call: one has ended, one still waits at the end. No file says how long they were ready.
new_threads() { # PROFILE
    report "$1" && python3 - "$SCRATCH/report.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    functions = {f["method"].split("(")[0]: f for f in json.load(file)["functions"]}
waits = {name: functions[name].get("waiting_ns", 0) for name in ("Ends", "Stays", "Once")}
if functions["Once"]["calls"] != 300 or waits["Ends"] < 190000000 or waits["Stays"] < 290000000:
    sys.exit(f"{functions['Once']['calls']} calls, {waits}")
END
}
# Most threads of one call open no file of the system. One that loses its processor in the call does.
# (A filter of the kernel keeps strace from stopping other calls: that would make each thread an old one.)
opens_few() { # FILE COMMAND…
    local file=$1 opened
    shift
    ILINJECT_OUT=$SCRATCH/few.ilprof timeout 300 strace -f --seccomp-bpf -e trace=open,openat -o "$SCRATCH/opened" "$@" "$file" || return 1
    opened=$(grep -c '"/proc/thread-self/' "$SCRATCH/opened")
    echo "$opened files opened"
    [ "$opened" -ge 1 ] && [ "$opened" -lt 200 ]
}

check "the program compiles" by_mcs Waits "$source"
for shape in guarded-paths ret; do check "it is instrumented, $shape" instrument Waits "$before/Waits.exe" $shape; done
if can dotnet; then for shape in guarded-paths ret; do runtimeconfig "$SCRATCH/after/Waits-$shape/Waits.exe"; done; fi
for runtime in mono dotnet; do
    if ! can $runtime; then
        skip "$runtime: waits stand apart from work" "$runtime is not installed"
        continue
    fi
    for shape in guarded-paths ret; do
        run_program "Waits-$shape" $runtime "$SCRATCH/after/Waits-$shape/Waits.exe"
        profile=$SCRATCH/said/Waits-$shape.$runtime
        check "$runtime, $shape: each method waited for as long as the system says" as_told "$profile.ilprof" "$profile.out"
    done
    check "$runtime: by work the table begins with what works, the tree shows waits where they were" in_the_text "$profile.ilprof"
    check "$runtime: the hot path ends where the time is spread, waits counted" hot_path "$profile.ilprof"
    check "$runtime: methods can be sorted by their waits" sorted "$profile.ilprof"
    check "$runtime: exports tell waits from work" exported "$profile.ilprof"
    check "$runtime: merged runs have both waits" merged "$profile.ilprof" "$SCRATCH/said/Waits-guarded-paths.$runtime.ilprof"
done
check "mono: a frame that is still open has waited, too" open_frame "$SCRATCH/after/Waits-ret/Waits.exe" mono
if can dotnet; then check "dotnet: a frame that is still open has waited, too" open_frame "$SCRATCH/after/Waits-ret/Waits.exe" dotnet; fi
for clock in none coarse; do check "clock $clock: nothing is said of waits" without "$SCRATCH/after/Waits-ret/Waits.exe" $clock; done
cat >New.cs <<'X'
using System.Threading;
static class New
{
    static void Ends() { Thread.Sleep(200); }
    static void Stays() { Thread.Sleep(Timeout.Infinite); }
    static void Once() { }

    static void Main()
    {
        Thread ends = new Thread(Ends), stays = new Thread(Stays);
        stays.IsBackground = true;
        stays.Start();
        ends.Start();
        ends.Join();
        for (int i = 0; i < 300; i++)
        {
            Thread once = new Thread(Once);
            once.Start();
            once.Join();
        }
        Thread.Sleep(100);
    }
}
X
check "the program of new threads compiles" by_mcs New New.cs
check "it is instrumented" instrument New "$before/New.exe" ret
if can dotnet; then runtimeconfig "$SCRATCH/after/New-ret/New.exe"; fi
for runtime in mono dotnet; do
    if ! can $runtime; then continue; fi
    run_program New $runtime "$SCRATCH/after/New-ret/New.exe"
    check "$runtime: what a new thread's first call waited is known" new_threads "$SCRATCH/said/New.$runtime.ilprof"
done
# On Mono a thread may have run for more than 1 ms at its first call.
if ! can dotnet || ! has strace; then
    skip "a new thread's first call opens no file" "no dotnet or no strace"
else
    check "dotnet: a new thread's first call opens no file" opens_few "$SCRATCH/after/New-ret/New.exe" dotnet
fi
cat >Entry.cs <<'X'
using System.Threading.Tasks;
static class Entry
{
    static async Task<int> Main()
    {
        await Task.Delay(300);
        return 0;
    }
}
X
if can dotnet && by_csc Entry -optimize Entry.cs; then
    check "the program with an async Main is instrumented" instrument Entry "$before/Entry.dll" ret
    runtimeconfig "$SCRATCH/after/Entry-ret/Entry.dll"
    check "dotnet: where waits can't be seen the entry point's is known" entry "$SCRATCH/after/Entry-ret/Entry.dll"
else
    skip "dotnet: where waits can't be seen the entry point's is known" "no .NET SDK"
fi
finish
