// Logical calls of async methods that have been suspended at least once, and how a later slice finds its call again.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The token of a method that the runtime itself suspends, and that may go on on another thread: which frame is its
    /// present slice's. Used again after the method has left.
    /// </summary>
    internal sealed class AsyncRun
    {
        internal int Id;

        /// <summary>The thread that runs the present slice, and its frame; null and 0 while the call is suspended.</summary>
        internal AsyncThread Thread;
        internal int Token;

        /// <summary>Null until the call is suspended for the first time.</summary>
        internal AsyncCall Call;

        /// <summary>The next one in a list of spare ones.</summary>
        internal AsyncRun Next;

        internal AsyncRun(int id)
        {
            Id = id;
        }
    }

    /// <summary>
    /// One logical call. The thread that runs its slice owns it: slices follow one another, and the cause of the next
    /// one has published the writes of the one before. While <see cref="Path"/> is null its figures wait in it, under
    /// <see cref="Gate"/>: either a slice came before the first run's thread had named its call (a placeholder), or its
    /// starter is a call without a known place.
    /// </summary>
    internal sealed class AsyncCall
    {
        /// <summary>More calls than that do not wait for the place of those that started them.</summary>
        private const int MostWaiting = 4096;

        private static SpinLock gate;
        private static int waitingCalls;

        /// <summary>Its place in the logical call tree; null while that is not known. Set last, once.</summary>
        internal volatile AsyncPath Path;

        /// <summary>The method: its place is the child with this id of its starter's.</summary>
        internal readonly int Id;

        /// <summary>When the first run began; <see cref="HasStart"/> says whether that is known.</summary>
        internal long Start;

        internal bool HasStart;

        /// <summary>When the latest slice ended.</summary>
        internal long SuspendedAt;

        /// <summary>
        /// Id of the method outside the instrumented code that made the task awaited since then; 0: not known.
        /// </summary>
        internal int Leaf;

        /// <summary>The call that waits for a place.</summary>
        private AsyncFigures waiting;

        /// <summary>
        /// Calls that this one started and that wait for its place; the call that this one waits for.
        /// </summary>
        private List<AsyncCall> started;
        private AsyncCall starter;

        /// <summary>The way from there: <see cref="AsyncPath.Under"/>.</summary>
        private int[] way;

        /// <summary>
        /// For a placeholder: the number of slices begun, when the first of them began, and when the call ended.
        /// </summary>
        private int slices;
        private long firstSlice, endedAt;
        private bool ended;

        /// <summary>Where its slices stand until its place is known; null: none of them asked.</summary>
        private AsyncPath stand;

        /// <summary>The generation that it was counted in last. Null: in none.</summary>
        private Generation generation;

        // Used by the table alone, under its lock.
        internal WeakReference Key;
        internal int Hash;
        internal AsyncCall Next;

        internal AsyncCall(int id, AsyncPath path, Generation generation)
        {
            Id = id;
            Path = path;
            this.generation = generation;
        }

        /// <summary>
        /// True while it waits with its start still uncounted; false for a placeholder, and for a call that was one.
        /// </summary>
        private bool IsNew
        {
            get { return waiting != null && waiting.Calls != 0; }
        }

        internal static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>A placeholder that has ended stays in the table until the first run's thread asks for it.</summary>
        internal bool IsPlaceholder
        {
            get { return Path == null && !HasStart; }
        }

        /// <summary>
        /// Counts a new call; its starter's place may be unknown. Returns it when it has to wait, null when its place
        /// is known: <paramref name="path"/> then. The caller sets its <see cref="Start"/>.
        /// </summary>
        internal static AsyncCall BeginUnder(AsyncCall starter, int[] way, int id, AsyncThread thread, out AsyncPath path)
        {
            using (Gate.Enter())
            {
                if (waitingCalls >= MostWaiting)
                    starter.GiveUp(thread);
                path = starter.Path;
                if (path != null)
                {
                    path = thread.PlaceUnder(path, way, id);
                    return null;
                }
                AsyncCall call = new AsyncCall(id, null, thread.Generation);
                call.HasStart = true;
                call.Waiting.Calls = 1;
                call.WaitFor(starter, way);
                return call;
            }
        }

        private AsyncFigures Waiting
        {
            get { return waiting ?? (waiting = new AsyncFigures()); }
        }

        private void WaitFor(AsyncCall call, int[] from)
        {
            if (call.started == null)
                call.started = new List<AsyncCall>();
            call.started.Add(this);
            starter = call;
            way = from;
            waitingCalls++;
        }

        /// <summary>
        /// A call that was under way at a reset counts as begun at that moment, when it is taken up again: on this thread. Its owner
        /// says so or, while its place is not known, who holds the gate.
        /// </summary>
        internal void Renew(AsyncThread thread, Generation now)
        {
            if (generation == now)
                return;
            generation = now;
            Start = Math.Max(Start, now.StartTicks);
            SuspendedAt = Math.Max(SuspendedAt, now.StartTicks);
            firstSlice = Math.Max(firstSlice, now.StartTicks);
            endedAt = Math.Max(endedAt, now.StartTicks);
            waiting = null;
            if (!HasStart)
                return;
            if (Path == null)
                Waiting.Calls = 1;
            else
                Counter.Add(ref thread.FiguresOf(Path).Calls, 1);
        }

        /// <summary>
        /// The thread runs a slice of this call. If another thread has counted the call in a newer generation, this thread
        /// follows first, as all that it counts in an older one is dropped. True when it did.
        /// </summary>
        private bool TakeUp(AsyncThread thread)
        {
            bool behind = generation != null && generation.Number > thread.Generation.Number;
            if (behind)
                thread.Follow();
            Renew(thread, thread.Generation);
            return behind;
        }

        /// <summary>
        /// The place that a later slice's node has: a stand-in as long as the call's own is not known. Null: there is none.
        /// </summary>
        internal AsyncPath PlaceOfSlice()
        {
            AsyncPath path = Path;
            if (path != null)
                return path;
            using (Gate.Enter())
                return Path ?? (stand = stand ?? AsyncPath.NewStandIn(Id));
        }

        /// <summary>A further slice begins.</summary>
        internal void BeginSlice(long now, AsyncThread thread)
        {
            AsyncPath path = Path;
            if (path == null)
            {
                using (Gate.Enter())
                {
                    path = Path;
                    if (path == null)
                    {
                        TakeUp(thread);
                        slices++;
                        if (slices == 1 && !HasStart)
                            firstSlice = now;
                        else
                            Waiting.AwaitingTicks += Math.Max(now - SuspendedAt, 0);
                        return;
                    }
                }
            }
            TakeUp(thread);
            Counter.Add(ref thread.FiguresOf(path).AwaitingTicks, Math.Max(now - SuspendedAt, 0));
            if (Leaf != 0)
                EndLeaf(path, Math.Max(now - SuspendedAt, 0), thread);
        }

        /// <summary>
        /// The awaited result is there: the call counts as a call of its own, started by this one and awaiting from beginning to
        /// end. How it ended is not known.
        /// </summary>
        private void EndLeaf(AsyncPath path, long ticks, AsyncThread thread)
        {
            AsyncFigures figures = thread.FiguresOf(thread.PlaceUnder(path, null, Leaf));
            Leaf = 0;
            Counter.Add(ref figures.Calls, 1);
            Counter.Add(ref figures.AwaitingTicks, ticks);
            Counter.Add(ref figures.WallTicks, ticks);
            figures.AddSlice(0, AsyncFigures.Suspension);
            figures.AddSlice(0, AsyncFigures.Completion);
        }

        /// <summary>
        /// Ends a slice, the first or a later one. True when the call is over, and nothing refers to it any more.
        /// </summary>
        internal bool EndSlice(long now, long runningTicks, int end, AsyncThread thread)
        {
            AsyncPath path = Path;
            bool over = end != AsyncFigures.Suspension;
            if (path == null)
            {
                using (Gate.Enter())
                {
                    path = Path;
                    if (path == null)
                    {
                        TakeUp(thread);
                        Waiting.AddSlice(runningTicks, end);
                        SuspendedAt = now;
                        if (over && HasStart)
                            Waiting.WallTicks += Math.Max(now - Start, 0);
                        ended = over;
                        endedAt = now;
                        return over && HasStart;
                    }
                }
            }
            TakeUp(thread);
            AsyncFigures figures = thread.FiguresOf(path);
            figures.AddSlice(runningTicks, end);
            SuspendedAt = now;
            if (over && HasStart)
                Counter.Add(ref figures.WallTicks, Math.Max(now - Start, 0));
            return over;
        }

        /// <summary>
        /// Gives a placeholder its call, on the first run's thread: a call that began and was first suspended at these
        /// times, at the place <paramref name="path"/> or, if that is null, at the place that <paramref name="same"/>
        /// waits for. True when the call is over.
        /// </summary>
        internal bool Join(AsyncPath path, AsyncCall same, long start, long suspendedAt, AsyncThread thread)
        {
            using (Gate.Enter())
            {
                if (!IsPlaceholder)
                    return false;
                // The first run's thread has counted the call as begun with the generation. But it ended before.
                if (ended && generation != null && generation.Number < thread.Generation.Number)
                {
                    if (path == null)
                        path = same.Path;
                    Counter.Add(ref (path != null ? thread.FiguresOf(path) : same.Waiting).Calls, -1);
                    return true;
                }
                if (TakeUp(thread))
                    same.Renew(thread, thread.Generation);
                long awaited = Math.Max(firstSlice - suspendedAt, 0);
                if (slices > 0)
                    Waiting.AwaitingTicks += awaited;
                else
                {
                    SuspendedAt = suspendedAt;
                    Leaf = same.Leaf;
                }
                if (ended)
                    Waiting.WallTicks += Math.Max(endedAt - start, 0);
                Start = start;
                HasStart = true;
                if (path == null)
                    path = same.Path;
                if (path == null)
                    WaitFor(same.starter, same.way);
                else
                    Settle(path, thread);
                if (path != null && slices > 0 && same.Leaf != 0)
                    same.EndLeaf(path, awaited, thread);
                return ended;
            }
        }

        /// <summary>Waits no longer for its place. If not even its first run was seen, what it holds counts as slices of an unknown call.</summary>
        internal void GiveUp(AsyncThread thread)
        {
            using (Gate.Enter())
            {
                if (Path != null)
                    return;
                if (!HasStart)
                {
                    Waiting.Unlinked += slices;
                    stand = null;
                }
                Settle(AsyncPath.Root.Child(Id), thread);
            }
        }

        /// <summary>The place is known: gives it to this call and to those that wait for it, and counts what waited, on the calling thread.</summary>
        private void Settle(AsyncPath path, AsyncThread thread)
        {
            List<AsyncCall> calls = new List<AsyncCall>();
            List<AsyncPath> paths = new List<AsyncPath>();
            calls.Add(this);
            paths.Add(path);
            for (int i = 0; i < calls.Count; i++)
            {
                AsyncCall call = calls[i];
                // Counts from before a reset are gone; the call counts when it is taken up again.
                if (call.generation != thread.Generation)
                    call.generation = null;
                else if (call.waiting != null)
                    thread.FiguresOf(paths[i]).Add(call.waiting);
                if (call.started != null)
                {
                    foreach (AsyncCall other in call.started)
                    {
                        if (other.Path != null)
                            continue;
                        calls.Add(other);
                        paths.Add(other.IsNew ? thread.PlaceUnder(paths[i], other.way, other.Id) : paths[i].Under(other.way, other.Id));
                    }
                }
                if (call.starter != null)
                    waitingCalls--;
                call.waiting = null;
                call.started = null;
                call.starter = null;
                call.way = null;
                if (call.stand != null)
                    call.stand.For = paths[i];
                call.Path = paths[i];
            }
        }
    }
}
