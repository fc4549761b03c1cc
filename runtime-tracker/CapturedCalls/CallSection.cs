// The calls that were seen with their values: section CALL of a profile (docs/profile-format.md).
using System.Collections.Generic;

namespace Instrumenter
{
    internal static class CallSection
    {
        internal static void Write(ByteWriter output, Generation generation, long[] sites)
        {
            CaptureRule[] rules = CapturedMethods.Rules();
            List<KeptCall> calls = new List<KeptCall>();
            List<CapturedMethod> methods = new List<CapturedMethod>();
            // A table of numbers: NativeAOT has the code for another such table anyway.
            Dictionary<CapturedMethod, int> known = new Dictionary<CapturedMethod, int>();
            int section = output.BeginSection(SectionKind.CALL);
            output.VarUInt(rules.Length);
            foreach (CaptureRule rule in rules)
            {
                output.Text(rule.Text);
                output.VarUInt(rule.Dropped);
                CapturedCall[] unended;
                List<KeptCall> all = new List<KeptCall>();
                foreach (KeptCall call in rule.Calls(out unended))
                    all.Add(call);
                foreach (CapturedCall call in unended)
                    if (call.WouldBeKept)
                        all.Add(call.Unended());
                foreach (KeptCall call in all)
                {
                    if (call.Generation != generation.Number)
                        continue;
                    calls.Add(call);
                    if (known.ContainsKey(call.Method))
                        continue;
                    known.Add(call.Method, methods.Count);
                    methods.Add(call.Method);
                }
            }
            output.VarUInt(methods.Count);
            foreach (CapturedMethod method in methods)
            {
                output.VarUInt(method.Id);
                output.VarUInt(method.Seen);
                output.VarUInt(method.Flags);
                output.VarUInt(method.Names.Length);
                for (int i = 0; i < method.Names.Length; i++)
                {
                    output.VarUInt(method.ParameterFlags[i]);
                    output.Text(method.Names[i]);
                }
            }
            output.VarUInt(calls.Count);
            foreach (KeptCall call in calls)
                output.Blob(call.Bytes);
            output.EndSection(section);
        }
    }
}
