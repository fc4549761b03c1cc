// The part of each program of truth.sh that is not its own code and is never instrumented.
using System;

static class Truth
{
    /// <summary>
    /// The part of a whole that the first argument gives in percent (100); at least one. 100 % take
    /// a third of a second to one second of a processor.
    /// </summary>
    public static int Size(string[] args, int whole)
    {
        return (int)Math.Max(1, whole * (args.Length > 0 ? long.Parse(args[0]) : 100) / 100);
    }
}
