// Overflows the stack in every way that suite-overflow.sh asks for, and counts the calls itself.
//   Overflows caught COUNTS      each way on the main thread, then on threads of several sizes; all are caught
//   Overflows main|SIZE COUNTS   one that is not caught: on the main thread, or on one of SIZE KB
// Says on stdout how each ended. COUNTS gets a line METHOD NUMBER for each method that counts itself, in its first statement.
// Mono has the method throw at its head, before that, when there is no room for its frame; the tracker has it do so, too.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

static class Program
{
    delegate void Way();

    static int down, cycle, turn, unwound, zigzag, leaf;
    static string counts;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Down(int depth) { down++; return Down(depth + 1) + 1; }

    // The handler is for an exception that never comes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool Cycle(bool left)
    {
        cycle++;
        try { return Turn(!left); }
        catch (ThreadInterruptedException) { return left; }
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool Turn(bool left) { turn++; return Cycle(left); }

    // The work while the exception passes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Unwound(int depth)
    {
        unwound++;
        try { return Unwound(depth + 1) + 1; }
        finally { depth = unwound; }
    }

    // By way of code that is not instrumented.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Zigzag(int depth) { zigzag++; return Other.Calls(Zigzag, depth + 1) + 1; }

    // That code alone goes down, and calls the same short method at each level.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int depth) { leaf++; return depth; }

    static readonly Way[] ways =
    {
        delegate { Down(0); },
        delegate { Cycle(false); },
        delegate { Unwound(0); },
        delegate { Zigzag(0); },
        delegate { Other.GoesDown(Leaf, 0); },
        delegate { Other.GoesDown(null, 0); },
    };

    static void Catch(string where, Way way)
    {
        string outcome = "no overflow";
        try { way(); }
        catch (StackOverflowException e) { outcome = e.GetType().Name; }
        Console.WriteLine(where + ": " + outcome);
    }

    static void OnThread(int size, Way body)
    {
        Thread thread = new Thread(delegate() { body(); }, size * 1024);
        thread.Start();
        thread.Join();
    }

    static void WriteCounts()
    {
        File.WriteAllText(counts, "Down " + down + "\nCycle " + cycle + "\nTurn " + turn + "\nUnwound " + unwound +
                                  "\nZigzag " + zigzag + "\nLeaf " + leaf + "\n");
    }

    static int Main(string[] arguments)
    {
        counts = arguments[1];
        if (arguments[0] != "caught")
        {
            AppDomain.CurrentDomain.UnhandledException += delegate(object domain, UnhandledExceptionEventArgs e)
            {
                Console.WriteLine("told of " + e.ExceptionObject.GetType().Name);
                WriteCounts();
            };
            if (arguments[0] == "main")
                Down(0);
            OnThread(int.Parse(arguments[0]), delegate { Down(0); });
            return 1;
        }
        for (int i = 0; i < ways.Length; i++)
        {
            Way way = ways[i];
            Catch(i + " main", way);
            foreach (int size in new int[] { 0, 128 })
                OnThread(size, delegate { Catch(i + " " + size, way); Catch(i + " " + size + " again", way); });
        }
        WriteCounts();
        return 0;
    }
}
