// How a thread follows the phases of recording, and begins again after a Reset.
using System;
using System.Threading;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        /// <summary>
        /// Brings the thread into the phase that holds, which it returns. Time in which nothing was recorded is taken out of the
        /// open frames; after a reset they are opened again. Exceptions on their way are forgotten.
        /// </summary>
        internal Phase Follow()
        {
            Phase phase = Control.Current;
            TreeState epoch = State & TreeState.Epoch;
            if (epoch == phase.Epoch)
                return phase;
            bool paused = PauseFigures();
            long moved = Clock.IsShared ? phase.StoppedTicks - StoppedTicks : 0;
            ForgetExceptions();
            if (Generation != phase.Generation)
                StartAnew(phase, Nodes);
            else if (moved != 0)
            {
                Moves++;
                Thread.MemoryBarrier();
                // One that was held up before it read the clock has begun since, or while nothing was recorded.
                for (int i = 1; i <= Depth; i++)
                    if (Frames[i].Start < phase.ResumedAt)
                        Counter.Set(ref Frames[i].Start, Math.Min(Frames[i].Start + moved, phase.ResumedAt) | (Frames[i].Start & TimedBits));
                if (lastTick < phase.ResumedAt)
                    Counter.Set(ref lastTick, Math.Min(lastTick + moved, phase.ResumedAt));
                Counter.Set(ref StoppedTicks, phase.StoppedTicks);
                Thread.MemoryBarrier();
                Moves++;
            }
            StartWaitsAnew();
            State = (State & ~TreeState.Epoch) | phase.Epoch;
            Obey(phase.Triggers);
            if (paused)
                ResumeFigures();
            return phase;
        }

        /// <summary>An open frame's start in recorded time, whether it was moved since or not.</summary>
        internal long UnmovedStart(int index)
        {
            return Frames[index].Start - StoppedTicks;
        }

        /// <summary>For a thread that is new to the tracker, or has written the last profile.</summary>
        internal void WatchEnd()
        {
            if (ProcessEnd.Handlers != Thread.CurrentThread)
                return;
            LateDepth = Depth;
            State |= TreeState.Late;
        }

        /// <summary>No exception is on its way.</summary>
        internal void ForgetExceptions()
        {
            State &= ~TreeState.InFlight;
            if (ExceptionsInFlight != null)
                ExceptionsInFlight.Forget();
        }

        /// <summary>The top frame begins now. Time that has passed since it was opened is its caller's.</summary>
        internal void BeginAgain()
        {
            Phase phase = Follow();
            if (Depth == 0)
                return;
            Moves++;
            Thread.MemoryBarrier();
            if (Clock.Kind == Clock.Ticking)
                SeeTick(Depth - 1, false);
            Counter.Set(ref Frames[Depth].Start, EndOf(Depth, phase.Now()));
            Thread.MemoryBarrier();
            Moves++;
        }

        /// <summary>
        /// The one place where what a thread has recorded is dropped. The frames that are open keep their tokens and count as
        /// entered at the moment of the reset. Everything is made again, as writers of profiles may still read the old.
        /// Called by the thread itself; for it when it has ended; on a copy of its open frames.
        /// </summary>
        private void StartAnew(Phase phase, Node[] oldNodes)
        {
            bool entered = Guard.Enter();
            Frame[] old = Frames;
            int depth = Depth;
            Moves++;
            Thread.MemoryBarrier();
            try
            {
                if (Async != null)
                    Async.DropClosed(this);
                if (Scopes != null)
                    Scopes.DropClosed(this);
                Frame[] frames = new Frame[LeastFrames];
                DropNodes();
                Drop(frames);
                RecordCalls();
                if (Log != null)
                    Log.Begin(phase.Generation);
                if (Clock.Kind == Clock.Ticking)
                    Counter.Set(ref lastTick, Math.Max(lastTick, phase.Generation.StartTicks) + phase.StoppedTicks);
                Reopen(old, oldNodes, depth, phase);
                if (Async != null)
                    Async.StartAnew(this, phase.Generation);
                if (Scopes != null)
                    Scopes.StartAnew(this, phase.Generation);
            }
            catch (Exception)
            {
                // Out of memory: the open frames are lost, and leaving them does nothing.
                ClearNodes();
                Drop(Frames);
                DroppedCalls = depth;
                Async = null;
                Scopes = null;
            }
            Counter.Set(ref StoppedTicks, phase.StoppedTicks);
            Generation = phase.Generation;
            Thread.MemoryBarrier();
            Moves++;
            if (entered)
                Guard.Leave();
        }

        private void Drop(Frame[] frames)
        {
            Depth = 0;
            Top = Root;
            Incarnation++;
            FoldedFrom = NotFolding;
            held = null;
            State &= ~(TreeState.Folding | TreeState.InFlight);
            DropFolded();
            unrecorded = null;
            DroppedCalls = 0;
            DropCounts();
            Registry.GiveNodesBack(NodeCount);
            NodeCount = 0;
            owed = 0;
            ExceptionsInFlight = null;
            if (Events != null)
                Events.GiveBack();
            Events = null;
            Histograms = null;
            frames[0].Node = Root;
            Frames = frames;
        }

        /// <summary>Opens frames of the same methods. A frame may be younger than the reset: the thread saw it a moment later.</summary>
        private void Reopen(Frame[] old, Node[] oldNodes, int depth, Phase phase)
        {
            for (int i = 1; i <= depth; i++)
            {
                Push(oldNodes[old[i].Node].Id);
                Nodes[Frames[i].Node].Flags |= oldNodes[old[i].Node].Flags & (Node.Scope | Node.Command);
                long timed = Frames[i].Start & TimedBits;
                Counter.Set(ref Frames[i].Start, Clock.IsShared ? ((Math.Max(old[i].Start, phase.Generation.StartTicks) + phase.StoppedTicks) & ~TimedBits) | timed
                                                                    : Clock.NowOf(CpuClock));
                if (i >= FoldedFrom)
                    Counter.Set(ref Folded[i].Begun, lastTick - phase.StoppedTicks);
            }
        }

        /// <summary>
        /// For a thread that has not noticed a reset yet: what it will have when it does, made of a copy of its open frames, since
        /// the thread may wake at any moment. To be given back to <see cref="Release"/>.
        /// </summary>
        internal ThreadTree AsAfterReset(Phase phase)
        {
            ThreadTree copy = new ThreadTree(Owner, null);
            copy.CpuClock = CpuClock;
            copy.NextLook = long.MaxValue;
            copy.lastTick = LastTick;
            copy.waits = waits;
            int moves = Moves;
            Thread.MemoryBarrier();
            Frame[] frames = Frames;
            int depth = Math.Min(Depth, frames.Length - 1);
            copy.Frames = new Frame[depth + 1];
            Array.Copy(frames, copy.Frames, depth + 1);
            Thread.MemoryBarrier();
            Node[] nodes = Nodes;
            Thread.MemoryBarrier();
            // It begins again right now: frames of one tree and nodes of another.
            if ((moves & 1) != 0 || moves != Moves)
                depth = 0;
            // A frame that has just been opened where nothing was before.
            while (depth > 0 && copy.Frames[depth].Node == None)
                depth--;
            copy.Depth = depth;
            copy.StartAnew(phase, nodes);
            return copy;
        }

        /// <summary>Gives back what a tree that is no longer used holds of the budgets.</summary>
        internal void Release()
        {
            Registry.GiveNodesBack(NodeCount);
            NodeCount = 0;
            if (Events != null)
                Events.GiveBack();
        }

        /// <summary>Has the thread noticed the reset with which this generation began?</summary>
        internal bool IsOf(Generation generation)
        {
            return Generation == generation;
        }
    }
}
