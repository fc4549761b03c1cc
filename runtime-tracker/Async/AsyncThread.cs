// The async methods that one thread runs: what it has counted of them, and which frames of its stack are theirs.
using System;

namespace Instrumenter
{
    /// <summary>
    /// Written by its own thread; others read the figures. Frames leave the thread's stack without a word to this one: an entry
    /// counts only while the frame at its index is still the one it was made for.
    /// </summary>
    internal sealed class AsyncThread : ThreadExtra
    {
        /// <summary>How far below MoveNext its starter may stand: the builder's own methods may be instrumented.</summary>
        private const int StarterWindow = 4;

        private const int MostSpareRuns = 64;

        /// <summary>The way of a call is not kept when more plain methods than that stand between it and its starter.</summary>
        private const int MostOnWay = 512;

        private readonly ThreadTree tree;
        private AsyncFrame[] stack = new AsyncFrame[16];
        private int count;

        /// <summary>By the path's index. Replaced when it grows.</summary>
        private AsyncFigures[] figures = new AsyncFigures[16];

        /// <summary>
        /// By the node of the method that starts a call, or that is one: the place of the calls that begin there. Replaced when it
        /// grows.
        /// </summary>
        private AsyncPath[] begun = new AsyncPath[0];

        // Calls that were counted as if no async method had started them, for lack of nodes.
        private long foldedCalls;

        internal override long FoldedCalls
        {
            get { return foldedCalls; }
        }

        private AsyncRun spareRuns;
        private int spareRunCount;

        /// <summary><paramref name="tree"/> is null for the figures of ended threads.</summary>
        internal AsyncThread(ThreadTree tree)
        {
            this.tree = tree;
        }

        /// <summary>That of the thread; null when it has none.</summary>
        internal static AsyncThread Of(ThreadTree tree)
        {
            return (AsyncThread)tree.Async;
        }

        internal Generation Generation
        {
            get { return tree.Generation; }
        }

        /// <summary>Brings the thread into the phase that holds.</summary>
        internal void Follow()
        {
            tree.Follow();
        }

        /// <summary>For the profile that is being written: the ends of calls, by path; null for a thread that ran no async method before.
        /// </summary>
        internal AsyncFigures[] Ends;

        /// <summary>The thread's figures by path index, for readers; entries are null where it has none.</summary>
        internal AsyncFigures[] Figures
        {
            get { return figures; }
        }

        internal AsyncFigures FiguresOf(AsyncPath path)
        {
            AsyncFigures known = path.Index < figures.Length ? figures[path.Index] : null;
            return known ?? MakeFigures(path);
        }

        private AsyncFigures MakeFigures(AsyncPath path)
        {
            if (path.Index >= figures.Length)
            {
                AsyncFigures[] larger = new AsyncFigures[Math.Max(path.Index + 1, figures.Length * 2)];
                Array.Copy(figures, larger, figures.Length);
                figures = larger;
            }
            return figures[path.Index] = new AsyncFigures();
        }

        internal override ThreadExtra AddTo(ThreadExtra sum, ThreadTree tree)
        {
            AsyncThread all = (AsyncThread)sum ?? new AsyncThread(null);
            all.Take(this, AsyncPath.All());
            return all;
        }

        internal override ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return new AsyncSection(this, tree == null ? AsyncWriter.EndsOf(this) : Ends ?? new AsyncFigures[0]);
        }

        /// <summary>Adds what a thread that has ended has counted.</summary>
        private void Take(AsyncThread other, AsyncPath[] paths)
        {
            for (int i = 0; i < other.figures.Length; i++)
                if (other.figures[i] != null)
                    FiguresOf(paths[i]).Add(other.figures[i]);
            foldedCalls += other.foldedCalls;
        }

        /// <summary>True if the frame that this entry was made for is open.</summary>
        private bool IsOpen(int at)
        {
            return stack[at].Stamp.IsOpen(tree, stack[at].Index);
        }

        /// <summary>Forgets the entries with frames that have left.</summary>
        internal override void DropClosed(ThreadTree tree)
        {
            int kept = 0;
            for (int at = 0; at < count; at++)
                if (IsOpen(at))
                    stack[kept++] = stack[at];
            Array.Clear(stack, kept, stack.Length - kept);
            count = kept;
        }

        /// <summary>
        /// Drops what was counted; the frames of the entries were opened again. The calls that they run, and that no other thread
        /// can have taken up, count as begun with the generation.
        /// </summary>
        internal override void StartAnew(ThreadTree tree, Generation generation)
        {
            figures = new AsyncFigures[16];
            begun = new AsyncPath[0];
            foldedCalls = 0;
            for (int at = 0; at < count; at++)
            {
                int state = stack[at].State;
                stack[at].Stamp = new FrameStamp(tree, stack[at].Index);
                stack[at].SuspendedAt = Math.Max(stack[at].SuspendedAt, generation.StartTicks);
                if (stack[at].Call != null && state != AsyncFrame.Suspended && state != AsyncFrame.Ended)
                    stack[at].Call.Renew(this, generation);
                else if (state == AsyncFrame.FirstRun || state == AsyncFrame.Unidentified)
                    Counter.Add(ref FiguresOf(PlaceOf(at)).Calls, 1);
            }
        }

        /// <summary>The entry of the state machine's frame with this token; -1 when there is none.</summary>
        private int Find(int token)
        {
            while (count > 0 && stack[count - 1].Index > tree.Depth)
                count--;
            for (int at = count - 1; at >= 0; at--)
            {
                if (stack[at].State == AsyncFrame.Starter)
                    continue;
                if (stack[at].Index <= token)
                    return stack[at].Index == token && IsOpen(at) ? at : -1;
            }
            return -1;
        }

        /// <summary>Forgets what stood at the place of this frame, just opened, or above it. False when there is no room for its entries.</summary>
        private bool MakesRoom(int token, bool mayAllocate)
        {
            while (count > 0 && stack[count - 1].Index >= token)
                count--;
            if (count + 2 > stack.Length)
            {
                if (!mayAllocate)
                    return false;
                Array.Resize(ref stack, stack.Length * 2);
            }
            return true;
        }

        /// <summary>The frame with this token, just opened, runs a state machine. False when that needs memory and none may be taken.</summary>
        internal bool Enter(int token, int starter, bool mayAllocate)
        {
            if (!MakesRoom(token, mayAllocate))
                return false;
            int from = StarterOf(token, starter);
            if (from == 0)
            {
                Push(token, AsyncFrame.Resumed);
                return true;
            }
            AsyncPath path;
            AsyncCall call = null;
            if (!FindStart(count - 1, from, tree.Nodes[tree.Frames[token].Node].Id, mayAllocate, out path, ref call))
                return false;
            if (call != null)
                call.Start = JustStarted(token);
            // Nothing is left there of the starter's frame before it.
            while (count > 0 && stack[count - 1].Index >= from && !IsOpen(count - 1))
                count--;
            Push(from, AsyncFrame.Starter);
            Push(token, AsyncFrame.FirstRun);
            stack[count - 1].Path = path;
            stack[count - 1].Call = call;
            return true;
        }

        /// <summary>
        /// The frame with this token, just opened, is a method's that the runtime suspends: of a new call, or of
        /// <paramref name="run"/>'s, which goes on. False when that needs memory and none may be taken.
        /// </summary>
        internal bool Enter(int token, AsyncRun run, bool mayAllocate)
        {
            if (!MakesRoom(token, mayAllocate))
                return false;
            AsyncPath path = null;
            AsyncCall call = run.Call;
            long start = JustStarted(token);
            bool first = call == null;
            if (!first && !mayAllocate)
                return false;
            if (!first)
            {
                call.BeginSlice(start, this);
                PlaceSlice(token, call);
            }
            else if (!FindStart(count - 1, token, run.Id, mayAllocate, out path, ref call))
                return false;
            else if (call != null)
                call.Start = start;
            Push(token, first ? AsyncFrame.FirstRun : AsyncFrame.Resumed);
            stack[count - 1].Path = path;
            stack[count - 1].Call = call;
            run.Thread = this;
            run.Token = token;
            return true;
        }

        /// <summary>The call of the slice with this token, which has just been suspended.</summary>
        internal AsyncCall CallOfToken(int token)
        {
            int at = Find(token);
            return at < 0 ? null : CallOf(at);
        }

        private void Push(int index, int state)
        {
            AsyncFrame frame = new AsyncFrame();
            frame.State = state;
            frame.Index = index;
            frame.Stamp = new FrameStamp(tree, index);
            frame.Began = JustStarted(index);
            stack[count++] = frame;
        }

        /// <summary>The start of a frame that has just been opened, on the line that all threads share.</summary>
        private long JustStarted(int index)
        {
            if (Clock.Kind == Clock.Ticking)
                tree.TimeFrame(index);
            return Clock.Kind == Clock.Cpu ? Clock.Shared() : tree.Frames[index].Start;
        }

        private long StartOf(int at)
        {
            return Clock.Kind == Clock.Cpu ? stack[at].Began : tree.Frames[stack[at].Index].Start;
        }

        /// <summary>The index of the frame that starts the machine; 0 when none does, so that this is a later slice.</summary>
        private int StarterOf(int token, int starter)
        {
            Frame[] frames = tree.Frames;
            for (int index = token - 1; index > 0 && index >= token - StarterWindow; index--)
                if (tree.Nodes[frames[index].Node].Id == starter)
                    return HasStarted(index) ? 0 : index;
            return 0;
        }

        /// <summary>A frame starts one machine only; what else runs below it is a slice of another call.</summary>
        private bool HasStarted(int index)
        {
            for (int at = count - 1; at >= 0 && stack[at].Index >= index; at--)
                if (stack[at].Index == index && stack[at].State == AsyncFrame.Starter && IsOpen(at))
                    return true;
            return false;
        }

        /// <summary>
        /// Finds the place of a new call from the entries up to <paramref name="at"/>, and counts it there. <paramref name="top"/> is the
        /// frame of the method that starts it, or that it is; 0: no way to it is looked for.
        /// </summary>
        private bool FindStart(int at, int top, int id, bool mayAllocate, out AsyncPath path, ref AsyncCall call)
        {
            AsyncPath starter = AsyncPath.Root;
            int from = 0;
            // Of folded frames no path is known; tests' methods are noted by the frames before them.
            bool isFolded = top >= tree.FoldedFrom, hasWay = !isFolded || Settings.Covers;
            int to = isFolded ? tree.FoldedFrom : top;
            path = null;
            for (; at >= 0; at--)
            {
                if (!IsOpen(at))
                    continue;
                int state = stack[at].State;
                if (state == AsyncFrame.Starter || state == AsyncFrame.Ended)
                {
                    // This frame is no plain method's, and what it starts now is not its call's.
                    hasWay = false;
                    continue;
                }
                if (!mayAllocate && stack[at].Path == null)
                    return false;
                starter = PlaceOf(at);
                from = stack[at].Index;
                break;
            }
            hasWay &= to - from > 1;
            if (starter != null && !(hasWay && isFolded))
                path = hasWay ? BegunAt(tree.Frames[top].Node, starter, id) : starter.Find(id);
            if (path != null && path.Index < figures.Length && figures[path.Index] != null)
            {
                Counter.Add(ref figures[path.Index].Calls, 1);
                return true;
            }
            if (!mayAllocate)
                return false;
            int[] way = hasWay ? WayBetween(from, to) : null;
            if (starter == null)
                call = AsyncCall.BeginUnder(stack[at].Call, way, id, this, out path);
            else
                path = PlaceUnder(starter, way, id);
            if (path == null)
                return true;
            if (starter != null && hasWay && !isFolded)
                KeepBegun(tree.Frames[top].Node, path);
            Counter.Add(ref FiguresOf(path).Calls, 1);
            return true;
        }

        /// <summary>The place of calls that begin at this node, if it is known; a node has one way to it.</summary>
        private AsyncPath BegunAt(int node, AsyncPath starter, int id)
        {
            AsyncPath path = node < begun.Length ? begun[node] : null;
            return path != null && path.Id == id && path.Starter == starter ? path : null;
        }

        private void KeepBegun(int node, AsyncPath path)
        {
            if (node >= begun.Length)
                Array.Resize(ref begun, Math.Max(node + 1, begun.Length * 2));
            begun[node] = path;
        }

        /// <summary>The methods of the frames between these two; null when they are too many.</summary>
        private int[] WayBetween(int from, int top)
        {
            if (top - from - 1 > MostOnWay)
                return null;
            int[] way = new int[top - from - 1];
            for (int i = 0; i < way.Length; i++)
                way[i] = tree.Nodes[tree.Frames[from + 1 + i].Node].Id;
            return way;
        }

        /// <summary>The place of a new call that was started by the one at <paramref name="starter"/>.</summary>
        internal AsyncPath PlaceUnder(AsyncPath starter, int[] way, int id)
        {
            AsyncPath path = starter.Under(way, id);
            if (path.Starter != starter)
                Counter.Add(ref foldedCalls, 1);
            return path;
        }

        /// <summary>Where the figures of an entry go; null when that is not known yet.</summary>
        private AsyncPath PlaceOf(int at)
        {
            if (stack[at].Path == null)
                stack[at].Path = stack[at].Call == null ? AsyncPath.OfUnknownCall(stack[at].Stamp.Id) : stack[at].Call.Path;
            return stack[at].Path;
        }

        /// <summary>The token of a method that the runtime suspends. Null when none is spare and
        /// none may be made.</summary>
        internal AsyncRun NewRun(int id, bool mayAllocate)
        {
            AsyncRun run = spareRuns;
            if (run == null)
                return mayAllocate ? new AsyncRun(id) : null;
            spareRuns = run.Next;
            spareRunCount--;
            run.Next = null;
            run.Id = id;
            return run;
        }

        /// <summary>Takes back a run that is no longer in use.</summary>
        internal void Release(AsyncRun run)
        {
            run.Call = null;
            run.Thread = null;
            run.Token = 0;
            if (spareRunCount >= MostSpareRuns)
                return;
            run.Next = spareRuns;
            spareRuns = run;
            spareRunCount++;
        }

        /// <summary>True if the slice in the frame with this token has been suspended.</summary>
        internal override bool IsSuspended(int token)
        {
            int at = Find(token);
            return at >= 0 && (stack[at].State == AsyncFrame.Unidentified || stack[at].State == AsyncFrame.Suspended);
        }

        /// <summary>True if the slice in the frame with this token is one of several of its call.</summary>
        internal override bool HasAwaited(int token)
        {
            int at = Find(token);
            return at >= 0 && stack[at].State != AsyncFrame.FirstRun && (stack[at].State != AsyncFrame.Ended || stack[at].IsLater);
        }

        internal bool WantsIdentity(int token)
        {
            int at = Find(token);
            if (at < 0 || stack[at].Identity != null)
                return false;
            int state = stack[at].State;
            if (state != AsyncFrame.Unidentified && (state != AsyncFrame.Resumed || stack[at].Call != null))
                return false;
            stack[at].Asked = true;
            return true;
        }

        /// <summary>In a first run: keeps the identity until the call is suspended. True when there is nothing else to do.</summary>
        internal bool KeepsIdentity(object identity, int token)
        {
            int at = Find(token);
            if (at < 0)
                return true;
            if (stack[at].State == AsyncFrame.FirstRun)
                stack[at].Identity = identity;
            return stack[at].State != AsyncFrame.Unidentified && (stack[at].State != AsyncFrame.Resumed || stack[at].Call != null);
        }

        internal void Identify(object identity, int token)
        {
            tree.Follow();
            int at = Find(token);
            if (at < 0)
                return;
            if (stack[at].State == AsyncFrame.Unidentified)
            {
                stack[at].State = AsyncFrame.Suspended;
                Introduce(at, identity);
                return;
            }
            bool atHead = !stack[at].WasIdentified;
            stack[at].WasIdentified = true;
            long start = StartOf(at);
            AsyncCall call = stack[at].Asked ? FindOrAdd(identity, new AsyncCall(stack[at].Stamp.Id, null, Generation)) : AsyncTable.Find(identity);
            if (call != null)
            {
                call.BeginSlice(start, this);
                stack[at].Call = call;
                if (atHead)
                {
                    PlaceSlice(token, call);
                    stack[at].Stamp = new FrameStamp(tree, token);
                }
                return;
            }
            // A state machine object is known before it is suspended: this is a first run, by a starter other than the usual one
            // (DisposeAsync of an iterator).
            AsyncPath path;
            stack[at].State = AsyncFrame.FirstRun;
            stack[at].Identity = identity;
            FindStart(at - 1, 0, stack[at].Stamp.Id, true, out path, ref call);
            if (call != null)
                call.Start = start;
            stack[at].Path = path;
            stack[at].Call = call;
        }

        /// <summary>The frame with this token, just opened, runs a later slice of this call.</summary>
        private void PlaceSlice(int token, AsyncCall call)
        {
            AsyncPath path = call.PlaceOfSlice();
            if (path != null)
                tree.PlaceFrame(token, path.Index);
        }

        /// <summary>Makes the call of a first run known, which has been suspended.</summary>
        private void Introduce(int at, object identity)
        {
            AsyncCall call = CallOf(at), known = FindOrAdd(identity, call);
            if (known != call && known.Join(stack[at].Path, call, StartOf(at), stack[at].SuspendedAt, this))
                AsyncTable.Remove(known);
        }

        /// <summary>The call of a slice that has been suspended; null when it is an unknown one's.</summary>
        private AsyncCall CallOf(int at)
        {
            if (stack[at].Call == null && stack[at].Path != null)
            {
                AsyncCall call = new AsyncCall(stack[at].Stamp.Id, stack[at].Path, Generation);
                call.Start = StartOf(at);
                call.HasStart = true;
                call.SuspendedAt = stack[at].SuspendedAt;
                call.Leaf = stack[at].Leaf;
                stack[at].Call = call;
            }
            return stack[at].Call;
        }

        private AsyncCall FindOrAdd(object identity, AsyncCall call)
        {
            AsyncCall lost, found = AsyncTable.FindOrAdd(identity, call, out lost);
            for (AsyncCall next; lost != null; lost = next)
            {
                next = lost.Next;
                lost.Next = null;
                lost.GiveUp(this);
            }
            return found;
        }

        /// <summary>The slice in the frame with this token is about to await what a call of the method <paramref name="leaf"/> gave.</summary>
        internal void AwaitLeaf(int leaf, int token)
        {
            int at = Find(token);
            if (at >= 0 && (stack[at].State == AsyncFrame.FirstRun || stack[at].State == AsyncFrame.Resumed))
                stack[at].Leaf = leaf;
        }

        /// <summary>
        /// A slice ends. False when that is more than adding to figures that are there, and <paramref name="mayAllocate"/> is not
        /// set: then nothing has been done.
        /// </summary>
        internal bool EndSlice(int token, int end, bool mayAllocate)
        {
            int at = Find(token);
            if (at < 0 || (stack[at].State != AsyncFrame.FirstRun && stack[at].State != AsyncFrame.Resumed))
                return true;
            bool suspended = end == AsyncFigures.Suspension, first = stack[at].State == AsyncFrame.FirstRun;
            AsyncCall call = stack[at].Call;
            object identity = stack[at].Identity;
            if ((!first || call != null || (suspended && identity != null)) && !mayAllocate)
                return false;
            tree.EndOwned(token);
            long own = tree.Follow().Moment(), now = Clock.Kind == Clock.Cpu ? Clock.Shared() : own;
            long running = own - tree.Frames[token].Start;
            if (running < 0)
                running = 0;
            stack[at].State = !suspended ? AsyncFrame.Ended : first && identity == null ? AsyncFrame.Unidentified : AsyncFrame.Suspended;
            stack[at].IsLater = !first;
            stack[at].Identity = null;
            stack[at].SuspendedAt = now;
            if (call != null)
            {
                call.Leaf = stack[at].Leaf;
                if (call.EndSlice(now, running, end, this))
                    AsyncTable.Remove(call);
            }
            else
            {
                AsyncFigures mine = FiguresOf(PlaceOf(at));
                mine.AddSlice(running, end);
                if (!first)
                    Counter.Add(ref mine.Unlinked, 1);
                else if (!suspended)
                    Counter.Add(ref mine.WallTicks, running);
            }
            if (suspended && identity != null)
                Introduce(at, identity);
            return true;
        }
    }
}
