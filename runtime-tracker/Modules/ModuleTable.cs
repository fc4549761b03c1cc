// The modules that have registered, and the ids of their methods.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    internal static class ModuleTable
    {
        /// <summary>Ids below this one come from modules that are not registered yet.</summary>
        internal const int FirstId = 1 << 24;

        private static SpinLock gate;
        private static int nextId;
        private static List<ModuleInfo> modules;

        // Modules are settled when they come. Before, at the program's start, that waits for the tracker's own thread.
        private static volatile bool settling;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>Adds the module of that helper type. Returns its first id; 0 when the ids are used up.</summary>
        internal static int Add(RuntimeTypeHandle helper, int methodCount)
        {
            if (methodCount < 0)
                return 0;
            ModuleInfo module = new ModuleInfo(Type.GetTypeFromHandle(helper), methodCount);
            int id = Add(module);
            if (settling)
                module.Settle();
            return id;
        }

        /// <summary>Settles the modules that are there; those that come from now on are settled at once.</summary>
        internal static void Settle()
        {
            settling = true;
            Thread.MemoryBarrier();
            foreach (ModuleInfo module in All())
                module.Settle();
        }

        /// <summary>Gives the module its ids. Returns the first one; 0 when the ids are used up.</summary>
        internal static int Add(ModuleInfo module)
        {
            int methodCount = module.MethodCount;
            using (Gate.Enter())
            {
                if (modules == null)
                    modules = new List<ModuleInfo>();
                int id = nextId == 0 ? FirstId : nextId;
                if (methodCount > int.MaxValue - id)
                    return 0;
                module.FirstId = id;
                modules.Add(module);
                nextId = id + methodCount;
                return id;
            }
        }

        /// <summary>All modules. To be asked for after the threads were written: then every id that they have is there.</summary>
        internal static ModuleInfo[] All()
        {
            using (Gate.Enter())
                return modules == null ? new ModuleInfo[0] : modules.ToArray();
        }

        /// <summary>How many ids are given away.</summary>
        internal static int IdCount
        {
            get { return nextId == 0 ? 0 : nextId - FirstId; }
        }
    }
}
