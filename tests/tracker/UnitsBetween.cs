// A profile that is written while a thread stands between two stores of an enter or leave.
using System;
using System.Threading;
using Instrumenter;

static partial class Units
{
    static int Called(int method, int milliseconds)
    {
        int token = Enter(method), node = ThreadTree.Current.Frames[token].Node;
        Thread.Sleep(milliseconds);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return node;
    }

    static ReportNode Shown(ThreadTree tree, OpenFrames open, int node)
    {
        ByteWriter nodes = new ByteWriter(64), profile = new ByteWriter(64);
        int count = new TreeWriter(nodes, new TreeView(tree), tree.Count, open, new ThreadSection[0]).Write();
        profile.Raw(new byte[16]);
        int section = profile.BeginSection("THRD");
        foreach (int value in new int[] { 1, 0, 1, count })
            profile.VarUInt(value);
        profile.Raw(nodes.Bytes, nodes.Count);
        profile.EndSection(section);
        byte[] bytes = new byte[profile.Count];
        Array.Copy(profile.Bytes, bytes, bytes.Length);
        return new ReportTree(bytes).Root.Child(tree.Nodes[node].Id);
    }

    static void Shows(ReportNode shown, long calls, long ticks, long open, string what)
    {
        Equal(calls, shown.Calls, "calls, " + what);
        Equal(ticks, shown.Ticks, "time, " + what);
        Equal(open, shown.Open, "open frames, " + what);
    }

    // The call is counted, and its frame is not on the stack yet.
    static void Entering()
    {
        int node = Called(20, 3);
        ThreadTree tree = ThreadTree.Current;
        long ticks = tree.Nodes[node].Ticks;
        Shows(Shown(tree, new OpenFrames(tree), node), 1, ticks, 0, "of a closed frame");
        tree.Nodes[node].Calls++;
        Shows(Shown(tree, new OpenFrames(tree), node), 2, ticks, 1, "behind a call that has just begun");
        int fresh = tree.Add(NodeTree.Root, first + 21, 0);
        tree.Nodes[fresh].Calls++;
        Shows(Shown(tree, new OpenFrames(tree), fresh), 1, 0, 1, "in the first one");
        // The program's own profile has nothing that was made up.
        tree.Nodes[node].Calls--;
        tree.Nodes[fresh].Calls--;
    }

    // A trigger by depth takes no call back, whatever its time is: a look may have taken more off it than there was.
    static void BelowNothing()
    {
        int node = Called(25, 0);
        ThreadTree tree = ThreadTree.Current;
        Control.SetTriggers(new Triggers(null, 100, 0));
        int token = Enter(25);
        tree.Frames[token].Start += 1L << 40;
        ProfileInfoTracker.WhenLeavingMethod(token);
        Control.SetTriggers(null);
        Equal(2, new TreeView(tree).Calls(node), "calls, one of less than no time");
    }

    // The time is added, and the frame still stands there.
    static void Leaving()
    {
        Called(23, 1);
        int token = Enter(23);
        ThreadTree tree = ThreadTree.Current;
        int node = tree.Frames[token].Node;
        Expect(Shown(tree, new OpenFrames(tree), node).Open == 1, "a frame is open");
        tree.Nodes[node].Ticks += tree.Nodes[node].Max;
        Shows(Shown(tree, new OpenFrames(tree), node), 2, tree.Nodes[node].Ticks, 1, "of two frames that have closed");
        tree.Nodes[node].Ticks -= tree.Nodes[node].Max;
    }

    // The thread gives its frames other nodes while the stack is copied, and is through in a moment.
    static void MovedFrames()
    {
        int token = Enter(25);
        ThreadTree tree = ThreadTree.Current;
        int node = tree.Frames[token].Node;
        Thread.Sleep(5);
        bool copied = false;
        // On a busy machine that thread may have no processor for as long as the copy waits.
        for (int i = 0; i < 20 && !copied; i++)
        {
            tree.Moves++;
            Thread done = new Thread(delegate() { Thread.Sleep(2); tree.Moves++; });
            done.Start();
            OpenFrames open = new OpenFrames(tree);
            done.Join();
            copied = open.Count == 1 && Shown(tree, open, node).Open == 1;
        }
        Expect(copied, "frames that were moved are copied again");
        tree.Moves++;
        Expect(new OpenFrames(tree).Count == 0, "those of a thread that stays at it have no time");
        tree.Moves++;
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    // It was open when the stack was copied.
    static void LeftSince()
    {
        int token = Enter(24);
        ThreadTree tree = ThreadTree.Current;
        int node = tree.Frames[token].Node;
        Thread.Sleep(5);
        OpenFrames open = new OpenFrames(tree);
        Expect(Shown(tree, open, node).Open == 1, "a frame that stays is open");
        ProfileInfoTracker.WhenLeavingMethod(token);
        Shows(Shown(tree, open, node), 1, tree.Nodes[node].Ticks, 1, "of a frame that was left since");
        Called(24, 0);
        Shows(Shown(tree, open, node), 2, tree.Nodes[node].Ticks, 1, "of one that came after it, too");
    }
}
