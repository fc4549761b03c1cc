// Trackers to compare with, one for each symbol that this is compiled with (probe.sh):
//   EMPTY       two empty calls                     BASED   the same with a Register, so that the module's base is added to ids
//   COUNT       counts calls, for the benchmark     STOPWATCH, FENCED, UNFENCED   two bare readings of that clock
//   NAIVE       a stack per thread, Stopwatch, a dictionary and a lock
// FENCED and UNFENCED are compiled with the tracker's NativeClock.cs, with MONO for Mono.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
#if FENCED || UNFENCED
    internal static class Host
    {
        internal static bool IsMono
        {
            get { return Type.GetType("Mono.Runtime") != null; }
        }
    }
#endif

    public static class ProfileInfoTracker
    {
#if COUNT
        public static long Calls;
#elif STOPWATCH || FENCED || UNFENCED
        public static long Sink;
#endif

#if BASED || FENCED || UNFENCED
        public static int Register(RuntimeTypeHandle helper, int methodCount)
        {
#if FENCED
            string problem = CounterClock.Problem(true);
#elif UNFENCED
            string problem = CounterClock.Problem(false);
#else
            string problem = null;
#endif
            if (problem != null)
            {
                Console.Error.WriteLine(problem);
                Environment.Exit(1);
            }
            return 1 << 24;
        }
#endif

#if STOPWATCH
        [MethodImpl((MethodImplOptions)256)]
        private static long Read()
        {
            return Stopwatch.GetTimestamp();
        }
#elif (FENCED || UNFENCED) && MONO
        [MethodImpl((MethodImplOptions)256)]
        private static long Read()
        {
            return InternalClock.ReadCounter();
        }
#elif FENCED
        [MethodImpl((MethodImplOptions)256)]
        private static long Read()
        {
            return NativeClock.ilinject_clock_fenced();
        }
#elif UNFENCED
        [MethodImpl((MethodImplOptions)256)]
        private static long Read()
        {
            return NativeClock.ilinject_clock_unfenced();
        }
#endif

#if NAIVE
        private sealed class Figures
        {
            public long Calls, Ticks;
        }

        private struct Open
        {
            public int Id;
            public long Start;
        }

        [ThreadStatic]
        private static Stack<Open> stack;
        private static readonly Dictionary<int, Figures> all = new Dictionary<int, Figures>();

        public static void WhenEnteringMethod(int id)
        {
            if (stack == null)
                stack = new Stack<Open>();
            Open open = new Open();
            open.Id = id;
            open.Start = Stopwatch.GetTimestamp();
            stack.Push(open);
        }

        public static void WhenLeavingByException(int id)
        {
            WhenLeavingMethod(id);
        }

        public static void WhenLeavingMethod(int id)
        {
            long now = Stopwatch.GetTimestamp();
            Open open = stack.Pop();
            lock (all)
            {
                Figures figures;
                if (!all.TryGetValue(open.Id, out figures))
                    all.Add(open.Id, figures = new Figures());
                figures.Calls++;
                figures.Ticks += now - open.Start;
            }
        }
#else
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int WhenEnteringMethod(int id)
        {
#if COUNT
            Calls++;
#elif STOPWATCH || FENCED || UNFENCED
            Sink = Read();
#endif
            return 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void WhenLeavingMethod(int token)
        {
#if STOPWATCH || FENCED || UNFENCED
            Sink = Read();
#endif
        }

        public static void WhenLeavingByException(int token)
        {
            WhenLeavingMethod(token);
        }
#endif
    }
}
