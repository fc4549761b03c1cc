#!/usr/bin/env bash
# The report of a real program that throws, iterates and awaits, on each runtime. Counts were worked
# out by hand from fixtures/cs/Shop.cs; times are left out.
#
# Orders 0, 7 … 49 of 50 and 0, 7, 14 of 20 are not there: 11. Four of the fetches 0 to 9 fail: 0,
# 3, 6, 9.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"

if ! has mcs; then
    skip "the report says what a program did" "no mcs"
    finish
fi
mcs -nologo -out:"$SCRATCH/before/Shop.exe" "$ROOT/fixtures/cs/Shop.cs" || exit 1
if can dotnet; then runtimeconfig "$SCRATCH/before/Shop.exe" && cp "$SCRATCH/before/Shop.runtimeconfig.json" "$SCRATCH/after"; fi
check "the program is instrumented" "$ILINJECT" "$SCRATCH/before/Shop.exe" -o "$SCRATCH/after/Shop.exe" --exits=guarded --exceptions=full

# The section of the report that starts with the title: counts and names, without times, first passes, suspensions, indent, and the
# numbers in messages of calls that several threads ran.
section() { # TITLE
    sed -n "/$1\$/,/^\$/p" "$SCRATCH/report" | sed -E '1d; /^$/d; /first pass/d; s/^( +"fetch) [0369]/\1/; s/ +[0-9.,]+ (ns|µs|ms|s )/ /g; s/^ +//; s/^([0-9,]+) +/\1 /' |
        sed -E 's/^([0-9]+ )[0-9]+( *\?)* +/\1/'
}
says() { # TITLE; what is expected is on standard input
    cat >"$SCRATCH/expected"
    section "$1" | diff "$SCRATCH/expected" -
}

says_in_any_order() { # TITLE
    sort >"$SCRATCH/expected"
    section "$1" | sort | diff "$SCRATCH/expected" -
}

for runtime in "${runtimes[@]}"; do
    run_program before "$runtime" "$SCRATCH/before/Shop.exe"
    run_program after "$runtime" "$SCRATCH/after/Shop.exe"
    check "the program runs as before under $runtime" same_run before after "$runtime"
    profile=$SCRATCH/said/after.$runtime.ilprof
    "$ILINJECT" report -v "$profile" --async --width=0 >"$SCRATCH/report"
    # 11 in Load and in Get, 41 in Deep, 1 in Compare.
    check "all that was entered was left under $runtime" grep -qE '^Calls .*: [0-9,]+ returned, 64 left by exception$' "$SCRATCH/report"
    check "the exceptions' ways are told under $runtime" says 'Exceptions, down to where they were thrown' <<'END'
15 Shop.OrderException
11 caught by Shop.Orders.TryGet(int)
thrown in Shop.Orders.Get(int)
"order 0 is not there"
"order 14 is not there"
"order 7 is not there"
4 stored in the task of Shop.Orders.FetchAsync(int)
first seen here
"fetch"
"fetch"
"fetch"
4 passed on by await, caught by Shop.Program.RunAsync(Orders)
11 System.Collections.Generic.KeyNotFoundException
11 caught by Shop.Orders.Get(int)
thrown in Shop.Store.Load(int)
"no order 0"
"no order 14"
"no order 7"
2 System.InvalidOperationException
2 caught by Shop.Program.Main()
1 thrown in Shop.Orders.Deep(int) × 41
"bottom"
1 first seen here
"Failed to compare two elements in the array."
1 System.ArithmeticException
1 caught below Shop.Program.Main(), in code not instrumented
thrown in Shop.Orders.Compare(int, int)
"does not compare"
1 System.Threading.Tasks.TaskCanceledException
1 stored in the task of Shop.Orders.CancelledAsync(CancellationToken)
first seen here
"A task was canceled."
1 passed on by await, caught by Shop.Program.RunAsync(Orders)
END
    # How often they are suspended hangs on what is done by then; so does their order by time.
    check "async methods are told under $runtime" says_in_any_order 'Async methods' <<'END'
1 Shop.Program.RunAsync(Orders)
10 Shop.Orders.FetchAsync(int)  6 completed, 4 failed
1 Shop.Orders.CancelledAsync(CancellationToken)  1 cancelled
6 Shop.Orders.PriceAsync(int)
1 Shop.Orders.Fire(ManualResetEvent)
END
    check "so is who awaited whom under $runtime" says_in_any_order 'Async call tree' <<'END'
1 Shop.Program.RunAsync(Orders)
10 Shop.Orders.FetchAsync(int)  6 completed, 4 failed
6 Shop.Orders.PriceAsync(int)
1 Shop.Orders.CancelledAsync(CancellationToken)  1 cancelled
1 Shop.Orders.Fire(ManualResetEvent)
END
    "$ILINJECT" report "$profile" --format=calltree --width=0 >"$SCRATCH/report"
    check "an iterator's steps are its own under $runtime" grep -qE ' {3}Shop.Orders.Ids\(int\) \[iterator\] \(51 steps\)$' "$SCRATCH/report"
    check "slices stand within their calls under $runtime" eval '! grep -q "(resumed)$" "$SCRATCH/report"'
    "$ILINJECT" report "$profile" --format=calltree --width=0 --physical >"$SCRATCH/report"
    check "and where they ran, marked, in the physical order under $runtime" grep -qE ' Shop.Program.RunAsync\(Orders\) \[async\] \(resumed\)$' "$SCRATCH/report"
    "$ILINJECT" report "$profile" --format=calltree --threads --width=0 >"$SCRATCH/report"
    check "threads have trees of their own under $runtime" grep -qE '^ *[0-9,]+ .* Thread [0-9]+( |$)' "$SCRATCH/report"
    check "the counts agree under $runtime" profile_agrees "$profile"
done
finish
