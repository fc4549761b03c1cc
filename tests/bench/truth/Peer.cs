// Timing of a program's calls by hand, to compare with (truth.sh): a stack per thread, Stopwatch,
// a dictionary and a lock; own time is what is left without the callees. With the symbol ASPECT it
// is woven by AspectInjector, without by the Mono.Cecil program, with its ids in the file
// $PEER_NAMES, one name a line. At the exit each stack, its own ns, the same twice more, 1 and its
// calls go to $PEER_OUT, parted by tabs, as Join reads them.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
#if ASPECT
using AspectInjector.Broker;
using Key = System.ValueTuple<System.Type, string>;

[assembly: Instrumenter.Timed]
#else
using Key = System.Int32;
#endif

namespace Instrumenter
{
#if ASPECT
    [SkipInjection]
#endif
    sealed class Node
    {
        public Node Parent;
        public Key Method;
        public long Calls, Own;
    }

    struct Open
    {
        public Node Node;
        public long Start, Below;
    }

#if ASPECT
    [SkipInjection]
#endif
    static class Times
    {
        [ThreadStatic]
        static Stack<Open> stack;
        static readonly Dictionary<(Node, Key), Node> all = new Dictionary<(Node, Key), Node>();

        static Times() { AppDomain.CurrentDomain.ProcessExit += (sender, e) => Write(); }

        public static void Enter(Key method)
        {
            if (stack == null) stack = new Stack<Open>();
            Node parent = stack.Count > 0 ? stack.Peek().Node : null, node;
            lock (all)
                if (!all.TryGetValue((parent, method), out node))
                    all.Add((parent, method), node = new Node { Parent = parent, Method = method });
            stack.Push(new Open { Node = node, Start = Stopwatch.GetTimestamp() });
        }

        public static void Leave(Key method)
        {
            long now = Stopwatch.GetTimestamp();
            // Calls that an exception has left without a word are above it.
            while (stack != null && stack.Count > 0)
            {
                Open open = stack.Pop();
                long took = now - open.Start;
                lock (all)
                {
                    open.Node.Calls++;
                    open.Node.Own += took - open.Below;
                }
                if (stack.Count > 0)
                {
                    Open caller = stack.Pop();
                    caller.Below += took;
                    stack.Push(caller);
                }
                if (open.Node.Method.Equals(method)) return;
            }
        }

        static void Write()
        {
#if !ASPECT
            string[] names = File.ReadAllLines(Environment.GetEnvironmentVariable("PEER_NAMES"));
#endif
            using var output = new StreamWriter(Environment.GetEnvironmentVariable("PEER_OUT"));
            lock (all)
                foreach (Node node in all.Values)
                {
                    string path = "";
                    for (Node at = node; at != null; at = at.Parent)
#if ASPECT
                        path = $"{at.Method.Item1.FullName}::{at.Method.Item2};{path}";
#else
                        path = $"{names[at.Method]};{path}";
#endif
                    long ns = (long)(node.Own * (1e9 / Stopwatch.Frequency));
                    output.WriteLine($"{path.TrimEnd(';')}\t{ns}\t{ns}\t{ns}\t1\t{node.Calls}");
                }
        }
    }

#if ASPECT
    [Aspect(Scope.Global)]
    [Injection(typeof(TimedAttribute))]
    [AttributeUsage(AttributeTargets.Assembly)]
    public sealed class TimedAttribute : Attribute
    {
        [Advice(Kind.Before, Targets = Target.Any)]
        public void Enter([Argument(Source.Type)] Type type, [Argument(Source.Name)] string name)
        {
            Times.Enter((type, name));
        }

        [Advice(Kind.After, Targets = Target.Any)]
        public void Leave([Argument(Source.Type)] Type type, [Argument(Source.Name)] string name)
        {
            Times.Leave((type, name));
        }
    }
#else
    public static class ProfileInfoTracker
    {
        public static void WhenEnteringMethod(int id) { Times.Enter(id); }

        public static void WhenLeavingMethod(int id) { Times.Leave(id); }
    }
#endif
}
