// A program for suite-run.sh: does what its first argument says.
using System;
using System.IO;
using System.Threading;

static class Launched
{
    static int Main(string[] args)
    {
        string what = args.Length > 0 ? args[0] : "";
        if (what == "echo")
            Console.WriteLine(string.Join("|", args, 1, args.Length - 1) + "|" + Console.In.ReadLine());
        if (what == "throw")
            throw new InvalidOperationException("as asked");
        if (what == "wait")
        {
            File.WriteAllText(args[1], "");
            Thread.Sleep(60000);
        }
        if (what == "code")
            return Work(int.Parse(args[1]));
        if (what == "setting")
            Console.WriteLine(Environment.GetEnvironmentVariable("ILINJECT_BEAT"));
        if (what == "kinds") // of the files beside it
            foreach (string name in args[1].Split(','))
            {
                FileInfo file = new FileInfo(Path.Combine(AppDomain.CurrentDomain.BaseDirectory, name));
                Console.WriteLine(name + " " + file.Length + " " + (file.Attributes & FileAttributes.ReparsePoint));
            }
        if (what == "beside")
            Console.WriteLine(File.Exists(Path.Combine(AppDomain.CurrentDomain.BaseDirectory, "data.txt")));
        if (what == "reads") // a file, from its own folder
            Console.WriteLine(File.ReadAllText(Path.Combine(AppDomain.CurrentDomain.BaseDirectory, args[1])));
        return 0;
    }

    static int Work(int n)
    {
        return n == 0 ? 0 : 1 + Work(n - 1);
    }
}
