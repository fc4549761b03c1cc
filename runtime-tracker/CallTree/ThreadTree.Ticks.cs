// Calls while a clock ticks: a tick is noticed by the next enter or leave, and the time since the one before is the top frame's own.
// A processor works ahead: it reads the tick while older instructions are not done yet. So the clock's thread notes itself what runs, by stores.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>A time that no tick has.</summary>
        private const long Closed = -1;

        /// <summary>The last tick that the thread has noticed; below 0 while its fast way is closed.</summary>
        internal long Line = Closed;

        // The last tick that the thread has noticed. Moved as the starts of frames are.
        private long lastTick;

        // Ticks without a processor that no frame has yet.
        private long owed;

        /// <summary>For other threads, too.</summary>
        internal long LastTick
        {
            get { return Counter.Read(ref lastTick); }
        }

        private static long TimedBits
        {
            get { return Clock.Kind == Clock.Ticking ? Clock.TimedBit : 0; }
        }

        /// <summary>1 while a probe runs: stores are seen in their order, each when all ahead of it is done.</summary>
        internal volatile int InProbe;

        // What the clock's thread has seen at that tick, in that incarnation: the node on top, twice, and whether a probe ran.
        private int noted, notedIn;
        private long notedAt;

        /// <summary>For the clock's thread, which is about to tick: notes what each thread does. Not where folded frames are open.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static void NoteAll(long tick)
        {
            ThreadTree[] trees = Registry.Ticked;
            for (int i = 0; trees != null && i < trees.Length; i++)
            {
                ThreadTree tree = trees[i];
                if (tree == null)
                    return;
                Counter.Set(ref tree.notedAt, Closed);
                if (tree.FoldedFrom != NotFolding)
                    continue;
                tree.notedIn = tree.Incarnation;
                tree.noted = tree.Top * 2 | tree.InProbe;
                Thread.MemoryBarrier();
                Counter.Set(ref tree.notedAt, tick);
            }
        }

        private void BeginTicks()
        {
            // A calibration's calls notice none.
            if (Generation != null)
                TickingClock.Notice();
            lastTick = Clock.Now();
        }

        private void OpenOrCloseLine()
        {
            Line = state == Control.OpenState ? lastTick : Closed;
        }

        /// <summary>
        /// Gives the time since the last tick that the thread has noticed to the node that was on top at the tick, as its own, or as that of a
        /// probe in it. Where that was not noted, to the frame at <paramref name="depth"/>. Folded frames have that of their probes, too.
        /// Returns the tick.
        /// </summary>
        internal long SeeTick(int depth, bool inProbe)
        {
            // Not for a calibration's calls.
            if (Clock.Tick != lastTick && Generation != null)
                TickingClock.Notice();
            long now = Clock.Now(), since = now - lastTick;
            if (since != 0)
            {
                // What is recorded may have changed, which the tick says.
                Thread.MemoryBarrier();
                int node = Frames[depth].Node, recorded = Recorded(depth);
                // Not a note for an earlier tick: the thread may have called, and begun to wait, before that tick was there to be noticed.
                if (notedAt == now && notedIn == Incarnation && FoldedFrom == NotFolding)
                {
                    node = recorded = noted >> 1;
                    inProbe = (noted & 1) != 0;
                }
                if (since > 0 && node != Root)
                {
                    Credit(depth, node, since, inProbe);
                    if (!inProbe)
                        KeepTick(recorded, now, since);
                    // Not one that a tick finds long after the last one: it has waited, or had no processor itself.
                    if (owed != 0 && since < TickingClock.Late)
                    {
                        Credit(depth, node, owed, inProbe);
                        Defer(depth, -owed);
                    }
                }
                Counter.Set(ref lastTick, now);
                Registry.EarnNodes();
                if (Settings.Covers && marked != Switches.Changes)
                    MarkOff();
            }
            OpenOrCloseLine();
            return now;
        }

        /// <summary>The node has that many ticks more of its own, or in a probe; the frame at this depth is folded, or not.</summary>
        private void Credit(int depth, int node, long ticks, bool inProbe)
        {
            Counter.Add(ref (inProbe && FoldedFrom == NotFolding ? Probed : Credits)[node], ticks);
            if (depth >= FoldedFrom)
                AddFoldedTicks(Frames[FoldedFrom - 1].Node, ticks);
        }

        /// <summary>
        /// The thread had no processor for some time, in a look. Looks come at calls that the Stopwatch times: always the same methods would
        /// have that time. It is taken out of the open frames, and goes to the one that the next tick finds. Not where async calls have the
        /// starts of frames.
        /// </summary>
        private void Owe()
        {
            long now = Clock.Now(), since = now - lastTick, more = Math.Min(LostInLook & ~Clock.TimedBit, since);
            if (more <= 0 || Depth == 0 || Async != null)
                return;
            // As SeeTick: whether the fast way is open is seen when the look ends.
            Thread.MemoryBarrier();
            if (since > more)
                Credit(Depth, Frames[Depth].Node, since - more, true);
            Defer(Depth, more);
            Counter.Set(ref lastTick, now);
        }

        /// <summary>That many ticks are owed to the open frames up to this depth; below 0: no more.</summary>
        internal void Defer(int depth, long by)
        {
            owed += by;
            Moves++;
            Thread.MemoryBarrier();
            for (int i = 1; i <= depth; i++)
            {
                Counter.Add(ref Frames[i].Start, by);
                if (i >= FoldedFrom)
                    Counter.Add(ref Folded[i].Begun, by);
            }
            Thread.MemoryBarrier();
            Moves++;
        }

        /// <summary>What the tick says is kept, of folded frames for the caller that is in the tree.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private void KeepTick(int node, long now, long since)
        {
            ThreadExtra events = Events;
            if (events == null && ++ticksNotKept == FewTicks)
                TickingClock.AfterTick = TickKeeper;
            if (events != null)
                try { } finally { events.Tick(node, now - StoppedTicks, since); }
        }

        /// <summary>The method's frame has just been opened when a tick comes, or what is recorded has changed: then it is taken back first.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal int EnterAtTick(int id)
        {
            int depth = Depth, found = Top;
            Depth = depth - 1;
            Top = Frames[depth - 1].Node;
            if (!SeesTick(depth - 1, true))
            {
                Counter.Add(ref Nodes[found].Calls, -1);
                return EnterSlowly(id);
            }
            // The call stays counted: who reads meanwhile never sees a count become lower.
            Frames[depth].Start = lastTick;
            Top = found;
            Depth = depth;
            InProbe = 0;
            return depth;
        }

        /// <summary>False, with nothing done, where the fast way is closed.</summary>
        private bool SeesTick(int depth, bool inProbe)
        {
            long now = Clock.Now();
            Thread.MemoryBarrier();
            if (state != Control.OpenState)
                return false;
            SeeTick(depth, inProbe);
            if (now > NextLook)
            {
                Look(now);
                SeeTick(depth, true);
            }
            return true;
        }

        /// <summary>A tick has come before the call, or the fast way is closed.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int EnterAfterTick(int id)
        {
            if (id < 0)
                return HotCode.Never((int)(long)id);
            if (Line < 0)
                return EnterFolded(id);
            if (!SeesTick(Depth, false))
                return EnterSlowly(id);
            int found = Find(Top, id);
            return found == None ? EnterUnlisted(id) : EnterTicking(found);
        }

        /// <summary>A slow probe begins: what passed until now is the top frame's own.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private void BeginProbe()
        {
            if (Clock.Kind == Clock.Ticking && FoldedFrom == NotFolding && (state & TreeState.Epoch) == Control.OpenState)
                SeeTick(Depth, false);
            InProbe = 1;
        }

        /// <summary>A tick has come before the probe ended, with which the top frame goes on.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal void EndProbe()
        {
            if (Clock.Kind == Clock.Ticking && (state & TreeState.Epoch) == Control.OpenState)
                SeeTick(Depth, true);
        }

        /// <summary>The way in for a node that is there, while the fast way is open.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int EnterTicking(int found)
        {
            if (found < 0)
                return HotCode.Never((int)(long)found);
            ref Node node = ref Nodes[found];
            if ((node.Flags & (Node.Folded | Node.Owner | Node.Off)) != 0)
                return EnterMarked(found);
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            // Reading it is time of the probe's.
            long start = IsTimed(found) ? Clock.Timed() : 0;
            if (Clock.Tick != Line)
            {
                if (!SeesTick(Depth, true))
                    return EnterSlowly(node.Id);
                start = start == 0 ? 0 : Clock.Timed();
            }
            node.Calls = calls;
            if (start == 0)
                start = lastTick;
            if (start > NextLook)
            {
                Look(start);
                start = Clock.Timed();
            }
            int depth = Depth + 1;
            ref Frame frame = ref Frames[depth];
            frame.Node = found;
            frame.Start = start;
            Top = found;
            Depth = depth;
            InProbe = 0;
            return depth;
        }

        /// <summary>The way out of a timed frame, at a tick, or when the fast way is closed.</summary>
        [MethodImpl(HotCode.Hot)]
        internal int LeaveAtTick(int token)
        {
            if (token < 0)
                return HotCode.Never((int)(long)token);
            if (Line < 0 && LeaveFolded(token) != 0)
            {
                InProbe = 0;
                return 0;
            }
            if (token != Depth || (Clock.Tick != Line && !SeesTick(token, false)))
            {
                LeaveSlowly(token, Clock.Now());
                return 0;
            }
            // After a look, which may have moved the frame's start.
            long end = Clock.Timed();
            ref Frame frame = ref Frames[token];
            ref Node node = ref Nodes[frame.Node];
            if ((frame.Start & Clock.TimedBit) != 0)
            {
                if (end > NextLook)
                    end = LookAtEnd(end);
                long elapsed = end - frame.Start;
                if (elapsed < node.Min || elapsed > node.Max)
                    elapsed = WidenTop(frame.Node, elapsed);
                node.Ticks += elapsed;
                if (Clock.IsMixed)
                    NoteTimed(frame.Node, elapsed);
            }
            Top = node.Caller;
            Depth = token - 1;
            InProbe = 0;
            if (Clock.Tick != Line)
                EndProbe();
            return 0;
        }

        /// <summary>Does the Stopwatch time the node's frames that are opened now?</summary>
        [MethodImpl((MethodImplOptions)256)]
        private bool IsTimed(int node)
        {
            return (Nodes[node].Flags & (Node.Timed | Node.Watched)) != 0;
        }

        /// <summary>The end of a frame that is closed now, which its own clock has. The Stopwatch's time stays as it is.</summary>
        internal long EndOf(int depth, long now)
        {
            return Clock.Kind != Clock.Ticking || ((now | ~Frames[depth].Start) & Clock.TimedBit) != 0 ? now
                   : Control.OpenState == Control.Stopped ? now | Clock.TimedBit : Clock.Timed();
        }

        /// <summary>The Stopwatch times an open frame from now on, whatever its node says: so it does for the slices of async calls.</summary>
        internal void TimeFrame(int index)
        {
            if ((Frames[index].Start & Clock.TimedBit) == 0)
                Counter.Set(ref Frames[index].Start, Clock.Timed());
        }

        /// <summary>A new node's frames are timed while its method's calls are not known to be short. Those of folded calls have time by ticks alone.</summary>
        private void BeginTimed(int node)
        {
            if ((Nodes[node].Flags & Node.Folded) == 0 && MethodPaces.IsLong(Nodes[node].Id))
                Nodes[node].Flags |= Node.Timed;
        }

        /// <summary>A timed frame took so long. When its method's calls turn out to be short, the node goes by ticks from now on.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private void NoteTimed(int node, long elapsed)
        {
            if (MethodPaces.StaysLong(Nodes[node].Id, elapsed) || (Nodes[node].Flags & (Node.Watched | Node.Scope | Node.Command)) != 0)
                return;
            ByTicks(node);
        }

        private void ByTicks(int node)
        {
            Nodes[node].Flags &= ~Node.Timed;
            Counter.Set(ref Nodes[node].Min, long.MaxValue);
        }

        /// <summary>The open frame moves to that node: where ticks time the frame, the node has their time alone.</summary>
        private void KeepTimed(int node, int token)
        {
            if ((Frames[token].Start & Clock.TimedBit) == 0 && (Nodes[node].Flags & Node.Timed) != 0)
                ByTicks(node);
        }
    }
}
