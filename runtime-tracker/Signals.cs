// Termination signals, where the runtime tells of them: System.Runtime.InteropServices.PosixSignalRegistration, .NET 6 and later.
using System;
using System.Reflection;

namespace Instrumenter
{
    internal static class Signals
    {
        // A registration ends with its object.
        private static object[] registrations;

        /// <summary>Asks to be told of SIGTERM and SIGINT; they then go on as if nobody had asked.</summary>
        internal static void Install()
        {
            try
            {
                Assembly library = typeof(object).Assembly;
                Type registration = library.GetType("System.Runtime.InteropServices.PosixSignalRegistration");
                Type signal = library.GetType("System.Runtime.InteropServices.PosixSignal");
                Type context = library.GetType("System.Runtime.InteropServices.PosixSignalContext");
                if (registration == null || signal == null || context == null)
                    return;
                Type handler = typeof(Action<>).MakeGenericType(context);
                MethodInfo create = registration.GetMethod("Create", new Type[] { signal, handler });
                Delegate told = Delegate.CreateDelegate(handler, typeof(Signals).GetMethod("Told", BindingFlags.NonPublic | BindingFlags.Static));
                registrations = new object[2];
                registrations[0] = create.Invoke(null, new object[] { Enum.Parse(signal, "SIGTERM"), told });
                registrations[1] = create.Invoke(null, new object[] { Enum.Parse(signal, "SIGINT"), told });
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
