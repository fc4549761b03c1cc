// The runtime's own count of what a thread has allocated (the setting alloc).
using System;
using System.Reflection;

namespace Instrumenter
{
    /// <summary>
    /// .NET since 2.0, Mono since 6 and NativeAOT have GC.GetAllocatedBytesForCurrentThread, which allocates nothing itself. It is found by
    /// its name, once, by the session's start.
    /// </summary>
    internal static class AllocatedBytes
    {
        private delegate long Reading();

        private static Reading reading;

        /// <summary>Is it read? False: nobody has asked for it, or the runtime has none.</summary>
        internal static bool IsCounted;

        /// <summary>Somebody has asked for it, and the runtime has none.</summary>
        internal static bool IsMissing;

        /// <summary>Chosen once, before the first tree is made. Never throws.</summary>
        internal static void Begin()
        {
            if (!Settings.Alloc)
                return;
            try
            {
                MethodInfo count = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
                reading = count == null ? null : (Reading)Delegate.CreateDelegate(typeof(Reading), count);
                IsCounted = reading != null && reading() >= 0;
            }
            catch (Exception)
            {
                // It was trimmed away, or this runtime only names it.
            }
            IsMissing = !IsCounted;
        }

        /// <summary>The bytes that the calling thread has allocated so far. Only where <see cref="IsCounted"/>.</summary>
        [System.Runtime.CompilerServices.MethodImpl((System.Runtime.CompilerServices.MethodImplOptions)256)]
        internal static long Now()
        {
            return reading();
        }
    }
}
