#!/usr/bin/env bash
# The ladder for every fixture: compile, run, instrument, run again: the same output and exit code under each runtime, a profile
# with counts that agree, and no new word from the verifiers.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
before=$SCRATCH/before after=$SCRATCH/after fixtures=$ROOT/fixtures

# No method of these is left by an exception: each enter has its leave, none is closed for want of one.
balanced=" TestClass TestClassCore arms branches crossing globals jumps locals pointers prefixes sizes stack tail varargs "
balances() { # PROFILE [EXPECTED]
    local said
    said=$(profile_agrees "$@") || { echo "$said"; return 1; }
    echo "$said"
    grep -Eq '^enters ([0-9]+) leaves \1 by exception 0 resynchronised 0 open 0$' <<<"$said"
}

# climb NAME FILE RUNTIMES [EXPECTED]
climb() {
    local name=$1 file=$2 wanted=$3 expected=${4:-} runtime base agree=profile_agrees
    case $balanced in *" $name "*) agree=balances ;; esac
    base=$(basename "$file")
    check "$name is instrumented" "$ILINJECT" "$file" -o "$after/$base"
    [ -f "$after/$base" ] || return
    for runtime in $wanted; do
        if ! can "$runtime"; then
            skip "$name runs as before under $runtime" "$runtime is not there"
            continue
        fi
        run_program "$name" "$runtime" "$file"
        run_program "$name-after" "$runtime" "$after/$base"
        check "$name runs as before under $runtime" same_run "$name" "$name-after" "$runtime"
        check "the counts of $name agree under $runtime" $agree "$SCRATCH/said/$name-after.$runtime.ilprof" "$expected"
    done
    case $wanted in *mono*) ;; *) return ;; esac # Mono's verifiers know only Mono's framework
    if has mono; then check "mono --compile-all finds no new fault in $name" compiles_as_before "$file" "$after/$base"; fi
    if [ "$name" = stack ]; then
        # The local of a body that had none: InitLocals would clear what localloc gives.
        skip "peverify finds no new fault in $name" "it wants InitLocals where there are locals"
    elif has peverify; then
        check "peverify finds no new fault in $name" verifies_as_before "$file" "$after/$base"
    fi
}

if has mcs; then
    mcs -nologo -out:"$before/TestClass.exe" "$fixtures/cs/TestClass.cs" &&
        mcs -nologo -unsafe -nowarn:414 -define:MONO -out:"$before/Shapes.exe" "$fixtures/cs/Shapes.cs" || exit 1
    seq 300 >"$SCRATCH/kept.a"
    seq 77 >"$SCRATCH/kept.b"
    kept=(-resource:"$SCRATCH/kept.a" -resource:"$SCRATCH/kept.b" "$fixtures/cs/Kept.cs")
    mcs -nologo -out:"$before/Kept.exe" "${kept[@]}" || exit 1
    if can dotnet; then
        runtimeconfig "$before/TestClass.exe"
        runtimeconfig "$before/Kept.exe"
    fi
    climb TestClass "$before/TestClass.exe" "mono interpreter dotnet" "$fixtures/cs/TestClass.expected"
    climb Shapes "$before/Shapes.exe" "mono interpreter"
    climb Kept "$before/Kept.exe" "mono interpreter dotnet"

    # Compiled ahead of time, by Mono's own compiler: the tracker, too. The original's native code does not pass for the output's.
    aot_log() { MONO_LOG_LEVEL=debug MONO_LOG_MASK=aot mono "$1" 2>&1; true; }
    ahead_of_time() { # MODE: plain, or an option of --aot
        local folder=$after/aot.$1 file
        mkdir "$folder" && cp "$after/Shapes.exe" "$after/ProfileInfoTracker.dll" "$folder/" || return 1
        for file in Shapes.exe ProfileInfoTracker.dll; do
            mono --aot="${1#plain}" "$folder/$file" >"$SCRATCH/aot.log" 2>&1 || { tail -n 5 "$SCRATCH/aot.log"; return 1; }
        done
        run_program "Shapes-aot-$1" mono "$folder/Shapes.exe"
        same_run Shapes "Shapes-aot-$1" mono && profile_agrees "$SCRATCH/said/Shapes-aot-$1.mono.ilprof" && aot_log "$folder/Shapes.exe" >"$SCRATCH/aot.log" &&
            grep -q 'AOT: FOUND method Shapes.Overloads:Run ' "$SCRATCH/aot.log" && grep -q 'AOT: FOUND method Instrumenter.ProfileInfoTracker:LeaveRecorded ' "$SCRATCH/aot.log"
    }
    aot_of_the_original() {
        mkdir "$before/aot" && cp "$before/Shapes.exe" "$before/aot/" && mono --aot "$before/aot/Shapes.exe" >"$SCRATCH/aot.log" 2>&1 || { tail -n 5 "$SCRATCH/aot.log"; return 1; }
        aot_log "$before/aot/Shapes.exe" | grep -q 'AOT: FOUND method Shapes.Overloads:Run ' || { echo "the original does not use its own"; return 1; }
        "$ILINJECT" "$before/aot/Shapes.exe" -o "$before/aot/out/" && cp "$before/aot/Shapes.exe.so" "$before/aot/out/" || return 1
        run_program Shapes-beside mono "$before/aot/out/Shapes.exe"
        same_run Shapes Shapes-beside mono && profile_agrees "$SCRATCH/said/Shapes-beside.mono.ilprof" && ! aot_log "$before/aot/out/Shapes.exe" | grep 'AOT: FOUND method Shapes.'
    }
    if can mono && has as && has ld; then
        for mode in plain hybrid; do check "Shapes runs as before, compiled ahead of time ($mode)" ahead_of_time $mode; done
        check "native code of the original is not taken for the output's" aot_of_the_original
    else
        skip "Shapes runs as before, compiled ahead of time" "no mono, or no as or ld"
    fi
else
    skip "what mcs compiles runs as before" "no mcs"
fi

if can dotnet && "$ROOT/tests/dotnet-csc" "$before/TestClassCore.dll" "$fixtures/cs/TestClass.cs" &&
    "$ROOT/tests/dotnet-csc" "$before/ShapesCore.dll" -unsafe -optimize -define:DOTNET "$fixtures/cs/Shapes.cs" &&
    "$ROOT/tests/dotnet-csc" "$before/ShapesDebug.dll" -unsafe -define:DOTNET "$fixtures/cs/Shapes.cs"; then
    climb TestClassCore "$before/TestClassCore.dll" dotnet "$fixtures/cs/TestClass.expected"
    climb ShapesCore "$before/ShapesCore.dll" dotnet
    climb ShapesDebug "$before/ShapesDebug.dll" dotnet
    "$ROOT/tests/dotnet-csc" "$before/OddCore.dll" -unsafe -optimize "$fixtures/cs/Odd.cs" &&
        "$ROOT/tests/dotnet-csc" "$before/OddDebug.dll" -unsafe "$fixtures/cs/Odd.cs" || exit 1
    climb OddCore "$before/OddCore.dll" dotnet
    climb OddDebug "$before/OddDebug.dll" dotnet
    # Whether the compiler still knows the feature under this name, and the runtime runs it, is asked first.
    if "$ROOT/tests/dotnet-csc" "$before/RuntimeAsync.dll" -features:runtime-async=on -nowarn:SYSLIB5007,1998 "$fixtures/cs/RuntimeAsync.cs" >/dev/null 2>&1 &&
        DOTNET_RuntimeAsync=1 dotnet "$before/RuntimeAsync.dll" 2>/dev/null | grep -qx 'runtime-async methods: True'; then
        export DOTNET_RuntimeAsync=1
        climb RuntimeAsync "$before/RuntimeAsync.dll" dotnet
        unset DOTNET_RuntimeAsync
    else
        skip "runtime-async methods run as before" "this SDK does not make or run them"
    fi
else
    skip "what csc compiles runs as before" "no .NET SDK"
fi

# F# with its tail calls, and Visual Basic.
# F#'s compiler takes six seconds each time: what it makes without optimising is looked at in make check-full.
if can dotnet && compiled fsc "$before/FsOptimized.dll" --optimize+ --tailcalls+ "$fixtures/fs/Shapes.fs"; then
    cp "$before/FSharp.Core.dll" "$after/"
    tail_calls() { [ "$("$ILINJECT" dump --il "$after/FsOptimized.dll" | grep -c ' tail\.')" -ge 5 ]; }
    climb FsOptimized "$before/FsOptimized.dll" dotnet "$fixtures/fs/Shapes.expected"
    if [ "$FULL" ] && compiled fsc "$before/FsPlain.dll" --optimize- --tailcalls+ "$fixtures/fs/Shapes.fs"; then
        climb FsPlain "$before/FsPlain.dll" dotnet "$fixtures/fs/Shapes.expected"
    fi
    check "F#'s tail calls stay such" tail_calls
else
    skip "what F#'s compiler makes runs as before" "no .NET SDK"
fi
if can dotnet && compiled vbc "$before/VbOptimized.dll" -optimize+ "$fixtures/vb/Shapes.vb" && compiled vbc "$before/VbPlain.dll" -optimize- "$fixtures/vb/Shapes.vb"; then
    climb VbOptimized "$before/VbOptimized.dll" dotnet "$fixtures/vb/Shapes.expected"
    climb VbPlain "$before/VbPlain.dll" dotnet "$fixtures/vb/Shapes.expected"
else
    skip "what Visual Basic's compiler makes runs as before" "no .NET SDK"
fi

if has ilasm; then
    for source in "$fixtures"/il/*.il; do
        name=$(basename "$source" .il)
        check "$name.il assembles" ilasm -quiet -output:"$before/$name.exe" "$source"
        if can dotnet; then runtimeconfig "$before/$name.exe"; fi
        case $name in
        varargs)
            skip "varargs runs as before under dotnet" "CoreCLR has no variable arguments outside Windows"
            skip "varargs runs as before under interpreter" "Mono's interpreter has no arglist"
            climb "$name" "$before/$name.exe" mono
            ;;
        pointers)
            skip "pointers runs as before under interpreter" "Mono's interpreter stops at a function pointer's type"
            climb "$name" "$before/$name.exe" "mono dotnet"
            ;;
        *) climb "$name" "$before/$name.exe" "mono ${FULL:+interpreter} dotnet" ;;
        esac
    done
else
    skip "hand-written IL runs as before" "no ilasm"
fi

# Trackers of the user's own: 35 is the sum of TestClass.expected, 12 the number of its methods.
says() { # RUNTIME NAME LINE: the program printed what it printed before, and the tracker this line
    same_run TestClass "$2" "$1" && grep -qx "$3" "$SCRATCH/said/$2.$1.err" && return
    cat "$SCRATCH/said/$2.$1.err"
    return 1
}
# with_tracker NAME LINE SOURCE OPTIONS…
with_tracker() {
    local name=$1 line=$2 source=$3 runtime
    shift 3
    mkdir "$after/$name"
    mcs -nologo -target:library -nowarn:169,414 -out:"$before/$name.dll" "$@" "$fixtures/cs/$source" || exit 1
    check "TestClass is instrumented with $name" "$ILINJECT" "$before/TestClass.exe" -o "$after/$name/TestClass.exe" --tracker "$before/$name.dll"
    for runtime in mono dotnet; do
        if ! can "$runtime"; then
            skip "$name sees every call under $runtime" "$runtime is not there"
            continue
        fi
        run_program "$name" "$runtime" "$after/$name/TestClass.exe"
        check "$name sees every call under $runtime" says "$runtime" "$name" "$line"
    done
}
if has mcs; then
    with_tracker PlainTracker 'entered 35 left 35' PlainTracker.cs
    for shape in ID NAME HANDLE TOKEN LONG; do
        with_tracker "Tracker$shape" 'entered 35 left 35 methods 12 astray 0 last 0' ShapedTracker.cs -define:$shape
    done
else
    skip "a tracker of the user's own is called" "no mcs"
fi
finish
