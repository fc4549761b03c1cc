#!/usr/bin/env bash
# The cost of a profile when a price is named: CPU time and truth of whole programs, and a call's.
#   tests/bench/price.sh [--build DIR] [--quick] [--runs N] [--seconds N]
#                        [--only "PROGRAM..."] [--parts "programs steady truth calls rules"]
# Programs: mcs (Mono), csc (.NET), json (Newtonsoft.Json's round trip, .NET), richards and fib
# (both), web (a service of ASP.NET Core, .NET), hundred (100 million calls of 5 ns, both).
#
# Part programs: user and system time of the process, all threads, from its start to its end, the
# least and the middle of N runs (3) in turns, each turn in the other direction. Variants:
#   original  as it was
#   plain     one method instrumented in each file: the base of all ratios
#   full      all methods
#   off       all methods, and none is recorded (--set off=*): what no tracker can be below
#   profile   --overhead=10% --profile FILE, of a run with --counts
#   guess     --overhead=10% without a profile, and the governor off (--set overhead=0)
#   once      --overhead=10% without a profile: the guess, and the governor for the rest
#   governor  all methods, with --set overhead=10%
# The variants original and guess, which no bound is for, run once, and so does one that took
# 10 s or more. A round begins while there is time for it. The output
# of a program has to be the original's; if not, this fails. A variant that ilinject refuses is "not
# there", with the reason. Marks (**): profile above 1.10 of plain; once and governor above
# 1.25 after their first second: (governor - 1 s) / plain (hundred: 1.05).
#
# Part steady: plain, once and governor at two lengths, which are that many times the usual one that the
# first second is over in both (steady_lengths in price/programs.sh); the difference is what the
# governor's price is held to: 1.25 of plain. Each length has the least time of N runs, as
# many as there are until a program's rounds have taken 90 s each.
#
# Part truth: the ten methods with the most inclusive time, by Stopwatch in a copy that the
# Mono.Cecil program weaves, and how many of them are each profile's ten, how many of them have
# the same share within 5 %, and the worst errors of those that are there (price/Top.cs): of the
# share (of the time of those of the ten that are there), and of the time itself. An error is the
# middle of three pairs of runs, one with Stopwatch and one of the variant; one pair of full, and of a
# variant that takes 10 s or more. The row `again` compares each run with Stopwatch with the next one.
# Web is measured once more with one client, since it has more threads than there are processors.
#
# Part calls: ns a call of methods that are not instrumented, instrumented, counted alone
# (--counts), switched off (ilinject ctl PID off) and stopped (ctl PID stop).
#
# Part rules: instrumenting Roslyn's three assemblies without rules, with 10,000 exact excludes
# that name nothing, and with 10,000 that each name a method. Marks (**): above 1.10 of without.
#
# --quick: a tenth of the work, one run, no csc. Exits 77 without a runtime and a compiler for it, 1
# when a program does not do what the original does.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build quick= runs=3 seconds=1440 size=100 only= parts="programs steady truth calls rules"
steady_most=90
usage() { sed -n '3,4s/^# *//p' "$0" >&2; exit 2; }
options=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2; continue ;;
    --quick)
        quick=1 runs=1 seconds=100 size=10 options+=" --quick"
        shift
        continue
        ;;
    --runs) runs=$2 ;;
    --seconds) seconds=$2 ;;
    --only) only=$2 ;;
    --parts) parts=$2 ;;
    *) usage ;;
    esac
    if [[ $2 = *" "* ]]; then options+=" $1 \"$2\""; else options+=" $1 $2"; fi
    shift 2
done
BUILD=$(cd "$build" && pwd) || exit 1
export BUILD
ilinject=${ILINJECT:-$BUILD/ilinject}
sources=tests/bench/price
work=$(mktemp -d)
children=()
end() {
    [ ${#children[@]} -eq 0 ] || kill "${children[@]}" 2>/dev/null
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# shellcheck disable=SC2086
unset ${!ILINJECT_*} ${!DOTNET_T*} ${!MONO_*} DOTNET_EnableEventPipe
. tests/bench/raw.sh
raw_begin price "tests/bench/price.sh$options"
wanted() { [[ " $parts " == *" $1 "* ]]; }
# The last words of a file, of a tool that has failed.
reason_in() { grep -v '^ *$' "$1" | tail -n 1 | cut -c 1-160; }
declare -A absent=() # "PROGRAM VARIANT": why
not_there() { # WHAT VARIANT REASON
    absent["$1 $2"]=$3
    echo "$1, $2: not there: $3"
    raw_missing "$1, $2" "$3"
}
fail() { echo "$*" >&2; exit 1; }

mono=
if command -v mono >/dev/null && command -v mcs >/dev/null; then mono=1; fi
sdks=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
roslyn=$sdks/Roslyn/bincore
[ -n "$sdks" ] && [ -f "$roslyn/csc.dll" ] || sdks= roslyn=
[ "$mono" ] || [ "$sdks" ] || { echo "skipped: a named price: no compiler for a runtime"; exit 77; }
newest() { # PACK
    find "$(dirname "$(dirname "$sdks")")/packs/$1" -mindepth 3 -maxdepth 3 -path '*/ref/net*' \
        2>/dev/null | sort -V | tail -n 1
}

. "$sources/programs.sh"
. "$sources/calls.sh"
. "$sources/rules.sh"

if wanted programs || wanted steady || wanted truth; then prepare_programs; fi
if wanted programs; then run_programs; fi
if wanted steady; then run_steady; fi
if wanted calls; then run_calls; fi
if wanted rules; then run_rules; fi
if wanted truth; then run_truth; fi
echo "$SECONDS s"
exit 0
