// The methods with the most inclusive time: by perf's samples of the plain program, and by profiles
// (price.sh). Compiled with truth/Join.cs, which reads both.
//
//   Top sampled ASSEMBLY,ASSEMBLY… SCRIPT MAP >STACKS
//   Top report JSON >STACKS
//   Top ten WAITS TRUTH TOOL=STACKS… >ROWS
//
// STACKS and WAITS: as in Join.cs. A share is a method's time with all that it calls, a recursive
// one's once, of the time of all stacks. The ten are those with the largest shares in TRUTH.
//
// ROWS, parted by tabs: tool, rank in truth, method, truth, share (-1: not in the profile), error
// (share / truth - 1), 1 when it is one of the tool's ten. These are of the methods alone that the
// sampler has seen too: one that the just-in-time compiler puts into its callers has no code. Those
// within a twentieth of the tenth are of the ten, too: of methods that call each other, nearly all
// have the same share, and their order is nobody's to know.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

static class Top
{
    const int Ten = 10;
    const double Near = 0.05;

    static int Main(string[] args)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        if (args.Length == 4 && args[0] == "sampled")
            Stack.Write(Sampled.Stacks(args[1], args.Skip(2).ToArray()));
        else if (args.Length == 2 && args[0] == "report")
            Stack.Write(Tools.Report(args[1]));
        else if (args.Length >= 4 && args[0] == "ten")
            Compare(args[1].Split(' '), args[2], args.Skip(3));
        else
        {
            Console.Error.WriteLine("usage: Top sampled|report|ten …: see Top.cs");
            return 2;
        }
        return 0;
    }

    static Dictionary<string, double> Shares(string file, string[] waits)
    {
        // Not what plain's one instrumented method costs.
        List<Stack> stacks = Stack.Read(file, waits)
            .Where(s => !s.Frames.Any(f => f.StartsWith("<ilinject>"))).ToList();
        double all = Math.Max(1, stacks.Sum(s => s.Own));
        var shares = new Dictionary<string, double>();
        foreach (Stack stack in stacks)
            foreach (string method in stack.Frames.Distinct())
            {
                shares.TryGetValue(method, out double before);
                shares[method] = before + stack.Own / all;
            }
        return shares;
    }

    static void Compare(string[] waits, string truthFile, IEnumerable<string> tools)
    {
        Dictionary<string, double> truth = Shares(truthFile, waits);
        var ten = truth.OrderByDescending(p => p.Value)
            .ThenBy(p => p.Key, StringComparer.Ordinal).Take(Ten).ToList();
        foreach (string[] tool in tools.Select(t => t.Split('=', 2)))
        {
            Dictionary<string, double> shares = Shares(tool[1], waits);
            double tenth = shares.Where(p => truth.ContainsKey(p.Key))
                .Select(p => p.Value).OrderByDescending(s => s).Take(Ten).LastOrDefault();
            for (int i = 0; i < ten.Count; i++)
            {
                double share = shares.TryGetValue(ten[i].Key, out double s) ? s : -1;
                double error = share < 0 ? -1 : share / ten[i].Value - 1;
                int one = share >= tenth * (1 - Near) ? 1 : 0;
                Console.WriteLine($"{tool[0]}\t{i + 1}\t{ten[i].Key}\t{ten[i].Value:F4}"
                    + $"\t{share:F4}\t{error:F4}\t{one}");
            }
        }
    }
}
