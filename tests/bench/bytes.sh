#!/usr/bin/env bash
# The cost that counting bytes (the setting alloc) adds to a recorded call, and counting objects (--allocations) to an
# object: tests/bench/bytes.sh [TIMES]
# A pair of probes with and without bytes, and a reading of the runtime's count; an object with and without the call
# that counts it, and with a counter of the thread's own in its place. In nanoseconds: of 3,000 short rounds the least,
# which hardly moves when the machine is busy. Prints a line for each runtime and each way.
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build}
cd "$(mktemp -d)" || exit 1
trap 'rm -rf "$PWD"' EXIT
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
        double pair = double.MaxValue, reading = double.MaxValue;
        for (int round = 0; round < 3000; round++)
        {
            long start = Stopwatch.GetTimestamp();
            Round(Calls);
            pair = Least(pair, start);
            start = Stopwatch.GetTimestamp();
            for (int i = 0; i < Calls; i++)
                read();
            reading = Least(reading, start);
        }
        Console.WriteLine("{0:F1} ns a pair, {1:F1} ns a reading", pair, reading);
    }
}
END
mcs -nologo -optimize+ Pair.cs && "$BUILD/ilinject" -q Pair.exe -o out/ || exit 1
version=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
echo "{ \"runtimeOptions\": { \"framework\": { \"name\": \"Microsoft.NETCore.App\", \"version\": \"$version\" } } }" >out/Pair.runtimeconfig.json
for round in $(seq "${1:-1}"); do
    for runtime in dotnet mono; do
        command -v $runtime >/dev/null || continue
        for way in off bytes; do
            printf '%s, round %s, alloc=%s: %s\n' $runtime "$round" $way "$(ILINJECT_ALLOC=$way ILINJECT_OUT=pair.ilprof $runtime out/Pair.exe)"
        done
    done
done

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
        Console.WriteLine("{0:F1} ns an object, {1:F1} ns with a counter of its own", made, counted);
    }
}
END
mcs -nologo -optimize+ Made.cs && "$BUILD/ilinject" -q Made.exe -o plain/ && "$BUILD/ilinject" -q Made.exe -o counted/ --allocations || exit 1
for way in plain counted; do cp out/Pair.runtimeconfig.json $way/Made.runtimeconfig.json; done
for round in $(seq "${1:-1}"); do
    for runtime in dotnet mono; do
        command -v $runtime >/dev/null || continue
        for way in plain counted; do
            printf '%s, round %s, objects %s: %s\n' $runtime "$round" $way "$(ILINJECT_OUT=made.ilprof $runtime $way/Made.exe)"
        done
    done
done
