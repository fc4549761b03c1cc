// What calibration calls: a method without a body and one that works, each with probes as they are injected, and without.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    internal static class CalibrationCalls
    {
        /// <summary>
        /// Never inlined, and compiled at once as hot code is where others go through steps: PreserveSig becomes AggressiveOptimization
        /// (retarget.c), which the compiler does not know.
        /// </summary>
        private const MethodImplOptions Hot = MethodImplOptions.NoInlining | MethodImplOptions.PreserveSig;

        private static int firstId;

        /// <summary>Makes the nodes of the methods below the tree's root, so that their calls go the fast way.</summary>
        internal static void Prepare(ThreadTree tree, out Node empty, out Node work, out Node caller)
        {
            firstId = Registry.FirstId;
            empty = tree.Root.Add(firstId, 0);
            work = tree.Root.Add(firstId + 1, 0);
            caller = tree.Root.Add(firstId + 2, 0);
            caller.Add(firstId + 1, 0);
        }

        /// <summary>The forwarder that every instrumented module has.</summary>
        [MethodImpl((MethodImplOptions)256)]
        private static int Enter(int id)
        {
            return ProfileInfoTracker.WhenEnteringMethod(firstId + id);
        }

        /// <summary>Work that nothing else can be done beside: each step needs the one before, and each call what the one before has returned.</summary>
        [MethodImpl(Hot)]
        private static int Spin(int seed, int steps)
        {
            for (int i = 0; i < steps; i++)
                seed = seed * 31 + i;
            return seed;
        }

        [MethodImpl(Hot)]
        private static int BareEmpty(int seed, int steps)
        {
            return seed;
        }

        [MethodImpl(Hot)]
        private static int Empty(int seed, int steps)
        {
            int token = Enter(0);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        [MethodImpl(Hot)]
        private static int BareWork(int seed, int steps)
        {
            return Spin(seed, steps);
        }

        [MethodImpl(Hot)]
        private static int Work(int seed, int steps)
        {
            int token = Enter(1);
            seed = Spin(seed, steps);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        /// <summary>Works, calls, and leaves at once.</summary>
        [MethodImpl(Hot)]
        private static int Caller(int seed, int steps)
        {
            int token = Enter(2);
            seed = Work(Spin(seed, steps), steps);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return seed;
        }

        // Loops over calls. Those with work do as much of their own before each call.

        [MethodImpl(Hot)]
        internal static int CallBareEmpty(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = BareEmpty(x, steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static int CallEmpty(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = Empty(x, steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static int CallBareWork(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = BareWork(Spin(x, steps), steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static int CallWork(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = Work(Spin(x, steps), steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static int CallSpin(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = Spin(x, steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static int CallCaller(int calls, int steps)
        {
            int x = steps;
            for (int i = 0; i < calls; i++)
                x = Caller(Spin(x, steps), steps);
            return x;
        }

        [MethodImpl(Hot)]
        internal static long ReadClock(int times)
        {
            long sum = 0;
            for (int i = 0; i < times; i++)
                sum += Clock.Now();
            return sum;
        }
    }
}
