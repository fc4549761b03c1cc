// The tracker's inner classes by themselves, compiled together with this: what no profile shows, or only now and then.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Threading;
using Instrumenter;

static partial class Units
{
    static int failed;
    static int first;

    static int Main(string[] arguments)
    {
        first = ProfileInfoTracker.Register(typeof(Units).TypeHandle, 64);
        Expect(first >= 1 << 24, "ids are dealt");
        switch (arguments[0])
        {
            case "scopes": OnAThread(Scopes); OnAThread(ScopeFirst); break;
            case "nodes": Children(); Hidden(); Recursion(); break;
            case "buckets": Buckets(); break;
            case "bytes": Bytes(); Wide(); break;
            case "report": OnAThread(Report); break;
            case "async": OnAThread(StateMachineAfterReset); OnAThread(AsyncAfterReset); break;
            case "stamps": OnAThread(Stamps); break;
            case "disturbed": OnAThread(Undisturbed); Disturbed(); break;
            case "ticks": OnAThread(ProbesOfTicks); break;
            case "folded": OnAThread(FoldedCalls); break;
            case "triggered": OnAThread(BelowNothing); break;
            case "between": OnAThread(Entering); OnAThread(Leaving); OnAThread(LeftSince); OnAThread(MovedFrames); break;
            case "names": Names(); Edits(); break;
            case "addresses": Addresses(); break;
            case "steady": Steady(); break;
            case "masks": MaskedNames(); break;
            default: return 2;
        }
        return failed == 0 ? 0 : 1;
    }

    static void Expect(bool holds, string what)
    {
        if (holds)
            return;
        failed++;
        Console.WriteLine("FAILED: " + what);
    }

    static void Equal(long expected, long found, string what)
    {
        Expect(expected == found, what + ": " + found + ", expected " + expected);
    }

    // Each on a thread of its own, with an empty tree.
    static void OnAThread(ThreadStart test)
    {
        Thread thread = new Thread(test);
        thread.Start();
        thread.Join();
    }

    static int Enter(int method)
    {
        return ProfileInfoTracker.WhenEnteringMethod(first + method);
    }

    // ---- Scopes on a frame -------------------------------------------------------------------------------------------

    static void Scopes()
    {
        int a = Enter(0);
        ThreadTree tree = ThreadTree.Current;
        Equal(a, tree.WithScopes(a), "a frame without scopes");
        ScopeFrame one = ScopeFrame.Enter("one"), two = ScopeFrame.Enter("two");
        Equal(a + 2, two.Token, "two scopes on a frame");
        Equal(a + 2, tree.WithScopes(a), "the topmost of both");
        Equal(a + 2, tree.WithScopes(a + 1), "from the lower one");
        Equal(a + 2, tree.WithScopes(a + 2), "from the upper one");
        Equal(0, tree.WithScopes(0), "no frame");
        int b = Enter(1);
        Equal(a + 2, tree.WithScopes(a), "a method ends the row");
        Equal(b, tree.WithScopes(b), "which has none");
        ScopeFrame three = ScopeFrame.Enter("three");
        Equal(b + 1, tree.WithScopes(b), "its own scope");
        Equal(a + 2, tree.WithScopes(a), "is not that of the frame below");
        three.Leave();
        Equal(b, tree.WithScopes(b), "a scope that has left, though its frame's place still holds it");
        ProfileInfoTracker.WhenLeavingMethod(b);
        two.Leave();
        Equal(a + 1, tree.WithScopes(a), "the lower one alone");
        one.Leave();
        Equal(a, tree.WithScopes(a), "none any more");
        ProfileInfoTracker.WhenLeavingMethod(a);
        Equal(0, tree.Depth, "all frames have left");
    }

    static void ScopeFirst()
    {
        ScopeFrame scope = ScopeFrame.Enter("alone");
        ThreadTree tree = ThreadTree.Current;
        Equal(1, scope.Token, "a scope below which there is nothing");
        Equal(0, tree.WithScopes(0), "stands on no frame");
        Equal(1, tree.WithScopes(1), "and is its own topmost");
        scope.Leave();
        Equal(0, tree.Depth, "it has left");
    }

    // ---- The tree of calls -------------------------------------------------------------------------------------------

    // Ids that share slots, enough of them that nodes and table grow; each is found under its own caller alone.
    // A node of folded calls was in the slot meanwhile: children that left it are still found, and one that is new then, too.
    static void Hidden()
    {
        NodeTree tree = new NodeTree();
        int folded = tree.Add(NodeTree.FoldedRoot, first + 16, 0), caller = tree.Add(NodeTree.Root, first + 1, 0);
        int[] children = new int[3];
        for (int i = 0; i < children.Length; i++)
        {
            children[i] = tree.Add(caller, first + 24 + i * 8, 0);
            for (int child = 0; child <= i; child++)
            {
                tree.ShowFolded(caller, folded);
                tree.HideFolded(caller, folded);
                Equal(children[child], tree.Find(caller, first + 24 + child * 8), "a child whose slot had folded calls, of " + (i + 1));
            }
            tree.ShowFolded(caller, folded);
            tree.HideFolded(caller, folded);
            Equal(NodeTree.None, tree.Find(caller, first + 16), "the method that was folded");
        }
    }

    static void Children()
    {
        const int Callers = 5, Each = 300;
        NodeTree tree = new NodeTree();
        int[] callers = new int[Callers];
        Dictionary<long, int> known = new Dictionary<long, int>();
        for (int c = 0; c < Callers; c++)
            callers[c] = tree.Add(NodeTree.Root, first + c, 0);
        for (int i = 0; i < Each; i++)
            foreach (int caller in callers)
            {
                int id = first + i * (caller % 2 == 0 ? 8 : 3);
                Equal(NodeTree.None, tree.Find(caller, id), "a child that is not there yet");
                int node = tree.Add(caller, id, 0);
                known.Add((long)caller << 32 | (uint)id, node);
                Equal(node, tree.Find(caller, id), "a child that has just come");
            }
        Equal(3 + Callers + Callers * Each, tree.Count, "nodes, with the three that stand for none");
        for (int round = 0; round < 2; round++)
            foreach (KeyValuePair<long, int> one in known)
                Equal(one.Value, tree.Find((int)(one.Key >> 32), (int)one.Key), "a child in either order");
        foreach (int caller in callers)
        {
            int count = 0, newest = tree.Nodes[caller].FirstChild;
            for (int node = newest; node != NodeTree.None; node = tree.Nodes[node].Sibling)
            {
                count++;
                Equal(caller, tree.Nodes[node].Caller, "a child's caller");
                Expect(tree.Nodes[node].Sibling < node, "younger children stand before older ones");
                Equal(0, tree.Nodes[node].Calls, "a new node's calls");
                Equal(long.MaxValue, tree.Nodes[node].Min, "a new node's shortest call");
            }
            Equal(Each, count, "children of one caller");
        }
        Expect(tree.Slots.Length >= tree.Nodes.Length * NodeTree.SlotsPerNode, "there are never less slots than nodes need");
    }

    // The window: the same method is found up to 63 callers above the caller.
    static void Recursion()
    {
        NodeTree tree = new NodeTree();
        int node = NodeTree.Root;
        for (int i = 0; i < 63; i++)
            node = tree.Add(node, first + i, tree.RecursionOfChild(node, first + i));
        Equal(0, tree.Nodes[node].Recursion, "a method that is not above");
        Equal(1, tree.RecursionOfChild(node, first), "the one 62 calls above the caller");
        Equal(1, tree.RecursionOfChild(node, first + 62), "the caller");
        node = tree.Add(node, first + 62, 1);
        Equal(1, tree.RecursionOfChild(node, first), "63 above");
        Equal(2, tree.RecursionOfChild(node, first + 62), "twice above");
        node = tree.Add(node, first + 63, 0);
        Equal(0, tree.RecursionOfChild(node, first), "64 above: not looked at");
    }

    // ---- Bytes -------------------------------------------------------------------------------------------------------

    // docs/profile-format.md, section 3: four buckets for each power of two, 0 to 7 by themselves; the lower end of
    // bucket b is then (4 + b % 4) << (b / 4 - 1).
    static void Buckets()
    {
        for (int b = 0; b < 248; b++)
        {
            long low = b < 8 ? b : (4L + b % 4) << (b / 4 - 1);
            long next = b < 7 ? b + 1 : b == 247 ? long.MaxValue : (4L + (b + 1) % 4) << ((b + 1) / 4 - 1);
            foreach (long ticks in new long[] { low, next - 1 })
            {
                Histograms one = new Histograms();
                one.Count(first, ticks);
                ByteWriter output = new ByteWriter(16);
                one.Write(output);
                Equal(b, BucketIn(output), "bucket of " + ticks);
            }
        }
        Histograms several = new Histograms(), more = new Histograms();
        ByteWriter empty = new ByteWriter(16);
        several.Write(empty);
        Equal(0, empty.Count, "no section of nothing");
        several.Count(first + 70, 3);
        several.Count(first + 70, 1L << 40);
        more.Count(first + 2, 5);
        more.Count(first + 70, 3);
        several.Add(more);
        ByteWriter sum = new ByteWriter(16);
        several.Write(sum);
        int at = 16;
        Equal(2, VarUInt(sum, ref at), "methods");
        Equal(first + 2, VarUInt(sum, ref at), "the first");
        Equal(5, VarUInt(sum, ref at), "its bucket");
        Equal(1, VarUInt(sum, ref at), "one alone");
        Equal(1, VarUInt(sum, ref at), "a call");
        Equal(first + 70, VarUInt(sum, ref at), "the second");
        Equal(3, VarUInt(sum, ref at), "its first bucket");
        int buckets = (int)VarUInt(sum, ref at);
        Equal(4 * 39 - 3 + 1, buckets, "up to that of 2^40");
        Equal(2, VarUInt(sum, ref at), "calls of both");
        for (int i = 0; i < buckets - 2; i++)
            Equal(0, VarUInt(sum, ref at), "none between");
        Equal(1, VarUInt(sum, ref at), "the long one");
        Equal(sum.Count, at, "nothing behind");
    }

    static long BucketIn(ByteWriter output)
    {
        int at = 16;
        Equal(1, VarUInt(output, ref at), "methods");
        Equal(first, VarUInt(output, ref at), "the method");
        long bucket = VarUInt(output, ref at);
        Equal(1, VarUInt(output, ref at), "buckets");
        Equal(1, VarUInt(output, ref at), "calls");
        return bucket;
    }

    static long VarUInt(ByteWriter output, ref int at)
    {
        long value = 0;
        for (int shift = 0;; shift += 7)
        {
            byte b = output.Bytes[at++];
            value |= (long)(b & 0x7F) << shift;
            if (b < 0x80)
                return value;
        }
    }

    static void Bytes()
    {
        foreach (long value in new long[] { 0, 1, 127, 128, 16383, 16384, int.MaxValue, 1L << 62, long.MaxValue, -1 })
        {
            ByteWriter output = new ByteWriter(0);
            output.VarUInt(value);
            int at = 0;
            Equal(value, VarUInt(output, ref at), "a number");
            Equal(output.Count, at, "its bytes");
        }
        // A length in bytes, then UTF-8; on both sides of the length from which text is encoded apart, and of 127 bytes.
        foreach (int length in new int[] { 0, 1, 41, 42, 43, 44, 126, 127, 128, 129, 5000 })
            foreach (string letter in new string[] { "a", "\u00e9", "\u20ac" })
            {
                string text = new string(letter[0], length);
                byte[] encoded = System.Text.Encoding.UTF8.GetBytes(text);
                ByteWriter output = new ByteWriter(0);
                output.Text(text);
                int at = 0;
                Equal(encoded.Length, VarUInt(output, ref at), "length of " + length + " times " + letter);
                Equal(output.Count, at + encoded.Length, "nothing behind it");
                for (int i = 0; i < encoded.Length; i++)
                    if (encoded[i] != output.Bytes[at + i])
                    {
                        Expect(false, "byte " + i + " of " + length + " times " + letter);
                        break;
                    }
            }
    }

    // ---- After a reset -----------------------------------------------------------------------------------------------

    static long AsyncCalls()
    {
        long calls = 0;
        foreach (AsyncFigures figures in AsyncThread.Of(ThreadTree.Current).Figures)
            if (figures != null)
                calls += figures.Calls;
        return calls;
    }

    // A starter's frame starts one machine only; that it has done so holds after a reset, too.
    static void StateMachineAfterReset()
    {
        int starter = Enter(8), machine = ProfileInfoTracker.WhenEnteringStateMachine(first + 9, first + 8);
        Equal(1, AsyncCalls(), "a call's first run");
        Control.BeginGeneration();
        ThreadTree.Current.Follow();
        Equal(1, AsyncCalls(), "it counts as begun with the generation");
        ProfileInfoTracker.WhenLeavingMethod(machine);
        int later = ProfileInfoTracker.WhenEnteringStateMachine(first + 9, first + 8);
        Equal(1, AsyncCalls(), "what else runs on its starter is a later slice");
        ProfileInfoTracker.WhenLeavingMethod(later);
        ProfileInfoTracker.WhenLeavingMethod(starter);
        starter = Enter(8);
        machine = ProfileInfoTracker.WhenEnteringStateMachine(first + 9, first + 8);
        Equal(2, AsyncCalls(), "another frame starts another call");
        ProfileInfoTracker.WhenLeavingMethod(machine);
        ProfileInfoTracker.WhenLeavingMethod(starter);
    }

    // Methods that the runtime suspends, one below the other; both are first runs.
    static void AsyncAfterReset()
    {
        object outer = ProfileInfoTracker.WhenEnteringAsync(first + 10), inner = ProfileInfoTracker.WhenEnteringAsync(first + 11);
        Equal(2, AsyncCalls(), "two first runs");
        Control.BeginGeneration();
        ThreadTree.Current.Follow();
        Equal(2, AsyncCalls(), "both count as begun with the generation");
        ProfileInfoTracker.WhenLeavingAsync(inner);
        ProfileInfoTracker.WhenLeavingAsync(outer);
        Equal(0, ThreadTree.Current.Depth, "both have left");
    }

    static void Stamps()
    {
        int a = Enter(20), b = Enter(21);
        ThreadTree tree = ThreadTree.Current;
        FrameStamp lower = new FrameStamp(tree, a), upper = new FrameStamp(tree, b);
        Expect(lower.IsOpen(tree, a) && upper.IsOpen(tree, b), "frames that are open");
        Expect(!lower.IsOpen(tree, b) && !upper.IsOpen(tree, a), "but not at each other's place");
        Expect(!new FrameStamp().IsOpen(tree, a), "a stamp of none");
        ProfileInfoTracker.WhenLeavingMethod(b);
        Expect(!upper.IsOpen(tree, b), "one that has left");
        Equal(b, Enter(21), "the same method at the same place");
        Expect(!upper.IsOpen(tree, b), "is another frame");
        FrameStamp second = new FrameStamp(tree, b);
        Control.BeginGeneration();
        tree.Follow();
        Expect(!lower.IsOpen(tree, a) && !second.IsOpen(tree, b), "stamps of before a reset");
        ProfileInfoTracker.WhenLeavingMethod(b);
        ProfileInfoTracker.WhenLeavingMethod(a);
    }

    // ---- A profile that is disturbed ---------------------------------------------------------------------------------

    // A thread that seems to begin again all the time disturbs each attempt; between two of them the writer sleeps. It is made
    // again, which another thread sees; and given up in the end, so that this ends.
    static void Disturbed()
    {
        ThreadTree moving = null;
        ManualResetEvent entered = new ManualResetEvent(false), over = new ManualResetEvent(false);
        Thread other = new Thread(delegate()
        {
            Enter(30);
            moving = ThreadTree.Current;
            entered.Set();
            over.WaitOne(); // the tree of a thread that has ended is folded
        });
        other.Start();
        entered.WaitOne();
        Control.BeginGeneration();
        Thread writer = Thread.CurrentThread;
        bool sleeps = false, done = false, began = false;
        Thread watcher = new Thread(delegate()
        {
            began = true;
            while (!done)
                if ((writer.ThreadState & ThreadState.WaitSleepJoin) != 0)
                    sleeps = true;
        });
        Equal(0, moving.Moves & 1, "moves of a thread at rest");
        moving.Moves++;
        watcher.Start();
        while (!Volatile.Read(ref began))
            Thread.SpinWait(100);
        Volatile.Write(ref sleeps, false);
        for (int round = 0; round < 500 && !Volatile.Read(ref sleeps); round++)
            Expect(ProfileWriter.Write("test").Count > 16, "what is disturbed for ever is written all the same");
        Expect(Volatile.Read(ref sleeps), "a disturbed profile is made again");
        Volatile.Write(ref done, true);
        watcher.Join();
        moving.Moves++;
        over.Set();
        other.Join();
    }

    // An assembly by its two names; in the full one a comma, a quotation mark and a backslash are escaped.
    sealed class NamedAssembly : Assembly
    {
        readonly string simple, full;

        internal NamedAssembly(string simple, string full)
        {
            this.simple = simple;
            this.full = full;
        }

        public override string FullName { get { return full; } }
        public override AssemblyName GetName() { return new AssemblyName { Name = simple }; }
    }

    static void Names()
    {
        const string rest = ", Version=1.0.0.0, Culture=neutral, PublicKeyToken=null";
        string[][] names =
        {
            new string[] { "Plain", "Plain" + rest }, new string[] { "a,b", "a\\,b" + rest },
            new string[] { ",a", "\\,a" + rest }, new string[] { "\\a", "\\\\a" + rest },
            new string[] { "a\"", "\"a\\\"\"" + rest }, new string[] { " a", "\" a\"" + rest },
            new string[] { "Alone", "Alone" },
        };
        foreach (string[] pair in names)
            Expect(Host.SimpleName(new NamedAssembly(pair[0], pair[1])) == pair[0], "the simple name of " + pair[1]);
        Expect(Host.FileName("a-b.c_9") == "a-b.c_9", "a name that any system takes stays");
        Expect(Host.FileName("a b,c") == "a b,c", "what this system takes stays");
        Expect(Host.FileName("/a/b\0") == "_a_b_", "a character that no file's name has becomes an underscore");
        int[] quantities =
        {
            CalibrationRounds.Whole, CalibrationRounds.Body, CalibrationRounds.Rows, CalibrationRounds.InsideEmpty,
            CalibrationRounds.CostEmpty, CalibrationRounds.InsideWork, CalibrationRounds.CostWork,
            CalibrationRounds.OutsideLast, CalibrationRounds.ClockRead,
        };
        Equal(CalibrationRounds.Quantities, quantities.Length, "quantities of a round of the calibration");
        for (int i = 0; i < quantities.Length; i++)
            Equal(i, Array.IndexOf(quantities, i), "each quantity has a place of its own");
    }

    // Between two names: two for each letter that is put in, taken out or replaced, one for another case.
    static void Edits()
    {
        MethodInfo distance = typeof(NearName).GetMethod("Distance", BindingFlags.NonPublic | BindingFlags.Static);
        object[][] pairs =
        {
            new object[] { "Inner", "Inner", 0 }, new object[] { "Inner", "inner", 1 }, new object[] { "Inner", "Iner", 2 },
            new object[] { "xabcdef", "abcdef", 2 }, new object[] { "xyabcdef", "abcdef", 4 },
            new object[] { "abcdef", "xyabcdef", 4 }, new object[] { "abcdefxy", "abcdef", 4 },
            new object[] { "abcdef", "abcdefxy", 4 }, new object[] { "abcdef", "abXdef", 2 },
            new object[] { "abcdef", "abCdeX", 3 }, new object[] { "xbcdefg", "bcdefgx", 4 },
        };
        foreach (object[] pair in pairs)
        {
            Equal((int)pair[2], (int)distance.Invoke(null, new object[] { pair[0], pair[1] }), pair[0] + " and " + pair[1]);
            Equal((int)pair[2], (int)distance.Invoke(null, new object[] { pair[1], pair[0] }), pair[1] + " and " + pair[0]);
        }
        int far = (int)distance.Invoke(null, new object[] { "abc", "xyz" });
        Expect(far > 4, "names that are not alike are far from one another");
        Equal(far, (int)distance.Invoke(null, new object[] { "abcdef", "abcuvw" }), "three letters of six");
    }

    // A reading, and the time that is given for it; 1,000 ticks are a second.
    static void Steady()
    {
        long[][] readings =
        {
            new long[] { 5000, 5000 }, new long[] { 5010, 5010 }, // goes on
            new long[] { 4900, 5010 }, new long[] { 4011, 5010 }, new long[] { 5020, 5020 }, // less than a second back: stands
            new long[] { 4020, 5020 }, new long[] { 4025, 5025 }, new long[] { 4030, 5030 }, // a second back: goes on from there
            new long[] { -7000, 5030 }, new long[] { -6999, 5031 }, // again, below 0
            new long[] { 90000, 102030 }, new long[] { 90001, 102031 }, // forward
        };
        long last = long.MinValue, setBack = 0;
        foreach (long[] pair in readings)
            Equal(pair[1], SteadyTime.Of(pair[0], 1000, ref last, ref setBack), "the time at " + pair[0]);
    }

    // 127.0.0.0/8 (RFC 1122, 3.2.1.3), ::1 (RFC 4291, 2.5.3), localhost (RFC 6761, 6.3); the host of an address by RFC 3986, 3.2.
    static void Addresses()
    {
        string[] stay =
        {
            "https://shop.example/t", "https://user@shop.example", "http://127.0.0.1/t", "http://127.0.0.1:8465/t", "http://127.1.2.3", "http://127.255.255.254:1?q",
            "http://localhost:80/t", "http://LocalHost", "http://[::1]/t", "http://[::1]:8465/t",
        };
        string[] leave =
        {
            "http://shop.example/t", "http://192.0.2.1:8465/t", "http://128.0.0.1/", "http://127.0.0.1.example/t", "http://127.0.0.example/t", "http://localhost.example/",
            "http://127.0.0.1@shop.example/t", "http://127.0.0.1:80@shop.example/t", "http://localhost:x@shop.example:1/t", "http://shop.example/@127.0.0.1/t",
            "http://shop.example?@localhost", "http://shop.example#@localhost", "http://shop.example\\@localhost", "http://shop.example\\@127.0.0.1:80/", "http://[::2]/t",
            "http://[::1].example/t", "http://127.0.1/t", "http://127.0.0.1.1/t", "http://127.0.0.0001/t", "http://127.0..1/t", "http://xlocalhost/t", "http://:80/t",
        };
        foreach (string url in stay)
            Expect(PostAddress.IsEncryptedOrLocal(url), url + " is encrypted, or of this machine");
        foreach (string url in leave)
            Expect(!PostAddress.IsEncryptedOrLocal(url), url + " is another machine's, and not encrypted");
    }

    // A counter is read again only if a reset came between.
    static void Undisturbed()
    {
        Enter(31);
        ThreadTree[] threads = new ThreadTree[] { ThreadTree.Current };
        using (LiveTrees trees = new LiveTrees(threads, Control.Current))
        {
            Equal(1, trees.All.Count, "trees that live");
            Expect(!trees.HaveBegunAnew(), "nothing has begun anew");
            Enter(32);
            Expect(!trees.HaveBegunAnew(), "a call begins nothing anew");
            Control.BeginGeneration();
            Expect(trees.HaveBegunAnew(), "a reset begins anew");
        }
        using (LiveTrees trees = new LiveTrees(threads, Control.Current))
        {
            Expect(!trees.HaveBegunAnew(), "a thread that has not noticed a reset has not begun anew");
            Enter(33);
            Expect(trees.HaveBegunAnew(), "it has when it goes on");
        }
    }

    // Where a word has 32 bits, a counter is written and read in one piece.
    static void Wide()
    {
        long counter = -1;
        foreach (long value in new long[] { 5, 1L << 40, long.MaxValue, 0, long.MinValue })
        {
            Wide32.Set(ref counter, value);
            Equal(value, counter, "a counter that was set");
            Equal(value, Wide32.Read(ref counter), "a counter that is read");
        }
    }

    // The table of Report stands by what the functions took themselves; the one that slept has the later name.
    static void Report()
    {
        for (int method = 40; method < 46; method++)
        {
            int token = Enter(method);
            if (method == 43)
                Thread.Sleep(30);
            ProfileInfoTracker.WhenLeavingMethod(token);
        }
        StringWriter text = new StringWriter();
        ProfileInfoTracker.Report(text);
        double last = double.MaxValue;
        int rows = 0;
        long calls = 0;
        bool inTable = false;
        foreach (string line in text.ToString().Split('\n'))
        {
            string[] columns = line.Split(new char[] { ' ', '\r' }, StringSplitOptions.RemoveEmptyEntries);
            if (inTable && columns.Length == 0)
                break;
            if (inTable)
            {
                double own = double.Parse(columns[2], CultureInfo.InvariantCulture);
                Expect(own <= last, "no function took more than the one above it: " + line);
                last = own;
                calls += long.Parse(columns[0], CultureInfo.InvariantCulture);
                rows++;
            }
            inTable = inTable || columns.Length > 0 && columns[columns.Length - 1] == "function";
        }
        Equal(6, rows, "functions of the table");
        Equal(6, calls, "their calls");
        Expect(text.ToString().IndexOf("calls 6, open 0, functions 6, threads 1") > 0, "the head says the same");
    }
}
