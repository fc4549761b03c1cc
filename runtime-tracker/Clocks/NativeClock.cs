// Clocks that no managed interface gives: the processor's time-stamp counter, the CPU time of a thread. They stand in
// libilinject_clock (clock/clock.h), which may lie beside the tracker.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security;
using System.Threading;

namespace System.Runtime.InteropServices
{
    /// <summary>
    /// .NET knows it by this name, wherever it is defined: such a function is called like managed code, so that reading a clock
    /// costs what the clock costs. Others pass over it.
    /// </summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class SuppressGCTransitionAttribute : Attribute
    {
    }
}

namespace Instrumenter
{
    /// <summary>Touched only when a setting asks for it: each call may find that there is no such library, or no native call at all.</summary>
    internal static class NativeClock
    {
        private const string Library = "libilinject_clock";

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_version();

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_invariant();

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_frequency();

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_match(out long nanoseconds);

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern IntPtr ilinject_clock_function(int fenced);

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_thread();

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_cpu();

        [DllImport(Library), SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_cpu_of(long clock);

        [DllImport(Library), SuppressGCTransition, SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_fenced();

        [DllImport(Library), SuppressGCTransition, SuppressUnmanagedCodeSecurity]
        internal static extern long ilinject_clock_unfenced();
    }

    internal static class NativeLibrary
    {
        private const long Version = 1;

        /// <summary>Null when the library can be called, else why not.</summary>
        internal static string Problem()
        {
            try
            {
                return NativeClock.ilinject_clock_version() == Version ? null : "libilinject_clock is of another version";
            }
            catch (DllNotFoundException)
            {
                return "libilinject_clock is not beside the tracker, or not for this system";
            }
            catch (EntryPointNotFoundException)
            {
                return "libilinject_clock is of another version";
            }
            catch (Exception e)
            {
                return "this host makes no native calls (" + e.GetType().FullName + ")";
            }
        }
    }

    /// <summary>The time-stamp counter. Mono, where a native call takes longer than the reading, gets it as an internal call.</summary>
    internal static class CounterClock
    {
        /// <summary>How long it has to be measured at least for its rate, in ns.</summary>
        private const long ShortestMeasurement = 2000000;

        /// <summary>Is it read through <see cref="InternalClock"/>?</summary>
        internal static bool IsInternal;

        private static long firstTicks, firstNanoseconds, stated;

        /// <summary>Null when the counter can be used, else why not. The library must be there.</summary>
        internal static string Problem(bool withFence)
        {
            if (NativeClock.ilinject_clock_invariant() == 0)
                return "the processor's time-stamp counter does not run at one rate";
            if (Host.IsMono)
            {
                try
                {
                    InternalClock.Bind(NativeClock.ilinject_clock_function(withFence ? 1 : 0));
                    InternalClock.Now(); // a trimmer has taken it away (Substitutions.xml), and it throws
                }
                catch (Exception e)
                {
                    return "this Mono takes no internal calls (" + e.GetType().FullName + ")";
                }
                IsInternal = true;
            }
            firstTicks = NativeClock.ilinject_clock_match(out firstNanoseconds);
            stated = NativeClock.ilinject_clock_frequency();
            return firstTicks == 0 && stated == 0 ? "the system has no clock to measure the time-stamp counter by" : null;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Fenced()
        {
            return NativeClock.ilinject_clock_fenced();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Unfenced()
        {
            return NativeClock.ilinject_clock_unfenced();
        }

        internal static long TicksPerSecond()
        {
            if (stated != 0)
                return stated;
            Pauses pauses = new Pauses();
            for (;;)
            {
                long nanoseconds, ticks = NativeClock.ilinject_clock_match(out nanoseconds);
                if (nanoseconds - firstNanoseconds >= ShortestMeasurement)
                {
                    pauses.End();
                    return Math.Max((long)((ticks - firstTicks) * 1e9 / (nanoseconds - firstNanoseconds)), 1);
                }
                pauses.Sleep(1);
            }
        }
    }

    /// <summary>Only for Mono, and only after <see cref="Bind"/>: elsewhere an internal call is the runtime's own.</summary>
    internal static class InternalClock
    {
        [DllImport("__Internal")]
        private static extern void mono_dangerous_add_raw_internal_call([MarshalAs(UnmanagedType.LPStr)] string name, IntPtr function);

        [MethodImpl(MethodImplOptions.InternalCall)]
        internal static extern long ReadCounter();

        internal static void Bind(IntPtr function)
        {
            mono_dangerous_add_raw_internal_call("Instrumenter.InternalClock::ReadCounter", function);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now()
        {
            return ReadCounter();
        }
    }

    /// <summary>CPU time of the thread, in ns. No call is inlined: with it Mono would look for the library.</summary>
    internal static class CpuClock
    {
        internal const long TicksPerSecond = 1000000000;

        /// <summary>Null when there is such a clock, else why not. The library must be there.</summary>
        internal static string Problem()
        {
            return NativeClock.ilinject_clock_cpu() < 0 ? "the system does not count the CPU time of threads" : null;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now()
        {
            return NativeClock.ilinject_clock_cpu();
        }

        /// <summary>By this other threads read the calling thread's clock.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long OfThisThread()
        {
            return NativeClock.ilinject_clock_thread();
        }

        /// <summary>The time of a thread; -1 when it has ended.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now(long thread)
        {
            return NativeClock.ilinject_clock_cpu_of(thread);
        }
    }
}
