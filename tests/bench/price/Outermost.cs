// Timing of a few methods by hand (price.sh): Stopwatch around the outermost call of each on each
// thread, woven by the Mono.Cecil program. Calls that do not end with the program end when it does.
// At the exit each method's line goes to $OUTERMOST: assembly, position, ns, calls, parted by tabs.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;

namespace Instrumenter
{
    public static class ProfileInfoTracker
    {
        const int Most = 1024;

        sealed class Times
        {
            public readonly int[] Depth = new int[Most];
            public readonly long[] Start = new long[Most], Spent = new long[Most], Calls = new long[Most];
        }

        [ThreadStatic]
        static Times times;
        static readonly List<Times> all = new List<Times>();
        static readonly List<string> names = new List<string>();

        static ProfileInfoTracker() { AppDomain.CurrentDomain.ProcessExit += (sender, e) => Write(); }

        public static int Register(RuntimeTypeHandle type, int count)
        {
            string assembly = Type.GetTypeFromHandle(type).Assembly.GetName().Name;
            lock (names)
            {
                int first = names.Count;
                for (int i = 0; i < count; i++) names.Add(assembly + "\t" + i);
                return first;
            }
        }

        static Times New()
        {
            times = new Times();
            lock (all) all.Add(times);
            return times;
        }

#if TOKENS // as ilinject's trackers are called, where the program is woven by it
        public static int WhenEnteringMethod(int id)
        {
            Enter(id);
            return id + 1;
        }

        public static void WhenLeavingMethod(int token) { Leave(token - 1); }
#else
        public static void WhenEnteringMethod(int id) { Enter(id); }

        public static void WhenLeavingMethod(int id) { Leave(id); }
#endif

        static void Enter(int id)
        {
            Times t = times ?? New();
            t.Calls[id]++;
            if (t.Depth[id]++ == 0) t.Start[id] = Stopwatch.GetTimestamp();
        }

        static void Leave(int id)
        {
            Times t = times;
            if (--t.Depth[id] == 0) t.Spent[id] += Stopwatch.GetTimestamp() - t.Start[id];
        }

        static void Write()
        {
            long now = Stopwatch.GetTimestamp();
            using (var output = new StreamWriter(Environment.GetEnvironmentVariable("OUTERMOST")))
                for (int i = 0; i < names.Count; i++)
                {
                    long ticks = 0, calls = 0;
                    lock (all)
                        foreach (Times t in all)
                        {
                            ticks += t.Spent[i] + (t.Depth[i] > 0 ? now - t.Start[i] : 0);
                            calls += t.Calls[i];
                        }
                    output.WriteLine(names[i] + "\t" + (long)(ticks * (1e9 / Stopwatch.Frequency)) + "\t" + calls);
                }
        }
    }
}
