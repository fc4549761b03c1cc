// The contract between an instrumented module and the tracker: the methods that injected code calls.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// Counts and times the calls of instrumented methods, one call tree per thread. Nothing ever throws out of here, but for
    /// the overflow of the stack on Mono (StackRoom.cs).
    /// No class of the tracker but FirstSwitches has a type initializer: the first caller may itself be one, with locks held.
    /// </summary>
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Reserves <paramref name="methodCount"/> global ids for the module of <paramref name="helper"/>; its assembly
        /// carries the names resource. Returns the first id, at least 2^24; 0 when the ids are used up.
        /// </summary>
        public static int Register(RuntimeTypeHandle helper, int methodCount)
        {
            int id = 0;
            try { } finally { id = RegisterUnbroken(helper, methodCount); }
            return id;
        }

        private static int RegisterUnbroken(RuntimeTypeHandle helper, int methodCount)
        {
            bool entered = Guard.Enter();
            try
            {
                FirstSwitches.Make();
                int id = ModuleTable.Add(helper, methodCount);
                if (methodCount >= 0 && Features.Control)
                    SwitchRules.ModuleCame();
                if (Settings.Covers)
                    Roots.ModuleCame(id);
                return id;
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
            try { } finally { ConfigureUnbroken(settings); }
        }

        private static void ConfigureUnbroken(string settings)
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
        /// From now on <paramref name="off"/> says of each method of the module with the first id
        /// <paramref name="first"/> whether it is switched off: 0 while it is not.
        /// </summary>
        public static void RegisterSwitches(int first, byte[] off)
        {
            try { } finally { RegisterSwitchesUnbroken(first, off); }
        }

        private static void RegisterSwitchesUnbroken(int first, byte[] off)
        {
            bool entered = Guard.Enter();
            try
            {
                if (off != null)
                    Switches.Tell(first, off);
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
        /// As <see cref="WhenEnteringMethod"/>, called by a module that has looked into the bytes which it has given to
        /// <see cref="RegisterSwitches"/>: the method is on.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        public static int WhenEnteringSwitchedOn(int id)
        {
            return EnterRecorded(id);
        }

        /// <summary>
        /// Opens a frame for the method with the global id <paramref name="id"/>. Returns its token, the frame's index in
        /// its thread's stack, from 1; 0 when nothing was recorded.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        public static int WhenEnteringMethod(int id)
        {
            int at = id - Registry.FirstId;
            if ((uint)at < FirstSwitches.Count && FirstSwitches.Off[at] != 0)
                return 0;
            return EnterRecorded(id);
        }

        // A method of its own, which is not put into the program's: these would be larger, and take longer to compile. With the choice of the
        // clock in them Mono made 3.4 MB of mcs's methods, now 3.0. Hot as those of CalibrationCalls are: as long as a program goes on to
        // call new methods, .NET compiles no code again, and what was compiled in its first step takes three times as long.
        // While a clock ticks it takes no call: what calls anything but the thread's tree ends the method, so that it saves few registers.
        // ThreadTree.Line says that the fast way is open, and that no tick has come. It is looked at first and last.
        [MethodImpl(HotCode.Hot)]
        private static int EnterRecorded(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            if (Clock.Kind != Clock.Ticking || IntPtr.Size != 8)
                return EnterByClock(id);
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return ThreadTree.EnterFirst(id);
            // Before all else: a tick from here on comes within the probe.
            tree.InProbe = 1;
            if ((uint)(id - Registry.FirstId) >= FirstSwitches.Count && Switches.IsHidden(id))
            {
                tree.InProbe = 0;
                return 0;
            }
            if (tree.Line != Clock.Tick)
                return tree.EnterAfterTick(id);
            int found = tree.Slots[tree.Top * NodeTree.SlotsPerNode + (id & (NodeTree.SlotsPerNode - 1))];
            ref Node node = ref tree.Nodes[found];
            if (node.Id != id)
                return tree.EnterOther(id);
            long calls = node.Calls + 1;
            if ((node.Flags & Node.Marks) != 0 || (calls & StackRoom.CallsBetween) == 0)
                return tree.EnterTicking(found);
            node.Calls = calls;
            int depth = tree.Depth + 1;
            ref Frame frame = ref tree.Frames[depth];
            frame.Node = found;
            tree.Top = found;
            tree.Depth = depth;
            // As late as can be.
            long now = Clock.Tick;
            frame.Start = now;
            if (now != tree.Line)
                return tree.EnterAtTick(id);
            tree.InProbe = 0;
            return depth;
        }

        /// <summary>The same by another clock. Without 64-bit stores there is no fast way.</summary>
        [MethodImpl(HotCode.Hot)]
        private static int EnterByClock(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            if (IntPtr.Size != 8)
                return ThreadTree.EnterSlowly(id);
            // Not in the program's methods, which this look would make larger.
            if ((uint)(id - Registry.FirstId) >= FirstSwitches.Count && Switches.IsHidden(id))
                return 0;
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.State != Control.OpenState)
                return ThreadTree.EnterSlowly(id);
            int found = tree.Slots[tree.Top * NodeTree.SlotsPerNode + (id & (NodeTree.SlotsPerNode - 1))];
            ref Node node = ref tree.Nodes[found];
            if (node.Id != id)
                return tree.EnterOther(id);
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            node.Calls = calls;
            // There is room for it: who made the node has seen to that.
            int depth = tree.Depth + 1;
            ref Frame frame = ref tree.Frames[depth];
            frame.Node = found;
            frame.Start = Clock.Now();
            if (frame.Start > tree.NextLook)
                frame.Start = tree.Look(frame.Start);
            tree.Top = frame.Node;
            tree.Depth = depth;
            return depth;
        }

        /// <summary>
        /// Counts a call of the method with the global id <paramref name="id"/>, which is on, calls nothing, cannot throw, and is so small that
        /// compilers put it in line. While a clock ticks it gets no frame: the ticks that fall into it are its caller's, as its time is.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        public static void WhenVisitingMethod(int id)
        {
            if (id < 0)
            {
                HotCode.NeverLeave((int)(long)id);
                return;
            }
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.Line != Clock.Tick)
            {
                if (tree == null || tree.Line >= 0 || !tree.VisitFolded(id))
                    VisitSlowly(id);
                return;
            }
            tree.InProbe = 1;
            int found = tree.Slots[tree.Top * NodeTree.SlotsPerNode + (id & (NodeTree.SlotsPerNode - 1))];
            ref Node node = ref tree.Nodes[found];
            if (node.Id != id || (node.Flags & Node.Marks) != 0)
            {
                if (!tree.VisitOther(id))
                    VisitSlowly(id);
                return;
            }
            node.Calls++;
            tree.InProbe = 0;
        }

        // No part of the fast way, which it would make larger.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void VisitSlowly(int id)
        {
            MethodPaces.NoteShort(id);
            WhenLeavingMethod(WhenEnteringSwitchedOn(id));
        }

        /// <summary>
        /// Closes the frame with this token; frames above it are closed first and counted as resynchronised. Token 0 and a
        /// token above the top of the stack do nothing.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        public static void WhenLeavingMethod(int token)
        {
            if (token <= 0)
                return;
            LeaveRecorded(token);
        }

        [MethodImpl(HotCode.Hot)]
        private static void LeaveRecorded(int token)
        {
            if (token < 0)
            {
                HotCode.NeverLeave((int)(long)token);
                return;
            }
            if (Clock.Kind != Clock.Ticking || IntPtr.Size != 8)
            {
                LeaveByClock(token);
                return;
            }
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            tree.InProbe = 1;
            Frame[] frames = tree.Frames;
            if (token != tree.Depth || Clock.Tick != tree.Line || (frames[token].Start & Clock.TimedBit) != 0)
            {
                tree.LeaveAtTick(token);
                return;
            }
            // Not by the node, so that the next call does not wait for what this one has found.
            tree.Top = frames[token - 1].Node;
            tree.Depth = token - 1;
            tree.InProbe = 0;
        }

        /// <summary>The same by another clock.</summary>
        [MethodImpl(HotCode.Hot)]
        private static void LeaveByClock(int token)
        {
            if (token < 0)
            {
                HotCode.NeverLeave((int)(long)token);
                return;
            }
            if (IntPtr.Size != 8)
            {
                ThreadTree.LeaveSlowly(token);
                return;
            }
            // Before all else, which then takes its time beside what comes after the call: a clock waits for what is under way.
            long now = Clock.NowIfPlain();
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            // Also when recording was stopped and went on since the clock was read: that time is not the call's.
            if (token != tree.Depth || tree.State != Control.OpenState)
            {
                tree.LeaveSlowly(token, now);
                return;
            }
            if (now > tree.NextLook)
                now = tree.LookAtEnd(now);
            ref Frame frame = ref tree.Frames[token];
            ref Node node = ref tree.Nodes[frame.Node];
            long elapsed = now - frame.Start;
            if (elapsed < node.Min || elapsed > node.Max)
                elapsed = tree.WidenTop(frame.Node, elapsed);
            node.Ticks += elapsed;
            tree.Top = node.Caller;
            tree.Depth = token - 1;
        }
    }
}
