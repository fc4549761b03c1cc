// The record of one thread: its call tree, and the stack of the frames that are open.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal struct Frame
    {
        internal int Node;
        internal long Start;
    }

    /// <summary>Written by its own thread; others read counters, the child lists, <see cref="Depth"/> and the frames below it.</summary>
    internal sealed partial class ThreadTree : NodeTree
    {
        private const int NotFolding = int.MaxValue, LeastFrames = 16;

        [ThreadStatic]
        internal static ThreadTree Current;

        internal readonly KnownThread Owner;

        /// <summary>
        /// Frame 0 is the root's. Longer than any path of the tree. Replaced when it grows; what a reader has got stays as it was.
        /// </summary>
        internal Frame[] Frames = new Frame[LeastFrames];

        /// <summary>The index of the top frame. Stored after the frame itself.</summary>
        internal volatile int Depth;

        /// <summary>The frame of an async call that has ended, and whose end has written the profile; 0: none.</summary>
        internal int FlushedDepth;

        /// <summary>What closes the fast way in and out, and the epoch that the thread has seen last.</summary>
        internal TreeState State
        {
            [MethodImpl((MethodImplOptions)256)]
            get { return state; }
            set
            {
                state = value;
                if (Clock.Kind == Clock.Ticking)
                    OpenOrCloseLine();
            }
        }

        private TreeState state;

        /// <summary>The frames that were open when the last profile was written.</summary>
        internal int LateDepth;

        /// <summary>The node of the topmost frame that is not folded, for the fast way in.</summary>
        internal int Top = Root;

        /// <summary>The index of the lowest folded frame: all above are folded too.</summary>
        internal volatile int FoldedFrom = NotFolding;

        internal long FoldedCalls;
        internal long DroppedCalls;

        /// <summary>The generation that all of this belongs to. Null: none that counts.</summary>
        internal volatile Generation Generation;

        /// <summary>How long nothing was recorded, as far as the starts of the open frames have been moved by it.</summary>
        internal long StoppedTicks;

        /// <summary>How often all nodes were dropped: the indexes of those before mean others now.</summary>
        internal volatile int Incarnation;

        /// <summary>Goes up before and after they are moved, or opened again.</summary>
        internal volatile int Moves;

        /// <summary>The thread's part for async methods; null until it runs one.</summary>
        internal volatile ThreadExtra Async;

        /// <summary>The exceptions of this thread; null until the first one.</summary>
        internal volatile ThreadExtra ExceptionsInFlight;

        /// <summary>By this other threads read this one's CPU time, where that is recorded.</summary>
        internal long CpuClock;

        /// <summary>How long the calls of each method took, and each call by itself; null when that is not recorded.</summary>
        internal volatile Histograms Histograms;
        internal volatile ThreadExtra Events;

        /// <summary>The thread's part of the call log; null when there is none.</summary>
        internal ThreadExtra Log;

        /// <summary>Make the events and the log of a thread; null when these are not recorded.</summary>
        internal static ThreadExtra.Maker EventMaker, LogMaker;

        /// <summary>What the clock's thread does after each tick, once some were noticed: a program that does little pays nothing. Null: nothing.</summary>
        internal static ThreadStart TickKeeper;

        private const int FewTicks = 8;

        // Ticks that threads have noticed while they kept none; roughly.
        private static int ticksNotKept;

        /// <summary>Nodes that count towards the budget.</summary>
        internal int NodeCount;

        /// <summary>The leaf that was a command's call and has ended last, and the id of the text. 0: it had none.</summary>
        internal int CommandLeaf, CommandText;

        /// <summary>The frames that are scopes; null until there is one.</summary>
        internal ThreadExtra Scopes;

        internal ThreadTree(KnownThread owner, Generation generation)
        {
            Owner = owner;
            Generation = generation;
            DropFolded();
            Frames[0].Node = Root;
            if (Clock.Kind == Clock.Ticking)
                BeginTicks();
            if (!Clock.IsPlain || IntPtr.Size != 8)
                State = TreeState.PlainHost;
            if (Clock.Kind == Clock.Cpu)
                CpuClock = Instrumenter.CpuClock.OfThisThread();
            if (AllocatedBytes.IsCounted || CollectionCount.IsCounted)
                State |= TreeState.CountingFigures;
            RecordCalls();
        }

        /// <summary>Begins to record single calls, as far as the settings want it.</summary>
        private void RecordCalls()
        {
            if (Settings.Histogram && Features.Timeline)
                Histograms = new Histograms();
            if (EventMaker != null)
                Events = EventMaker(this);
            if (Settings.Histogram || Settings.Timeline || Settings.Log)
                State |= TreeState.Recording;
        }

        /// <summary>
        /// The way in when another child is in the slot, or none. The fast way is open: nothing is folded, and there
        /// is room for a frame of each node that is there. In one piece, and not within the fast way: two methods
        /// that share a slot and take turns come here with each call.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        internal int EnterOther(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            // One in the slot that shares it with no other says that there is none.
            int found = Slots[Top * SlotsPerNode + (id & (SlotsPerNode - 1))];
            found = (Nodes[found].Flags & (Node.Listed | Node.Folded)) == 0 ? None : FindListed(Top, id);
            if (found == None)
                return EnterUnlisted(id);
            if (Clock.Kind == Clock.Ticking)
                return EnterTicking(found);
            ref Node node = ref Nodes[found];
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            node.Calls = calls;
            int depth = Depth + 1;
            ref Frame frame = ref Frames[depth];
            frame.Node = found;
            frame.Start = Clock.Now();
            if (frame.Start > NextLook)
                frame.Start = Look(frame.Start);
            Top = found;
            Depth = depth;
            return depth;
        }

        /// <summary>The way in when the thread has no tree yet.</summary>
        internal static int EnterFirst(int id)
        {
            return (uint)(id - Registry.FirstId) >= FirstSwitches.Count && Switches.IsHidden(id) ? 0 : EnterSlowly(id);
        }

        /// <summary>The way in when the fast one is closed: the first of the three below that can open a frame does.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static int EnterSlowly(int id)
        {
            int token = 0;
            try { } finally { token = EnterUnbroken(id); }
            if (Current != null)
                Current.InProbe = 0;
            return token;
        }

        [MethodImpl(HotCode.Hot)]
        private static int EnterUnbroken(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            if (Control.OpenState == Control.Stopped && !Schedule.StartsWith(id, false))
                return 0;
            ThreadTree tree = Current;
            if (tree == null)
                return EnterFirst(null, id);
            int token = 0;
            tree.BeginProbe();
            if (Settings.Covers && Switches.IsOff(id))
                return tree.NoteOff(id);
            if (tree.State == (Control.OpenState | TreeState.CountingFigures) && Features.Alloc)
                token = tree.EnterWithFigures(id);
            if (token == 0 && tree.IsOnlyRecording && id >= Registry.FirstId)
                token = tree.EnterRecordingOnly(id);
            return token != 0 ? token : tree.EnterKnown(id);
        }

        /// <summary>
        /// The way in when the recording of single calls alone closes the fast one. Returns 0, with nothing done, where something has to be
        /// made for the call.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        private int EnterRecordingOnly(int id)
        {
            int known = FindKnown(id);
            if (known == None)
                return 0;
            EnsureRoom(known);
            return OpenKnown(known);
        }

        /// <summary>
        /// The way in when the thread has a tree: brings it into the phase that holds, and its exceptions to where they are. A path that is
        /// not there yet is left to <see cref="EnterFirst"/>.
        /// </summary>
        [MethodImpl(HotCode.Hot)]
        private int EnterKnown(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            if ((State & TreeState.Busy) != 0)
                return 0;
            StackRoom.Ensure();
            if (!Follow().Running)
                return 0;
            if (id < Registry.FirstId)
            {
                DroppedCalls++;
                return 0;
            }
            if ((State & TreeState.InFlight) != 0)
                ExceptionsInFlight.Enter(this);
            if ((State & TreeState.Triggered) != 0 && !Wants(id))
                return 0;
            if (Clock.Tick != lastTick && MayUnfold())
                return EnterFirst(this, id);
            int known = FindKnown(id);
            if (known == None)
                known = BeginFolding(id);
            return known != None ? OpenKnown(known) : EnterFirst(this, id);
        }

        /// <summary>The way in when something has to be made: the thread's tree (null: it has none yet), a node, or room for a frame.</summary>
        private static int EnterFirst(ThreadTree tree, int id)
        {
            if (id < Registry.FirstId || !Guard.Enter())
                return 0;
            try
            {
                if (tree == null)
                {
                    tree = Registry.AddThread();
                    if (tree == null)
                        return 0;
                    Current = tree;
                    tree.State |= TreeState.Busy;
                    tree.WatchEnd();
                }
                // The session may begin without recording, or with this call.
                if (!tree.Follow().Running && !Schedule.StartsWith(id, true))
                    return 0;
                tree.Follow();
                // The session may have begun with this call, and switched its method off.
                if (Switches.IsOff(id) || ((tree.State & TreeState.Triggered) != 0 && !tree.Wants(id)))
                    return 0;
                int pushed = tree.Push(id);
                // The first call of a thread: what it has allocated before is nobody's.
                tree.SkipFigures();
                return pushed;
            }
            catch (Exception)
            {
                // Out of memory: the call is not recorded.
                if (tree != null)
                    tree.DroppedCalls++;
                return 0;
            }
            finally
            {
                Guard.Leave();
            }
        }

        [MethodImpl((MethodImplOptions)256)]
        private int OpenKnown(int node)
        {
            return (State & TreeState.CountingFigures) == 0 ? Open(node) : OpenWithFigures(node);
        }

        /// <summary>As the fast way in does: <see cref="StackRoom.CallsBetween"/>.</summary>
        private void EnsureRoom(int node)
        {
            if (((Nodes[node].Calls + 1) & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
        }

        /// <summary>Is it for the recording of single calls alone that the fast way is closed?</summary>
        private bool IsOnlyRecording
        {
            get { return (State & ~TreeState.CountingFigures) == (Control.OpenState | TreeState.Recording); }
        }

        /// <summary>The node that the call goes to, if nothing has to be allocated for it; else none.</summary>
        private int FindKnown(int id)
        {
            int depth = Depth + 1;
            if (depth >= Frames.Length)
                return None;
            if (FoldedFrom == NotFolding)
                return Find(Frames[depth - 1].Node, id);
            return depth < Folded.Length ? FoldedNodeOf(id) : None;
        }

        /// <summary>Opens a frame, making what it needs.</summary>
        private int Push(int id)
        {
            int depth = Depth + 1;
            if (depth >= Frames.Length)
            {
                Frame[] larger = new Frame[Frames.Length * 2];
                Array.Copy(Frames, larger, Frames.Length);
                Frames = larger;
                MakeRoomForUnrecorded();
            }
            if (Clock.Tick != lastTick && MayUnfold())
                Unfold();
            if (FoldedFrom == NotFolding)
            {
                int caller = Frames[depth - 1].Node, node = Find(caller, id);
                if (node == None)
                    node = NewNode(caller, id);
                if (node != None)
                    return Open(node);
            }
            MakeRoomForFolded();
            int folded = MakeFoldedNode(id);
            if (FoldedFrom == NotFolding)
            {
                FoldedFrom = depth;
                State |= TreeState.Folding;
            }
            return Open(folded);
        }

        /// <summary>Puts a frame of the node on the stack, for which there is room.</summary>
        [MethodImpl(HotCode.Hot)]
        private int Open(int node)
        {
            if (node < 0)
                return HotCode.Never((int)(long)node);
            int depth = Depth + 1;
            if (depth >= FoldedFrom)
                OpenFolded(depth, node);
            if (Clock.Kind == Clock.Ticking)
                SeeTick(Depth, true);
            Counter.Add(ref Nodes[node].Calls, 1);
            Frames[depth].Node = node;
            long now = Clock.Now();
            if (now > NextLook)
                now = Look(now);
            if (Clock.Kind == Clock.Ticking && IsTimed(node))
                now = Clock.Timed();
            else if (Clock.Kind == Clock.Ticking && depth >= FoldedFrom)
                now = lastTick;
            Counter.Set(ref Frames[depth].Start, now);
            Top = Recorded(depth);
            Depth = depth;
            if ((Nodes[node].Flags & Node.Owner) != 0)
                SeeRoot();
            if (Log != null)
                Log.Open(Nodes[node].Id, depth, Frames[depth].Start);
            return depth;
        }

        /// <summary>None when the calls have to be folded: the budget or memory is used up, or the recursion too deep.</summary>
        private int NewNode(int caller, int id)
        {
            int recursion = RecursionOfChild(caller, id);
            if (FoldsAll || recursion >= Settings.RecursionLimit || !HasRoom() || !Registry.TakeNode(IsOwner(caller, id)))
                return None;
            NodeCount++;
            return AddWatchedOrNot(caller, id, recursion);
        }

        /// <summary>
        /// The frame with this token, just opened, runs a later slice of an async call with this place: it moves from the method's
        /// node below its caller to the node for the place. It stays where there is no room for another node.
        /// </summary>
        internal void PlaceFrame(int token, int place)
        {
            if (token != Depth)
                return;
            if (token >= FoldedFrom)
            {
                OwnFolded(token, place);
                return;
            }
            int node = Frames[token].Node, caller = Nodes[node].Caller, id = Nodes[node].Id, known = FindPlaced(caller, id, place);
            int found = known != None ? known : MakePlaced(caller, id, Nodes[node].Recursion, place);
            if (found == None)
                return;
            if (known == None && Clock.IsMixed)
                BeginTimed(found);
            if (known == None && (Nodes[node].Flags & Node.Watched) != 0)
                Watch(found);
            if (Clock.Kind == Clock.Ticking)
                KeepTimed(found, token);
            Counter.Add(ref Nodes[node].Calls, -1);
            Counter.Add(ref Nodes[found].Calls, 1);
            Frames[token].Node = found;
            Top = found;
            if ((Nodes[found].Flags & Node.Owner) != 0)
                SeeRoot();
        }

        private int AddWatchedOrNot(int caller, int id, int recursion)
        {
            bool watched = Schedule.Watches(id);
            int node = Add(caller, id, recursion);
            if (Settings.Covers && Roots.Has(id))
                Nodes[node].Flags |= Node.Owner;
            if (Clock.IsMixed)
                BeginTimed(node);
            if (watched)
                Watch(node);
            return node;
        }

        /// <summary>The way out where there is no fast one.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void LeaveSlowly(int token)
        {
            long now = Clock.NowIfPlain();
            ThreadTree tree = Current;
            if (tree != null)
                tree.LeaveSlowly(token, now);
        }

        /// <summary>
        /// The way out when the fast one is closed, or frames above are still open. The token is above 0; the time is now, where
        /// <see cref="Clock.NowIfPlain"/> has one.
        /// </summary>
        internal void LeaveSlowly(int token, long now)
        {
            try { } finally { LeaveUnbroken(token, now); }
            InProbe = 0;
        }

        private void LeaveUnbroken(int token, long now)
        {
            BeginProbe();
            if (token > Depth || ((State & TreeState.CountingFigures) != 0 && Features.Alloc && LeaveWithFigures(token, now) != 0))
                return;
            bool paused = PauseFigures();
            int unfolded = token == Depth && Clock.Tick != lastTick && MayUnfold() ? Frames[token].Node : None;
            Leave(token, now);
            if (unfolded != None)
                UnfoldAround(unfolded);
            if (paused)
                ResumeFigures();
            if ((State & TreeState.Late) != 0 && Depth <= LateDepth)
                ProcessEnd.CallEnded();
            EndProbe();
        }

        private void Leave(int token, long now)
        {
            if (token == Depth && IsOnlyRecording)
            {
                Close(now, false);
                return;
            }
            if (!Clock.IsPlain || (State & TreeState.Epoch) != Control.OpenState)
                now = Follow().Moment();
            if ((State & TreeState.InFlight) != 0)
                ExceptionsInFlight.Return(this, token);
            while (Depth > token)
                Close(now, true);
            Close(now, false);
        }

        /// <summary>Closes the top frame.</summary>
        [MethodImpl(HotCode.Hot)]
        internal void Close(long now, bool resynchronised)
        {
            int node = Frames[Depth].Node;
            if (node < 0)
            {
                HotCode.NeverLeave((int)(long)node);
                return;
            }
            bool ticks = Clock.Kind == Clock.Ticking;
            if (ticks)
            {
                SeeTick(Depth, false);
                now = EndOf(Depth, now);
                ticks = (Frames[Depth].Start & Clock.TimedBit) == 0;
                if (ticks && Depth >= FoldedFrom)
                    now = lastTick;
            }
            if (now > NextLook)
            {
                // Others may close at the same time.
                long end = LookAtEnd(now);
                now = Clock.Kind == Clock.Ticking ? end : now;
            }
            long elapsed = now - Frames[Depth].Start;
            if ((State & TreeState.Triggered) != 0)
            {
                if (resynchronised)
                    KeepOpen();
                if (!Keeps(elapsed))
                {
                    TakeBack();
                    return;
                }
            }
            if (!ticks && (elapsed < Nodes[node].Min || elapsed > Nodes[node].Max))
                elapsed = Widen(node, elapsed);
            if (!ticks && Clock.IsMixed)
                NoteTimed(node, elapsed);
            bool flushes = (Nodes[node].Flags & Node.Watched) != 0 && Schedule.FlushesBehind(this);
            if (Histograms != null)
                Histograms.Count(Nodes[node].Id, elapsed);
            if (Events != null)
                Events.Close(node, now - StoppedTicks, elapsed);
            // Threads that have ended are named with their single calls alone.
            if (Depth == 1 && (Events != null || Log != null))
                Owner.SeeName();
            Pop(now, resynchronised);
            if (flushes)
                Schedule.Flush();
        }

        /// <summary>
        /// <see cref="NodeTree.Widen"/> for the fast way out. Where the profile is to be written after the frame, that is closed here, and
        /// closing it again with what is returned changes nothing.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long WidenTop(int node, long elapsed)
        {
            long rest = 0;
            try { } finally { rest = WidenUnbroken(node, elapsed); }
            return rest;
        }

        private long WidenUnbroken(int node, long elapsed)
        {
            elapsed = Widen(node, elapsed);
            if ((Nodes[node].Flags & Node.Watched) == 0 || !Schedule.FlushesBehind(this))
                return elapsed;
            Counter.Add(ref Nodes[node].Ticks, elapsed);
            Top = Nodes[node].Caller;
            Depth--;
            Schedule.Flush();
            return 0;
        }

        /// <summary>Closes the top frame, of which is not known how long it really was.</summary>
        internal void Pop(long now, bool resynchronised)
        {
            int depth = Depth;
            int node = Frames[depth].Node;
            long elapsed = now - Frames[depth].Start;
            if (elapsed < 0)
                elapsed = 0;
            if (depth >= FoldedFrom)
                CloseFolded(depth, node, elapsed);
            else if (Clock.Kind != Clock.Ticking || (Frames[depth].Start & Clock.TimedBit) != 0)
                Counter.Add(ref Nodes[node].Ticks, elapsed);
            if (resynchronised)
                AddResynchronised(node, 1);
            GiveHeld();
            GiveUnrecorded(depth);
            Top = Recorded(depth - 1);
            Depth = depth - 1;
        }

        /// <summary>Closes the top frame, which an exception has left.</summary>
        internal void CloseByException(long now)
        {
            AddLeftByException(Frames[Depth].Node, 1);
            Close(now, false);
        }
    }
}
