// Where the figures of the machine come from that the runtime has: found once, by name.
using System;
using System.Reflection;

namespace Instrumenter
{
    /// <summary>Null: this runtime has no such thing, or it was trimmed away.</summary>
    internal sealed class MachineSources
    {
        internal delegate long Count(bool currentThread);
        internal delegate TimeSpan Time(bool currentThread);
        internal delegate TimeSpan Pause();

        internal readonly SystemFile File = new SystemFile();
        internal readonly ThreadTimes Threads = new ThreadTimes();

        /// <summary>Does <see cref="NativeFile.ProcessorTime"/> know it?</summary>
        internal bool HasProcessorTime;

        /// <summary>A property of Environment, and one of its value; null unless requested.</summary>
        internal PropertyInfo CpuUsage, TotalTime;

        /// <summary>Null until <see cref="FindCounts"/>.</summary>
        internal Count JitMethods;
        internal Time JitTime;
        internal Pause CollectionPause;

        private bool hasSought;

        internal delegate void Part();

        internal MachineSources()
        {
            try
            {
                // Without reflection: .NET makes code for calls through it.
                HasProcessorTime = !Host.IsWindows && NativeFile.ProcessorTime() >= 0;
            }
            catch (Exception)
            {
                // No such library.
            }
            if (Features.DynamicCode && !HasProcessorTime)
                Try(FindCpuUsage);
        }

        /// <summary>
        /// Finds the counts of the compiler and of the collections' pauses, once; false: that is done. A type of a name takes .NET
        /// 10 ms for the first time, as much as all else of a start: a short program does not pay for it.
        /// </summary>
        internal bool FindCounts()
        {
            if (hasSought || !Features.DynamicCode)
                return false;
            hasSought = true;
            Try(FindCompiler);
            Try(FindPause);
            return true;
        }

        /// <summary>Facts that the host lacks are left out.</summary>
        internal static void Try(Part part)
        {
            try
            {
                part();
            }
            catch (Exception)
            {
            }
        }

        // .NET 9 and later.
        private void FindCpuUsage()
        {
            PropertyInfo usage = typeof(Environment).GetProperty("CpuUsage");
            TotalTime = usage == null ? null : usage.PropertyType.GetProperty("TotalTime");
            CpuUsage = TotalTime == null ? null : usage;
        }

        // .NET 6 and later.
        private void FindCompiler()
        {
            Type compiler = ReflectedTypes.OfCoreLibrary("System.Runtime.JitInfo");
            if (compiler == null)
                return;
            Type[] parameters = { typeof(bool) };
            MethodInfo count = compiler.GetMethod("GetCompiledMethodCount", parameters);
            MethodInfo time = compiler.GetMethod("GetCompilationTime", parameters);
            JitMethods = (Count)Of(typeof(Count), count);
            JitTime = (Time)Of(typeof(Time), time);
        }

        // .NET 7 and later.
        private void FindPause()
        {
            MethodInfo pause = typeof(GC).GetMethod("GetTotalPauseDuration", Type.EmptyTypes);
            CollectionPause = (Pause)Of(typeof(Pause), pause);
        }

        private static Delegate Of(Type type, MethodInfo method)
        {
            return method == null ? null : Delegate.CreateDelegate(type, method);
        }
    }
}
