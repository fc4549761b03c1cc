#!/usr/bin/env bash
# Counting alone: each fixture that does the same in each run does it under --counts, too, with the output and the exit
# code of the original; and the calls and steps of each method are those of the full profile.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
before=$SCRATCH/before after=$SCRATCH/after full=$SCRATCH/full fixtures=$ROOT/fixtures
mkdir "$full"

# Name, calls and steps of each method. How many slices an async method runs in depends on who is first, so their
# steps do not hold still, nor does what awaiting calls on the way. A finalizer is waited for by asking again and again.
calls_of() { # PROFILE
    "$ILINJECT" report --format=json "$1" |
        sed -n -e '/"name": "[^"]*\(SetStateMachine\|>\.GetStatus\|>\.GetResult\|>\.OnCompleted\|Initializers\.Done\)(/d' \
            -e 's/^{"module": -\{0,1\}[0-9]*, "token": [^,]*, "name": \(".*"\), "type": ".*, "machine": \([^,]*\), "calls": \([0-9]*\), "steps": \([0-9]*\), .*/\1 \3 \4 \2/p' |
        sed -e 's/ [0-9]* "[^"]*async[^"]*"$//' -e "s/${steps:- null}\$//" | LC_ALL=C sort
}
same_calls() { # FULL COUNTED
    calls_of "$1" >"$SCRATCH/calls.full" && calls_of "$2" >"$SCRATCH/calls.counted" && [ -s "$SCRATCH/calls.full" ] &&
        diff "$SCRATCH/calls.full" "$SCRATCH/calls.counted"
}

# counts_as_full NAME FILE RUNTIMES
counts_as_full() {
    local name=$1 file=$2 runtime base
    base=$(basename "$file")
    check "$name is instrumented to count" "$ILINJECT" "$file" -o "$after/$base" --counts
    check "$name is instrumented" "$ILINJECT" "$file" -o "$full/$base"
    for runtime in $3; do
        can "$runtime" || { skip "$name counts under $runtime" "$runtime is not there"; continue; }
        run_program "$name" "$runtime" "$file"
        run_program "$name-counts" "$runtime" "$after/$base"
        run_program "$name-full" "$runtime" "$full/$base"
        check "$name runs as before under $runtime" same_run "$name" "$name-counts" "$runtime"
        check "$name has the full profile's calls under $runtime" same_calls "$SCRATCH/said/$name-full.$runtime.ilprof" "$SCRATCH/said/$name-counts.$runtime.ilprof"
    done
    case $file in *.exe) ;; *) return ;; esac # Mono's verifiers know only Mono's framework
    if has mono; then check "mono --compile-all finds no new fault in $name" compiles_as_before "$file" "$after/$base"; fi
    if has peverify; then check "peverify finds no new fault in $name" verifies_as_before "$file" "$after/$base"; fi
}

# Further files and options of those that need some.
more_of() { # NAME RUNTIME
    case $1.$2 in
    Exceptions.mono) echo -define:MONO -r:System.Core.dll -r:"$before/Outside.dll" "$fixtures/cs/ExceptionPlaces.cs" ;;
    Exceptions.dotnet) echo -optimize -define:CSC,DOTNET -r:"$before/Outside.dll" "$fixtures/cs/ExceptionPlaces.cs" ;;
    Shapes.mono) echo -unsafe -define:MONO ;;
    Shapes.dotnet) echo -unsafe -optimize -define:DOTNET ;;
    Kernels.mono) echo -optimize+ -r:System.Numerics ;;
    Kernels.dotnet) echo -optimize ;;
    Odd.dotnet) echo -unsafe -optimize ;;
    Machines.dotnet) echo -optimize -define:CORE ;;
    esac
}
if has mcs; then mcs -nologo -target:library -r:System.dll -out:"$before/Outside.dll" "$fixtures/cs/Outside.cs" && cp "$before/Outside.dll" "$after/" && cp "$before/Outside.dll" "$full/" || exit 1; fi
# shellcheck disable=SC2046
made_by_mcs() { mcs -nologo -nowarn:414,1998 -out:"$before/$1.exe" $(more_of "$1" mono) "$fixtures/cs/$1.cs"; }
# shellcheck disable=SC2046
made_by_csc() { "$ROOT/tests/dotnet-csc" "$before/$1Core.dll" $(more_of "$1" dotnet) "$fixtures/cs/$1.cs"; }

# Some programs are looked at on one of the runtimes alone; in make check-full on both.
if has mcs; then
    for name in TestClass Shapes ${FULL:+Kernels Exceptions Cells} Machines; do
        check "$name compiles with mcs" made_by_mcs "$name"
        case $name in
        TestClass) counts_as_full "$name" "$before/$name.exe" "mono interpreter" ;;
        *) counts_as_full "$name" "$before/$name.exe" mono ;;
        esac
    done
else
    skip "what mcs compiles counts its calls" "no mcs"
fi
if can dotnet; then
    for name in TestClass ${FULL:+Shapes} Kernels Odd Exceptions Cells Machines; do
        check "$name compiles with csc" made_by_csc "$name"
        counts_as_full "${name}Core" "$before/${name}Core.dll" dotnet
    done
    if "$ROOT/tests/dotnet-csc" "$before/RuntimeAsync.dll" -features:runtime-async=on -nowarn:SYSLIB5007,1998 "$fixtures/cs/RuntimeAsync.cs" >/dev/null 2>&1 &&
        DOTNET_RuntimeAsync=1 dotnet "$before/RuntimeAsync.dll" 2>/dev/null | grep -qx 'runtime-async methods: True'; then
        export DOTNET_RuntimeAsync=1
        steps=' [0-9]* null' # which the runtime makes, are not seen from the head
        counts_as_full RuntimeAsync "$before/RuntimeAsync.dll" dotnet
        unset DOTNET_RuntimeAsync steps
    fi
else
    skip "what csc compiles counts its calls" "no .NET SDK"
fi
if can dotnet && compiled fsc "$before/FsOptimized.dll" --optimize+ --tailcalls+ "$fixtures/fs/Shapes.fs"; then
    cp "$before/FSharp.Core.dll" "$after/" && cp "$before/FSharp.Core.dll" "$full/"
    counts_as_full FsOptimized "$before/FsOptimized.dll" dotnet
else
    skip "what F#'s compiler makes counts its calls" "no .NET SDK"
fi
if can dotnet && compiled vbc "$before/VbOptimized.dll" -optimize+ "$fixtures/vb/Shapes.vb"; then
    counts_as_full VbOptimized "$before/VbOptimized.dll" dotnet
fi
if has ilasm; then
    runtimes_of_il=(mono dotnet) n=0 # in turns; all of them in make check-full
    for source in "$fixtures"/il/*.il; do
        n=$((n + 1))
        name=$(basename "$source" .il)
        ilasm -quiet -output:"$before/$name.exe" "$source" || exit 1
        if can dotnet; then runtimeconfig "$before/$name.exe"; fi
        case $name in
        varargs) counts_as_full "$name" "$before/$name.exe" mono ;;
        *) counts_as_full "$name" "$before/$name.exe" "$(if [ "$FULL" ]; then echo mono dotnet; else echo "${runtimes_of_il[n % 2]}"; fi)" ;;
        esac
    done
else
    skip "hand-written IL counts its calls" "no ilasm"
fi

# The output itself, and its profile in the views.
if has mcs; then mcs -nologo -target:library -out:"$SCRATCH/Plain.dll" "$fixtures/cs/PlainTracker.cs" || exit 1; fi
counted=$after/TestClass.exe
one_call_a_method() { # at the head, and no other
    "$ILINJECT" dump --il "$counted" >"$SCRATCH/il" && [ "$(grep -c 'call .*<ilinject>\.Count(int)' "$SCRATCH/il")" -eq 12 ] &&
        ! grep -E 'WhenEnteringMethod|WhenLeavingMethod|WhenCatching|EnterStateMachine' "$SCRATCH/il"
}
same_bytes() { "$ILINJECT" -q "$before/TestClass.exe" -o "$SCRATCH/again.exe" --counts && cmp "$counted" "$SCRATCH/again.exe"; }
mvid() { monodis --module "$1" | grep -o '{[-0-9A-F]*}'; }
own_identity() { [ "$(mvid "$counted")" ] && [ "$(mvid "$counted")" != "$(mvid "$full/TestClass.exe")" ]; }
by_file() {
    echo '<ilinject counts="yes" exits="guarded" exceptions="full"/>' >"$SCRATCH/counts.xml"
    "$ILINJECT" -q "$before/TestClass.exe" -o "$SCRATCH/file.exe" --config "$SCRATCH/counts.xml" && cmp "$counted" "$SCRATCH/file.exe"
}
refused() { # WORD OPTIONS…
    local code
    "$ILINJECT" "$before/TestClass.exe" -o "$SCRATCH/refused.exe" --counts "${@:2}" >"$SCRATCH/refused.txt" 2>&1
    code=$?
    [ "$code" -ne 0 ] && [ ! -e "$SCRATCH/refused.exe" ] && grep -q -e "$1" "$SCRATCH/refused.txt" || { cat "$SCRATCH/refused.txt"; return 1; }
}
shows_calls() { # of the hand-counted fixture, and no time
    "$ILINJECT" report -v "$1" >"$SCRATCH/report.txt" && grep -q '^Calls    35$' "$SCRATCH/report.txt" && grep -q '^Times    none: calls were only counted$' "$SCRATCH/report.txt" &&
        grep -qx ' *8  Sample.TestClass.CountLucky.lambda#1(int)' "$SCRATCH/report.txt" && ! grep -E '[0-9] (ns|µs|ms)( |$)' <(grep -v '^Wall' "$SCRATCH/report.txt")
}
no_times_in() { # FORMAT TEXT
    "$ILINJECT" report --format="$1" "$SCRATCH/said/TestClass-counts.mono.ilprof" | grep -qF "$2"
}
merged() {
    "$ILINJECT" merge -o "$SCRATCH/merged.ilprof" "$SCRATCH"/said/TestClass-counts.{mono,interpreter}.ilprof && "$ILINJECT" report -v "$SCRATCH/merged.ilprof" >"$SCRATCH/report.txt" &&
        grep -q '^Calls    70$' "$SCRATCH/report.txt" && grep -q '^Times    none: calls were only counted$' "$SCRATCH/report.txt"
}
pair=("$SCRATCH"/said/TestClass-counts.{mono,interpreter}.ilprof)
compares() {
    "$ILINJECT" diff "${pair[@]}" >"$SCRATCH/diff.txt" && grep -q '^Total    calls 35 -> 35 a run; calls were only counted: no times are compared$' "$SCRATCH/diff.txt" &&
        ! grep -E '[0-9] (ns|µs|ms)' "$SCRATCH/diff.txt"
}
time_is_not_judged() {
    ! "$ILINJECT" diff "${pair[@]}" --allow-missing --fail-if '**: exclusive > 5s' >"$SCRATCH/diff.txt" 2>&1 && grep -q 'calls were only counted, so no time is judged' "$SCRATCH/diff.txt"
}
calls_are_judged() { "$ILINJECT" diff "${pair[@]}" --fail-if '**: calls > +0' >/dev/null && ! "$ILINJECT" diff "${pair[@]}" --fail-if '**: calls > 5' >/dev/null 2>&1; }
runs() {
    (cd "$SCRATCH" && "$ILINJECT" run --counts "$before/TestClass.exe") >"$SCRATCH/run.out" 2>"$SCRATCH/run.err"
    [ $? -eq 3 ] && cmp "$SCRATCH/run.out" "$SCRATCH/said/TestClass.mono.out" && grep -q '^Calls    35 of ' "$SCRATCH/run.err"
}
run_refuses() { ! (cd "$SCRATCH" && "$ILINJECT" run --counts "$full/TestClass.exe") >"$SCRATCH/run.out" 2>&1 && grep -q 'not instrumented yet' "$SCRATCH/run.out"; }
if has mono && has mcs; then
    check "each method has one call" one_call_a_method
    check "the same input makes the same bytes" same_bytes
    check "the mode is part of the module's identity" own_identity
    check "a configuration file asks for it, too" by_file
    check "--exits is refused beside it" refused exits --exits=ret
    check "--exceptions is refused beside it" refused exceptions --exceptions=full
    check "--capture is refused beside it" refused capture --capture 'Sample: args'
    check "a tracker without WhenCounting is refused" refused WhenCounting --tracker "$SCRATCH/Plain.dll"
    check "the report shows calls, and no time" shows_calls "$SCRATCH/said/TestClass-counts.mono.ilprof"
    check "JSON has no times" no_times_in json '"inclusive_ns": null, "exclusive_ns": null, "average_ns": null'
    check "CSV has no times" no_times_in csv ',8,0,,,,,,,,,0,0,0,,,,,'
    check "merged counts are counts" merged
    check "a comparison of counts has no times" compares
    check "a limit on time fails, as there is none" time_is_not_judged
    check "a limit on calls is judged" calls_are_judged
    check "run --counts shows the calls" runs
    check "run --counts refuses what is instrumented already" run_refuses
fi

# On .NET the helper type's Count is compiled into the head: the id is loaded, and the tracker called.
head_is_a_load_and_a_call() {
    (cd "$after" && DOTNET_TieredCompilation=0 DOTNET_JitStdOutFile="$SCRATCH/code.txt" DOTNET_JitDisasm='Kernels:*' dotnet KernelsCore.dll >/dev/null)
    grep -q '^; Assembly listing for method Kernels:Main' "$SCRATCH/code.txt" && ! grep -E 'WhenEnteringMethod|WhenLeavingMethod|<ilinject>:Count' "$SCRATCH/code.txt" &&
        awk '/^; Assembly listing for method Kernels:SumOfDoubles/ { on = 1; next } /^; Assembly listing/ { on = 0 }
            on && /call .*WhenCounting/ { calls++; if (before !~ /mov +edi, 0x1[0-9A-Fa-f]+/) bad = 1 }
            on && /^ +[a-z]/ { before = $0 } END { exit calls != 1 || bad }' "$SCRATCH/code.txt"
}
if can dotnet && [ "$(uname -m)" = x86_64 ] && [ -f "$after/KernelsCore.dll" ]; then
    check "a counted head is a load and a call on .NET" head_is_a_load_and_a_call
fi

# Control from the program, and threads: fixtures/cs/Tally.cs says how many calls each scenario has.
if has mono && has mcs && mkdir "$SCRATCH/tally" && mcs -nologo -r:"$BUILD/ProfileInfoTracker.dll" -out:"$before/Tally.exe" "$fixtures/cs/Tally.cs"; then
    check "Tally is instrumented to count" "$ILINJECT" "$before/Tally.exe" -o "$SCRATCH/tally/" --counts
    runtimeconfig "$SCRATCH/tally/Tally.exe"
    called() { # PROFILE CALLS
        calls_of "$1" | grep -F '"Tally.Called()"' >"$SCRATCH/called.txt"
        [ "$(cat "$SCRATCH/called.txt")" = "\"Tally.Called()\" $2 0" ] || { cat "$SCRATCH/called.txt"; return 1; }
    }
    tallies() { # RUNTIME SCENARIO CALLS
        run_program "tally-$2" "$1" "$SCRATCH/tally/Tally.exe" "$2" "$SCRATCH/$1.snapshot" && [ "$(tail -n 1 "$SCRATCH/said/tally-$2.$1.out")" = "$2" ] &&
            [ "$(cat "$SCRATCH/said/tally-$2.$1.code")" -eq 5 ] && [ ! -s "$SCRATCH/said/tally-$2.$1.err" ] && called "$SCRATCH/said/tally-$2.$1.ilprof" "$3"
    }
    says_stop() {
        run_program tally-stop "$1" "$SCRATCH/tally/Tally.exe" stopped
        ILINJECT_STOP=Tally.Repeat run_program tally-stop "$1" "$SCRATCH/tally/Tally.exe" stopped
        grep -q 'calls are only counted' "$SCRATCH/said/tally-stop.$1.err" && called "$SCRATCH/said/tally-stop.$1.ilprof" 13
    }
    text_of() {
        grep -qx ' *9  Tally.Called()' "$SCRATCH/said/tally-snapshot.$1.out" && ! grep -E 'inclusive|clock|call tree|0\.000' "$SCRATCH/said/tally-snapshot.$1.out"
    }
    for runtime in mono dotnet; do
        can $runtime || continue
        check "calls while stopped are not counted, $runtime" tallies $runtime stopped 13
        check "a reset forgets what was counted, $runtime" tallies $runtime reset 4
        check "64 threads, and 200 that end, lose no call, $runtime" tallies $runtime threads 66000
        check "a snapshot does not disturb counting, $runtime" tallies $runtime snapshot 11
        check "its text has calls and no times, $runtime" text_of $runtime
        check "it has the calls until then, $runtime" called "$SCRATCH/$runtime.snapshot" 9
        check "a method's end cannot stop it, which is said, $runtime" says_stop $runtime
    done
fi
finish
