// Ticks that come before a probe, and while it runs.
using System.Reflection;
using System.Threading;
using Instrumenter;

static partial class Units
{
    static void Tick(int time) { Clock.Tick += time; }

    // No tick comes by itself from now on, and no pause becomes a long one, which a call would end by a tick: the thread that ticks has
    // ended. What looks have lost so far goes to a frame of its own.
    static void EndTicks()
    {
        TickingClock.End();
        ((Thread)typeof(TickingClock).GetField("thread", BindingFlags.Static | BindingFlags.NonPublic).GetValue(null)).Join();
        TickingClock.Notice();
        int other = Enter(29);
        Tick(2);
        ProfileInfoTracker.WhenLeavingMethod(other);
    }

    static void Has(ThreadTree tree, int node, long own, long probed, string what)
    {
        Equal(own, tree.Credits[node], "own time " + what);
        Equal(probed, tree.Probed[node], "time in probes " + what);
    }

    static void ProbesOfTicks()
    {
        Called(28, 0);
        EndTicks();
        int outer = Enter(26);
        ThreadTree tree = ThreadTree.Current;
        int caller = tree.Frames[outer].Node;
        ProfileInfoTracker.WhenLeavingMethod(Enter(27));
        Tick(1000);
        int inner = Enter(27), callee = tree.Frames[inner].Node;
        Has(tree, caller, 1000, 0, "behind a tick before a call");
        Tick(200);
        Equal(inner, tree.EnterAtTick(first + 27), "frame");
        Has(tree, caller, 1000, 200, "behind a tick within the way in");
        Tick(30);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        Has(tree, callee, 30, 0, "behind a tick in the call");
        Tick(4);
        tree.EndProbe();
        Has(tree, caller, 1000, 204, "behind a tick within the way out");
        inner = Enter(27);
        ThreadTree.NoteAll(Clock.Tick + 500);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        Tick(500);
        tree.EndProbe();
        Has(tree, callee, 530, 0, "when a call has ended that ran at the tick");
        Has(tree, caller, 1000, 204, "then");
        tree.InProbe = 1;
        ThreadTree.NoteAll(Clock.Tick + 60);
        tree.InProbe = 0;
        Tick(60);
        inner = Enter(27);
        Has(tree, caller, 1000, 264, "when a probe ran at the tick");
        ThreadTree.NoteAll(Clock.Tick + 7);
        Tick(8);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        Has(tree, callee, 538, 0, "when what was noted is not of this tick");
        long calls = tree.Nodes[callee].Calls;
        Equal(4, calls, "calls");
        Shows(Shown(tree, new OpenFrames(tree), caller), 1, 1802, 1, "with all of it");
        // What a look lost does not go to a frame that waited until the tick came.
        long waited = TickingClock.Late;
        tree.Defer(tree.Depth, 500);
        inner = Enter(27);
        Tick((int)waited);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        Has(tree, callee, 538 + waited, 0, "behind a wait");
        inner = Enter(27);
        Tick(7);
        ProfileInfoTracker.WhenLeavingMethod(inner);
        Has(tree, callee, 1045 + waited, 0, "with what a look lost");
        Control.Set(false);
        Tick(100000);
        tree.EndProbe();
        Has(tree, caller, 1000, 264, "while nothing is recorded");
        Control.Set(true);
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }

    // What the slow way counts stands at the node. By the default clock, which would time the first 64 calls of a method with a node.
    static void FoldedCalls()
    {
        const int Calls = 200, Slow = 2;
        Called(28, 0);
        EndTicks();
        int outer = Enter(26);
        ThreadTree tree = ThreadTree.Current;
        tree.FoldAll(first + 30);
        for (int i = 0; i < Calls; i++)
            ProfileInfoTracker.WhenLeavingMethod(Enter(30));
        int node = tree.Find(NodeTree.FoldedRoot, first + 30);
        Equal(Calls, new TreeView(tree).Calls(node), "folded calls");
        Expect(tree.Nodes[node].Calls <= Slow, tree.Nodes[node].Calls + " folded calls went the slow way");
        CallSums sums = CallSums.Now(null);
        Equal(Calls, sums.Folded(first + 30 - Registry.FirstId), "folded calls in the sums");
        Equal(0, sums.Folded(first + 28 - Registry.FirstId), "folded calls of a method that had none");
        Equal(Calls, sums.AllFolded, "all folded calls");
        ProfileInfoTracker.WhenLeavingMethod(outer);
    }
}
