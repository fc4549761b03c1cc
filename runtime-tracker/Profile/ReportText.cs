// A report from inside the program: head, function table, call tree, as text that is the same in every culture.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Instrumenter
{
    internal sealed class ReportText
    {
        /// <summary>Larger trees leave out what took less than a thousandth of the time.</summary>
        private const int MostNodes = 1000, LeastShare = 1000;

        private const int SpacesPerLevel = 2, MostLevels = 100, MostSwitched = 20;

        private readonly ReportTree tree;
        private readonly double milliseconds;
        private readonly bool onlyCounts = Counting.IsAlone;
        private readonly StringBuilder text = new StringBuilder();
        private readonly Dictionary<int, string> names = new Dictionary<int, string>();
        private readonly FunctionNames functions = new FunctionNames();

        private ReportText(ReportTree tree)
        {
            this.tree = tree;
            milliseconds = 1000.0 / Clock.TicksPerSecond;
        }

        /// <summary>The text for these bytes of a profile.</summary>
        internal static string Of(byte[] profile)
        {
            ReportText report = new ReportText(new ReportTree(profile));
            report.AppendHead();
            report.AppendPrice();
            report.AppendSwitches();
            report.AppendTable();
            if (!report.onlyCounts)
                report.AppendTree();
            return report.text.ToString();
        }

        private void AppendHead()
        {
            long calls = 0, open = 0;
            foreach (ReportFunction function in tree.Functions)
            {
                calls += function.Calls;
                open += function.Open;
            }
            DateTime start = Control.Current.Generation.StartTime;
            Line(RunName.Program + ", process " + Host.Number(RunName.ProcessId) + ", from " + start.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) +
                 " UTC, " + (onlyCounts ? "calls only counted" : "clock " + Clock.Name));
            Line("calls " + Host.Number(calls) + ", open " + Host.Number(open) + ", functions " + Host.Number(tree.Functions.Count) + ", threads " +
                 Host.Number(tree.ThreadCount));
        }

        /// <summary>The cost of recording so far, where it has a price.</summary>
        private void AppendPrice()
        {
            List<string> pairs = new List<string>();
            if (Settings.Overhead != 0 && Features.Overhead)
                Governor.AddTo(pairs, Control.Current.Generation.Number);
            string asked = null, taken = null;
            for (int i = 0; i < pairs.Count; i += 2)
                if (pairs[i] == RunKey.overhead)
                    asked = pairs[i + 1];
                else if (pairs[i] == RunKey.overhead_permille)
                    taken = pairs[i + 1].PadLeft(2, '0');
            if (asked != null)
                Line("price asked for " + asked + " %, taken " +
                     (taken == null ? "not known" : taken.Substring(0, taken.Length - 1) + "." + taken.Substring(taken.Length - 1) + " %"));
        }

        /// <summary>Methods that are off, or were for a time. Their rows in the table are of the calls that they had while on.</summary>
        private void AppendSwitches()
        {
            byte[] reasons;
            int[] ids = Switches.Ever(out reasons);
            if (ids == null)
                return;
            int governor = 0, user = 0;
            foreach (byte one in reasons)
                if ((one & Switches.ByGovernor) != 0)
                    governor++;
                else if (one != 0)
                    user++;
            Line("off now " + Host.Number(governor + user) + ": by the governor " + Host.Number(governor) + ", by hand " + Host.Number(user) +
                 "; on again " + Host.Number(ids.Length - governor - user) + "; their calls till then stand below");
            int shown = 0;
            for (int i = 0; i < ids.Length && shown < MostSwitched; i++)
                if (reasons[i] != 0)
                {
                    shown++;
                    Line("  off " + ((reasons[i] & Switches.ByGovernor) != 0 ? "by the governor " : "by hand         ") + NameOf(ids[i]));
                }
            if (shown < governor + user)
                Line("  and " + Host.Number(governor + user - shown) + " more");
        }

        private void AppendTable()
        {
            List<ReportFunction> functions = tree.Functions;
            functions.Sort(delegate(ReportFunction a, ReportFunction b)
            {
                if (onlyCounts && a.Calls != b.Calls)
                    return b.Calls.CompareTo(a.Calls);
                return a.OwnTicks != b.OwnTicks ? b.OwnTicks.CompareTo(a.OwnTicks) : string.CompareOrdinal(NameOf(a.Id), NameOf(b.Id));
            });
            Line("");
            Columns("calls", "inclusive ms", "exclusive ms", "function");
            foreach (ReportFunction function in functions)
                Columns(Host.Number(function.Calls), Time(function.InclusiveTicks), Time(function.OwnTicks), NameOf(function.Id));
        }

        private void AppendTree()
        {
            Line("");
            Columns("calls", "inclusive ms", "exclusive ms", "call tree");
            long least = tree.NodeCount > MostNodes ? tree.Root.Ticks / LeastShare : 0;
            int left = 0;
            List<ReportNode> pending = new List<ReportNode>();
            List<int> depths = new List<int>();
            Push(pending, depths, tree.Root, 0, least, ref left);
            while (pending.Count > 0)
            {
                ReportNode node = pending[pending.Count - 1];
                int depth = depths[depths.Count - 1];
                pending.RemoveAt(pending.Count - 1);
                depths.RemoveAt(depths.Count - 1);
                string name = node.Id == Node.FoldedRootId ? "(folded)" : NameOf(node.Id);
                Columns(Host.Number(node.Calls), Time(node.Ticks), Time(node.OwnTicks), new string(' ', Math.Min(depth, MostLevels) * SpacesPerLevel) + name);
                Push(pending, depths, node, depth + 1, least, ref left);
            }
            if (left > 0)
                Line("(" + Host.Number(left) + " that took less than a thousandth of the time, with what they call, are left out)");
        }

        /// <summary>Puts the children on the stack, the one with most time on top; of equals the one that was called first.</summary>
        private static void Push(List<ReportNode> pending, List<int> depths, ReportNode node, int depth, long least, ref int left)
        {
            List<ReportNode> shown = new List<ReportNode>();
            foreach (ReportNode child in node.Children)
                if (child.Ticks >= least)
                    shown.Add(child);
            left += node.Children.Count - shown.Count;
            shown.Sort(delegate(ReportNode a, ReportNode b) { return a.Ticks != b.Ticks ? a.Ticks.CompareTo(b.Ticks) : b.Order.CompareTo(a.Order); });
            pending.AddRange(shown);
            for (int i = 0; i < shown.Count; i++)
                depths.Add(depth);
        }

        private string NameOf(int id)
        {
            string name;
            if (!names.TryGetValue(id, out name))
                names.Add(id, name = MakeName(id));
            return name;
        }

        private string MakeName(int id)
        {
            FunctionNames.Function found = functions.Find(id);
            if (found.Names == null)
                return found.Fallback;
            return found.Names.FullName(found.Owner, true) + found.Names.Parameters(found.Owner) + (found.IsSteps ? " steps" : "");
        }

        private string Time(long ticks)
        {
            return (ticks * milliseconds).ToString("0.000", CultureInfo.InvariantCulture);
        }

        private void Columns(string calls, string inclusive, string own, string name)
        {
            if (onlyCounts)
            {
                Line(calls.PadLeft(12) + "  " + name);
                return;
            }
            Line(calls.PadLeft(12) + "  " + inclusive.PadLeft(14) + "  " + own.PadLeft(14) + "  " + name);
        }

        private void Line(string line)
        {
            text.Append(line).Append(Environment.NewLine);
        }
    }
}
