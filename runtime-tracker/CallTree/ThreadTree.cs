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
        /// <summary>
        /// Bits of <see cref="State"/>, each of which closes the fast way in and out: the thread is inside the tracker; the
        /// frame on top is a folded one; the clock's own code may be instrumented, or the host stores 64 bits in two steps; an
        /// exception unwinds, or a handler for it is looked for; single calls are recorded; not every call is; bytes or collections
        /// are counted, which has a fast way of its own; the last profile is written already.
        /// </summary>
        internal const int Busy = 1, Folding = 2, PlainHost = 4, InFlight = 8, Recording = 16, Triggered = 32, CountingFigures = 64, Late = 128;

        /// <summary>Above those bits stands the epoch of the phase that the thread has seen last; this is the first one's.</summary>
        internal const int FirstEpoch = 256;

        private const int NotFolding = int.MaxValue;

        [ThreadStatic]
        internal static ThreadTree Current;

        internal readonly KnownThread Owner;

        /// <summary>
        /// Frame 0 is the root's. Longer than any path of the tree. Replaced when it grows; what a reader has got stays as it was.
        /// </summary>
        internal Frame[] Frames = new Frame[64];

        /// <summary>The index of the top frame. Stored after the frame itself.</summary>
        internal volatile int Depth;

        /// <summary>The frame of an async call that has ended, and whose end has written the profile; 0: none.</summary>
        internal int FlushedDepth;

        internal int State;

        /// <summary>The frames that were open when the last profile was written (<see cref="LateCalls"/>).</summary>
        internal int LateDepth;

        /// <summary>The node of the topmost frame that is not folded, for the fast way in.</summary>
        internal int Top = Root;

        /// <summary>The index of the lowest folded frame: all above are folded too.</summary>
        internal volatile int FoldedFrom = NotFolding;

        /// <summary>Per folded frame: time of its closed callees.</summary>
        internal long[] CalleeTicks;

        internal long FoldedCalls;
        internal long DroppedCalls;

        /// <summary>The generation that all of this belongs to. Null: none that counts.</summary>
        internal volatile Generation Generation;

        /// <summary>How long nothing was recorded, as far as the starts of the open frames have been moved by it.</summary>
        internal long StoppedTicks;

        /// <summary>How often all nodes were dropped: the indexes of those before mean others now.</summary>
        internal volatile int Incarnation;

        /// <summary>Goes up before and after they are moved, or opened anew.</summary>
        internal volatile int Moves;

        /// <summary>The thread's part for async methods; null until it runs one.</summary>
        internal volatile AsyncThread Async;

        /// <summary>The exceptions of this thread; null until the first one.</summary>
        internal volatile ExceptionsInFlight ExceptionsInFlight;

        /// <summary>By this other threads read this one's CPU time, where that is recorded.</summary>
        internal long CpuClock;

        /// <summary>How long the calls of each method took, and each call by itself; null when that is not recorded.</summary>
        internal volatile Histograms Histograms;
        internal volatile EventStream Events;

        /// <summary>The thread's part of the call log; null when there is none.</summary>
        internal LogStream Log;

        /// <summary>Nodes that count towards the budget.</summary>
        internal int NodeCount;

        /// <summary>The leaf that was a command's call and has ended last, and the id of the text. 0: it had none.</summary>
        internal int CommandLeaf, CommandText;

        private OpenScopes scopes;

        /// <summary>The frames that are scopes.</summary>
        internal OpenScopes Scopes
        {
            get { return scopes ?? (scopes = new OpenScopes()); }
        }

        internal ThreadTree(KnownThread owner, Generation generation)
        {
            Owner = owner;
            Generation = generation;
            Frames[0].Node = Root;
            if (!Clock.IsPlain || IntPtr.Size != 8)
                State = PlainHost;
            if (Clock.Kind == Clock.Cpu)
                CpuClock = Instrumenter.CpuClock.OfThisThread();
            if (AllocatedBytes.IsCounted || CollectionCount.IsCounted)
                State |= CountingFigures;
            RecordCalls();
        }

        /// <summary>Begins to record single calls, as far as the settings want it.</summary>
        private void RecordCalls()
        {
            if (Settings.Histogram && Features.Timeline)
                Histograms = new Histograms();
            if (Settings.Timeline && Features.Timeline)
                Events = new EventStream();
            if (Settings.Histogram || Settings.Timeline || Settings.Log)
                State |= Recording;
        }

        /// <summary>
        /// The way in when another child is in the slot, or none. The fast way is open: nothing is folded, and there
        /// is room for a frame of each node that is there. In one piece, and not within the fast way: two methods
        /// that share a slot and take turns come here with each call.
        /// </summary>
        [MethodImpl(CalibrationCalls.Hot)]
        internal int EnterOther(int id)
        {
            if (id < 0)
                return CalibrationCalls.Never((int)(long)id);
            int found = FindListed(Top, id);
            if (found == None)
                return EnterSlowly(id);
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

        /// <summary>The way in when the thread is new, the path is new, calls are being folded, or single ones recorded.</summary>
        internal static int EnterSlowly(int id)
        {
            if (Control.OpenState == Control.Stopped && !Schedule.StartsWith(id, false))
                return 0;
            ThreadTree tree = Current;
            if (tree != null)
            {
                if (tree.State == (Control.OpenState | CountingFigures) && Features.Alloc)
                {
                    int token = tree.EnterWithFigures(id);
                    if (token != 0)
                        return token;
                }
                if (tree.IsOnlyRecording && id >= Registry.FirstId)
                {
                    int next = tree.FindKnown(id);
                    if (next != None)
                    {
                        tree.EnsureRoom(next);
                        return (tree.State & CountingFigures) == 0 ? tree.Open(next) : tree.OpenWithFigures(next);
                    }
                }
                if ((tree.State & Busy) != 0)
                    return 0;
                StackRoom.Ensure();
                if (!tree.Follow().Running)
                    return 0;
                if (id < Registry.FirstId)
                {
                    tree.DroppedCalls++;
                    return 0;
                }
                if ((tree.State & InFlight) != 0)
                    ExceptionsInFlight.Tell(tree, ExceptionInFlightEvent.Entering, null, 0);
                if ((tree.State & Triggered) != 0 && !tree.Wants(id))
                    return 0;
                int known = tree.FindKnown(id);
                if (known != None)
                    return (tree.State & CountingFigures) == 0 ? tree.Open(known) : tree.OpenWithFigures(known);
            }
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
                    tree.State |= Busy;
                    LateCalls.Watch(tree);
                }
                // The session may begin without recording, or with this call.
                if (!tree.Follow().Running && !Schedule.StartsWith(id, true))
                    return 0;
                tree.Follow();
                // The session may have begun with this call, and switched its method off.
                if (Switches.IsOff(id) || ((tree.State & Triggered) != 0 && !tree.Wants(id)))
                    return 0;
                int pushed = tree.Push(id);
                // The first call of a thread: what it has allocated before is nobody's.
                tree.SkipFigures();
                return pushed;
            }
            catch (Exception)
            {
                // Out of memory: the call is not recorded. (An abort of the thread goes on by itself.)
                if (tree != null)
                    tree.DroppedCalls++;
                return 0;
            }
            finally
            {
                Guard.Leave();
            }
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
            get { return (State & ~CountingFigures) == (Control.OpenState | Recording); }
        }

        /// <summary>
        /// Brings the thread into the phase that holds, which it returns. Time in which nothing was recorded is taken out of the
        /// open frames; after a reset they are opened anew. Exceptions on their way are forgotten.
        /// </summary>
        internal Phase Follow()
        {
            Phase phase = Control.Current;
            int epoch = State & -FirstEpoch;
            if (epoch == phase.Epoch)
                return phase;
            bool paused = PauseFigures();
            long moved = Clock.IsShared ? phase.StoppedTicks - StoppedTicks : 0;
            ExceptionsInFlight.Forget(this);
            if (Generation != phase.Generation)
                StartAnew(phase, Nodes);
            else if (moved != 0)
            {
                Moves++;
                Thread.MemoryBarrier();
                // One that was held up before it read the clock has begun since, or while nothing was recorded.
                for (int i = 1; i <= Depth; i++)
                    if (Frames[i].Start < phase.ResumedAt)
                        Counter.Set(ref Frames[i].Start, Math.Min(Frames[i].Start + moved, phase.ResumedAt));
                Counter.Set(ref StoppedTicks, phase.StoppedTicks);
                Thread.MemoryBarrier();
                Moves++;
            }
            StartWaitsAnew();
            State = (State & (FirstEpoch - 1)) | phase.Epoch;
            Obey(phase.Triggers);
            if (paused)
                ResumeFigures();
            return phase;
        }

        /// <summary>The top frame begins now. Time that has passed since it was opened is its caller's.</summary>
        internal void BeginAgain()
        {
            Phase phase = Follow();
            if (Depth == 0)
                return;
            Moves++;
            Thread.MemoryBarrier();
            Counter.Set(ref Frames[Depth].Start, phase.Now());
            Thread.MemoryBarrier();
            Moves++;
        }

        /// <summary>An open frame's start in recorded time, whether it was moved since or not.</summary>
        internal long UnmovedStart(int index)
        {
            return Frames[index].Start - StoppedTicks;
        }

        /// <summary>The node that the call goes to, if nothing has to be allocated for it; else none.</summary>
        private int FindKnown(int id)
        {
            int depth = Depth + 1;
            if (depth >= Frames.Length)
                return None;
            if (FoldedFrom == NotFolding)
                return Find(Frames[depth - 1].Node, id);
            return depth < CalleeTicks.Length ? Find(FoldedRoot, id) : None;
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
            }
            if (FoldedFrom == NotFolding)
            {
                int caller = Frames[depth - 1].Node, node = Find(caller, id);
                if (node == None)
                    node = NewNode(caller, id);
                if (node != None)
                    return Open(node);
            }
            int folded = Find(FoldedRoot, id);
            if (folded == None)
                folded = AddWatchedOrNot(FoldedRoot, id, 0);
            if (CalleeTicks == null)
                CalleeTicks = new long[Frames.Length];
            else if (CalleeTicks.Length < Frames.Length)
                Array.Resize(ref CalleeTicks, Frames.Length);
            if (FoldedFrom == NotFolding)
            {
                FoldedFrom = depth;
                State |= Folding;
            }
            return Open(folded);
        }

        /// <summary>Puts a frame of the node on the stack, for which there is room.</summary>
        private int Open(int node)
        {
            int depth = Depth + 1;
            if (depth >= FoldedFrom)
            {
                Counter.Set(ref CalleeTicks[depth], 0);
                FoldedCalls++;
            }
            Counter.Add(ref Nodes[node].Calls, 1);
            Frames[depth].Node = node;
            long now = Clock.Now();
            Counter.Set(ref Frames[depth].Start, now > NextLook ? Look(now) : now);
            Top = Recorded(depth);
            Depth = depth;
            if (Log != null)
                Log.Add(Nodes[node].Id, depth, Frames[depth].Start);
            return depth;
        }

        /// <summary>None when the calls have to be folded: the budget or memory is used up, or the recursion too deep.</summary>
        private int NewNode(int caller, int id)
        {
            int recursion = RecursionOfChild(caller, id);
            if (recursion >= Settings.RecursionLimit || !HasRoom() || !Registry.TakeNode())
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
            if (token != Depth || token >= FoldedFrom)
                return;
            int node = Frames[token].Node, caller = Nodes[node].Caller, id = Nodes[node].Id, found = FindPlaced(caller, id, place);
            if (found == None)
            {
                if (!HasRoom() || !Registry.TakeNode())
                    return;
                NodeCount++;
                found = AddPlaced(caller, id, Nodes[node].Recursion, place);
                if (found == None)
                    return;
                if ((Nodes[node].Flags & Node.Watched) != 0)
                    Watch(found);
            }
            Counter.Add(ref Nodes[node].Calls, -1);
            Counter.Add(ref Nodes[found].Calls, 1);
            Frames[token].Node = found;
            Top = found;
        }

        private int AddWatchedOrNot(int caller, int id, int recursion)
        {
            bool watched = Schedule.Watches(id);
            int node = Add(caller, id, recursion);
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
            if (token > Depth || ((State & CountingFigures) != 0 && Features.Alloc && LeaveWithFigures(token, now) != 0))
                return;
            bool paused = PauseFigures();
            Leave(token, now);
            if (paused)
                ResumeFigures();
            if ((State & Late) != 0 && Depth <= LateDepth)
                LateCalls.WhenEnded(this);
        }

        private void Leave(int token, long now)
        {
            if (token == Depth && IsOnlyRecording)
            {
                Close(now, false);
                return;
            }
            if (!Clock.IsPlain || (State & -FirstEpoch) != Control.OpenState)
                now = Follow().Now();
            if ((State & InFlight) != 0)
                ExceptionsInFlight.Tell(this, ExceptionInFlightEvent.Returning, null, token);
            while (Depth > token)
                Close(now, true);
            Close(now, false);
        }

        /// <summary>
        /// The way out of a scope of the program's, whose frame this is. Exceptions do not see scopes: one that waits here waits
        /// in the frame below from now on.
        /// </summary>
        internal void LeaveScope(int token)
        {
            if (token > 1 && ExceptionsInFlight != null)
                ExceptionsInFlight.Lower(token);
            long now = Follow().Now();
            while (Depth > token)
                Close(now, true);
            Close(now, false);
        }

        /// <summary>The topmost of the scopes that stand on this frame, without a method between; the frame itself when there is none.</summary>
        internal int WithScopes(int token)
        {
            while (token > 0 && token < Depth && (Nodes[Frames[token + 1].Node].Flags & Node.Scope) != 0)
                token++;
            return token;
        }

        /// <summary>Closes the top frame.</summary>
        internal void Close(long now, bool resynchronised)
        {
            int node = Frames[Depth].Node;
            long elapsed = now - Frames[Depth].Start;
            if (now > NextLook)
                Look(now);
            if ((State & Triggered) != 0)
            {
                if (resynchronised)
                    KeepOpen();
                if (!Keeps(elapsed))
                {
                    TakeBack();
                    return;
                }
            }
            if (elapsed < Nodes[node].Min || elapsed > Nodes[node].Max)
                elapsed = Widen(node, elapsed);
            bool flushes = (Nodes[node].Flags & Node.Watched) != 0 && Schedule.FlushesBehind(this);
            if (Histograms != null)
                Histograms.Count(Nodes[node].Id, elapsed);
            if (Events != null)
                Events.Add(node, now - StoppedTicks, elapsed);
            // Threads that have ended are named with their single calls alone.
            if (Depth == 1 && (Events != null || Log != null))
                Owner.SeeName();
            Pop(now, resynchronised);
            if (flushes)
                Schedule.Flush();
        }

        /// <summary>
        /// <see cref="NodeTree.Widen"/> for the fast way out. Where the profile is to be written behind the frame, that is closed here, and
        /// closing it again with what is returned changes nothing.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal long WidenTop(int node, long elapsed)
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
            if (depth < FoldedFrom)
                Counter.Add(ref Nodes[node].Ticks, elapsed);
            else
            {
                long own = elapsed - CalleeTicks[depth];
                if (own > 0)
                    Counter.Add(ref Nodes[node].Ticks, own);
                if (depth == FoldedFrom)
                {
                    AddFoldedTicks(Frames[depth - 1].Node, elapsed);
                    FoldedFrom = NotFolding;
                    State &= ~Folding;
                }
                else
                    Counter.Add(ref CalleeTicks[depth - 1], elapsed);
            }
            if (resynchronised)
                AddResynchronised(node, 1);
            GiveHeld();
            Top = Recorded(depth - 1);
            Depth = depth - 1;
        }

        /// <summary>Closes the top frame, which an exception has left.</summary>
        internal void CloseByException(long now)
        {
            AddLeftByException(Frames[Depth].Node, 1);
            Close(now, false);
        }

        /// <summary>The node that stands for the frame in the tree of callers and callees: of a folded one, that of its nearest caller there.</summary>
        internal int Recorded(int depth)
        {
            return Frames[Math.Min(depth, FoldedFrom - 1)].Node;
        }
    }
}
