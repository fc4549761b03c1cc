// Objects by type as the runtime's own events (AllocationSampled, .NET 10) estimate them, from EventPipe's file:
//   Sampled FILE.nettrace [MODULE...]   first a line with the number of samples, then of each type a line
//                                       `objects bytes samples objects samples type`
// A sample stands for one byte in 102,400, each with the same chance. An object of n bytes is seen with the chance
// 1 - (1 - 1/102400)^n, so it counts for as many objects as one is seen of. The latter two figures are of samples with a
// stack that begins with a method of one of the modules; String.Ctor, which stands for `newobj` of a string, and the helpers
// of the runtime's compiler are passed over. The package TraceEvent reads the file.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Microsoft.Diagnostics.Tracing.Parsers;

static class Sampled
{
    const int AllocationSampled = 303;
    const double Chance = 1.0 / 102400;

    static bool IsPlumbing(string method)
    {
        return method.StartsWith("System.String.Ctor(") || method.StartsWith("System.Runtime.CompilerServices.") && method.Contains("Helpers.");
    }

    static bool IsOf(TraceEvent one, string[] modules)
    {
        TraceCallStack stack = one.CallStack();
        while (stack != null && IsPlumbing(stack.CodeAddress.FullMethodName))
            stack = stack.Caller;
        return stack != null && Array.IndexOf(modules, stack.CodeAddress.ModuleName) > 0;
    }

    static void Main(string[] args)
    {
        Dictionary<string, double[]> types = new Dictionary<string, double[]>();
        long samples = 0;
        using (TraceLog log = new TraceLog(TraceLog.CreateFromEventPipeDataFile(args[0])))
            foreach (TraceEvent one in log.Events)
            {
                if ((int)one.ID != AllocationSampled || one.ProviderGuid != ClrTraceEventParser.ProviderGuid)
                    continue;
                // In bytes: kind 4, instance of the runtime 2, type 8, its name in UTF-16 up to a zero, address 8, size 8.
                byte[] payload = one.EventData();
                int end = 14;
                while (payload[end] != 0 || payload[end + 1] != 0)
                    end += 2;
                string name = Encoding.Unicode.GetString(payload, 14, end - 14);
                long size = BitConverter.ToInt64(payload, end + 10);
                double[] sums;
                if (!types.TryGetValue(name, out sums))
                    types.Add(name, sums = new double[5]);
                double objects = 1 / (1 - Math.Pow(1 - Chance, size));
                samples++;
                sums[0] += objects;
                sums[1] += objects * size;
                sums[2]++;
                if (!IsOf(one, args))
                    continue;
                sums[3] += objects;
                sums[4]++;
            }
        Console.WriteLine("0\t0\t{0}\t0\t0\tall", samples);
        foreach (KeyValuePair<string, double[]> type in types.OrderByDescending(t => t.Value[0]))
            Console.WriteLine("{0:F0}\t{1:F0}\t{2}\t{3:F0}\t{4}\t{5}", type.Value[0], type.Value[1], type.Value[2], type.Value[3],
                type.Value[4], type.Key);
    }
}
