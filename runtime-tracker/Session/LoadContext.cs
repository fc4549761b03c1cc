// The load context that the tracker is in, which may be unloaded while the process goes on, and the process's first one: .NET alone has
// contexts.
using System;
using System.Collections;
using System.IO;
using System.Reflection;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// A plug-in that brings its tracker along is unloaded when nothing outside its context leads into that any more. The
    /// tracker's thread and all that it has asked the process for do, so they go when the context is reported to go.
    /// </summary>
    internal static class LoadContext
    {
        private static int asked;
        private static Action<object> told;
        private static Type type;
        private static object first;

        // A weak reference: a context that is no longer referred to is unloaded by its finalizer.
        private static WeakReference own;

        private static volatile bool processEnds;

        /// <summary>
        /// True if the tracker lies elsewhere than the program: then it is a plug-in's, and asks before anything is
        /// recorded. To ask takes .NET a millisecond, so the tracker's thread does it for all others.
        /// </summary>
        internal static bool IsPlugins()
        {
            if (Host.IsFramework)
                return false;
            string location = typeof(LoadContext).Assembly.Location, program = AppDomain.CurrentDomain.BaseDirectory;
            return location.Length != 0 && !(location.StartsWith(program, StringComparison.Ordinal) && Path.GetFileName(location).Length == location.Length - program.Length);
        }

        /// <summary>
        /// Registers for the unloading of the own context, once, if it can be unloaded. True: it is being unloaded
        /// already. Throws where there are no contexts.
        /// </summary>
        internal static bool HearUnloading()
        {
            if (Host.IsFramework || Interlocked.Exchange(ref asked, 1) != 0 || !ModuleInfo.IsCollectible(typeof(LoadContext).Assembly))
                return false;
            // The end of the process is reported to all contexts, and to the first one first.
            HearEnd();
            object context = type.GetMethod("GetLoadContext").Invoke(null, new object[] { typeof(LoadContext).Assembly });
            own = new WeakReference(context, true);
            type.GetMethod("add_Unloading").Invoke(context, new object[] { told });
            foreach (object known in (IEnumerable)type.GetMethod("get_All").Invoke(null, null))
                if (known == context)
                    return false;
            return true;
        }

        /// <summary>
        /// Registers for the end of the process, which is reported here before other handlers run. Throws where there
        /// are no contexts.
        /// </summary>
        internal static void HearEnd()
        {
            if (Host.IsFramework || type != null)
                return;
            type = ReflectedTypes.OfLoadContexts();
            first = type.GetMethod("get_Default").Invoke(null, null);
            told = Told;
            type.GetMethod("add_Unloading").Invoke(first, new object[] { told });
        }

        private static void Told(object context)
        {
            if (context == first)
            {
                processEnds = true;
                try
                {
                    Session.HearExitLast();
                }
                catch (Exception)
                {
                    // A host that reports its end to no one.
                }
            }
            else if (!processEnds)
                Session.Unload();
        }

        /// <summary>Nothing that outlives the context leads here any more: the runtime holds one that is being unloaded.</summary>
        internal static void Remove()
        {
            MethodInfo remove = type.GetMethod("remove_Unloading");
            remove.Invoke(first, new object[] { told });
            object context = own.Target;
            if (context != null)
                remove.Invoke(context, new object[] { told });
        }
    }
}
