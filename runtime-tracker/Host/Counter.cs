// 64-bit counters with one writer and readers on other threads: never read half old and half new, on 32-bit runtimes either.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal static class Counter
    {
        /// <summary>Adds; only the counter's own thread may.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static void Add(ref long counter, long value)
        {
            if (IntPtr.Size == 8)
                counter += value;
            else
                Wide32.Set(ref counter, counter + value);
        }

        /// <summary>Sets; only the counter's own thread may.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static void Set(ref long counter, long value)
        {
            if (IntPtr.Size == 8)
                counter = value;
            else
                Wide32.Set(ref counter, value);
        }

        /// <summary>Reads, on any thread.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static long Read(ref long counter)
        {
            return IntPtr.Size == 8 ? counter : Wide32.Read(ref counter);
        }
    }

    /// <summary>Where a plain 64-bit store is two.</summary>
    internal static class Wide32
    {
        internal static void Set(ref long counter, long value)
        {
            Interlocked.Exchange(ref counter, value);
        }

        /// <summary>Not by Interlocked.Read, which Silverlight lacks.</summary>
        internal static long Read(ref long counter)
        {
            return Interlocked.CompareExchange(ref counter, 0, 0);
        }
    }
}
