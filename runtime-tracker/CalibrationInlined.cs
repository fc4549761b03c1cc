// What calibration calls where the program's methods have the probes' code within them.
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// .NET counts calls before it compiles a method for the last time, and then puts the code of those that are always called into their
    /// callers: a probe has no call, and 2 ns less of it fall into the frame. Where this is so calibration calls the methods here in place
    /// of those with the same names in <see cref="CalibrationCalls"/>.
    /// </summary>
    internal static class CalibrationInlined
    {
        /// <summary>The first version of .NET that does so by itself.</summary>
        private const int FirstVersion = 8;

        /// <summary>Does this runtime do so?</summary>
        internal static bool IsLikeProgram
        {
            get { return Environment.Version.Major >= FirstVersion && !IsOff("TieredPGO") && !IsOff("TieredCompilation"); }
        }

        /// <summary>As the runtime itself asks: first the environment, then the program's runtimeconfig.json.</summary>
        private static bool IsOff(string switched)
        {
            string value = Environment.GetEnvironmentVariable("DOTNET_" + switched) ?? Environment.GetEnvironmentVariable("COMPlus_" + switched);
            if (!string.IsNullOrEmpty(value))
                return value.Trim('0').Length == 0;
            return "false".Equals(AppDomain.CurrentDomain.GetData("System.Runtime." + switched) as string, StringComparison.OrdinalIgnoreCase);
        }

        // The two as ProfileInfoTracker has them, to the letter; a copy, so that those are compiled as they were.

        [MethodImpl(CalibrationCalls.Inlined)]
        private static int Enter(int id)
        {
            byte[] off = Switches.Off;
            if (off != null && (uint)(id - Registry.FirstId) < (uint)off.Length && off[id - Registry.FirstId] != 0)
                return 0;
            return EnterRecorded(id);
        }

        [MethodImpl(CalibrationCalls.Inlined)]
        private static int EnterRecorded(int id)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || tree.State != Control.OpenState)
                return ThreadTree.EnterSlowly(id);
            int found = tree.Slots[tree.Top * NodeTree.SlotsPerNode + (id & (NodeTree.SlotsPerNode - 1))];
            ref Node node = ref tree.Nodes[found];
            if (node.Id != id)
                return tree.EnterOther(id);
            long calls = node.Calls + 1;
            if ((calls & StackRoom.CallsBetween) == 0)
                StackRoom.Ensure();
            node.Calls = calls;
            // There is room for it: who made the node has seen to that.
            int depth = tree.Depth + 1;
            ref Frame frame = ref tree.Frames[depth];
            frame.Node = found;
            frame.Start = Clock.Now();
            tree.Top = frame.Node;
            tree.Depth = depth;
            return depth;
        }

        [MethodImpl(CalibrationCalls.Inlined)]
        private static void Leave(int token)
        {
            if (token <= 0)
                return;
            // Before all else, which then takes its time beside what comes behind the call: a clock waits for what is under way.
            long now = Clock.NowIfPlain();
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            // Also when recording was stopped and went on since the clock was read: that time is not the call's.
            if (token != tree.Depth || tree.State != Control.OpenState)
            {
                tree.LeaveSlowly(token, now);
                return;
            }
            ref Frame frame = ref tree.Frames[token];
            ref Node node = ref tree.Nodes[frame.Node];
            long elapsed = now - frame.Start;
            if (elapsed < node.Min || elapsed > node.Max)
                elapsed = tree.Widen(frame.Node, elapsed);
            node.Ticks += elapsed;
            tree.Top = node.Caller;
            tree.Depth = token - 1;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        private static int Empty(int seed, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int token = Enter(CalibrationCalls.FirstId);
            Leave(token);
            return seed;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        private static int Work(int seed, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int token = Enter(CalibrationCalls.FirstId + 1);
            for (int i = 0; i < rows; i++)
                seed = CalibrationCalls.Row(seed, i);
            Leave(token);
            return seed;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        private static int Caller(int seed, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int token = Enter(CalibrationCalls.FirstId + 2);
            for (int i = 0; i < rows; i++)
                seed = CalibrationCalls.Row(seed, i);
            seed = Work(seed, rows);
            Leave(token);
            return seed;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        internal static int CallEmpty(int calls, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Empty(x, rows);
            return x;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        internal static int CallWork(int calls, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Work(CalibrationCalls.Spin(x, rows), rows);
            return x;
        }

        [MethodImpl(CalibrationCalls.Hot)]
        internal static int CallCaller(int calls, int rows)
        {
            if (rows < 0)
                return CalibrationCalls.Never((int)(long)rows);
            int x = rows;
            for (int i = 0; i < calls; i++)
                x = Caller(CalibrationCalls.Spin(x, rows), rows);
            return x;
        }
    }
}
