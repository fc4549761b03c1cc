#!/usr/bin/env bash
# The logical call tree of other languages, kinds of async methods, and ways of waiting is the one
# that stands in each fixture, drawn by hand; on Mono, and on .NET in optimised and debug builds.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/trees.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
ready || { skip "logical trees of other kinds of async methods" "no mono or no mcs"; finish; }

# The section of exceptions without times is the text on stdin: what was thrown is one exception on
# its whole way.
one_exception() { # PROFILE
    "$ILINJECT" report --raw --width=0 --color=never "$1" |
        sed -n '/where they were thrown$/,/^$/p' | sed -E '1d; /^$/d; s/^ +//' |
        sed -E 's/^([0-9]+) +[^ ]+ [^ ]+ +[^ ]+ [^ ]+ +/\1 /; s/^ +//' >"$SCRATCH/exceptions"
    diff - "$SCRATCH/exceptions"
}

source=$fixtures/LogicalKinds.cs
check "LogicalKinds.cs compiles with mcs" by_mcs LogicalKinds "$source"
tree_of LogicalKinds mono "$before/LogicalKinds.exe"
if can dotnet && by_csc LogicalKindsCore -optimize "$source" && by_csc LogicalKindsDebug "$source"; then
    tree_of LogicalKindsCore dotnet "$before/LogicalKindsCore.dll"
    tree_of LogicalKindsDebug dotnet "$before/LogicalKindsDebug.dll"
    source=$fixtures/LogicalCore.cs
    if by_csc LogicalCore -optimize "$source" && by_csc LogicalCoreDebug "$source"; then
        tree_of LogicalCore dotnet "$before/LogicalCore.dll"
        tree_of LogicalCoreDebug dotnet "$before/LogicalCoreDebug.dll"
    fi
    # The runtime suspends these methods itself. One with a builder of its own has a state machine still.
    export DOTNET_RuntimeAsync=1
    for name in LogicalKinds LogicalCore; do
        source=$fixtures/$name.cs
        if "$ROOT/tests/dotnet-csc" "$before/Suspended$name.dll" -optimize -features:runtime-async=on \
            -nowarn:SYSLIB5007 "$source" >log.txt 2>&1 && ! grep -aq '<Leaf>d__' "$before/Suspended$name.dll" &&
            dotnet "$before/Suspended$name.dll" >log.txt 2>&1; then
            tree_of "Suspended$name" dotnet "$before/Suspended$name.dll"
        else
            skip "the logical tree of runtime-async methods in $name" "this SDK does not make or run them"
        fi
    done
    unset DOTNET_RuntimeAsync
else
    skip "logical trees of other kinds of async methods on CoreCLR" "no .NET SDK"
fi

# Against Mono's core library.
for_mono() { # vbc|fsc OUT SOURCES AND OPTIONS…
    local folder file files=()
    folder=$(dirname "$(dirname "$(command -v mono)")")/lib/mono/4.5
    for file in mscorlib System System.Core System.Numerics Facades/netstandard; do files+=("$folder/$file.dll"); done
    FRAMEWORK="${files[*]}" compiled "$@"
}

source=$ROOT/fixtures/vb/LogicalWays.vb
if can dotnet && compiled vbc "$before/LogicalVb.dll" -optimize+ "$source" &&
    compiled vbc "$before/LogicalVbDebug.dll" -optimize- "$source" &&
    for_mono vbc "$before/LogicalVbMono.exe" -optimize+ '-vbruntime*' "$source"; then
    for name in LogicalVb LogicalVbDebug LogicalVbMono; do
        runtime=dotnet file=$before/$name.dll
        if [ ! -f "$file" ]; then runtime=mono file=$before/$name.exe; fi
        tree_of $name $runtime "$file"
        check "the exception of $name is one" one_exception "$SCRATCH/said/$name.$runtime.ilprof" <<'END'
1 System.InvalidOperationException
1 stored in the task of Logical.Thrower(Gate)
thrown in Logical.Broken()
"thrown"
1 passed on by await to the task of Logical.Between(Gate)
1 passed on by await, caught by Logical.Handler(Gate)
END
    done
else
    skip "the logical tree of Visual Basic is the one drawn by hand" "no Visual Basic compiler"
fi

source=$ROOT/fixtures/fs/LogicalWays.fs
if can dotnet && compiled fsc "$before/LogicalFs.dll" --optimize+ "$source" &&
    { [ -z "$FULL" ] || for_mono fsc "$before/LogicalFsMono.exe" --optimize+ --targetprofile:mscorlib "$source"; }; then
    for name in LogicalFs ${FULL:+LogicalFsMono}; do
        runtime=dotnet file=$before/$name.dll
        if [ ! -f "$file" ]; then runtime=mono file=$before/$name.exe; fi
        mkdir -p "$SCRATCH/after/$name-guarded-paths"
        cp "$before/FSharp.Core.dll" "$SCRATCH/after/$name-guarded-paths/"
        tree_of $name $runtime "$file"
        # A finally within a task is a handler that throws again, and catches nothing.
        check "the exception of $name is one" one_exception "$SCRATCH/said/$name.$runtime.ilprof" <<'END'
1 System.InvalidOperationException
1 stored in the task of Logical.thrower(Logical.Gate)
thrown in Logical.broken()
"thrown"
1 passed on by await to the task of Logical.between(Logical.Gate)
1 passed on by await, caught by Logical.handler(Logical.Gate)
END
    done
else
    skip "the logical tree of F# is the one drawn by hand" "no F# compiler"
fi

# Lines' numbers and the functions that only build others are the compiler's.
in_the_order_of_running() { # PROFILE
    shown "$1" | sed -E 's/@[0-9]+(-[0-9]+)?/@/g' | grep -E '(before|after|last)\(\): [0-9]+$' >"$SCRATCH/ran"
    diff <(drawn | grep -E '(before|after|last)\(\): [0-9]+$') "$SCRATCH/ran"
}
source=$ROOT/fixtures/fs/LogicalAsync.fs
if can dotnet && compiled fsc "$before/LogicalAsync.dll" --optimize+ "$source"; then
    mkdir -p "$SCRATCH/after/LogicalAsync-guarded-paths"
    cp "$before/FSharp.Core.dll" "$SCRATCH/after/LogicalAsync-guarded-paths/"
    check "LogicalAsync is instrumented" instrument LogicalAsync "$before/LogicalAsync.dll" guarded-paths
    run_program LogicalAsync dotnet "$SCRATCH/after/LogicalAsync-guarded-paths/LogicalAsync.dll"
    check "what F# has no state machines for stands in the order in which it ran" in_the_order_of_running \
        "$SCRATCH/said/LogicalAsync.dotnet.ilprof"
else
    skip "F#'s async without state machines stands in the order in which it ran" "no F# compiler"
fi
finish
