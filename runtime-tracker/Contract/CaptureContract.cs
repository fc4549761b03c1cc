// The contract for calls that are seen with their values: what code in captured methods calls (docs/capture.md).
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Takes what a module says of its captured methods. <paramref name="firstId"/>: the module's first id.
        /// </summary>
        public static void DescribeCalls(int firstId, string text)
        {
            try { } finally { DescribeCallsUnbroken(firstId, text); }
        }

        private static void DescribeCallsUnbroken(int firstId, string text)
        {
            bool entered = Guard.Enter();
            try
            {
                if (firstId >= Registry.FirstId && text != null)
                    CapturedMethods.Add(firstId, text);
            }
            catch (Exception)
            {
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>At the head of a captured method. Returns the call, null when it is not to be seen.</summary>
        public static object WhenCallBegins(int id)
        {
            object call = null;
            try { } finally { call = BeginUnbroken(id); }
            return call;
        }

        private static object BeginUnbroken(int id)
        {
            CapturedMethod method = CapturedMethods.Of(id);
            if (method == null || !method.Wants())
                return null;
            StackRoom.Ensure();
            ThreadTree paused = ThreadTree.PauseFiguresOfThisThread();
            CapturedCall call = CapturedCall.Begin(method);
            if (paused != null)
                paused.ResumeFigures();
            return call;
        }

        /// <summary>An integer, bool or char; <paramref name="element"/> is its element type (ECMA-335, II.23.1.16).</summary>
        public static void CallInteger(object call, int position, long value, int element)
        {
            CapturedCall captured = call as CapturedCall;
            try
            {
            }
            finally
            {
                if (captured != null && captured.BeginValue(position))
                    try
                    {
                        captured.Values.Integer(value, element);
                    }
                    catch (Exception)
                    {
                        captured.FailValue();
                    }
                    finally
                    {
                        captured.EndValue(position);
                    }
            }
        }

        /// <summary>A float or double, by its element type.</summary>
        public static void CallReal(object call, int position, double value, int element)
        {
            CapturedCall captured = call as CapturedCall;
            try
            {
            }
            finally
            {
                if (captured != null && captured.BeginValue(position))
                    try
                    {
                        captured.Values.Real(value, element);
                    }
                    catch (Exception)
                    {
                        captured.FailValue();
                    }
                    finally
                    {
                        captured.EndValue(position);
                    }
            }
        }

        /// <summary>A reference.</summary>
        [DynamicDependency("_items", typeof(List<>))]
        [DynamicDependency("_size", typeof(List<>))]
        [DynamicDependency("_entries", typeof(Dictionary<,>))]
        [DynamicDependency("_count", typeof(Dictionary<,>))]
        [DynamicDependency("_freeCount", typeof(Dictionary<,>))]
        [DynamicDependency(DynamicallyAccessedMemberTypes.Fields, "System.Collections.Generic.Dictionary`2.Entry", "System.Private.CoreLib")]
        public static void CallObject(object call, int position, object value)
        {
            CapturedCall captured = call as CapturedCall;
            try
            {
            }
            finally
            {
                if (captured != null && captured.BeginValue(position))
                    try
                    {
                        captured.Any(position, value);
                    }
                    catch (Exception)
                    {
                        captured.FailValue();
                    }
                    finally
                    {
                        captured.EndValue(position);
                    }
            }
        }

        /// <summary>The object that a reference of this static type leads to.</summary>
        public static void CallValue<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.Fields)] T>(object call, int position, ref T value)
        {
            CapturedCall captured = call as CapturedCall;
            try
            {
            }
            finally
            {
                if (captured != null && captured.BeginValue(position))
                    try
                    {
                        captured.Any(position, value);
                    }
                    catch (Exception)
                    {
                        captured.FailValue();
                    }
                    finally
                    {
                        captured.EndValue(position);
                    }
            }
        }

        /// <summary>True if <see cref="CallValue"/> may have this type argument, which a ref struct may not
        /// be.</summary>
        public static bool CanCallValue(RuntimeTypeHandle type)
        {
            bool can = false;
            try { } finally { can = CanCallValueUnbroken(type); }
            return can;
        }

        private static bool CanCallValueUnbroken(RuntimeTypeHandle type)
        {
            bool entered = Guard.Enter();
            try
            {
                return !TypeFacts.IsByRefLike(Type.GetTypeFromHandle(type));
            }
            catch (Exception)
            {
                return false;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>The call is over by a return, or by a tail call.</summary>
        public static void WhenCallReturns(object call)
        {
            CapturedCall captured = call as CapturedCall;
            if (captured != null)
                End(captured, false);
        }

        /// <summary>The call is over by an exception.</summary>
        public static void WhenCallFails(object call)
        {
            CapturedCall captured = call as CapturedCall;
            if (captured != null)
                End(captured, true);
        }

        private static void End(CapturedCall call, bool byException)
        {
            try { } finally { EndUnbroken(call, byException); }
        }

        private static void EndUnbroken(CapturedCall call, bool byException)
        {
            ThreadTree paused = ThreadTree.PauseFiguresOfThisThread();
            call.End(byException);
            if (paused != null)
                paused.ResumeFigures();
        }

        /// <summary>The search for a handler of this exception passes the call. Returns false: the filter declines.</summary>
        public static bool WhenCallThrows(object exception, object call)
        {
            CapturedCall captured = call as CapturedCall;
            if (captured != null)
                captured.SeeException(exception);
            return false;
        }
    }
}
