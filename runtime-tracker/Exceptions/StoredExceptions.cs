// The exceptions that async methods have stored in their tasks: an await that throws one of them again throws no new one.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// For all threads, as an await may go on elsewhere. No exception is kept alive. One that another has displaced, which the
    /// identity's hash decides, is taken for a new one when it is thrown again. Used inside the guard.
    /// </summary>
    internal static class StoredExceptions
    {
        private const int Most = 4096;

        private static WeakReference[] slots;

        /// <summary>
        /// Nothing is kept for null and for the abort of a thread: Mono ends if a thread that is aborted makes a weak reference.
        /// </summary>
        internal static void Keep(object exception)
        {
            if (exception == null || exception is ThreadAbortException || Has(exception))
                return;
            if (slots == null)
                Interlocked.CompareExchange(ref slots, new WeakReference[Most], null);
            slots[RuntimeHelpers.GetHashCode(exception) & (Most - 1)] = new WeakReference(exception);
        }

        internal static bool Has(object exception)
        {
            WeakReference[] known = slots;
            if (known == null || exception == null)
                return false;
            WeakReference slot = known[RuntimeHelpers.GetHashCode(exception) & (Most - 1)];
            return slot != null && slot.Target == exception;
        }
    }
}
