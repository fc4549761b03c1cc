// A program under load, which counts its own calls and prints how many there were of each instrumented method: endure WHAT NUMBER….
//   load THREADS MILLISECONDS FOLDER   threads that call until the time is up, all joined; snapshots to FOLDER meanwhile, five at least
//   short THREADS                      that many threads, eight at a time, each with a few calls; snapshots are taken and dropped meanwhile
//   paths COUNT                        recursion over eight methods until that many paths were gone, each another one
//   grow DEPTH                         a node for each word of up to DEPTH letters over seven methods
//   beat                               calls on for ever
// Only Work is instrumented.
using System;
using System.IO;
using System.Threading;
using Instrumenter;

static class Endure
{
    static volatile bool ends;
    static long one, two, top, shorts;

    static int Main(string[] args)
    {
        int number = args.Length > 1 ? int.Parse(args[1]) : 0;
        switch (args[0])
        {
            case "load": return Load(number, int.Parse(args[2]), args[3]);
            case "short": return Short(number);
            case "paths": new Thread(delegate() { Work work = new Work { Left = number }; work.Word(8); Console.WriteLine("paths " + (number - work.Left)); }).Start(); return 0;
            case "grow": Work grown = new Work(); grown.Grow(number); Console.WriteLine("grown " + grown.Calls); return 0;
            case "beat": for (Work work = new Work(); ; ) { work.Top(3); if (one++ == 0) Console.WriteLine("ready"); }
            default: return 2;
        }
    }

    static int Load(int count, int milliseconds, string folder)
    {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++)
        {
            threads[i] = new Thread(delegate()
            {
                Work work = new Work();
                for (int round = 0; !ends; round++) work.Top(round % 5);
                Interlocked.Add(ref top, work.Tops);
                Interlocked.Add(ref one, work.Ones);
                Interlocked.Add(ref two, work.Twos);
            });
            threads[i].Start();
        }
        int end = Environment.TickCount + milliseconds;
        for (int taken = 0; end - Environment.TickCount > 0 || taken < 5; Thread.Sleep(50))
            File.WriteAllBytes(Path.Combine(folder, (taken++).ToString("d4") + ".snapshot"), ProfileInfoTracker.Snapshot());
        ends = true;
        foreach (Thread thread in threads) thread.Join();
        File.WriteAllBytes(Path.Combine(folder, "9999.snapshot"), ProfileInfoTracker.Snapshot());
        Console.WriteLine("Work.One() " + one);
        Console.WriteLine("Work.Top(int) " + top);
        Console.WriteLine("Work.Two(int) " + two);
        return 0;
    }

    static int Short(int count)
    {
        Thread[] makers = new Thread[8];
        for (int i = 0; i < makers.Length; i++)
        {
            makers[i] = new Thread(delegate()
            {
                while (Interlocked.Decrement(ref shorts) >= 0)
                {
                    Work work = new Work();
                    Thread thread = new Thread(delegate() { work.Top(2); }, 128 << 10);
                    thread.Start();
                    thread.Join();
                    Interlocked.Add(ref top, work.Tops);
                    Interlocked.Add(ref one, work.Ones);
                    Interlocked.Add(ref two, work.Twos);
                }
            });
        }
        shorts = count;
        foreach (Thread maker in makers) maker.Start();
        foreach (Thread maker in makers) while (!maker.Join(500)) ProfileInfoTracker.Snapshot();
        Console.WriteLine("Work.One() " + one);
        Console.WriteLine("Work.Top(int) " + top);
        Console.WriteLine("Work.Two(int) " + two);
        return 0;
    }
}

class Work
{
    internal long Tops, Ones, Twos, Calls;
    internal int Left;

    internal void Top(int depth) { Tops++; One(); try { Two(depth); Two(depth / 2); } catch (InvalidOperationException) { } }
    void One() { Ones++; }
    void Two(int depth) { Twos++; if (depth > 0) Two(depth - 1); else if (Twos % 1000 == 0) Fail(); One(); }
    static void Fail() { throw new InvalidOperationException(); }

    // All words of up to that many letters over eight methods, until the count is used up.
    internal void Word(int depth)
    {
        if (depth == 0) return;
        if (Left > 0) A(depth);
        if (Left > 0) B(depth);
        if (Left > 0) C(depth);
        if (Left > 0) D(depth);
        if (Left > 0) E(depth);
        if (Left > 0) F(depth);
        if (Left > 0) G(depth);
        if (Left > 0) H(depth);
    }
    void A(int depth) { Left--; Word(depth - 1); }
    void B(int depth) { Left--; Word(depth - 1); }
    void C(int depth) { Left--; Word(depth - 1); }
    void D(int depth) { Left--; Word(depth - 1); }
    void E(int depth) { Left--; Word(depth - 1); }
    void F(int depth) { Left--; Word(depth - 1); }
    void G(int depth) { Left--; Word(depth - 1); }
    void H(int depth) { Left--; Word(depth - 1); }

    internal void Grow(int depth) { if (depth == 0) return; I(depth); J(depth); K(depth); L(depth); M(depth); N(depth); O(depth); }
    void I(int depth) { Calls++; Grow(depth - 1); }
    void J(int depth) { Calls++; Grow(depth - 1); }
    void K(int depth) { Calls++; Grow(depth - 1); }
    void L(int depth) { Calls++; Grow(depth - 1); }
    void M(int depth) { Calls++; Grow(depth - 1); }
    void N(int depth) { Calls++; Grow(depth - 1); }
    void O(int depth) { Calls++; Grow(depth - 1); }
}
