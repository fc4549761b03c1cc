// The methods with captured calls, by what the modules say of them.
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Instrumenter
{
    /// <summary>One rule of --capture in one module: its limits, and the calls that it has kept, the newest ones.</summary>
    internal sealed class CaptureRule
    {
        internal readonly bool OnlyThrows;
        internal readonly long First, Every, SlowerNanoseconds, MostBytes;
        internal readonly int Depth, StringLength, Items;
        internal readonly string Text;

        /// <summary>The fields of objects that are shown; null: all.</summary>
        internal readonly string[] Fields;
        internal readonly Masks Masks;

        private readonly SpinLock gate = new SpinLock();

        private readonly KeptCalls kept;

        /// <summary>Calls that have gone for want of room.</summary>
        internal long Dropped;

        /// <summary>Async calls that have returned to their callers, and have not ended.</summary>
        private readonly OpenCalls open;

        internal CaptureRule(string[] fields, Masks masks)
        {
            OnlyThrows = fields[1] == "1";
            First = Number(fields[2]);
            Every = Number(fields[3]);
            SlowerNanoseconds = Number(fields[4]);
            Depth = (int)Number(fields[5]);
            StringLength = (int)Number(fields[6]);
            Items = (int)Number(fields[7]);
            MostBytes = Number(fields[8]);
            Text = fields[9] + (fields[10].Length == 0 ? "" : ": " + fields[10]);
            Fields = fields.Length > 11 ? fields[11].Split('+') : null;
            Masks = masks;
            kept = new KeptCalls((int)MostBytes);
            open = new OpenCalls(MostBytes);
        }

        private static long Number(string text)
        {
            return long.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);
        }

        /// <summary>The most bytes that one call may take.</summary>
        internal int MostCallBytes
        {
            get { return (int)Math.Min(MostBytes / 4, 64 * 1024); }
        }

        /// <summary>See <see cref="KeptCalls.Add"/>.</summary>
        internal void Keep(byte[] bytes, int start, int size, int generation)
        {
            using (gate.Enter())
                Dropped += kept.Add(bytes, start, size, generation);
        }

        /// <summary>The calls that have ended and, at the same moment, those that go on.</summary>
        internal KeptCall[] Calls(out CapturedCall[] unended)
        {
            using (gate.Enter())
            {
                unended = open.ToArray();
                return kept.ToArray();
            }
        }

        /// <summary>Other threads see all or none of the changes made under this lock.</summary>
        internal SpinLock.Held Hold()
        {
            return gate.Enter();
        }

        /// <summary>The call goes on. Where many do, the oldest are not followed any longer.</summary>
        internal void AddOpen(CapturedCall call)
        {
            using (gate.Enter())
                Dropped += open.Add(call);
        }

        internal void RemoveOpen(CapturedCall call)
        {
            using (gate.Enter())
                open.Remove(call);
        }
    }

    internal sealed partial class CapturedMethod
    {
        /// <summary>The bits of flags, here and of a parameter: CallFlags.cs.in.</summary>
        internal readonly int Id, Flags;
        internal readonly CaptureRule Rule;
        internal readonly string[] Names;
        internal readonly int[] ParameterFlags;
        internal readonly bool ResultMasked;

        /// <summary>The parameter with the name of a value that is another parameter or the result; -1: there is none.</summary>
        internal readonly int KeyParameter = -1;

        /// <summary>The position of the last value that is handed over before the method's code.</summary>
        internal readonly int LastBefore = CapturedCall.This;

        /// <summary>The values that a call has at most.</summary>
        internal readonly int ValueCount;
        private readonly string name;
        private long seen;

        internal CapturedMethod(int id, CaptureRule rule, string[] fields)
        {
            Id = id;
            Rule = rule;
            Flags = int.Parse(fields[3], CultureInfo.InvariantCulture);
            name = fields[4];
            bool secret = rule.Masks.Hide(name);
            ResultMasked = secret;
            int count = (fields.Length - 5) / 2;
            Names = new string[count];
            ParameterFlags = new int[count];
            for (int i = 0; i < count; i++)
            {
                Names[i] = fields[6 + 2 * i];
                ParameterFlags[i] = int.Parse(fields[5 + 2 * i], CultureInfo.InvariantCulture);
                // A setter of a secret has it under the name "value".
                if (rule.Masks.Hide(Names[i]) || (secret && name.StartsWith("set_", StringComparison.Ordinal)))
                    ParameterFlags[i] |= Masked;
                if (KeyParameter < 0 && Masks.IsKey(Names[i]))
                    KeyParameter = i;
                if ((Flags & Arguments) != 0 && (ParameterFlags[i] & (ByType | NotBefore)) == 0)
                    LastBefore = i;
            }
            ValueCount = CountValues();
        }

        private int CountValues()
        {
            int values = ((Flags & This) != 0 ? 1 : 0) + ((Flags & (Result | ResultByType)) == Result ? 1 : 0);
            if ((Flags & Arguments) == 0)
                return values;
            foreach (int flags in ParameterFlags)
                values += ((flags & (ByType | NotBefore)) == 0 ? 1 : 0) + ((flags & Becomes) != 0 ? 1 : 0);
            return values;
        }

        /// <summary>True for an async method with calls that end when what they return is complete.</summary>
        internal bool IsAwaited
        {
            get { return (Flags & (AwaitedByMachine | AwaitedByRuntime)) != 0; }
        }

        /// <summary>How many calls can be found by their machine; how many run without a known machine.</summary>
        internal int Running, Unnamed;

        internal long Seen
        {
            get { return seen; }
        }

        /// <summary>
        /// True if the next call is to be captured. Threads that count at the same moment may count one call: a method
        /// past its limit of calls shall cost no more than this.
        /// </summary>
        internal bool Wants()
        {
            if (Control.OpenState == Control.Stopped)
                return false;
            long number = ++seen;
            CaptureRule rule = Rule;
            if (rule.First == 0 && rule.Every == 0)
                return true;
            return number <= rule.First || (rule.Every != 0 && (number - 1) % rule.Every == 0);
        }

        internal bool IsMasked(int position)
        {
            if (position == CapturedCall.Result)
                return ResultMasked;
            int parameter = ParameterAt(position);
            return parameter >= 0 && parameter < Names.Length && (ParameterFlags[parameter] & Masked) != 0;
        }

        private static int ParameterAt(int position)
        {
            return position <= CapturedCall.BecomesFirst ? CapturedCall.BecomesFirst - position : position;
        }

        /// <summary>True if it may be the value that <see cref="KeyParameter"/> names.</summary>
        internal bool IsNamedByKey(int position)
        {
            int parameter = ParameterAt(position);
            return position == CapturedCall.Result || parameter >= 0 && parameter < Names.Length && Masks.IsValue(Names[parameter]);
        }
    }

    internal static class CapturedMethods
    {
        // By id less the first of all; replaced when it grows.
        private static volatile CapturedMethod[] methods;
        private static List<CaptureRule> rules;
        private static SpinLock gate;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        internal static CapturedMethod Of(int id)
        {
            CapturedMethod[] all = methods;
            int index = id - Registry.FirstId;
            return all == null || (uint)index >= (uint)all.Length ? null : all[index];
        }

        /// <summary>Lines R (a rule), K (a mask) and M (a method), in this order; their fields are parted by tabs.</summary>
        internal static void Add(int firstId, string text)
        {
            Masks masks = new Masks();
            List<CaptureRule> own = new List<CaptureRule>();
            List<CapturedMethod> found = new List<CapturedMethod>();
            int last = 0;
            foreach (string line in text.Split('\n'))
            {
                string[] fields = line.Split('\t');
                switch (fields[0])
                {
                    case "R":
                        own.Add(new CaptureRule(fields, masks));
                        break;
                    case "K":
                        masks.Add(fields[1]);
                        break;
                    case "M":
                        int id = firstId + int.Parse(fields[1], CultureInfo.InvariantCulture);
                        found.Add(new CapturedMethod(id, own[int.Parse(fields[2], CultureInfo.InvariantCulture)], fields));
                        last = id;
                        break;
                }
            }
            if (found.Count == 0)
                return;
            using (Gate.Enter())
            {
                CapturedMethod[] before = methods;
                CapturedMethod[] all = new CapturedMethod[Math.Max(last - Registry.FirstId + 1, before == null ? 0 : before.Length)];
                if (before != null)
                    Array.Copy(before, all, before.Length);
                foreach (CapturedMethod method in found)
                    all[method.Id - Registry.FirstId] = method;
                if (rules == null)
                    rules = new List<CaptureRule>();
                rules.AddRange(own);
                methods = all;
            }
            RunSections.CALL = CallSection.Write;
        }

        /// <summary>All rules of all modules; null: no module has any.</summary>
        internal static CaptureRule[] Rules()
        {
            if (methods == null)
                return null;
            using (Gate.Enter())
                return rules.ToArray();
        }
    }
}
