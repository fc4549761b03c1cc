// The runtime's own count of what a thread has allocated (the setting alloc).
using System;
using System.Reflection;
using System.Runtime.CompilerServices;

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

        /// <summary>True if it is read. False: it is not requested, or the runtime has none.</summary>
        internal static bool IsCounted;

        /// <summary>It is requested, and the runtime has none.</summary>
        internal static bool IsMissing;

        /// <summary>Chosen once, before the first tree is made; <paramref name="wanted"/>: the settings ask for it. Never throws.</summary>
        internal static void Begin(bool wanted)
        {
            if (!wanted || !Features.Alloc)
                return;
            try
            {
                MethodInfo count = typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", Type.EmptyTypes);
                reading = count == null ? null : (Reading)Delegate.CreateDelegate(typeof(Reading), count);
                IsCounted = reading != null && reading() >= 0;
                if (Features.OldHosts && IsCounted && Host.IsMono)
                    MakeTypes();
            }
            catch (Exception)
            {
                // It was trimmed away, or this runtime only names it.
            }
            IsMissing = !IsCounted;
        }

        /// <summary>
        /// Mono makes an object for a class when it first compiles code that uses it, on the program's thread. For
        /// classes of the tracker that is done now, while no frame is open.
        /// </summary>
        private static void MakeTypes()
        {
            try
            {
                foreach (Type type in typeof(AllocatedBytes).Assembly.GetTypes())
                    if (!type.ContainsGenericParameters && !type.IsInterface)
                        RuntimeHelpers.RunClassConstructor(type.TypeHandle);
            }
            catch (Exception)
            {
                // Then their bytes count for whatever method runs first.
            }
        }

        /// <summary>The bytes that the calling thread has allocated so far. Only where <see cref="IsCounted"/>.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static long Now()
        {
            return reading();
        }
    }
}
