#!/usr/bin/env bash
# Stack traces of 56 kinds of faults name the methods, files and lines that the original's name: on both runtimes, optimised and
# not, in each shape of injected code, with each kind of symbols.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/ladder.sh"
source=$ROOT/fixtures/cs/Faults.cs
cd "$SCRATCH" && mkdir debug release embedded bare mono.debug mono.release portable || exit 1
fails() { ! "$@"; }

# same_traces EXTRA FILE SHAPE COMMAND: COMMAND runs FILE, once for all shapes, and its instrumented copy.
same_traces() {
    local extra=$1 file=$2 shape=$3 out original
    shift 3
    original="original of ${file//\//-} by $*"
    out=$(mktemp -d "$SCRATCH/out.XXXXXX") || return 1
    cp "${file%.*}.runtimeconfig.json" "$out/" 2>/dev/null
    [ -s "$original" ] || (cd "$(dirname "$file")" && "$@" "$(basename "$file")") >"$original" 2>&1
    cp "$original" original
    "$ILINJECT" -q "$file" -o "$out/" $shape && (cd "$out" && "$@" "$(basename "$file")") >instrumented 2>&1 || return 1
    "$ROOT/tests/e2e/lib/py/traces.py" original instrumented "$source" "$extra"
}
# Whether no more than one check of a runtime is made of a shape here: of those that are made from the first two.
shape_in_full() { [ -z "$FULL" ] && [ "$1" ] && [ "$1" != --exits=ret ]; }
shapes=('' --exits=ret --counts '--capture=**:args,return' --leaves --allocations)

if can dotnet && compiled csc debug/Faults.dll -unsafe -debug:portable "$source"; then
    compiled csc release/Faults.dll -unsafe -optimize -debug:portable "$source"
    compiled csc embedded/Faults.dll -unsafe -optimize -debug:embedded "$source"
    for shape in "${shapes[@]}"; do
        check "CoreCLR, debug ${shape:-guarded}" same_traces 0 debug/Faults.dll "$shape" dotnet
        check "CoreCLR, optimised ${shape:-guarded}" same_traces 20 release/Faults.dll "$shape" env DOTNET_TieredCompilation=0 dotnet
        shape_in_full "$shape" || check "CoreCLR, tiered ${shape:-guarded}" same_traces 0 release/Faults.dll "$shape" dotnet
    done
    check "CoreCLR, an embedded PDB" same_traces 20 embedded/Faults.dll '' env DOTNET_TieredCompilation=0 dotnet
    # What the checks above compare with is there, and a line that is off by one is seen.
    sed '0,/:[1-9][0-9]*$/s//:1/' original >shifted
    check "a line that is off is seen" fails "$ROOT/tests/e2e/lib/py/traces.py" original shifted "$source" 20
else
    skip "traces on CoreCLR" "no .NET SDK"
fi
if can mono && has mcs; then
    mcs -nologo -unsafe -debug -out:mono.debug/Faults.exe "$source" && mcs -nologo -unsafe -debug -optimize -out:mono.release/Faults.exe "$source" || exit 1
    for shape in "${shapes[@]}"; do
        for kind in debug release; do
            if [ $kind = debug ] && shape_in_full "$shape"; then continue; fi
            check "Mono, $kind ${shape:-guarded}" same_traces 1 mono.$kind/Faults.exe "$shape" mono --debug
        done
        shape_in_full "$shape" || check "Mono's interpreter ${shape:-guarded}" same_traces 1 mono.release/Faults.exe "$shape" mono --interpreter --debug
    done
    profile=$(dirname "$(command -v mono)")/../lib/mono/4.5-api
    sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    if [ -d "$profile" ] && [ -f "$sdk/Roslyn/bincore/csc.dll" ]; then
        FRAMEWORK="$profile/mscorlib.dll $profile/System.dll $profile/System.Core.dll" compiled csc portable/Faults.exe -unsafe -optimize -debug:portable "$source" || exit 1
        check "Mono, a portable PDB" same_traces 1 portable/Faults.exe '' mono --debug
    else
        skip "Mono, a portable PDB" "no .NET SDK, or no reference assemblies of Mono"
    fi
else
    skip "traces on Mono" "no mono or mcs"
fi
finish
