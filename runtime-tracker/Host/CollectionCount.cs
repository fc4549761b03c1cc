// The runtime's own count of its collections, and of how long they held up the program (the setting collections).
using System;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// Every runtime counts them, Mono each generation for itself. .NET since 7 has GC.GetTotalPauseDuration, which is found by its name, once,
    /// by the session's start. Neither allocates.
    /// </summary>
    internal static class CollectionCount
    {
        private const long NanosecondsPerTick = 100;

        private static MachineSources.Pause pause;
        private static bool isOldApart;

        /// <summary>True if it is read. False: it is not requested, or the host has no such count.</summary>
        internal static bool IsCounted;

        /// <summary>True if the time is known, too.</summary>
        internal static bool HasPause
        {
            get { return pause != null; }
        }

        /// <summary>Chosen once, before the first tree is made; <paramref name="wanted"/>: the settings ask for it. Never throws.</summary>
        internal static void Begin(bool wanted)
        {
            if (!wanted || !Features.Alloc)
                return;
            try
            {
                isOldApart = Host.IsMono;
                IsCounted = Now() >= 0;
                MethodInfo total = typeof(GC).GetMethod("GetTotalPauseDuration", Type.EmptyTypes);
                pause = total == null ? null : (MachineSources.Pause)Delegate.CreateDelegate(typeof(MachineSources.Pause), total);
            }
            catch (Exception)
            {
                // The host has no count, or its time was trimmed away.
            }
        }

        /// <summary>The collections so far, of all generations.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static long Now()
        {
            int young = GC.CollectionCount(0);
            return isOldApart ? (long)young + GC.CollectionCount(1) : young;
        }

        /// <summary>For how many nanoseconds all of them have held up the program; 0 where that is not known.</summary>
        internal static long Pause()
        {
            return pause == null ? 0 : pause().Ticks * NanosecondsPerTick;
        }
    }
}
