#!/usr/bin/env bash
# State machines of every compiler there is: the events of async methods that a tracker gets, against hand-counted figures, and the owner
# of each MoveNext.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
before=$SCRATCH/before after=$SCRATCH/after fixtures=$ROOT/fixtures
tracker=$SCRATCH/MachineTracker.dll

if ! has mcs; then
    skip "state machines tell of themselves" "no mcs for the tracker that listens"
    finish
fi
mcs -nologo -target:library -out:"$tracker" "$fixtures/cs/MachineTracker.cs" || exit 1

# The tracker's line: each suspension has its resumption, nothing impossible was reported, and the rest is hand-counted.
told() { # FILE CALLS COMPLETED FAILED CANCELLED UNLINKED
    local line
    line=$(grep '^calls ' "$1")
    echo "$line"
    grep '^fault' "$1" | head -n 5
    read -r _ calls _ later _ unlinked _ suspended _ completed _ failed _ cancelled _ faults <<<"$line"
    [ "$later" = "$suspended" ] && [ "$faults" = 0 ] &&
        [ "$calls $completed $failed $cancelled $unlinked" = "$2 $3 $4 $5 $6" ]
}

# listen NAME FILE RUNTIMES CALLS COMPLETED FAILED CANCELLED UNLINKED, in the shape and with the options of $shape
shape=(--exits=ret)
listen() {
    local name=$1 file=$2 wanted=$3 runtime base
    shift 3
    base=$(basename "$file")
    check "$name is instrumented, ${shape[*]}" "$ILINJECT" "$file" -o "$after/$base" --tracker "$tracker" "${shape[@]}"
    for runtime in $wanted; do
        if ! can "$runtime"; then
            skip "$name runs as before under $runtime" "$runtime is not there"
            continue
        fi
        run_program "$name" "$runtime" "$file"
        run_program "$name-after" "$runtime" "$after/$base"
        check "$name runs as before under $runtime" same_run "$name" "$name-after" "$runtime"
        check "the tracker hears of $name what was counted by hand under $runtime" told "$SCRATCH/said/$name-after.$runtime.err" "$@"
    done
    case $wanted in *mono*) ;; *) return ;; esac
    check "mono --compile-all finds no new fault in $name" compiles_as_before "$file" "$after/$base"
    if has peverify; then check "peverify finds no new fault in $name" verifies_as_before "$file" "$after/$base"; fi
}

# The owner of each MoveNext: the lines that are expected are given on standard input.
owned() { # FILE
    sort >"$SCRATCH/owners-expected"
    "$BUILD/tests/owners" "$1" | sort >"$SCRATCH/owners"
    diff "$SCRATCH/owners-expected" "$SCRATCH/owners"
}

mcs -nologo -out:"$before/MachinesMcs.exe" "$fixtures/cs/Machines.cs" || exit 1
if can dotnet; then runtimeconfig "$before/MachinesMcs.exe"; fi
listen MachinesMcs "$before/MachinesMcs.exe" "mono interpreter dotnet" 18 15 2 1 1
shape=(--exits=guarded)
listen MachinesMcs "$before/MachinesMcs.exe" "mono dotnet" 18 15 2 1 1
# The 7 calls of Leaf (3 of Sum, 1 of Caught, 2 of the lambda, 1 of Main) are then none.
shape=(--exclude Machines.Leaf)
listen MachinesMcs "$before/MachinesMcs.exe" mono 11 10 0 1 1
shape=(--exits=ret)
check "MachinesMcs is instrumented with the built-in tracker" "$ILINJECT" "$before/MachinesMcs.exe" -o "$SCRATCH/MachinesMcs.exe"
check "each state machine of mcs has its owner" owned "$SCRATCH/MachinesMcs.exe" <<'END'
<Leaf>c__async0.MoveNext async of Machines.Leaf
<Sum>c__async1.MoveNext async of Machines.Sum
<Later>c__async2`1.MoveNext async of Machines.Later
<Void>c__async3.MoveNext async of Machines.Void
<NoAwait>c__async4.MoveNext async of Machines.NoAwait
<AlreadyDone>c__async5.MoveNext async of Machines.AlreadyDone
<Cancelled>c__async6.MoveNext async of Machines.Cancelled
<Caught>c__async7.MoveNext async of Machines.Caught
<Numbers>c__Iterator8.MoveNext iterator of Machines.Numbers
<Method>c__async0`1.MoveNext async of Generic`1.Method
<Once>c__Iterator1.MoveNext iterator of Generic`1.Once
<Main>c__async9.MoveNext async of <Main>c__AnonStoreyA.<>m__0
END

if ! can dotnet; then
    skip "state machines of csc, vbc and fsc tell of themselves" "no .NET"
    finish
fi
csc_owners() {
    cat <<'END'
<Leaf>d__0.MoveNext async of Machines.Leaf
<Sum>d__1.MoveNext async of Machines.Sum
<Later>d__2`1.MoveNext async of Machines.Later
<Void>d__4.MoveNext async of Machines.Void
<NoAwait>d__5.MoveNext async of Machines.NoAwait
<AlreadyDone>d__6.MoveNext async of Machines.AlreadyDone
<Cancelled>d__7.MoveNext async of Machines.Cancelled
<Caught>d__8.MoveNext async of Machines.Caught
<Numbers>d__9.MoveNext iterator of Machines.Numbers
<Method>d__0`1.MoveNext async of Generic`1.Method
<Once>d__1.MoveNext iterator of Generic`1.Once
<Value>d__11.MoveNext async of Machines.Value
<ValueOf>d__12.MoveNext async of Machines.ValueOf
<GenericValue>d__13`1.MoveNext async of Machines.GenericValue
<Stream>d__14.MoveNext async iterator of Machines.Stream
<Pooled>d__15.MoveNext async of Machines.Pooled
<Total>d__16.MoveNext async of Machines.Total
<<Main>b__0>d.MoveNext async of <>c__DisplayClass19_0.<Main>b__0
END
}
if "$ROOT/tests/dotnet-csc" "$before/MachinesRelease.dll" -optimize -define:CORE "$fixtures/cs/Machines.cs" &&
    "$ROOT/tests/dotnet-csc" "$before/MachinesDebug.dll" -define:CORE "$fixtures/cs/Machines.cs"; then
    listen MachinesRelease "$before/MachinesRelease.dll" dotnet 29 26 2 1 2
    listen MachinesDebug "$before/MachinesDebug.dll" dotnet 29 26 2 1 0
    shape=(--exits=guarded)
    listen MachinesRelease "$before/MachinesRelease.dll" dotnet 29 26 2 1 2
    listen MachinesDebug "$before/MachinesDebug.dll" dotnet 29 26 2 1 0
    shape=(--exits=ret)
    for build in Release Debug; do
        check "Machines$build is instrumented with the built-in tracker" "$ILINJECT" "$before/Machines$build.dll" -o "$SCRATCH/Machines$build.dll"
        check "each state machine of csc, $build, has its owner" owned "$SCRATCH/Machines$build.dll" < <(csc_owners)
    done
else
    skip "state machines of csc tell of themselves" "no .NET SDK"
fi

# Methods that the runtime suspends. Whether the compiler still knows the feature under this name, and the runtime runs it, is asked first.
# A method that comes 100 ms late to what it awaits finds it done, and is not suspended: then the
# program runs again.
told_async() { # FILE
    for _ in 1 2 3; do
        grep '^runtime-async' "$1"
        grep '^fault' "$1" | head -n 5
        grep -qx 'runtime-async calls 29 suspended 44 resumed 44 completed 27 failed 2 faults 0' "$1" && return
        run_program AwaitKinds-after dotnet "$after/AwaitKinds.dll"
    done
    return 1
}
if DOTNET_RuntimeAsync=1 "$ROOT/tests/dotnet-csc" "$before/AwaitKinds.dll" -optimize -features:runtime-async=on -nowarn:SYSLIB5007 "$fixtures/cs/AwaitKinds.cs" >/dev/null 2>&1 &&
    "$ILINJECT" dump --il "$before/AwaitKinds.dll" | grep -q 'AsyncHelpers.Await'; then
    export DOTNET_RuntimeAsync=1
    check "AwaitKinds is instrumented" "$ILINJECT" "$before/AwaitKinds.dll" -o "$after/AwaitKinds.dll" --tracker "$tracker" --exits=guarded
    run_program AwaitKinds dotnet "$before/AwaitKinds.dll"
    run_program AwaitKinds-after dotnet "$after/AwaitKinds.dll"
    check "AwaitKinds runs as before" same_run AwaitKinds AwaitKinds-after dotnet
    check "the tracker hears of AwaitKinds what was counted by hand" told_async "$SCRATCH/said/AwaitKinds-after.dotnet.err"
    unset DOTNET_RuntimeAsync
else
    skip "runtime-async methods tell of themselves" "this SDK does not make or run them"
fi

if compiled vbc "$before/MachinesVb.dll" -optimize+ "$fixtures/vb/Machines.vb" &&
    compiled vbc "$before/MachinesVbDebug.dll" -optimize- "$fixtures/vb/Machines.vb"; then
    listen MachinesVb "$before/MachinesVb.dll" dotnet 10 9 1 0 1
    listen MachinesVbDebug "$before/MachinesVbDebug.dll" dotnet 10 9 1 0 0
    check "MachinesVb is instrumented with the built-in tracker" "$ILINJECT" "$before/MachinesVb.dll" -o "$SCRATCH/MachinesVb.dll"
    check "each state machine of vbc has its owner" owned "$SCRATCH/MachinesVb.dll" <<'END'
VB$StateMachine_2_Leaf.MoveNext async of Machines.Leaf
VB$StateMachine_3_Sum.MoveNext async of Machines.Sum
VB$StateMachine_4_AsyncSub.MoveNext async of Machines.AsyncSub
VB$StateMachine_5_Later`1.MoveNext async of Machines.Later
VB$StateMachine_6_Numbers.MoveNext iterator of Machines.Numbers
VB$StateMachine___Lambda$__7-0.MoveNext async of _Closure$__._Lambda$__7-0
END
else
    skip "state machines of vbc tell of themselves" "no Visual Basic compiler"
fi
if compiled fsc "$before/MachinesFs.dll" --optimize+ "$fixtures/fs/Machines.fs"; then
    cp "$before/FSharp.Core.dll" "$after/"
    listen MachinesFs "$before/MachinesFs.dll" dotnet 12 11 1 0 0
    check "MachinesFs is instrumented with the built-in tracker" "$ILINJECT" "$before/MachinesFs.dll" -o "$SCRATCH/MachinesFs.dll"
    check "each state machine of fsc has its owner" owned "$SCRATCH/MachinesFs.dll" <<'END'
leaf@7.MoveNext async of Machines.leaf
sum@14.MoveNext async of Machines.sum
later@23.MoveNext async of Machines.later
background@29.MoveNext async of Machines.background
numbers@36.GenerateNext iterator of Machines.numbers
Method@42.MoveNext async of Type.Method
END
else
    skip "state machines of fsc tell of themselves" "no F# compiler"
fi
finish
