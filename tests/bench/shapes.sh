#!/usr/bin/env bash
# Where a call costs more than elsewhere: CPU time of programs of many shapes, on Mono and on CoreCLR.
#   tests/bench/shapes.sh [--build DIR] [--milliseconds N] [--clock NAME] [--runtimes "R..."] [SHAPE...]
# A line for each shape (Shapes.cs): calls in one of its times, ns of CPU time of all threads for one of its
# times (plain, with two empty calls, with the tracker), ns for each call that the tracker takes more than
# plain, and the ratio of that to the shape "leaf". Exits 77 without mcs and ilasm.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build milliseconds=500 clock=stopwatch runtimes=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --milliseconds) milliseconds=$2; shift 2 ;;
    --clock) clock=$2; shift 2 ;;
    --runtimes) runtimes=$2; shift 2 ;;
    --*) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
done
[ $# -eq 0 ] || set -- leaf "$@"
BUILD=$(cd "$build" && pwd)
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
export ILINJECT_OUT=$work/profile.ilprof
for tool in mcs ilasm; do command -v $tool >/dev/null || { echo "skipped: shapes of programs: no $tool"; exit 77; }; done
if [ -z "$runtimes" ]; then for runtime in mono dotnet; do command -v $runtime >/dev/null && runtimes+=" $runtime"; done; fi
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)

# Methods beside each other with consecutive ids; every 8th shares a slot of its caller's.
wide() {
    local i calls=
    echo 'using System.Runtime.CompilerServices; namespace Bench { static class Wide {'
    for ((i = 0; i < 1024; i++)); do echo "[MethodImpl(MethodImplOptions.NoInlining)] static int M$i(int n) { return n + $i; }"; done
    for ((i = 0; i < 100; i++)); do echo "[MethodImpl(MethodImplOptions.NoInlining)] static int C$i(int n) { return n == 0 ? 0 : C$(((i + 1) % 100))(n - 1) + 1; }"; done
    for shape in Few:1:8 Some:1:64 Many:1:1024 Two:8:2 Three:8:3; do
        IFS=: read -r name step count <<<"$shape"
        calls=
        for ((i = 0; i < count; i++)); do calls+=" x = M$((i * step))(x);"; done
        echo "public static int $name() { int x = 0; for (int i = 0; i < $((1024 / count)); i++) {$calls } return x; }"
    done
    echo 'public static int Cycle() { return C0(5000); } } }'
}
# C# has no tail calls through interfaces, by two methods in turns, and no calls of a function's address.
interfaces() { # CLASS METHODS-BETWEEN
    local i
    cat <<END
.class interface abstract I$1 { .method public newslot abstract virtual instance int32 Go(class J$1 other, int32 n) {} }
.class interface abstract J$1 { .method public newslot abstract virtual instance int32 Go(class I$1 other, int32 n) {} }
.class A$1 implements I$1 {
  .method public instance void .ctor() { ldarg.0 call instance void [mscorlib]System.Object::.ctor() ret }
  .method public newslot virtual final instance int32 Go(class J$1 other, int32 n) noinlining {
    ldarg.2 brfalse.s end
    ldarg.1 ldarg.0 ldarg.2 ldc.i4.1 sub tail. callvirt instance int32 J$1::Go(class I$1, int32) ret
    end: ldarg.2 ret }
$(for ((i = 0; i < $2; i++)); do echo ".method static void Between$i() { ret }"; done)
}
.class B$1 implements J$1 {
  .method public newslot virtual final instance int32 Go(class I$1 other, int32 n) noinlining {
    ldarg.2 brfalse.s end
    ldarg.1 ldarg.0 ldarg.2 ldc.i4.1 sub tail. callvirt instance int32 I$1::Go(class J$1, int32) ret
    end: ldarg.2 ret }
  .method public instance void .ctor() { ldarg.0 call instance void [mscorlib]System.Object::.ctor() ret }
}
END
}
pass() { # NAME CLASS
    echo ".method public static int32 $1() { newobj instance void A$2::.ctor() newobj instance void B$2::.ctor() ldc.i4 999 callvirt instance int32 I$2::Go(class J$2, int32) ret }"
}
il() {
    echo '.assembly extern mscorlib {} .assembly ShapesIL {} .module ShapesIL.dll'
    interfaces 1 3
    interfaces 2 7
    echo '.class public abstract sealed Bench.Tail {'
    pass Apart 1
    pass OneSlot 2
    cat <<'END'
}
.class public abstract sealed Bench.Pointer {
  .method static int32 Next(int32 n) noinlining { ldarg.0 ldc.i4.1 add ret }
  .method public static int32 Run() {
    .locals init (int32 x)
    more: ldloc.0 ldftn int32 Bench.Pointer::Next(int32) calli int32(int32) dup stloc.0 ldc.i4 1000 blt more
    ldloc.0 ret }
}
END
}
wide >"$work/Wide.cs" && il >"$work/Shapes.il" && ilasm -quiet -dll -output:"$work/ShapesIL.dll" "$work/Shapes.il" >"$work/said" 2>&1 &&
    mcs -nologo -optimize+ -r:"$work/ShapesIL.dll" -out:"$work/Shapes.exe" tests/bench/Shapes.cs "$work/Wide.cs" || { cat "$work/said"; exit 1; }

for variant in plain count empty tracker; do
    folder=$work/$variant
    mkdir "$folder"
    options=(--set "clock=$clock" --native-clock=host)
    case $variant in
    plain) cp "$work"/Shapes.exe "$work"/ShapesIL.dll "$folder" ;;
    tracker) ;;
    *)
        mcs -nologo -target:library -optimize+ -nowarn:414,649 -define:"${variant^^}" -out:"$folder/ProbeTracker.dll" tests/bench/ProbeTracker.cs || exit 1
        options=(--tracker "$folder/ProbeTracker.dll")
        ;;
    esac
    [ $variant = plain ] || "$ilinject" "$work/Shapes.exe" "$work/ShapesIL.dll" -o "$folder/" --quiet "${options[@]}" || exit 1
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" >"$folder/Shapes.runtimeconfig.json"
done
echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg); clock=$clock"
# Without tiers on .NET: compiling again takes longer than a window, and is no cost of a call.
export DOTNET_TieredCompilation=0
for runtime in $runtimes; do
    for variant in count plain empty tracker; do
        (cd "$work/$variant" && "$runtime" Shapes.exe "$milliseconds" "$@") >"$work/$variant.said" || { echo "$variant fails on $runtime" >&2; exit 1; }
    done
    printf '\n%-22s%8s %12s %12s %12s %9s %6s\n' "$runtime" calls plain empty tracker "ns a call" ratio
    awk '
        FILENAME ~ /count/ { calls[$2] = $3; order[++n] = $2; next }
        FILENAME ~ /plain/ { plain[$1] = $2; next }
        FILENAME ~ /empty/ { empty[$1] = $2; next }
        { with[$1] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                s = order[i]
                each = (with[s] - plain[s]) / calls[s]
                if (i == 1) normal = each
                printf "%-22s%8d %12.0f %12.0f %12.0f %9.1f %6.1f\n", s, calls[s], plain[s], empty[s], with[s], each, each / normal
            }
        }' "$work/count.said" "$work/plain.said" "$work/empty.said" "$work/tracker.said"
done
