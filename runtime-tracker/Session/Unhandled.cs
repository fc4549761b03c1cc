// Unhandled exceptions: recorded before the program dies of them.
using System;
using System.Reflection;

namespace Instrumenter
{
    internal static class Unhandled
    {
        internal static void Install()
        {
            AppDomain.CurrentDomain.UnhandledException += Told;
        }

        internal static void Remove()
        {
            AppDomain.CurrentDomain.UnhandledException -= Told;
        }

        private static void Told(object domain, UnhandledExceptionEventArgs e)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree != null && (tree.Depth > 0 || tree.ExceptionsInFlight != null))
                ExceptionsInFlight.Tell(tree, ExceptionInFlightEvent.Unhandled, e.ExceptionObject, tree.Depth);
            bool entered = Guard.Enter();
            try
            {
                PrintForMono(e.ExceptionObject);
            }
            catch (Exception)
            {
                // An exception with a text that throws.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
            Session.Write("unhandled");
        }

        /// <summary>
        /// Mono prints the exception itself only when there is no listener, and that shall look as without this one:
        /// unless the program listens too, the same is printed here.
        /// </summary>
        private static void PrintForMono(object exception)
        {
            if (!Features.OldHosts)
                return;
            FieldInfo field = typeof(AppDomain).GetField("UnhandledException", BindingFlags.Instance | BindingFlags.NonPublic);
            if (!Host.IsMono || field == null || exception == null)
                return;
            Delegate listeners = (Delegate)field.GetValue(AppDomain.CurrentDomain);
            if (listeners != null && listeners.GetInvocationList().Length == 1)
                Host.Print(Environment.NewLine + "Unhandled Exception:" + Environment.NewLine + exception + Environment.NewLine);
        }
    }
}
