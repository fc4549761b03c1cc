// Termination signals, where the runtime reports them: System.Runtime.InteropServices.PosixSignalRegistration, .NET 6
// and later.
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

        /// <summary>
        /// PosixSignalRegistration.Create, where an int stands for the PosixSignal that it is, and who
        /// takes any object takes a PosixSignalContext, too.
        /// </summary>
        private delegate object Creation(int signal, Action<object> told);

        /// <summary>Registers for SIGHUP, SIGINT, SIGQUIT and SIGTERM; they then take their usual course.</summary>
        internal static void Install()
        {
            try
            {
                if (Environment.Version.Major <= 4)
                    return;
                // Written so that trimming and ahead-of-time compilers see what is wanted, and keep it.
                Type registration = Type.GetType("System.Runtime.InteropServices.PosixSignalRegistration");
                MethodInfo create = registration == null ? null : registration.GetMethod("Create");
                if (create == null)
                    return;
                int[] asked = { Terminate, Interrupt, Hangup, Quit };
                registrations = new object[asked.Length];
                Creation creation = Directly(create);
                if (creation == null)
                    InstallBySignature(create, asked);
                else
                    for (int i = 0; i < asked.Length; i++)
                        registrations[i] = creation(asked[i], Told);
            }
            catch (Exception)
            {
                // No signals here: the beat has to do.
            }
        }

        internal static void Remove()
        {
            if (registrations != null)
                foreach (object registration in registrations)
                    if (registration != null)
                        ((IDisposable)registration).Dispose();
        }

        /// <summary>Null where a delegate has to have the very types of the method.</summary>
        private static Creation Directly(MethodInfo create)
        {
            try
            {
                return (Creation)Delegate.CreateDelegate(typeof(Creation), create, false);
            }
            catch (Exception)
            {
                return null;
            }
        }

        /// <summary>.NET makes code for what is invoked twice, which takes it longer.</summary>
        private static void InstallBySignature(MethodInfo create, int[] asked)
        {
            ParameterInfo[] parameters = create.GetParameters();
            Type signal = parameters[0].ParameterType, handler = parameters[1].ParameterType;
            Delegate told = Delegate.CreateDelegate(handler, typeof(Signals).GetMethod("Told", BindingFlags.NonPublic | BindingFlags.Static));
            for (int i = 0; i < asked.Length; i++)
                registrations[i] = create.Invoke(null, new object[] { Enum.ToObject(signal, asked[i]), told });
        }

        private static void Told(object context)
        {
            Session.Write("signal");
        }
    }
}
