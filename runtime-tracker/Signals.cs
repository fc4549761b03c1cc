// Termination signals, where the runtime tells of them: System.Runtime.InteropServices.PosixSignalRegistration, .NET 6 and later.
using System;
using System.Reflection;

namespace Instrumenter
{
    internal static class Signals
    {
        // A registration ends with its object.
        private static object[] registrations;

        // System.Runtime.InteropServices.PosixSignal
        private const int Hangup = -1, Interrupt = -2, Quit = -3, Terminate = -4;

        /// <summary>Asks to be told of SIGHUP, SIGINT, SIGQUIT and SIGTERM; they then go on as if nobody had asked.</summary>
        internal static void Install()
        {
            try
            {
                if (Environment.Version.Major <= 4)
                    return;
                // Written so that trimming and ahead-of-time compilers see what is wanted, and keep it.
                Type registration = Type.GetType("System.Runtime.InteropServices.PosixSignalRegistration, System.Private.CoreLib");
                Type signal = Type.GetType("System.Runtime.InteropServices.PosixSignal, System.Private.CoreLib");
                Type context = Type.GetType("System.Runtime.InteropServices.PosixSignalContext, System.Private.CoreLib");
                if (registration == null || signal == null || context == null)
                    return;
                Type handler = typeof(Action<>).MakeGenericType(context);
                MethodInfo create = registration.GetMethod("Create", new Type[] { signal, handler });
                Delegate told = Delegate.CreateDelegate(handler, typeof(Signals).GetMethod("Told", BindingFlags.NonPublic | BindingFlags.Static));
                int[] asked = { Terminate, Interrupt, Hangup, Quit };
                registrations = new object[asked.Length];
                for (int i = 0; i < asked.Length; i++)
                    registrations[i] = create.Invoke(null, new object[] { Enum.ToObject(signal, asked[i]), told });
            }
            catch (Exception)
            {
                // No signals here: the beat has to do.
            }
        }

        private static void Told(object context)
        {
            Session.Write("signal");
        }
    }
}
