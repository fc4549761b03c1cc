#!/usr/bin/env bash
# The cost that counting bytes (the setting alloc) or collections (the setting collections) adds to a recorded call, and counting objects
# (--allocations) to an object.
#   tests/bench/bytes.sh [--build DIR] [--runs N]
# A plain pair of probes, one with bytes and one with collections, beside a reading of each of the runtime's counts, as often as the tracker
# reads it; an object with and without the call that counts it, and with a counter of the thread's own in its place. In nanoseconds: of 3,000
# short rounds of each of N runs (3), which take turns, the least, which hardly moves when the machine is busy. Exits 77 without mcs or a runtime.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build} runs=3
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    *) echo "usage: tests/bench/bytes.sh [--build DIR] [--runs N]" >&2; exit 2 ;;
    esac
done
. tests/bench/raw.sh
[ -z "${BENCH_RAW:-}" ] || BENCH_RAW=$(realpath -m "$BENCH_RAW") # the folder changes below
raw_begin bytes "tests/bench/bytes.sh --runs $runs"
command -v mcs >/dev/null || { echo "skipped: bytes: no mcs"; exit 77; }
ilinject=$(cd "$build" && pwd)/ilinject
work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
export ILINJECT_BEAT=0
runtimes=()
for runtime in dotnet mono; do if command -v $runtime >/dev/null; then runtimes+=($runtime); fi; done
[ ${#runtimes[@]} -gt 0 ] || { echo "skipped: bytes: no runtime"; exit 77; }
cat >Pair.cs <<'END'
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

static class Pair
{
    const int Calls = 4000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Nothing(int i) { return i + 1; }

    static int Round(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
            sum += Nothing(sum);
        return sum;
    }

    static double Least(double least, long start)
    {
        return Math.Min(least, (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / Calls);
    }

    static void Main()
    {
        Round(200000);
        Thread.Sleep(300);
        Round(200000);
        Func<long> read = GC.GetAllocatedBytesForCurrentThread;
        Func<int, int> count = GC.CollectionCount;
        bool apart = Type.GetType("Mono.Runtime") != null;
        double pair = double.MaxValue, reading = double.MaxValue, counting = double.MaxValue;
        for (int round = 0; round < 3000; round++)
        {
            long start = Stopwatch.GetTimestamp();
            Round(Calls);
            pair = Least(pair, start);
            start = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++)
                read();
            reading = Least(reading, start);
            start = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++)
            {
                count(0);
                if (apart)
                    count(1);
            }
            counting = Least(counting, start);
        }
        Console.WriteLine("{0:F1} {1:F1} {2:F1}", pair, reading, counting);
    }
}
END
mcs -nologo -optimize+ Pair.cs && "$ilinject" -q Pair.exe -o out/ || exit 1
config='{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}'
echo "$config" >out/Pair.runtimeconfig.json

cat >Made.cs <<'END'
using System;
using System.Diagnostics;
using System.Threading;

static class Made
{
    const int Objects = 4000;
    static object kept;

    [ThreadStatic]
    static long[] counts;

    static void Round()
    {
        for (int i = 0; i < Objects; i++)
            kept = new object();
    }

    static void RoundWithCounter()
    {
        for (int i = 0; i < Objects; i++)
        {
            counts[3]++;
            kept = new object();
        }
    }

    static double Least(double least, Action round)
    {
        long start = Stopwatch.GetTimestamp();
        round();
        return Math.Min(least, (Stopwatch.GetTimestamp() - start) * 1e9 / Stopwatch.Frequency / Objects);
    }

    static void Main()
    {
        counts = new long[8];
        double made = double.MaxValue, counted = double.MaxValue;
        for (int round = 0; round < 4000; round++)
        {
            if (round == 1000) // all is compiled for good
                Thread.Sleep(500);
            made = Least(round < 1000 ? double.MaxValue : made, Round);
            counted = Least(round < 1000 ? double.MaxValue : counted, RoundWithCounter);
        }
        Console.WriteLine("{0:F1} {1:F1}", made, counted);
    }
}
END
mcs -nologo -nowarn:414 -optimize+ Made.cs && "$ilinject" -q Made.exe -o plain/ && "$ilinject" -q Made.exe -o counted/ --allocations || exit 1
for way in plain counted; do echo "$config" >$way/Made.runtimeconfig.json; done

figures() { # RUNTIME FILE SETTING…: the figures that the program says
    env "${@:3}" ILINJECT_OUT=profile.ilprof timeout 300 "$1" "$2" || { echo "bytes: $2 fails on $1" >&2; return 1; }
}
for ((run = 1; run <= runs; run++)); do
    for runtime in "${runtimes[@]}"; do
        for way in off alloc=bytes collections=1; do
            setting=()
            [ $way = off ] || { setting=("ILINJECT_${way^^}"); setting=("${setting[0]%=*}=${way#*=}"); }
            said=$(figures "$runtime" out/Pair.exe "${setting[@]}") || exit 1
            read -r pair bytes collections <<<"$said"
            echo "$runtime, run $run, $way: $pair ns a pair, $bytes ns a reading of bytes, $collections ns of collections"
            raw "$runtime" "$way" ns "$pair"
            raw "$runtime" reading-bytes ns "$bytes"
            raw "$runtime" reading-collections ns "$collections"
        done
        for way in plain counted; do
            said=$(figures "$runtime" $way/Made.exe) || exit 1
            read -r made own <<<"$said"
            echo "$runtime, run $run, objects $way: $made ns an object, $own ns with a counter of its own"
            raw "$runtime" "object-$way" ns "$made"
            [ $way = counted ] || raw "$runtime" object-own ns "$own"
        done
    done
done
