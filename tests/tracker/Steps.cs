// How many steps the tracker takes to find a place of the tree, compiled together with its sources.
//   steps.exe finding     children that share slots are found in a few steps, however many they are
//   steps.exe entering    the way in for them is one method, and calls only what it has to
using System;
using System.Collections.Generic;
using System.Reflection;

namespace Instrumenter
{
    internal static class Steps
    {
        private const BindingFlags Hidden =
            BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static;

        /// <summary>More than that many steps in the mean are those of a list.</summary>
        private const double MostInTheMean = 2.5;

        private const int MostForOne = 16;

        // Callers, children of each, and how far apart ids are: as methods in a file follow each other, and as
        // those of several files that are called in turns.
        private static readonly int[][] shapes =
        {
            new[] { 1, 20000, 1 }, new[] { 1, 5000, 8 }, new[] { 1, 5000, 64 }, new[] { 1, 5000, 1024 },
            new[] { 300, 40, 1 }, new[] { 300, 40, 8 }, new[] { 2000, 2, 8 }, new[] { 2000, 3, 4096 },
        };

        private static bool Finding(int callers, int children, int step)
        {
            const int firstId = 1 << 24;
            NodeTree tree = new NodeTree();
            int[] parents = new int[callers];
            for (int i = 0; i < callers; i++)
                parents[i] = tree.Add(i == 0 ? NodeTree.Root : parents[i - 1], firstId - 1 - i, 0);
            for (int j = 0; j < children; j++)
                foreach (int parent in parents)
                    tree.Add(parent, firstId + j * step, 0);
            for (int j = 0; j < children; j++)
                foreach (int parent in parents)
                {
                    int found = tree.Find(parent, firstId + j * step);
                    if (found == NodeTree.None || tree.Nodes[found].Id != firstId + j * step
                        || tree.Nodes[found].Caller != parent)
                        throw new InvalidOperationException("a child is not found");
                }
            int[] table = (int[])typeof(NodeTree).GetField("table", Hidden).GetValue(tree);
            long steps = 0, nodes = 0;
            int longest = 0;
            foreach (int first in table)
            {
                int position = 0;
                for (int node = first; node != NodeTree.None; node = tree.Nodes[node].Chain)
                {
                    steps += ++position;
                    nodes++;
                }
                longest = Math.Max(longest, position);
            }
            double mean = (double)steps / nodes;
            bool few = mean <= MostInTheMean && longest <= MostForOne;
            Console.WriteLine("{0}{1} callers, {2} children, {3} apart: {4} listed, {5:F2} steps in the mean, {6} at most",
                few ? "" : "too many: ", callers, children, step, nodes, mean, longest);
            return few;
        }

        /// <summary>The methods that a method's code calls, by name, sorted.</summary>
        private static string Called(MethodBase method)
        {
            const int call = 0x28, callvirt = 0x6f;
            byte[] code = method.GetMethodBody().GetILAsByteArray();
            List<string> names = new List<string>();
            for (int i = 0; i + 4 < code.Length; i++)
            {
                if (code[i] != call && code[i] != callvirt)
                    continue;
                int token = BitConverter.ToInt32(code, i + 1), table = token >> 24;
                if (table != 0x06 && table != 0x0a)
                    continue;
                MethodBase callee = method.Module.ResolveMethod(token);
                names.Add(callee.DeclaringType.Name + "." + callee.Name);
                i += 4;
            }
            names.Sort(StringComparer.Ordinal);
            return string.Join(" ", names.ToArray());
        }

        private static bool Calls(Type type, string name, string expected)
        {
            string called = Called(type.GetMethod(name, Hidden));
            if (called == expected)
                return true;
            Console.WriteLine("{0} calls {1}; expected {2}", name, called, expected);
            return false;
        }

        private static int Main(string[] args)
        {
            bool good = true;
            if (args[0] == "finding")
                foreach (int[] shape in shapes)
                    good &= Finding(shape[0], shape[1], shape[2]);
            else
                good = Calls(typeof(ThreadTree), "EnterOther",
                        "Clock.Now HotCode.Never NodeTree.FindListed StackRoom.Ensure ThreadTree.EnterTicking ThreadTree.EnterUnlisted ThreadTree.Look")
                    & Calls(typeof(NodeTree), "FindListed", "NodeTree.Hash NodeTree.SlotOf");
            return good ? 0 : 1;
        }
    }
}
