// The EXCP section of a profile: which frames were left by exceptions, and on which paths.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// Made before the tree is written, so that the tree has every node of the paths; gets each node while the tree is
    /// written; written after it.
    /// </summary>
    internal sealed class ExceptionSection : ThreadSection
    {
        // Oldest first. A copy: the thread goes on.
        private readonly List<ExceptionPath> paths = new List<ExceptionPath>();
        private readonly Dictionary<int, int> indexes = new Dictionary<int, int>();
        private readonly ByteWriter left = new ByteWriter(256);
        private int leftCount;

        /// <summary>The section of the paths of threads that have ended.</summary>
        internal ExceptionSection(ExceptionPaths table)
        {
            for (ExceptionPath path = table.Newest; path != null; path = path.Older)
                if (Counter.Read(ref path.Count) > 0)
                    Copy(path);
            paths.Reverse();
        }

        /// <summary>The section of a thread, with what is on its way.</summary>
        internal ExceptionSection(ExceptionsInFlight flights, ThreadTree tree)
            : this(flights.Paths)
        {
            ExceptionInFlight[] stack = flights.Stack;
            long now = Clock.Kind == Clock.Ticking ? Clock.Timed() : Clock.NowOf(tree.CpuClock);
            for (int i = Math.Min(flights.Count, stack.Length) - 1; i >= 0; i--)
                if (stack[i] != null)
                    AddFlight(stack[i], tree, now);
        }

        private void Copy(ExceptionPath path)
        {
            ExceptionPath copy = new ExceptionPath(path.Type, path.Thrower, path.Catcher, path.Outcome);
            copy.Count = Counter.Read(ref path.Count);
            copy.Ticks = Counter.Read(ref path.Ticks);
            copy.SearchTicks = Counter.Read(ref path.SearchTicks);
            copy.FramesSearched = Counter.Read(ref path.FramesSearched);
            copy.FramesUnwound = Counter.Read(ref path.FramesUnwound);
            for (int i = 0; i < copy.Messages.Length; i++)
                copy.Messages[i] = path.Messages[i];
            AddCopy(copy);
        }

        private void AddFlight(ExceptionInFlight flight, ThreadTree tree, long now)
        {
            bool gone = flight.State != ExceptionInFlightState.Unwinding && !flight.IsCurrent(tree);
            int outcome = gone ? flight.SilentOutcome : ExceptionPath.OnItsWay;
            ExceptionPath copy = new ExceptionPath(flight.Type, flight.Thrower, flight.At, outcome);
            copy.Count = 1;
            copy.Ticks = Math.Max((gone ? Counter.Read(ref flight.Last) : now) - flight.Start, 0);
            copy.SearchTicks = Counter.Read(ref flight.SearchTicks);
            copy.FramesSearched = flight.FramesSearched;
            copy.FramesUnwound = flight.FramesUnwound;
            if (!gone && flight.State == ExceptionInFlightState.Searching && flight.FramesSearched > 0)
                copy.SearchTicks += Math.Max(now - Counter.Read(ref flight.SearchStart), 0);
            copy.SearchTicks = Math.Min(copy.SearchTicks, copy.Ticks);
            object known = flight.Exception;
            string message = known == null ? flight.Message : ExceptionText.Message(known);
            if (message != null)
                copy.AddMessage(message);
            foreach (ExceptionPath path in paths)
                if (path.Matches(copy.Type, copy.Thrower, copy.Catcher, copy.Outcome))
                {
                    path.Add(copy);
                    return;
                }
            AddCopy(copy);
        }

        private void AddCopy(ExceptionPath copy)
        {
            paths.Add(copy);
            indexes[copy.Thrower] = 0;
            indexes[copy.Catcher] = 0;
        }

        internal override void Note(TreeView tree, int node, int index, OpenFrames open)
        {
            long leftByException = tree.LeftByException(node);
            if (indexes.ContainsKey(node))
                indexes[node] = index;
            if (leftByException == 0)
                return;
            leftCount++;
            left.VarUInt(index);
            left.VarUInt(leftByException);
        }

        internal override void Write(ByteWriter output)
        {
            if (leftCount == 0 && paths.Count == 0)
                return;
            int section = output.BeginSection(SectionKind.EXCP);
            List<string> types = new List<string>();
            Dictionary<string, int> typeIndexes = new Dictionary<string, int>();
            foreach (ExceptionPath path in paths)
                if (path.Type != null && !typeIndexes.ContainsKey(path.Type))
                {
                    types.Add(path.Type);
                    typeIndexes.Add(path.Type, types.Count);
                }
            output.VarUInt(types.Count);
            foreach (string type in types)
                output.Text(type);
            output.VarUInt(leftCount);
            output.Raw(left.Bytes, left.Count);
            output.VarUInt(paths.Count);
            foreach (ExceptionPath path in paths)
                WritePath(output, path, path.Type == null ? 0 : typeIndexes[path.Type]);
            output.EndSection(section);
        }

        private void WritePath(ByteWriter output, ExceptionPath path, int type)
        {
            output.VarUInt(type);
            output.VarUInt(indexes[path.Thrower]);
            output.VarUInt(indexes[path.Catcher]);
            output.VarUInt(path.Outcome);
            output.VarUInt(path.Count);
            output.VarUInt(path.Ticks);
            output.VarUInt(path.SearchTicks);
            output.VarUInt(path.FramesSearched);
            output.VarUInt(path.FramesUnwound);
            int messages = 0;
            while (messages < ExceptionPath.MostMessages && path.Messages[messages] != null)
                messages++;
            output.VarUInt(messages);
            output.HoldsValues |= messages != 0;
            for (int i = 0; i < messages; i++)
                output.Text(path.Messages[i]);
        }
    }
}
