#!/usr/bin/env bash
# Calls of code that is not instrumented, as leaves (--leaves): each at each kind of place is counted once, and takes its
# time from its caller's, to the tick of a clock that the program moves; programs behave as before.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
. "$(dirname "$0")/../lib/sh/ways.sh"
if ! ready; then
    skip "calls of what is not instrumented stand as leaves" "no mono or no mcs"
    finish
fi
python=$ROOT/tests/e2e/lib/py/leaves.py
export PYTHONDONTWRITEBYTECODE=1
outside="[LeavesOutside]**,!Outside.Clock"
clock="type:Outside.Clock, LeavesOutside"

mcs -nologo -target:library -out:"$before/LeavesOutside.dll" "$fixtures/LeavesOutside.cs" &&
    mcs -nologo -r:"$before/LeavesOutside.dll" -out:"$before/Leaves.exe" "$fixtures/Leaves.cs" || exit 1
names=Leaves
if has ilasm; then
    ilasm -quiet -output:"$before/places.exe" "$ROOT/fixtures/il/leaves/places.il" >"$SCRATCH/ilasm" 2>&1 || { cat "$SCRATCH/ilasm"; exit 1; }
    names+=" places"
else
    skip "leaves at places that compilers seldom make" "ilasm is not installed"
fi

# By hand from Leaves.cs and LeavesOutside.cs: calls, nanoseconds in the leaf itself.
#   Take: in Loop 4 of 103 and one of 107, Expression 109, 113 and 127, Caught 149 and 151, Derived 101, Filtered 167, the lambda 173,
#   Numbers three of 179, Awaits 181, Nested 193 and 197. Base.Virtual: one call that Derived answers, which makes the other.
cat >"$SCRATCH/Leaves.figures" <<'END'
1  11   Outside.Base.Base(int)
2  191  Outside.Base.Virtual(int)
3  129  Outside.Box<T>.Add(T)
2  0    Outside.Box<T>.Box()
2  82   Outside.Box<T>.this[int].get
1  131  Outside.IWork.Do(int)
1  137  Outside.Number.Do(int)
1  3    Outside.Number.Number(int)
1  52   Outside.Work.Back(Func<int, int>, int)
2  38   Outside.Work.IsIt(Exception, bool)
2  74   Outside.Work.Later(int)
2  62   Outside.Work.Many(int[])
1  13   Outside.Work.Same<U>(U)
19 2717 Outside.Work.Take(int)
1  17   Outside.Work.Through(ref int, ref int)
2  296  Outside.Work.Throw(int)
END
# In the ret shape nothing but a leave below it shows an exception: one tick of Caught's handler counts for what threw.
sed 's/^2  296/2  297/' "$SCRATCH/Leaves.figures" >"$SCRATCH/Leaves.figures-ret"
# From leaves/places.il: ToTheCall 3, 2, 1 and 0, BehindTheCall 211, Arms twice 223, Handler 233, Below 239, BehindAgain 257; Throw 229,
# 263 and 277; 281 is given to Base, 283 to Virtual.
cat >"$SCRATCH/places.figures" <<'END'
10 1392 Outside.Work.Take(int)
1  13   Outside.Work.Same<U>(U)
3  769  Outside.Work.Throw(int)
1  11   Outside.Base.Base(int)
1  283  Outside.Base.Virtual(int)
END
# Open's 271 pass while the frame of what threw is open.
sed 's/^3  769/3  1040/' "$SCRATCH/places.figures" >"$SCRATCH/places.figures-ret"

report() { "$ILINJECT" report --format=json --physical -o "$2" "$1"; }
instrumented() { # TO OPTIONS… FILE
    local to=$SCRATCH/after/$1
    shift
    mkdir -p "$to" && cp "$before"/LeavesOutside.dll "$to" && "$ILINJECT" -q "$@" -o "$to/"
}
figures() { # SAID NAME EXITS
    local list=$SCRATCH/$2.figures
    [ "$3" = guarded ] || list+=-ret
    report "$1.ilprof" "$1.json" && python3 "$python" figures "$1.json" "$list"
}
same_time() { # WITH WITHOUT
    report "$1.ilprof" "$1.json" && report "$2.ilprof" "$2.json" && python3 "$python" same-time "$1.json" "$2.json"
}
# Delegate makes one object, and Filter one by a call that is a leaf.
objects_of_places() { # SAID
    report "$1.ilprof" "$1.json" && python3 - "$1.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
found = sorted((o["type"], o["objects"]) for o in report["objects"])
own = {f["name"]: f["exclusive_objects"] for f in report["functions"] if f["exclusive_objects"]}
if found != [("Outside.Base", 1), ("System.Func<int, int>", 1)] or own != {"Places.Filter()": 1, "Places.Delegate()": 1}:
    sys.exit(f"{found} {own}")
END
}
export ILINJECT_CLOCK=$clock
# What stands before each ret is the same IL for both runtimes: each second program runs so on Mono, the others on .NET; all of
# them on both in make check-full.
runtimes_of() { # EXITS
    if [ "$FULL" ] || [ "$1" = guarded ] || ! can mono || ! can dotnet; then echo mono dotnet; elif [ $((number % 2)) -eq 0 ]; then echo mono; else echo dotnet; fi
}
number=0
for name in $names; do
    number=$((number + 1))
    file=$before/$name.exe
    if can dotnet; then runtimeconfig "$file"; fi
    for exits in guarded ret; do
        check "$name is instrumented, --exits=$exits" instrumented "$name-$exits" --exits=$exits "$file"
        check "$name is with leaves, --exits=$exits" instrumented "$name-$exits-leaves" --exits=$exits "--leaves=$outside" "$file"
        check "$name is with every call, --exits=$exits" instrumented "$name-$exits-all" --exits=$exits "--leaves=*" "$file"
        check "$name is with every call, objects and bytes, --exits=$exits" instrumented "$name-$exits-both" --exits=$exits "--leaves=*" \
            --allocations --set alloc=bytes "$file"
        for runtime in $(runtimes_of $exits); do
            if ! can $runtime; then
                skip "the leaves of $name, --exits=$exits, under $runtime" "$runtime is not there"
                continue
            fi
            [ -f "$SCRATCH/said/$name.$runtime.out" ] || run_program "$name" $runtime "$file"
            for way in "" -leaves -all -both; do
                to=$name-$exits$way
                run_program "$to" $runtime "$SCRATCH/after/$to/$name.exe"
                check "$to runs as before under $runtime" same_run "$name" "$to" $runtime
            done
            said=$SCRATCH/said/$name-$exits
            check "its leaves have the counts and times that the source has" figures "$said-leaves.$runtime" "$name" $exits
            # A call that stays open at the end of a handler counts for a method in the ret shape, with leaves and without.
            if [ $exits = guarded ]; then
                check "own time with that of leaves is own time without, to the tick" same_time "$said-leaves.$runtime" "$said.$runtime"
                check "and with every call" same_time "$said-all.$runtime" "$said.$runtime"
                check "and with objects and bytes" same_time "$said-both.$runtime" "$said.$runtime"
            fi
            [ "$name" = Leaves ] || check "objects beside leaves are those of the source" objects_of_places "$said-both.$runtime"
        done
    done
done

# ---- Calls of the tracker ----
# One that counts them sees what a tracker with a stack would forgive: a branch to the instruction after a leaf's call that runs its
# second part with the token of an earlier call. By hand: 17 methods, and 16 leaves; three of them never return.
if [[ $names == *places* ]]; then
    cat >"$SCRATCH/Balance.cs" <<'END'
using System;

namespace Instrumenter
{
    public static class ProfileInfoTracker
    {
        private static int ids, entered, left;

        static ProfileInfoTracker()
        {
            AppDomain.CurrentDomain.ProcessExit += delegate { Console.Error.WriteLine("entered " + entered + " left " + left); };
        }

        public static int Register(RuntimeTypeHandle helper, int methodCount) { return (ids += methodCount) - methodCount; }
        public static int WhenEnteringMethod(int id) { return ++entered; }
        public static void WhenLeavingMethod(int token) { left++; }
    }
}
END
    counted() { # EXITS RUNTIME
        local name=places-$1-own
        run_program "$name" "$2" "$SCRATCH/after/$name/places.exe"
        same_run places "$name" "$2" && grep -qx 'entered 33 left 30' "$SCRATCH/said/$name.$2.err" || { cat "$SCRATCH/said/$name.$2.err"; return 1; }
    }
    mcs -nologo -target:library -out:"$SCRATCH/Balance.dll" "$SCRATCH/Balance.cs" || exit 1
    for exits in guarded ret; do
        check "places calls a tracker that counts, --exits=$exits" instrumented places-$exits-own --exits=$exits "--leaves=$outside" \
            --tracker="$SCRATCH/Balance.dll" "$before/places.exe"
        for runtime in mono dotnet; do
            ! can $runtime || check "no branch behind a leaf's call ends one, --exits=$exits, under $runtime" counted $exits $runtime
        done
    done
fi

# ---- Awaits ----
# By hand from LeavesAwaited.cs: awaiting time, calls of a leaf that were awaited, where it stands.
cat >"$SCRATCH/awaits" <<'END'
100  - Plain
100  1 Plain/Open
900  - Configured
200  1 Configured/Open
700  2 Configured/OpenValue
500  - Done
600  - Later
2400 - Loop
1500 2 Loop/Open
900  - Loop/Nested
900  1 Loop/Nested/Open
1000 - Failing
1000 1 Failing/Open
END
# Each call is one, awaited or not: that in Later is not.
cat >"$SCRATCH/awaits.counts" <<'END'
7 Outside.Gate.Open(
2 Outside.Gate.OpenValue(
END
awaits() { # NAME RUNTIME FILE EXITS
    mkdir -p "$SCRATCH/after/$1" && cp "$(dirname "$3")"/LeavesOutside.dll "$SCRATCH/after/$1/" || return
    "$ILINJECT" -q "$3" "--leaves=$outside" --exits="$4" -o "$SCRATCH/after/$1/" || return
    [ ! -f "${3%.*}.runtimeconfig.json" ] || cp "${3%.*}.runtimeconfig.json" "$SCRATCH/after/$1/"
    run_program "$1-before" "$2" "$3"
    run_program "$1" "$2" "$SCRATCH/after/$1/$(basename "$3")"
    same_run "$1-before" "$1" "$2" || return
    "$ILINJECT" report --format=json -o "$SCRATCH/$1.json" "$SCRATCH/said/$1.$2.ilprof" &&
        python3 "$python" awaits "$SCRATCH/$1.json" "$SCRATCH/awaits" && python3 "$python" counts "$SCRATCH/$1.json" "$SCRATCH/awaits.counts" &&
        "$ROOT/tests/consistent" "$SCRATCH/$1.json"
}
mkdir -p "$SCRATCH/awaited/mono" && cp "$before/LeavesOutside.dll" "$SCRATCH/awaited/mono/" &&
    mcs -nologo -r:"$before/LeavesOutside.dll" -out:"$SCRATCH/awaited/mono/LeavesAwaited.exe" "$fixtures/LeavesAwaited.cs" || exit 1
for exits in guarded ret; do
    check "an awaited leaf has the time until its task is there, under mono, --exits=$exits" awaits mono-$exits mono "$SCRATCH/awaited/mono/LeavesAwaited.exe" $exits
done
for way in + -; do
    folder=$SCRATCH/awaited/dotnet$way
    mkdir -p "$folder"
    if can dotnet && compiled csc "$folder/LeavesOutside.dll" -target:library -define:VALUE_TASKS "$fixtures/LeavesOutside.cs" &&
        compiled csc "$folder/LeavesAwaited.dll" -optimize$way -r:"$folder/LeavesOutside.dll" "$fixtures/LeavesAwaited.cs"; then
        check "an awaited leaf has the time until its task is there, under dotnet, -optimize$way" awaits dotnet$way dotnet "$folder/LeavesAwaited.dll" guarded
    else
        skip "an awaited leaf has the time until its task is there, under dotnet, -optimize$way" "no .NET SDK"
    fi
done
unset ILINJECT_CLOCK

verifies() { # NAME
    "$ROOT/tests/verify" "$before/Leaves.exe" >"$SCRATCH/v.before" 2>&1
    "$ROOT/tests/verify" "$SCRATCH/after/$1/Leaves.exe" >"$SCRATCH/v.after" 2>&1
    new_lines "$SCRATCH/v.before" "$SCRATCH/v.after"
}
if has peverify; then
    for exits in guarded ret; do
        check "peverify finds no new fault with every call, --exits=$exits" verifies Leaves-$exits-all
        check "nor with objects and bytes, --exits=$exits" verifies Leaves-$exits-both
    done
else
    skip "peverify finds no new fault with every call" "no peverify"
fi

# ---- Options ----
made() { rm -rf "$SCRATCH/o" && "$ILINJECT" -q "$@" "$before/Leaves.exe" -o "$SCRATCH/o/" && mv "$SCRATCH/o/Leaves.exe" "$SCRATCH/made.exe"; }
same_as_without() { made && mv "$SCRATCH/made.exe" "$SCRATCH/without.exe" && made "$@" && cmp "$SCRATCH/made.exe" "$SCRATCH/without.exe"; }
differs_from_without() { ! same_as_without "$@"; }
check "a list that names nothing gives the bytes of no list" same_as_without --leaves=Nothing.Here
check "a later pattern takes out what an earlier one named" same_as_without '--leaves=[LeavesOutside]**,!Outside'
check "the default has Thread.Sleep" differs_from_without --leaves
check "the empty list is the default" differs_from_without --leaves=
check "default is a word" same_as_without '--leaves=default,!System'
cat >"$SCRATCH/rules.xml" <<'END'
<ilinject><leaves><leaf pattern="default"/><leaf pattern="!**"/></leaves></ilinject>
END
check "a file has them, too" same_as_without --config="$SCRATCH/rules.xml"
sed -i 's/!\*\*/Outside.Work.Take/' "$SCRATCH/rules.xml"
check "and its patterns count" differs_from_without --config="$SCRATCH/rules.xml"
refused() { # STATUS WORDS OPTIONS…
    local status=$1 words=$2
    shift 2
    "$ILINJECT" "$before/Leaves.exe" -o "$SCRATCH/r/" "$@" >"$SCRATCH/err" 2>&1
    [ $? -eq "$status" ] && grep -qF -e "$words" "$SCRATCH/err" && [ ! -e "$SCRATCH/r/Leaves.exe" ] || { cat "$SCRATCH/err"; return 1; }
}
told() { # WORDS OPTIONS…: told in one line
    local words=$1
    shift
    rm -rf "$SCRATCH/o" && "$ILINJECT" "$before/Leaves.exe" -o "$SCRATCH/o/" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    [ $? -eq "${strict:-0}" ] && [ "$(grep -cF -e "$words" "$SCRATCH/err")" -eq 1 ] || { cat "$SCRATCH/err"; return 1; }
}
mkdir "$SCRATCH/gone" && echo '<ilinject><leaves><leaf pattern="Gone.By"/></leaves></ilinject>' >"$SCRATCH/gone/rules.xml"
untold() { ! told "names no method that is called" "$@"; }
check "a pattern that names nothing is told" told "command line: warning ILJ0431: leaves 'Nothing.Here' names no method that is called" --leaves=Nothing.Here,Outside
strict=3 check "and counts with --strict" told "ILJ0431: leaves 'Nothing.Here'" --strict --leaves=Nothing.Here,Outside
check "one that takes out nothing, likewise" told "command line: info ILJ0432: leaves '!Nothing.Here'" '--leaves=Outside,!Nothing.Here'
check "a file's with its place" told "rules.xml(1): warning ILJ0431: leaves 'Gone.By'" --config="$SCRATCH/gone/rules.xml"
check "patterns that name something are not, those that others overrule neither" untold --leaves=Outside.Work,Outside,Outside.Work.Take
check "nor are those of the default" untold --leaves=default,native
check "an attribute is refused" refused 2 "leaves '@Mark': a method that is not instrumented" --leaves=@Mark
check "an empty pattern is refused" refused 2 "leaves '': it is empty" --leaves=Some.Name,
check "counting alone has no leaves" refused 2 "--counts and --leaves exclude each other" --counts --leaves
if mcs -nologo -target:library -out:"$SCRATCH/Plain.dll" "$fixtures/PlainTracker.cs" 2>/dev/null; then
    check "a tracker without ids is refused" refused 2 "leaves need a tracker with Register" --leaves --tracker="$SCRATCH/Plain.dll"
fi

# ---- Waits ----
waits() { # RUNTIME FILE
    mkfifo "$SCRATCH/fifo.$1" || return
    (exec 3>"$SCRATCH/fifo.$1"; sleep 0.1; printf x >&3) &
    run_program waits "$1" "$2" "$SCRATCH/fifo.$1"
    report "$SCRATCH/said/waits.$1.ilprof" "$SCRATCH/said/waits.$1.json" || { cat "$SCRATCH/said/waits.$1.err"; return 1; }
    [ "$(wc -l <"$SCRATCH/said/waits.$1.out")" -eq 7 ] || { cat "$SCRATCH/said/waits.$1.err"; return 1; }
    python3 "$python" bounds "$SCRATCH/said/waits.$1.json" "$SCRATCH/said/waits.$1.out"
}
waits_counted() { # RUNTIME
    cat >"$SCRATCH/waits.counts" <<'END'
1 System.Threading.Thread.Sleep(
1 System.Threading.WaitHandle.WaitOne(
1 System.Threading.Tasks.Task.Wait(
1 System.IO.File.ReadAllText(
1 System.Net.WebRequest.GetResponse(
2 System.Threading.Monitor.Enter(
1 System.Net.Sockets.TcpListener.AcceptTcpClient(
END
    python3 "$python" counts "$SCRATCH/said/waits.$1.json" "$SCRATCH/waits.counts"
}
cat >"$SCRATCH/waits.parts" <<'END'
waits System.Threading.Thread.Sleep(
waits System.Threading.WaitHandle.WaitOne(
waits System.Threading.Tasks.Task.Wait(
files System.IO.File.ReadAllText(
networks System.Net.WebRequest.GetResponse(
locks System.Threading.Monitor.Enter(
networks System.Net.Sockets.TcpListener.AcceptTcpClient(
files System.IO.Stream.Read(
other-calls Program.poll(
END
mcs -nologo -r:System.dll -r:System.Core.dll -out:"$before/LeavesWaits.exe" "$fixtures/LeavesWaits.cs" || exit 1
check "a program of waits gets the default leaves" "$ILINJECT" -q "$before/LeavesWaits.exe" -o "$SCRATCH/after/waits-mono/" --leaves
check "waits of 100 ms have them, within 5 %, under mono" waits mono "$SCRATCH/after/waits-mono/LeavesWaits.exe"
check "and each is one call" waits_counted mono
check "the report says what each is about" python3 "$python" parts "$SCRATCH/said/waits.mono.json" "$SCRATCH/waits.parts"
if can dotnet && compiled csc "$before/LeavesWaits.dll" -nowarn:SYSLIB0014 "$fixtures/LeavesWaits.cs"; then
    mkdir -p "$SCRATCH/after/waits-dotnet"
    check "so it does for .NET" "$ILINJECT" -q "$before/LeavesWaits.dll" -o "$SCRATCH/after/waits-dotnet/" --leaves
    cp "$before/LeavesWaits.runtimeconfig.json" "$SCRATCH/after/waits-dotnet/"
    check "waits of 100 ms have them, within 5 %, under dotnet" waits dotnet "$SCRATCH/after/waits-dotnet/LeavesWaits.dll"
    check "and each is one call" waits_counted dotnet
else
    skip "waits of 100 ms have them, under dotnet" "no .NET SDK"
fi

# ---- Reports ----
shown() { # FORMAT WORDS
    "$ILINJECT" report -v --format="$1" -o "$SCRATCH/shown" "$SCRATCH/said/waits.mono.ilprof" || return
    [ "$1" != pprof ] || { gzip -dc <"$SCRATCH/shown" >"$SCRATCH/shown.pb" && mv "$SCRATCH/shown.pb" "$SCRATCH/shown"; }
    grep -qa -e "$2" "$SCRATCH/shown"
}
check "the table marks them" shown text 'Sleep(.*) \[leaf\]'
check "the page has their parts" shown html '"parts":\["other calls","locks","waits","files","networks","databases","processes"\]'
check "the tree does" shown calltree 'Thread.Sleep(int) \[leaf\]'
for format in callgrind collapsed speedscope pprof html; do
    check "$format does" shown $format 'Thread\.Sleep(int) \[leaf\]'
done
check "the head tells them from methods" shown text '^Methods .* instrumented, .* called, and [0-9]* that are not, as leaves'
finish
