// The methods that calibration calls: one without a body and one that works, each with probes as
// they are injected, and without.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>Each is compiled as hot code at once (<see cref="HotCode"/>): slow code around the probes makes them seem twice as dear.</summary>
    internal static class CalibrationCalls
    {
        /// <summary>The id of the method without a body; the next two are of those that work, and call.</summary>
        internal static int FirstId;

        /// <summary>Makes the nodes of the methods below the tree's root, so that their calls go the fast way.</summary>
        internal static void Prepare(ThreadTree tree, out int empty, out int work, out int caller)
        {
            // The program's methods may be switched off, these not.
            FirstId = Switches.FirstOn(3);
            empty = tree.Add(NodeTree.Root, FirstId, 0);
            work = tree.Add(NodeTree.Root, FirstId + 1, 0);
            caller = tree.Add(NodeTree.Root, FirstId + 2, 0);
            int inner = tree.Add(caller, FirstId + 1, 0);
            // As in a node with many calls: none takes longer than all before.
            for (int node = empty; node <= inner; node++)
            {
                tree.Nodes[node].Min = 0;
                tree.Nodes[node].Max = long.MaxValue;
            }
        }

        /// <summary>The forwarder that every instrumented module has.</summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static int Enter(int id)
        {
            return ProfileInfoTracker.WhenEnteringMethod(FirstId + id);
        }

        internal static void Leave(int token)
        {
            ProfileInfoTracker.WhenLeavingMethod(token);
        }

        /// <summary>
        /// Work that nothing else can be done beside: each step needs the one before, and each call what the one before has returned. In long
        /// rows, so that the processor has few branches to guess. It stands in the methods that do it, as in a program's: a call within a
        /// frame would count for the probe.
        /// </summary>
        [MethodImpl(HotCode.Inlined)]
        internal static int Row(int seed, int i)
        {
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            seed = seed * 31 + i;
            return seed;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int Spin(int seed, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            for (int i = 0; i < rows; i++)
                seed = Row(seed, i);
            return seed;
        }

        [MethodImpl(HotCode.Hot)]
        private static int BareEmpty(int seed, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            return seed;
        }

        [MethodImpl(HotCode.Hot)]
        private static int Empty(int seed, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int token = Enter(0);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        [MethodImpl(HotCode.Hot)]
        private static int Work(int seed, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int token = Enter(1);
            for (int i = 0; i < rows; i++)
                seed = Row(seed, i);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        /// <summary>Works, calls, and leaves at once.</summary>
        [MethodImpl(HotCode.Hot)]
        private static int Caller(int seed, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int token = Enter(2);
            for (int i = 0; i < rows; i++)
                seed = Row(seed, i);
            seed = Work(seed, rows);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        // Loops over calls. Those with work do as much of their own before each call.

        [MethodImpl(HotCode.Hot)]
        internal static int CallBareEmpty(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = BareEmpty(x, rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int CallEmpty(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Empty(x, rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int CallBareWork(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Spin(Spin(x, rows), rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int CallWork(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Work(Spin(x, rows), rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int CallSpin(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Spin(x, rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int CallCaller(int calls, int rows)
        {
            if (rows < 0)
                return HotCode.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Caller(Spin(x, rows), rows);
            return x;
        }

        [MethodImpl(HotCode.Hot)]
        internal static int ReadClock(int times)
        {
            if (times < 0)
                return HotCode.Never((int)(long)times);
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Clock.Precise();
            return (int)sum;
        }
    }
}
