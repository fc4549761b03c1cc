// One method at one place of a thread's call tree.
namespace Instrumenter
{
    /// <summary>
    /// An element of <see cref="NodeTree.Nodes"/>, known by its index there. It holds no reference: no store into it has to be reported to a
    /// garbage collector, which never looks at it either. 64 bytes; what a call looks at comes first, in one line of a cache. Written by its own
    /// thread only, read by any: the list of children only grows, at its head, by nodes that are whole before they are seen.
    /// </summary>
    internal struct Node
    {
        /// <summary>Ids of the nodes that stand for no method.</summary>
        internal const int RootId = 0, FoldedRootId = 1;

        /// <summary>
        /// Bits of <see cref="Flags"/>: its outermost call ends the recording; a scope that the program measures, and no method; found
        /// through the table (<see cref="NodeTree.Find"/>), too; the text of a command; all its frames were timed by the Stopwatch though
        /// the clock ticks (ThreadTree.Ticks.cs); below the root of the folded calls; it knows which methods were folded below it
        /// (ThreadTree.Below.cs); its method is off (ThreadTree.Off.cs); a step of an async method, where that is of use.
        /// </summary>
        internal const int Watched = 1, Scope = 2, Listed = 4, Command = 8, Timed = 16, Folded = 32, Owner = 64, Off = 128, Step = 256;

        /// <summary>The fast way in leaves frames of such nodes to <see cref="ThreadTree.EnterTicking"/>; none is only visited.</summary>
        internal const int Marks = Timed | Watched | Folded | Owner | Off;

        internal int Id;
        internal int Flags;

        /// <summary>Enters counted, but those that stand at a folded one's figures (<see cref="NodeFold.Entered"/>).</summary>
        internal long Calls;

        /// <summary>
        /// Time of closed frames, with that of the callees; own time only under the root of the folded calls. While a clock ticks, of the
        /// frames that the Stopwatch times.
        /// </summary>
        internal long Ticks;

        /// <summary>
        /// The shortest and the longest inclusive time of a closed frame; as long as there is none,
        /// the least of no time at all. For a watched node the longest stays below every time, so
        /// that the fast way out finds each of its frames longer than all before and tells of it:
        /// methods that nobody watches pay nothing.
        /// </summary>
        internal long Min, Max;

        internal int Caller;

        /// <summary>The next one in the table. When the thread has ended: the node of the other
        /// tree that this one was added to.</summary>
        internal int Chain;

        /// <summary>How many callers of this node, as far as they were looked at, are the same method.</summary>
        internal int Recursion;

        /// <summary>Where its rarer figures are; 0: it has none.</summary>
        internal int Extra;

        /// <summary>The newest child; its <see cref="Sibling"/> is the next older one.</summary>
        internal int FirstChild, Sibling;
    }

    /// <summary>Facts that few nodes have, an element of <see cref="NodeTree.Extras"/>.</summary>
    internal struct NodeExtra
    {
        /// <summary>The part of its time that was spent in callees that were folded away.</summary>
        internal long FoldedTicks;

        /// <summary>The bytes that were allocated in them.</summary>
        internal long FoldedBytes;

        /// <summary>The objects.</summary>
        internal long FoldedObjects;

        /// <summary>The collections that came while its own code ran, and for how many nanoseconds they held up the program.</summary>
        internal long Collections, Pause;

        /// <summary>The same of its callees that were folded away.</summary>
        internal long FoldedCollections, FoldedPause;

        /// <summary>Frames that were closed because an outer one left first.</summary>
        internal long Resynchronised;

        /// <summary>Frames that were closed because an exception had left them.</summary>
        internal long LeftByException;

        /// <summary>The counted enters that were taken back, as their calls were too short
        /// (Triggers.cs).</summary>
        internal long TakenBack;

        /// <summary>For later slices of async calls: the index of the calls' path (AsyncPath.cs); 0: it
        /// has none.</summary>
        internal int Place;

        /// <summary>For a watched node: the longest inclusive time of a closed frame.</summary>
        internal long Longest;

        /// <summary>Where the figures of its folded and unrecorded calls are; 0: it has none.</summary>
        internal int Fold;

        /// <summary>Where the methods are that were folded below it; 0: it has none.</summary>
        internal int Below;
    }

    /// <summary>
    /// Calls that were folded, which few programs have, an element of <see cref="NodeTree.Folds"/>. At the node of a method
    /// that was folded, it tells of the folded frames; else of those that were folded below the node.
    /// </summary>
    internal struct NodeFold
    {
        /// <summary>Where a method was folded: enters that the fast ways have counted, which do not stand at its node.</summary>
        internal long Entered;

        /// <summary>Frames of it that are open, and how many normal ones of the same method are below them.</summary>
        internal int Open, OnPath;

        /// <summary>Folded calls that its own code has made, and all that came of them.</summary>
        internal long Calls, All;

        /// <summary>
        /// Of the frames of a folded method that have no frame of it below them on the stack: how many they were, and the
        /// folded calls below them. The fast ways use what stands up to here.
        /// </summary>
        internal long OuterFrames, OuterBelow;

        /// <summary>
        /// Calls that its own code has made and that were taken back, with those below them; and calls that were not recorded
        /// at all (Triggers.cs).
        /// </summary>
        internal long TakenBack, Skipped;

        /// <summary>The inclusive time of all frames of a folded method, and of those counted above.</summary>
        internal long Ticks, OuterTicks;

        /// <summary>But for what is entered, which counts as the node's calls.</summary>
        internal void Add(NodeFold more)
        {
            Counter.Add(ref Calls, more.Calls);
            Counter.Add(ref All, more.All);
            Counter.Add(ref TakenBack, more.TakenBack);
            Counter.Add(ref Skipped, more.Skipped);
            Counter.Add(ref Ticks, more.Ticks);
            Counter.Add(ref OuterTicks, more.OuterTicks);
            Counter.Add(ref OuterFrames, more.OuterFrames);
            Counter.Add(ref OuterBelow, more.OuterBelow);
        }
    }
}
