// The clock of the call trees: which one is in use, and the one place that reads it.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// Chosen once, by the session's start, before the first tree is made. Clocks that a host may lack are classes of their own,
    /// touched only after a check. Ticks are the clock's own; intervals below 0 are taken as 0 everywhere.
    /// </summary>
    internal static class Clock
    {
        /// <summary>Values of <see cref="Kind"/>.</summary>
        internal const int Stopwatch = 0, None = 1, Fenced = 2, Unfenced = 3, Internal = 4, Coarse = 5, Cpu = 6, Utc = 7, User = 8, Ticking = 9;

        /// <summary>The ticking clock for short calls, the Stopwatch for long ones.</summary>
        private const string MixedName = "mixed";

        /// <summary>How a clock of the program's begins in the setting: the name of its type follows.</summary>
        internal const string UserPrefix = "type:";

        internal static int Kind;

        /// <summary>As the settings spell it.</summary>
        internal static string Name;

        /// <summary>The clock that was asked for, when another one is in use.</summary>
        internal static string Wanted;

        /// <summary>The time at the last tick of <see cref="TickingClock"/>, in ticks of the Stopwatch's. Even.</summary>
        internal static long Tick;

        /// <summary>While a clock ticks, calls that take long are timed by the Stopwatch.</summary>
        internal static bool IsMixed;

        /// <summary>Such a call's times have this bit, those of ticks have not.</summary>
        internal const long TimedBit = 1;

        /// <summary>The time on the calling thread's own line. Each call between it and the counter costs about a nanosecond, so those stand here.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static long Now()
        {
            int kind = Kind;
            if (kind == Stopwatch)
                return StopwatchClock.Now();
            if (kind == Ticking)
                return IntPtr.Size == 8 ? Tick : Counter.Read(ref Tick);
            if (kind == None)
                return 0;
            if (kind == Fenced)
                return CounterClock.Fenced();
            return kind == Internal ? InternalClock.Now() : Others(kind);
        }

        /// <summary>The same, but 0 where <see cref="IsPlain"/> is false: whoever asks has not looked yet whether that may be read.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static long NowIfPlain()
        {
            int kind = Kind;
            if (kind == Stopwatch)
                return StopwatchClock.Now();
            if (kind == Ticking)
                return IntPtr.Size == 8 ? Tick : Counter.Read(ref Tick);
            if (kind == None)
                return 0;
            if (kind == Fenced)
                return CounterClock.Fenced();
            return kind == Internal ? InternalClock.Now() : OtherPlain(kind);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static long OtherPlain(int kind)
        {
            return kind == Utc || kind == User ? 0 : Others(kind);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static long Others(int kind)
        {
            switch (kind)
            {
                case Unfenced:
                    return CounterClock.Unfenced();
                case Coarse:
                    return CoarseClock.Now();
                case Cpu:
                    return CpuClock.Now();
                case Utc:
                    return UtcClock.Now();
                default:
                    return Features.UserClock ? UserClock.Now() : 0;
            }
        }

        /// <summary>
        /// The time on the line of the thread with that <see cref="ThreadTree.CpuClock"/>, read by any thread; below 0 when the thread has ended.
        /// </summary>
        internal static long NowOf(long cpuClock)
        {
            return Kind == Cpu ? CpuClock.Now(cpuClock) : Now();
        }

        /// <summary>The time on a line that all threads share: wall time where the clock itself gives none, in ticks of the same rate.</summary>
        internal static long Shared()
        {
            return IsShared ? Now() : Kind == Cpu ? WallTime.Convert(WallTime.Now(), CpuClock.TicksPerSecond) : WallTime.Now();
        }

        /// <summary>The Stopwatch's time for a call that it times while a clock ticks.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static long Timed()
        {
            return StopwatchClock.Now() | TimedBit;
        }

        /// <summary>The same time as <see cref="Now"/> has, without the steps of a clock that ticks.</summary>
        internal static long Precise()
        {
            return Kind == Ticking ? StopwatchClock.Now() : Now();
        }

        /// <summary>
        /// For a time-stamp counter it is measured over the run so far, so what is found last is
        /// the best. It may wait some milliseconds.
        /// </summary>
        internal static long TicksPerSecond
        {
            get
            {
                switch (Kind)
                {
                    case Stopwatch:
                    case Ticking:
                    case None:
                    case Utc:
                        return WallTime.TicksPerSecond;
                    case Fenced:
                    case Unfenced:
                    case Internal:
                        return CounterClock.TicksPerSecond();
                    case Coarse:
                        return CoarseClock.TicksPerSecond;
                    case Cpu:
                        return CpuClock.TicksPerSecond;
                    default:
                        return UserClock.TicksPerSecond;
                }
            }
        }

        /// <summary>Do all threads have the time from one line?</summary>
        internal static bool IsShared
        {
            get { return Kind != None && Kind != Cpu; }
        }

        /// <summary>May the fast way in and out read it? Not one whose code may be instrumented itself.</summary>
        internal static bool IsPlain
        {
            get { return Kind != Utc && Kind != User; }
        }

        /// <summary>Recording begins or ends.</summary>
        internal static void Record(bool begins)
        {
            if (Kind == Ticking)
                TickingClock.Record(begins);
        }

        /// <summary>The time that <see cref="Now"/> has is that of this moment.</summary>
        internal static void Advance()
        {
            if (Kind == Ticking)
                TickingClock.Advance();
        }

        /// <summary>What is recorded has changed: no thread goes the fast way by ticks before it has seen that.</summary>
        internal static void Change()
        {
            if (Kind == Ticking)
                TickingClock.Change();
        }

        /// <summary>The process ends.</summary>
        internal static void EndWithProcess()
        {
            if (Kind == Ticking && Host.IsMono)
                TickingClock.EndBeforeMono();
        }

        /// <summary>The tracker is unloaded.</summary>
        internal static void End()
        {
            if (Kind == Ticking)
                TickingClock.End();
        }

        /// <summary>
        /// Chooses by the setting; null: the default, which times each call where single calls are to be shown. A clock that cannot be had is
        /// named in one line. Never throws.
        /// </summary>
        internal static void Choose(string wanted, bool callsAreShown, int tickMicroseconds)
        {
            WallTime.Choose();
            Use(WallTime.UsesStopwatch ? Stopwatch : Utc, WallTime.UsesStopwatch ? "stopwatch" : "utc");
            if (wanted == null && WallTime.UsesStopwatch && !callsAreShown)
                TryTicking(MixedName, tickMicroseconds);
            if (wanted == null || wanted == Name)
                return;
            string problem;
            try
            {
                problem = Try(wanted, tickMicroseconds);
            }
            catch (Exception e)
            {
                problem = e.Message;
            }
            if (problem == null)
                return;
            Wanted = wanted;
            Host.Say("clock=" + wanted + ": " + problem + "; using " + Name);
        }

        private static void Use(int kind, string name)
        {
            Name = name;
            Kind = kind;
        }

        /// <summary>A method of its own: for the names of all clocks Mono compiles a table of words.</summary>
        private static string TryTicking(string wanted, int tickMicroseconds)
        {
            string problem = TickingClock.Start(tickMicroseconds);
            if (problem != null)
                return problem;
            IsMixed = wanted == MixedName;
            Use(Ticking, wanted);
            return null;
        }

        /// <summary>Null when that clock is in use now, else why not.</summary>
        private static string Try(string wanted, int tickMicroseconds)
        {
            string problem;
            switch (wanted)
            {
                case "none":
                    Use(None, wanted);
                    return null;
                case "coarse":
                    Use(Coarse, wanted);
                    return null;
                case MixedName:
                case "ticking":
                    return TryTicking(wanted, tickMicroseconds);
                case "fast":
                case "fast-unfenced":
                    bool fenced = wanted == "fast";
                    problem = NativeLibrary.Problem() ?? CounterClock.Problem(fenced);
                    if (problem == null)
                        Use(CounterClock.IsInternal ? Internal : fenced ? Fenced : Unfenced, wanted);
                    return problem;
                case "cpu":
                    problem = NativeLibrary.Problem() ?? CpuClock.Problem();
                    if (problem == null)
                    {
                        Use(Cpu, wanted);
                        ReadingCost.Say();
                    }
                    return problem;
                case "stopwatch":
                    return "this host has no Stopwatch";
                default:
                    if (!Features.UserClock)
                        return Features.Missing;
                    problem = UserClock.Problem(wanted.Substring(UserPrefix.Length));
                    if (problem == null)
                        Use(User, wanted);
                    return problem;
            }
        }
    }
}
