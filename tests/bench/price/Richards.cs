// Richards (ProbeRichards.cs) that many times: its objects call each other's small methods.
using System;

namespace Bench
{
    static class RichardsProgram
    {
        static void Main(string[] args)
        {
            int rounds = (args.Length > 0 ? int.Parse(args[0]) : 100) * 300;
            long sum = 0;
            for (int i = 0; i < rounds; i++)
                sum += Richards.Run();
            Console.WriteLine(sum);
        }
    }
}
