#!/usr/bin/env bash
# Counting alone: each fixture that does the same in each run does it under --counts, too, with the output and the exit
# code of the original; and the calls and steps of each method are those of the full profile.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ladder.sh"
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
before=$SCRATCH/before after=$SCRATCH/after full=$SCRATCH/full fixtures=$ROOT/fixtures
mkdir "$full"

# Name, calls and steps of each method. How many slices an async method runs in depends on who is first, so their
# steps do not hold still, nor does what awaiting calls on the way.
calls_of() { # PROFILE
    "$ILINJECT" report --format=json "$1" |
        sed -n -e '/"method": "\(SetStateMachine\|IValueTaskSource<bool>.GetStatus\)(/d' \
            -e 's/^{"module": -\{0,1\}[0-9]*, "token": [^,]*, "name": \(".*"\), "type": ".*, "machine": "[^"]*async[^"]*", "calls": \([0-9]*\), .*/\1 \2/p' \
            -e 's/^{"module": -\{0,1\}[0-9]*, "token": [^,]*, "name": \(".*"\), "type": ".*, "calls": \([0-9]*\), "steps": \([0-9]*\), .*/\1 \2 \3/p' | LC_ALL=C sort
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
    case $3 in *mono*) ;; *) return ;; esac
    if has mono; then check "mono --compile-all finds no new fault in $name" compiles_as_before "$file" "$after/$base"; fi
    if has peverify; then check "peverify finds no new fault in $name" verifies_as_before "$file" "$after/$base"; fi
}

# What some consist of besides the file of their name, and need to be compiled.
more_of() { # NAME RUNTIME
    case $1.$2 in
    Exceptions.mono) echo -define:MONO -r:System.Core.dll -r:"$before/Outside.dll" "$fixtures/cs/ExceptionPlaces.cs" ;;
    Exceptions.dotnet) echo -optimize -define:CSC,DOTNET -r:"$before/Outside.dll" "$fixtures/cs/ExceptionPlaces.cs" ;;
    Shapes.mono) echo -unsafe -define:MONO ;;
    Shapes.dotnet) echo -unsafe -optimize -define:DOTNET ;;
    Kernels.mono) echo -optimize+ -r:System.Numerics ;;
    Odd.dotnet) echo -unsafe -optimize ;;
    Machines.dotnet) echo -optimize -define:CORE ;;
    esac
}
if has mcs; then mcs -nologo -target:library -r:System.dll -out:"$before/Outside.dll" "$fixtures/cs/Outside.cs" && cp "$before/Outside.dll" "$after/" && cp "$before/Outside.dll" "$full/" || exit 1; fi
# shellcheck disable=SC2046
made_by_mcs() { mcs -nologo -nowarn:414,1998 -out:"$before/$1.exe" $(more_of "$1" mono) "$fixtures/cs/$1.cs"; }
# shellcheck disable=SC2046
made_by_csc() { "$ROOT/tests/dotnet-csc" "$before/$1Core.dll" $(more_of "$1" dotnet) "$fixtures/cs/$1.cs"; }

if has mcs; then
    for name in TestClass Shapes Kernels Exceptions Cells Machines; do
        check "$name compiles with mcs" made_by_mcs "$name"
        case $name in
        TestClass | Shapes) counts_as_full "$name" "$before/$name.exe" "mono interpreter" ;;
        *) counts_as_full "$name" "$before/$name.exe" mono ;;
        esac
    done
else
    skip "what mcs compiles counts its calls" "no mcs"
fi
if can dotnet; then
    for name in TestClass Shapes Kernels Odd Exceptions Cells Machines; do
        check "$name compiles with csc" made_by_csc "$name"
        counts_as_full "${name}Core" "$before/${name}Core.dll" dotnet
    done
    if "$ROOT/tests/dotnet-csc" "$before/RuntimeAsync.dll" -features:runtime-async=on -nowarn:SYSLIB5007,1998 "$fixtures/cs/RuntimeAsync.cs" >/dev/null 2>&1 &&
        DOTNET_RuntimeAsync=1 dotnet "$before/RuntimeAsync.dll" 2>/dev/null | grep -qx 'runtime-async methods: True'; then
        export DOTNET_RuntimeAsync=1
        counts_as_full RuntimeAsync "$before/RuntimeAsync.dll" dotnet
        unset DOTNET_RuntimeAsync
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
    for source in "$fixtures"/il/*.il; do
        name=$(basename "$source" .il)
        ilasm -quiet -output:"$before/$name.exe" "$source" || exit 1
        if can dotnet; then runtimeconfig "$before/$name.exe"; fi
        case $name in
        varargs) counts_as_full "$name" "$before/$name.exe" mono ;;
        *) counts_as_full "$name" "$before/$name.exe" "mono dotnet" ;;
        esac
    done
else
    skip "hand-written IL counts its calls" "no ilasm"
fi
finish
