// How many bytes a thread allocates in which of its methods.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal sealed partial class ThreadTree
    {
        // The thread's count at the last enter, leave, or end of the tracker's own work. All since then belongs to the top frame.
        private long lastBytes;

        // The thread is inside the tracker: what it allocates is nobody's.
        private bool isPaused;

        /// <summary>It is so by <see cref="Guard"/>.</summary>
        internal bool IsPausedByGuard;

        // While calls may be taken back: what each open frame has allocated itself so far. Null: it stands at the node.
        private volatile long[] held;

        /// <summary>
        /// The way in while bytes are counted and nothing else closes the fast way. It is that of <see cref="ProfileInfoTracker"/>, with
        /// one reading before that of the clock. Returns 0 where something has to be made or looked for first.
        /// </summary>
        [MethodImpl(CalibrationCalls.Hot)]
        private int EnterWithBytes(int id)
        {
            if (id < 0)
                return CalibrationCalls.Never((int)(long)id);
            int found = Slots[Top * SlotsPerNode + (id & (SlotsPerNode - 1))];
            if (Nodes[found].Id != id)
            {
                found = FindListed(Top, id);
                if (found == None)
                    return 0;
            }
            ref Node node = ref Nodes[found];
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            node.Calls = calls;
            long bytes = AllocatedBytes.Now();
            Bytes[Top] += bytes - lastBytes;
            lastBytes = bytes;
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

        /// <summary>The way out likewise; the clock was read before. False where it is not that simple, and nothing was done.</summary>
        [MethodImpl(CalibrationCalls.Hot)]
        private int LeaveWithBytes(int token, long now)
        {
            if (token < 0)
                return CalibrationCalls.Never((int)(long)token);
            if (token != Depth || State != (Control.OpenState | CountingBytes))
                return 0;
            ref Frame frame = ref Frames[token];
            long bytes = AllocatedBytes.Now();
            Bytes[frame.Node] += bytes - lastBytes;
            lastBytes = bytes;
            if (now > NextLook)
                Look(now);
            ref Node node = ref Nodes[frame.Node];
            long elapsed = now - frame.Start;
            if (elapsed < node.Min || elapsed > node.Max)
                elapsed = WidenPaused(frame.Node, elapsed);
            node.Ticks += elapsed;
            Top = node.Caller;
            Depth = token - 1;
            return token;
        }

        private long WidenPaused(int node, long elapsed)
        {
            bool paused = PauseBytes();
            elapsed = Widen(node, elapsed);
            if (paused)
                ResumeBytes();
            return elapsed;
        }

        /// <summary>As <see cref="Open"/>.</summary>
        private int OpenWithBytes(int node)
        {
            bool paused = PauseBytes();
            int token = Open(node);
            if (paused)
                ResumeBytes();
            return token;
        }

        /// <summary>
        /// All that the thread has allocated since the last mark is the top frame's, unless nothing was recorded in between. Called by the
        /// thread itself, as all of these.
        /// </summary>
        internal void MarkBytes()
        {
            if (Bytes.Length == 0 || isPaused || !Features.Alloc)
                return;
            long bytes = AllocatedBytes.Now(), more = bytes - lastBytes;
            lastBytes = bytes;
            if (more == 0 || !IsRecorded())
                return;
            int depth = Depth;
            if (held != null && depth < held.Length)
                Counter.Add(ref held[depth], more);
            else
            {
                GiveBytes(depth, more);
                // Folded calls may have taken room for their callers' sums.
                if (depth >= FoldedFrom)
                    lastBytes = AllocatedBytes.Now();
            }
        }

        /// <summary>Was all recorded since the thread has looked for the phase last?</summary>
        private bool IsRecorded()
        {
            if ((State & -FirstEpoch) == Control.OpenState)
                return true;
            Phase phase = Control.Current;
            return phase.Running && phase.Generation == Generation && phase.StoppedTicks == StoppedTicks;
        }

        /// <summary>All that the thread has allocated since the last mark is nobody's.</summary>
        internal void SkipBytes()
        {
            if (Bytes.Length != 0 && Features.Alloc)
                lastBytes = AllocatedBytes.Now();
        }

        /// <summary>
        /// The tracker begins to work for itself. True: it did not do so already, and the caller has to end that by
        /// <see cref="ResumeBytes"/>.
        /// </summary>
        internal bool PauseBytes()
        {
            if (Bytes.Length == 0 || isPaused || !Features.Alloc)
                return false;
            MarkBytes();
            isPaused = true;
            return true;
        }

        internal void ResumeBytes()
        {
            isPaused = false;
            SkipBytes();
        }

        /// <summary>The same for parts of the tracker that know no tree.</summary>
        internal static ThreadTree PauseBytesOfThisThread()
        {
            ThreadTree tree = Current;
            return tree != null && tree.PauseBytes() ? tree : null;
        }

        private void GiveBytes(int depth, long bytes)
        {
            AddBytes(Frames[depth].Node, bytes);
            if (depth >= FoldedFrom)
                AddFoldedBytes(Frames[FoldedFrom - 1].Node, bytes);
        }

        /// <summary>The top frame closes, and is kept.</summary>
        private void GiveHeldBytes()
        {
            long[] frames = held;
            int depth = Depth;
            if (frames == null || depth >= frames.Length || frames[depth] == 0)
                return;
            long bytes = frames[depth];
            Counter.Set(ref frames[depth], 0);
            GiveBytes(depth, bytes);
        }

        /// <summary>The top frame is taken back: what it has allocated is its caller's.</summary>
        private void HandDownHeldBytes()
        {
            long[] frames = held;
            int depth = Depth;
            if (frames == null || depth >= frames.Length || frames[depth] == 0)
                return;
            Counter.Add(ref frames[depth - 1], frames[depth]);
            Counter.Set(ref frames[depth], 0);
        }

        /// <summary>From now on calls may be taken back, or none is.</summary>
        private void HoldBytes(bool wanted)
        {
            long[] frames = held;
            held = null;
            for (int depth = 1; frames != null && depth <= Depth && depth < frames.Length; depth++)
                if (frames[depth] != 0)
                    GiveBytes(depth, frames[depth]);
            if (wanted && Bytes.Length != 0)
                held = new long[Frames.Length];
        }

        /// <summary>For another thread: what the frame at this place holds.</summary>
        internal long HeldBytes(int depth)
        {
            long[] frames = held;
            return frames == null || depth >= frames.Length ? 0 : Counter.Read(ref frames[depth]);
        }
    }
}
