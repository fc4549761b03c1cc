// The lines of the call log: docs/exports.md, "The call log as it happens".
using System;
using System.Collections.Generic;
using System.Text;

namespace Instrumenter
{
    /// <summary>Used under the log's latch.</summary>
    internal sealed class CallLogText
    {
        /// <summary>Deeper calls are not indented further.</summary>
        private const int MostIndent = 512;

        private const int BufferBytes = 1 << 16;

        private sealed class Function
        {
            internal int Id;
            internal bool IsSteps;

            internal byte[] Name;

            /// <summary>"Name, id=1, call count = 12" and the end of the line; and where in it the number begins, which was shown last.</summary>
            internal byte[] Line;
            internal int NumberAt;
            internal long Shown;

            /// <summary>Its calls that have come here, and those that have found no room and are not handed over yet.</summary>
            internal long Count, Missed;

            /// <summary>Puts its number into the line. Most often that is the one after the last one: a division costs more than the rest of a line.</summary>
            internal void Show()
            {
                int at = Line.Length - 2;
                if (Shown + 1 == Count)
                    while (at >= NumberAt && Line[at] == '9')
                        Line[at--] = (byte)'0';
                else
                    at = -1;
                Shown = Count;
                if (at >= NumberAt)
                {
                    Line[at]++;
                    return;
                }
                byte[] number = Encoding.UTF8.GetBytes(Host.Number(Count) + "\n");
                byte[] line = new byte[NumberAt + number.Length];
                Buffer.BlockCopy(Line, 0, line, 0, NumberAt);
                Buffer.BlockCopy(number, 0, line, NumberAt, number.Length);
                Line = line;
            }
        }

        private readonly FunctionNames names = new FunctionNames();
        private readonly CallValuesText valuesText = new CallValuesText();
        private readonly Dictionary<int, Function> steps = new Dictionary<int, Function>();
        private readonly List<Function> all = new List<Function>();
        private readonly byte[] buffer = new byte[BufferBytes];
        private int used;

        // By place among the ids.
        private Function[] functions = new Function[64];

        // Null when it can't be written (any more).
        private LogFile file;

        // The thread of the line before; its generation.
        private LogStream last;
        private int generation;

        // Bytes that are left for lines of calls; whether they were not enough, and for how many calls.
        private long room = (long)Settings.LogSize << 20;
        private bool full;
        private long later;

        // Where the end stands, if it does.
        private bool ended;
        private long endAt;

        internal CallLogText()
        {
            file = LogFile.Open();
            if (file == null)
                CallLog.Close();
        }

        /// <summary>The stream's next call, or the end of one that was seen with its values.</summary>
        internal void Add(LogStream stream)
        {
            LoggedCall call = stream.Draining.Calls[stream.Drained];
            LoggedValues values = (call.Depth & LoggedCall.HasValues) == 0 ? null : stream.TakeValues();
            if (file != null)
                Add(stream, call, values);
            if (values != null)
                values.Release();
        }

        private void Add(LogStream stream, LoggedCall call, LoggedValues values)
        {
            LogChunk chunk = stream.Draining;
            BeginGeneration(chunk.Generation);
            if (chunk.MissedCount != 0)
            {
                AddMissed(stream, chunk.MissedCount, chunk.Generation == generation ? chunk.Missed : null);
                chunk.MissedCount = 0;
                chunk.Missed = null;
            }
            // A line of an earlier generation: the reset after its call began has ended all counting of it.
            if (chunk.Generation != generation)
                return;
            Function function = Find(call.Id);
            if (ended)
                TakeEndBack();
            if (values != null && values.IsEnd)
            {
                if (!full)
                    PutEnd(stream, function, call.Depth & LoggedCall.DepthMask, values);
                return;
            }
            function.Count++;
            if (!full)
                PutCall(stream, function, call.Depth & LoggedCall.DepthMask, values);
            else
                later++;
        }

        private void PutCall(LogStream stream, Function function, int depth, LoggedValues values)
        {
            int indent = depth < MostIndent ? depth : MostIndent;
            byte[] arguments = values == null ? null : Encoding.UTF8.GetBytes(valuesText.Begin(values));
            function.Show();
            if (!TakeRoom(indent + function.Line.Length + (arguments == null ? 0 : arguments.Length)))
            {
                later++;
                return;
            }
            PutThread(stream);
            PutSpaces(indent);
            if (arguments == null)
            {
                Put(function.Line);
                return;
            }
            values.Number = function.Count;
            Put(function.Name);
            Put(arguments);
            byte[] rest = new byte[function.Line.Length - function.Name.Length];
            Buffer.BlockCopy(function.Line, function.Name.Length, rest, 0, rest.Length);
            Put(rest);
        }

        /// <summary>The result of a call; with its arguments when they stand in no line
        /// before.</summary>
        private void PutEnd(LogStream stream, Function function, int depth, LoggedValues values)
        {
            long number = values.Begun == null ? 0 : values.Begun.Number;
            int indent = depth < MostIndent ? depth : MostIndent;
            string given = valuesText.End(values, number == 0);
            if (given.Length == 0)
                return;
            byte[] end = Encoding.UTF8.GetBytes((number == 0 ? "" : ", call " + Host.Number(number)) + given + "\n");
            if (!TakeRoom(2 + indent + function.Name.Length + end.Length))
                return;
            PutThread(stream);
            Put(new byte[] { (byte)'#' });
            PutSpaces(indent + 1);
            Put(function.Name);
            Put(end);
        }

        private void PutSpaces(int count)
        {
            Reserve(count);
            for (int i = 0; i < count; i++)
                buffer[used++] = (byte)' ';
        }

        /// <summary>Lines from now on belong to that generation, if it is a later one.</summary>
        internal void BeginGeneration(int number)
        {
            if (number <= generation || file == null)
                return;
            generation = number;
            foreach (Function function in all)
                function.Count = 0;
            if (ended)
                TakeEndBack();
            if (!full)
                PutLine("# A reset: counts begin anew.");
        }

        /// <summary>The stream's thread has ended, and all that it has handed over was added.</summary>
        internal void TakeMissed(LogStream stream)
        {
            long count = stream.MissedCount;
            if (count != 0 && file != null)
                AddMissed(stream, count, stream.MissedOf(generation));
        }

        private void AddMissed(LogStream stream, long count, long[] counts)
        {
            if (ended)
                TakeEndBack();
            for (int i = 0; counts != null && i < counts.Length; i++)
                if (counts[i] != 0)
                    Find(Registry.FirstId + i).Count += counts[i];
            if (full)
                later += count;
            else
                PutMissed(stream, count);
        }

        private void PutMissed(LogStream stream, long count)
        {
            PutThread(stream);
            PutLine("# Calls of this thread that were not kept, as too many came at once: " + Host.Number(count) + ".");
        }

        /// <summary>Names the thread of the lines that follow, if other threads' lines were before them.</summary>
        private void PutThread(LogStream stream)
        {
            if (last != stream && last != null)
            {
                string name = stream.Owner.Name;
                PutLine("Thread " + Host.Number(stream.Owner.Id) + (name == null || name.Length == 0 ? "" : " " + Clean(name)));
            }
            last = stream;
        }

        private bool TakeRoom(int bytes)
        {
            room -= bytes;
            if (room >= 0)
                return true;
            full = true;
            PutLine("# The log is full (setting log_size): from here on calls are only counted.");
            CallLog.Close();
            return false;
        }

        // ---- The end ----------------------------------------------------------------------------------------------------

        /// <summary>Writes how many calls are not in the log, and the summary. Should more calls come, that is taken back.</summary>
        internal void End(LogStream[] streams)
        {
            if (file == null)
                return;
            if (ended)
                TakeEndBack();
            if (ended)
                return;
            Flush();
            if (file == null)
                return;
            endAt = file.Position;
            LogStream lastBefore = last;
            PutAllMissed(streams);
            PutLine("");
            PutSummary();
            last = lastBefore;
            ended = true;
        }

        private void TakeEndBack()
        {
            // Lines that can't be taken back stay.
            if (endAt >= 0)
                file.Cut(endAt);
            ended = endAt < 0;
        }

        private void PutAllMissed(LogStream[] streams)
        {
            foreach (Function function in all)
                function.Missed = 0;
            long sum = later;
            foreach (LogStream stream in streams)
            {
                long count = stream.MissedCount;
                if (count == 0)
                    continue;
                long[] counts = stream.MissedOf(generation);
                for (int i = 0; counts != null && i < counts.Length; i++)
                    if (counts[i] != 0)
                        Find(Registry.FirstId + i).Missed += Counter.Read(ref counts[i]);
                if (full)
                    sum += count;
                else
                    PutMissed(stream, count);
            }
            if (LoggedValues.Left != 0)
                PutLine("# Lines without their values, as too much came at once: " + Host.Number(LoggedValues.Left) + ".");
            if (full)
                PutLine("# Later calls that were not kept: " + Host.Number(sum) + " (setting log_size).");
        }

        private void PutSummary()
        {
            all.Sort(delegate(Function a, Function b) { return a.Id != b.Id ? a.Id.CompareTo(b.Id) : a.IsSteps.CompareTo(b.IsSteps); });
            foreach (Function function in all)
            {
                if (function.Count + function.Missed == 0)
                    continue;
                Put(function.Name);
                PutLine(" : call count = " + Host.Number(function.Count + function.Missed));
            }
        }

        // ---- Functions --------------------------------------------------------------------------------------------------

        private Function Find(int id)
        {
            int place = id - Registry.FirstId;
            Function function = place < functions.Length ? functions[place] : null;
            if (function != null)
                return function;
            if (place >= functions.Length)
                Array.Resize(ref functions, place + place / 2 + 1);
            return functions[place] = Make(id);
        }

        private Function Make(int id)
        {
            FunctionNames.Function found = names.Find(id);
            Function function;
            if (found.IsSteps && steps.TryGetValue(found.OwnerId, out function))
                return function;
            string name = found.Names == null ? found.Fallback : Clean(found.Names.FullName(found.Owner, true));
            if (found.IsSteps)
                name += " (steps)";
            function = new Function();
            function.Id = found.OwnerId;
            function.IsSteps = found.IsSteps;
            function.Name = Encoding.UTF8.GetBytes(name);
            function.Line = Encoding.UTF8.GetBytes(name + ", id=" + Host.Number(found.OwnerId) + ", call count = 0\n");
            function.NumberAt = function.Line.Length - 2;
            if (found.IsSteps)
                steps.Add(found.OwnerId, function);
            all.Add(function);
            return function;
        }

        /// <summary>On one line, without controls.</summary>
        private static string Clean(string name)
        {
            StringBuilder text = new StringBuilder(name);
            for (int i = 0; i < text.Length; i++)
                if (text[i] == '\n' || text[i] == '\r' || text[i] == '\t')
                    text[i] = ' ';
                else if (text[i] < ' ' || text[i] == '\x7F')
                    text[i] = '\uFFFD';
            return text.ToString();
        }

        // ---- Bytes ------------------------------------------------------------------------------------------------------

        /// <summary>Brings what is buffered to the file.</summary>
        internal void Flush()
        {
            if (used == 0 || file == null)
                return;
            int count = used;
            used = 0;
            if (file.TryWrite(buffer, count))
                return;
            file = null;
            CallLog.Close();
        }

        private void Reserve(int bytes)
        {
            if (bytes > buffer.Length - used)
                Flush();
            // Nowhere to write to: it goes over and over.
            if (bytes > buffer.Length - used)
                used = 0;
        }

        private void Put(byte[] bytes)
        {
            for (int at = 0; at < bytes.Length;)
            {
                int part = Math.Min(bytes.Length - at, buffer.Length / 2);
                Reserve(part);
                Buffer.BlockCopy(bytes, at, buffer, used, part);
                used += part;
                at += part;
            }
        }

        private void PutLine(string line)
        {
            Put(Encoding.UTF8.GetBytes(line + "\n"));
        }
    }
}
