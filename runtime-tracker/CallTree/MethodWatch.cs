// The methods that a setting names, by their ids.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// Modules are looked through when one of their methods is asked for the first time. All overloads count, and of an async method
    /// or an iterator the steps that its state machine runs.
    /// </summary>
    internal sealed class MethodWatch
    {
        /// <summary>How long to wait for another thread that looks through a module, in milliseconds.</summary>
        private const int LongestWait = 1000;

        private readonly string setting, written;
        private readonly MethodName name;

        /// <summary>Are calls of async methods watched to their end, or the frame of whatever begins them?</summary>
        private readonly bool toTheEnd;

        private readonly SpinLock gate = new SpinLock();

        // Ids below resolvedTo are in ids if they are watched; what is stored first is read last.
        private volatile int[] ids = new int[0];
        private volatile int resolvedTo = ModuleTable.FirstId;

        internal MethodWatch(string setting, string written, bool toTheEnd)
        {
            this.setting = setting;
            this.written = written;
            this.toTheEnd = toTheEnd;
            name = new MethodName(written);
        }

        /// <summary><paramref name="guarded"/>: the caller holds the guard.</summary>
        internal bool Is(int id, bool guarded)
        {
            if (id < ModuleTable.FirstId || (id >= resolvedTo && !Resolve(guarded)))
                return false;
            foreach (int watched in ids)
                if (watched == id)
                    return true;
            return false;
        }

        /// <summary>Looks through the modules that came since; false when this is not the time for it.</summary>
        private bool Resolve(bool guarded)
        {
            if (!guarded && !Guard.Enter())
                return false;
            try
            {
                // Not for ever: whoever looks may wait for a type initializer that this thread runs.
                if (!gate.TryEnter(LongestWait))
                    return false;
                try
                {
                    foreach (ModuleInfo module in ModuleTable.All())
                        if (module.FirstId >= resolvedTo)
                        {
                            LookThrough(module);
                            resolvedTo = module.FirstId + module.MethodCount;
                        }
                }
                finally
                {
                    gate.Leave();
                }
                return true;
            }
            catch (Exception)
            {
                // Out of memory: as if no method had the name.
                return false;
            }
            finally
            {
                if (!guarded)
                    Guard.Leave();
            }
        }

        private void LookThrough(ModuleInfo module)
        {
            NamesResource names = NamesResource.Read(module.Names);
            if (names == null)
                return;
            List<int> found = new List<int>(), starters = new List<int>();
            for (int method = 0; method < names.MethodCount && method < module.MethodCount; method++)
            {
                int owner = names.Owner(method);
                if (!name.Matches(names, owner))
                    continue;
                found.Add(method);
                if (owner != method)
                    starters.Add(owner);
            }
            // A starter is over when the first step is: what it has started goes on.
            if (toTheEnd)
                foreach (int starter in starters)
                    found.Remove(starter);
            if (found.Count == 0)
                return;
            int[] more = new int[ids.Length + found.Count];
            Array.Copy(ids, more, ids.Length);
            for (int i = 0; i < found.Count; i++)
                more[ids.Length + i] = module.FirstId + found[i];
            ids = more;
        }

        /// <summary>
        /// Is the top frame of the thread, which is about to close, the outermost call of all that have the name? A slice that ends with
        /// a suspension is not the end of its call.
        /// </summary>
        internal bool IsOver(ThreadTree tree)
        {
            int depth = tree.Depth;
            Frame[] frames = tree.Frames;
            if (!Is(tree.Nodes[frames[depth].Node].Id, true) || (depth < tree.FoldedFrom && tree.Nodes[frames[depth].Node].Recursion > 0) || (tree.Async != null && tree.Async.IsSuspended(depth)))
                return false;
            for (int i = depth - 1; i > 0; i--)
                if ((tree.Nodes[frames[i].Node].Flags & Node.Watched) != 0 && Is(tree.Nodes[frames[i].Node].Id, true))
                    return false;
            return true;
        }

        /// <summary>The program ends: a name that no method of any module has was probably mistyped.</summary>
        internal void SayIfAbsent()
        {
            if (Resolve(true) && ids.Length == 0)
                Host.Say("setting " + setting + "=" + written + ": no instrumented module has such a method");
        }
    }
}
