// The contract between an instrumented module and the tracker: the methods that injected code calls.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Counts and times the calls of instrumented methods, one call tree per thread. Nothing ever throws out of here.
    /// No class of the tracker has a type initializer: the first caller may itself be a type initializer, with locks held.
    /// </summary>
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Reserves <paramref name="methodCount"/> global ids for the module of <paramref name="holder"/>, whose assembly
        /// carries the names resource. Returns the first id, at least 2^24; 0 when the ids are used up.
        /// </summary>
        public static int Register(RuntimeTypeHandle holder, int methodCount)
        {
            bool entered = Guard.Enter();
            try
            {
                return Registry.AddModule(holder, methodCount);
            }
            catch (Exception)
            {
                return 0;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>Takes the settings that a module brings with it: a line name=value each.</summary>
        public static void Configure(string settings)
        {
            bool entered = Guard.Enter();
            try
            {
                if (settings != null)
                    Settings.BakeIn(settings);
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

        /// <summary>
        /// Opens a frame for the method with the global id <paramref name="id"/>. Returns its token, the frame's index in
        /// its thread's stack, from 1; 0 when nothing was recorded.
        /// </summary>
        public static int WhenEnteringMethod(int id)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.State != Control.OpenState || id < Registry.FirstId)
                return ThreadTree.EnterSlowly(id);
            Frame[] frames = tree.Frames;
            int depth = tree.Depth;
            Node caller = frames[depth].Node;
            if (++depth >= frames.Length)
                return ThreadTree.EnterSlowly(id);
            ref Frame frame = ref frames[depth];
            Node node = frame.Node;
            if (node == null || node.Id != id || node.Parent != caller)
            {
                Node[] slots = caller.Slots;
                node = slots[id & (slots.Length - 1)];
                while (node != null && node.Id != id)
                    node = node.Chain;
                if (node == null)
                    return ThreadTree.EnterSlowly(id);
                frame.Node = node;
            }
            node.Calls++;
            frame.Start = Clock.Now();
            tree.Depth = depth;
            return depth;
        }

        /// <summary>
        /// Closes the frame with this token; frames above it are closed first and counted as resynchronised. Token 0 and a
        /// token above the top of the stack do nothing.
        /// </summary>
        public static void WhenLeavingMethod(int token)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            if (token != tree.Depth || tree.State != Control.OpenState || token <= 0)
            {
                tree.LeaveSlowly(token);
                return;
            }
            long now = Clock.Now();
            // Held up before the clock was read, while recording was stopped and went on: that time is not the call's.
            if (tree.State != Control.OpenState)
            {
                tree.LeaveSlowly(token);
                return;
            }
            Frame[] frames = tree.Frames;
            ref Frame frame = ref frames[token];
            Node node = frame.Node;
            long elapsed = now - frame.Start;
            if (elapsed < node.Min || elapsed > node.Max)
                elapsed = node.Widen(elapsed);
            node.Ticks += elapsed;
            tree.Depth = token - 1;
        }
    }
}
