#!/usr/bin/env bash
# Exceptions, in whatever way they leave a method, pass it or stop in it: the program does what it did, and the profile says of every method
# what was counted by hand, in the guarded shape with and without --exceptions=full, and in the ret shape.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "exceptions are seen" "no mono or no mcs"; finish; }
shapes="guarded-paths guarded-full ret-paths"

sources=("$fixtures/Exceptions.cs" "$fixtures/ExceptionPlaces.cs")
check "the exceptions compile with mcs" by_mcs Exceptions -define:MONO "${sources[@]}"
prove Exceptions "$before/Exceptions.exe" mono mcs "$shapes" "${sources[@]}"
if can dotnet && by_csc ExceptionsCore -optimize "${sources[@]}"; then
    prove ExceptionsCore "$before/ExceptionsCore.dll" dotnet csc "$shapes" "${sources[@]}"
else
    skip "exceptions are seen on CoreCLR" "no .NET SDK"
fi

source=$ROOT/fixtures/il/unwinding.il
if has ilasm && ilasm -quiet -output:"$before/unwinding.exe" "$source"; then
    if can dotnet; then runtimeconfig "$before/unwinding.exe"; fi
    for runtime in mono ${FULL:+interpreter} dotnet; do
        if can "$runtime"; then prove unwinding "$before/unwinding.exe" "$runtime" il "$shapes" "$source"; fi
    done
else
    skip "exceptions of hand-written IL are seen" "no ilasm"
fi

# ---- Finally blocks that await ---------------------------------------------------------------------------------------
# A compiler makes a handler in their place, which throws the exception again: one exception all the same.

counted_once() { # PROGRAM RUNTIME OPTION TYPES…: ten times each, a type with a 2 before it twenty times
    local program=$1 runtime=$2 option=$3 to=$SCRATCH/held profile=$SCRATCH/held.ilprof type
    shift 3
    rm -rf "$to" "$profile" && "$ILINJECT" -q "$program" -o "$to/" "$option" || return
    cp -n "${program%/*}"/*.runtimeconfig.json "${program%/*}"/FSharp.Core.dll "$to/" 2>/dev/null
    ILINJECT_OUT=$profile timeout 150 "$runtime" "$to/${program##*/}" >"$SCRATCH/held.out" && timeout 150 "$runtime" "$program" | diff - "$SCRATCH/held.out" || return
    "$ILINJECT" report --json "$profile" | python3 -c '
import json, sys
got = {e["type"]: e["count"] for e in json.load(sys.stdin)["exceptions"]}
want = {t.lstrip("2"): 20 if t.startswith("2") else 10 for t in sys.argv[1:]}
if got != want: sys.exit("counted %s\nthrown  %s" % (sorted(got.items()), sorted(want.items())))' "$@"
}
held=(Direct FromCallee FromTask Nested CaughtInside Displaced Displacing Handled HandledAny 2ThrownAgain) more=(Disposed Enumerated Consumed)
check "finally blocks that await compile with mcs" by_mcs Held "$fixtures/Held.cs"
check "an exception that passes a finally block which awaits counts once (mcs)" counted_once "$before/Held.exe" mono --exceptions=paths "${held[@]}"
if can dotnet && by_csc HeldCore -optimize "$fixtures/Held.cs" && by_csc HeldDebug "$fixtures/Held.cs"; then
    for option in paths full; do
        if [ "$FULL" ] || [ $option = paths ]; then
            check "so it does with await using and await foreach, --exceptions=$option" counted_once "$before/HeldCore.dll" dotnet --exceptions=$option "${held[@]}" "${more[@]}"
        fi
        if [ -z "$FULL" ] && [ $option = paths ]; then continue; fi
        check "in a debug build, too, --exceptions=$option" counted_once "$before/HeldDebug.dll" dotnet --exceptions=$option "${held[@]}" "${more[@]}"
    done
else
    skip "an exception that passes await using counts once" "no .NET SDK"
fi
if can dotnet && compiled fsc "$before/HeldFs.dll" --optimize+ "$ROOT/fixtures/fs/Held.fs"; then
    check "a finally block of an F# task is no handler" counted_once "$before/HeldFs.dll" dotnet --exceptions=paths Held+Finally Held+Disposed Held+Handled
else
    skip "a finally block of an F# task is no handler" "no F# compiler"
fi

# ---- An account of its own -------------------------------------------------------------------------------------------
# A tracker that only keeps a stack sees the same: every frame returned or did not, as many did not as the built-in tracker says, no call came
# for a frame that was not open; and only those died unseen (swept) that are constructors left before or in their base's: Early three
# times, InBase, Field and Own once each, and the method that returns a reference, which is never
# guarded, once; none in the IL.

counted_apart() { # NAME FILE RUNTIME SWEPT
    local to=$SCRATCH/after/$1-apart said=$SCRATCH/said/$1-apart.$3 thrown not_returned
    mkdir -p "$to" && cp "$before/Outside.dll" "$to" && "$ILINJECT" -q "$2" -o "$to/" --tracker CountingTracker.dll --exits=guarded --exceptions=full || return
    run_program "$1-apart" "$3" "$to/$(basename "$2")"
    not_returned=$(as_counted "$SCRATCH/said/$1-guarded-full.$3" any | sed -n 's/ frames did not return$//p')
    thrown=$(sed -n 's/.* thrown \([0-9]*\) .*/\1/p' "$said.err")
    grep -Eqx "returned and open ([0-9]+) returned \1 thrown $thrown swept $4 astray 0 passed True" "$said.err" && [ "$((thrown + $4))" -eq "$not_returned" ] && return
    cat "$said.err"
    echo "by the profile $not_returned did not return"
    return 1
}
check "the counting tracker compiles" mcs -nologo -target:library -out:CountingTracker.dll "$fixtures/CountingTracker.cs"
for runtime in mono dotnet; do
    can "$runtime" || continue
    if [ "$runtime" = mono ]; then program=Exceptions.exe; else program=ExceptionsCore.dll; fi
    [ -f "$before/$program" ] && check "a tracker that only counts agrees under $runtime" counted_apart "${program%.*}" "$before/$program" "$runtime" 7
    [ -f "$before/unwinding.exe" ] && check "so it does for hand-written IL" counted_apart unwinding "$before/unwinding.exe" "$runtime" 0
done

# ---- Ends that are no return -----------------------------------------------------------------------------------------

# The places that a stack trace names, and how often a frame is repeated, differs by right.
frames_said() { sed -E 's/\[0x[0-9a-f]+\] in <[0-9a-f]+>:0//; s/[0-9]{3,}/N/g' "$1" | sort -u; }
# The same exit code, stdout and stderr. How far a stack reaches before it overflows, and what method it does so in, is another matter, and so
# is what Mono says of itself when it dies, and whether it comes to an end of that: of these the first words count.
ends_as_before() { # NAME-BEFORE NAME-AFTER RUNTIME ENDING
    local before=$SCRATCH/said/$1.$3 after=$SCRATCH/said/$2.$3
    diff <(head -n 1 "$before.out") <(head -n 1 "$after.out") || { head -n 20 "$after.err"; return 1; }
    case $3-$4-$(cat "$before.code" "$after.code") in
    mono-failfast-*124* | mono-failfast-*137*) ;; # its report of the crash hung
    *) diff "$before.code" "$after.code" || { head -n 20 "$after.err"; return 1; } ;;
    esac
    case $3-$4 in
    mono-failfast) grep -q 'Managed code called FailFast, saying "on purpose"' "$after.out" ;;
    *-overflow) grep -Eqi '^(\[ERROR\].*|Process.*)?stack ?overflow' "$after.err" ;;
    *) diff "$before.out" "$after.out" && diff <(frames_said "$before.err") <(frames_said "$after.err") ;;
    esac
}
# What a shape does at an end does not hang on the runtime: of two endings, each runtime has another shape. Each has both in make check-full.
shapes_of() { # ENDING RUNTIME
    local turn=${endings%%"$1"*}
    turn=$(wc -w <<<"$turn")
    if [ "$2" = dotnet ]; then turn=$((turn + 1)); fi
    if [ "$FULL" ] || ! can mono || ! can dotnet; then echo "$shapes"; elif [ $((turn % 2)) -eq 0 ]; then echo "${shapes% *}"; else echo "${shapes#* }"; fi
}
start_ends() { # ENDING RUNTIME: starts it, before and after in its shapes
    local shape name
    run_program "Endings-$1" "$2" "$before/Endings.exe" "$1" &
    for shape in $(shapes_of "$1" "$2"); do
        name=Endings-$shape
        FIXTURE_AWAIT=$SCRATCH/said/$name-$1.$2.ilprof run_program "$name-$1" "$2" "$SCRATCH/after/$name/Endings.exe" "$1" &
    done
}
export ILINJECT_BEAT=10 MONO_DEBUG=no-gdb-backtrace # the first beat comes after a second
shapes="guarded-full ret-paths" endings="unhandled thread exit failfast overflow"
check "the endings compile" by_mcs Endings "$fixtures/Endings.cs"
for shape in $shapes; do check "Endings is instrumented for $shape" instrument Endings "$before/Endings.exe" "$shape"; done
for runtime in mono dotnet; do
    can "$runtime" || { skip "a program ends as before on $runtime" "$runtime is not there"; continue; }
    for ending in $endings; do start_ends "$ending" "$runtime"; done 2>/dev/null # where bash would tell of each abort
    wait
    for ending in $endings; do
        for shape in $(shapes_of "$ending" "$runtime"); do
            name=Endings-$shape-$ending
            check "ending by $ending is as before under $runtime, $shape" ends_as_before "Endings-$ending" "$name" "$runtime" "$ending"
            check "ending by $ending loses nothing before the last beat, $runtime, $shape" as_counted "$SCRATCH/said/$name.$runtime" "$runtime,${shape//-/,},$ending" "$fixtures/Endings.cs"
        done
    done
done
finish
