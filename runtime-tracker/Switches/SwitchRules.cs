// Methods that the user switches off and on by their names, and the triggers: from settings, and
// while the program runs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// Each is done for the methods that are there, and kept for those of modules that come later:
    /// of the rules that name a method the last one holds.
    /// </summary>
    internal static class SwitchRules
    {
        private const int Off = 0, On = 1, Only = 2;

        /// <summary>
        /// How long a module waits for who is at it in another thread, in milliseconds.
        /// </summary>
        private const int LongestWait = 1000;

        private sealed class Rule
        {
            internal int Kind;
            internal MethodPatterns Patterns;
        }

        private static SpinLock gate;
        private static List<Rule> rules;
        private static MethodMarks below;

        /// <summary>All modules with ids below it have been looked through.</summary>
        private static int resolvedTo;

        /// <summary>
        /// Is there anything to be looked for in a module that comes? And in one that could not
        /// wait?
        /// </summary>
        private static volatile bool active, late;

        // The rules that settings have made, and how they were written.
        private static List<MethodPatterns> ofSettings;
        private static List<string> settings;

        private static SpinLock Gate
        {
            get { return SpinLock.Of(ref gate); }
        }

        /// <summary>Begins with what the settings say.</summary>
        internal static void Begin()
        {
            if (Settings.Off == null && Settings.Only == null && Settings.Below == null && Settings.Depth == 0 && Settings.Longer == 0)
                return;
            BeginAny();
        }

        private static void BeginAny()
        {
            using (Gate.Enter())
            {
                ofSettings = new List<MethodPatterns>();
                settings = new List<string>();
                if (Settings.Only != null)
                    AddRule(Only, FromSetting("only", Settings.Only));
                if (Settings.Off != null)
                    AddRule(Off, FromSetting("off", Settings.Off));
                if (Settings.Below != null)
                    below = new MethodMarks(FromSetting("below", Settings.Below));
                long ticks = 0;
                if (Settings.Longer != 0)
                {
                    if (Clock.Kind == Clock.None)
                        Host.Say("longer: with clock=none calls take no time; all are kept");
                    else
                        ticks = Triggers.Ticks(Settings.Longer);
                }
                active = rules != null || below != null;
                CatchUp();
                Control.SetTriggers(new Triggers(below, Settings.Depth, ticks).OrNone);
            }
        }

        private static MethodPatterns FromSetting(string name, MethodPatterns patterns)
        {
            ofSettings.Add(patterns);
            settings.Add(name);
            return patterns;
        }

        /// <summary>
        /// A module has come, none of whose methods can be called before this returns.
        /// </summary>
        internal static void ModuleCame()
        {
            if (!active)
                return;
            // Not for ever: whoever looks may wait for a type initializer that this thread runs.
            if (!Gate.TryEnter(LongestWait))
            {
                late = true;
                return;
            }
            try
            {
                CatchUp();
            }
            catch (Exception)
            {
                // Out of memory: all of it stays on.
            }
            finally
            {
                Gate.Leave();
            }
        }

        /// <summary>The tracker's thread looks for what a module could not wait for.</summary>
        internal static void Look()
        {
            if (!late)
                return;
            late = false;
            ModuleCame();
        }

        /// <summary>
        /// Does for the modules that have come since what is kept for them. The gate must be held.
        /// </summary>
        private static void CatchUp()
        {
            foreach (ModuleInfo module in ModuleTable.All())
            {
                if (module.FirstId < resolvedTo)
                    continue;
                resolvedTo = module.FirstId + module.MethodCount;
                NamesResource names = active ? Read(module) : null;
                if (names == null)
                    continue;
                if (below != null)
                    below.Add(module.FirstId, below.Patterns.Named(names, NameOf(module)));
                if (rules != null)
                    SwitchOff(module, names);
            }
        }

        private static void SwitchOff(ModuleInfo module, NamesResource names)
        {
            bool[] off = new bool[names.MethodCount];
            foreach (Rule rule in rules)
            {
                bool[] named = rule.Patterns.Named(names, NameOf(module));
                for (int method = 0; method < off.Length; method++)
                    off[method] = rule.Kind == Only ? !named[method] && !names.IsScope(method)
                                : named[method] ? rule.Kind == Off : off[method];
            }
            Ids ids = new Ids();
            ids.Add(module.FirstId, off, true);
            Switches.Set(ids.Items, ids.Count, Switches.ByUser, true);
        }

        /// <summary>Null: it has no names, or not those of its methods.</summary>
        private static NamesResource Read(ModuleInfo module)
        {
            NamesResource names = NamesResource.Read(module.Names);
            return names == null || names.MethodCount > module.MethodCount ? null : names;
        }

        private static string NameOf(ModuleInfo module)
        {
            return module.AssemblyName.Split(',')[0];
        }

        /// <summary>
        /// Keeps a rule; those before it that it makes pointless go. The gate must be held.
        /// </summary>
        private static void AddRule(int kind, MethodPatterns patterns)
        {
            List<Rule> kept = new List<Rule>();
            if (rules != null && kind != Only)
                foreach (Rule rule in rules)
                    if (rule.Kind == Only || !Covers(patterns, rule.Patterns))
                        kept.Add(rule);
            Rule added = new Rule();
            added.Kind = kind;
            added.Patterns = patterns;
            kept.Add(added);
            rules = kept;
        }

        /// <summary>Stands each pattern of the second among those of the first?</summary>
        private static bool Covers(MethodPatterns all, MethodPatterns some)
        {
            foreach (NamePattern one in some.All)
            {
                bool found = false;
                foreach (NamePattern other in all.All)
                    found |= other.Written == one.Written;
                if (!found)
                    return false;
            }
            return true;
        }

        /// <summary>
        /// The program ends: a setting that no method of any module has was probably mistyped.
        /// </summary>
        internal static void End()
        {
            if (settings != null)
                SayUnfound();
        }

        private static void SayUnfound()
        {
            for (int i = 0; i < settings.Count; i++)
                for (int pattern = 0; pattern < ofSettings[i].All.Length; pattern++)
                    if (ofSettings[i].Found[pattern] == 0)
                        Host.Say("setting " + settings[i] + "=" + ofSettings[i].All[pattern].Written + ": no instrumented module has such a method");
        }

        /// <summary>
        /// Does what `ilinject ctl` asks for. False when that is nothing that can be done. The
        /// answer: lines to be printed, each after a +, or, as a warning or a fault, after a -.
        /// </summary>
        internal static bool Obey(string verb, string[] arguments, StringBuilder answer)
        {
            string fault = null;
            MethodPatterns patterns = null;
            bool named = verb == "off" || verb == "on" || verb == "only" || verb == "below";
            if (named)
                patterns = MethodPatterns.Parse(arguments, out fault);
            using (Gate.Enter())
            {
                CatchUp();
                if (fault == null && named)
                    Name(verb, patterns, answer);
                else if (fault == null && verb == "depth")
                    fault = SetDepth(arguments[0], answer);
                else if (fault == null && verb == "longer")
                    fault = SetLonger(arguments[0], answer);
                else if (fault == null)
                    TakeAllBack(answer);
            }
            if (fault != null)
                answer.Append('-').Append(fault).Append('\n');
            return fault == null;
        }

        /// <summary>
        /// What is recorded: lines after a +, the rules and triggers that hold after the first one.
        /// </summary>
        internal static string Status()
        {
            StringBuilder answer = new StringBuilder();
            Phase now = Control.Current;
            long calls = CallSums.Now(null).AllCalls;
            answer.Append(now.Running ? "+recording" : "+stopped");
            if (calls != 0)
                answer.Append(", ").Append(Number(calls, "call"));
            answer.Append(" in ").Append(Host.Number((long)(DateTime.UtcNow - now.Generation.StartTime).TotalSeconds)).Append(" s\n");
            using (Gate.Enter())
            {
                for (int i = 0; rules != null && i < rules.Count; i++)
                    TellPatterns(rules[i].Kind == Off ? "+off:" : rules[i].Kind == Only ? "+only:" : "+on:", rules[i].Patterns, answer);
                if (below != null)
                    TellPatterns("+below:", below.Patterns, answer);
            }
            Triggers triggers = now.Triggers;
            if (triggers != null && triggers.Depth != 0)
                answer.Append("+depth: ").Append(Number(triggers.Depth, "frame")).Append('\n');
            if (triggers != null && triggers.Longer != 0)
                answer.Append("+longer: calls of ").Append(Host.Number((long)(triggers.Longer * 1e9 / Clock.TicksPerSecond))).Append(" ns and more\n");
            return answer.ToString();
        }

        private static void TellPatterns(string verb, MethodPatterns patterns, StringBuilder answer)
        {
            answer.Append(verb);
            foreach (NamePattern pattern in patterns.All)
                answer.Append(' ').Append(pattern.Written);
            answer.Append('\n');
        }

        /// <summary>
        /// Does, for all methods that are there, what a rule with these patterns wants, and keeps
        /// it.
        /// </summary>
        private static void Name(string verb, MethodPatterns patterns, StringBuilder answer)
        {
            bool off = verb == "off", only = verb == "only", isBelow = verb == "below";
            MethodMarks marks = isBelow ? new MethodMarks(patterns) : null;
            Ids chosen = new Ids(), others = new Ids();
            int methods = 0, types = 0;
            foreach (ModuleInfo module in ModuleTable.All())
            {
                NamesResource names = module.FirstId < resolvedTo ? Read(module) : null;
                if (names == null)
                    continue;
                bool[] named = patterns.Named(names, NameOf(module));
                Count(names, named, ref methods, ref types);
                if (isBelow)
                    marks.Add(module.FirstId, named);
                chosen.Add(module.FirstId, named, true);
                for (int method = 0; method < named.Length; method++)
                    named[method] |= names.IsScope(method);
                if (only)
                    others.Add(module.FirstId, named, false);
            }
            active = true;
            if (isBelow)
            {
                below = marks;
                Triggers now = Control.Current.Triggers;
                Control.SetTriggers(new Triggers(marks, now == null ? 0 : now.Depth, now == null ? 0 : now.Longer));
            }
            else
            {
                AddRule(off ? Off : only ? Only : On, patterns);
                // A method that the governor has switched off goes on, too, when it is named.
                Switches.Set(chosen.Items, chosen.Count, off ? Switches.ByUser : (byte)(Switches.ByUser | Switches.ByGovernor), off);
                Switches.Set(others.Items, others.Count, Switches.ByUser, true);
            }
            Tell(verb, methods, types, isBelow ? null : chosen, answer);
            TellUnknown(patterns, answer);
        }

        /// <summary>
        /// Without the steps of async methods and iterators that are named by their methods.
        /// </summary>
        private static void Count(NamesResource names, bool[] named, ref int methods, ref int types)
        {
            bool[] seen = new bool[names.TypeCount];
            for (int method = 0; method < named.Length; method++)
            {
                int owner = names.Owner(method);
                if (!named[method] || (owner != method && named[owner]))
                    continue;
                methods++;
                if (!seen[names.TypeOf(method)])
                    types++;
                seen[names.TypeOf(method)] = true;
            }
        }

        private static void Tell(string verb, int methods, int types, Ids chosen, StringBuilder answer)
        {
            answer.Append('+').Append(verb).Append(": ").Append(Number(methods, "method"));
            if (methods > 0)
            {
                answer.Append(" of ").Append(Number(types, "type"));
                if (chosen != null)
                {
                    long calls = 0;
                    CallSums sums = CallSums.Now(null);
                    for (int i = 0; i < chosen.Count; i++)
                        calls += sums.Calls(chosen.Items[i] - Registry.FirstId);
                    answer.Append(", ").Append(Number(calls, "call")).Append(" so far");
                }
            }
            answer.Append('\n');
        }

        private static string Number(long number, string of)
        {
            return Host.Number(number) + " " + of + (number == 1 ? "" : "s");
        }

        private static void TellUnknown(MethodPatterns patterns, StringBuilder answer)
        {
            for (int i = 0; i < patterns.All.Length; i++)
            {
                if (patterns.Found[i] != 0)
                    continue;
                NearName near = new NearName(patterns.All[i]);
                foreach (ModuleInfo module in ModuleTable.All())
                {
                    NamesResource names = Read(module);
                    if (names != null)
                        near.Look(names);
                }
                answer.Append("-'").Append(patterns.All[i].Written).Append("' names no method of the modules that are there");
                if (near.Name != null)
                    answer.Append("; near is ").Append(near.Name);
                answer.Append('\n');
            }
        }

        private static string SetDepth(string text, StringBuilder answer)
        {
            int depth;
            if (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out depth) || depth > Settings.Most_depth)
                return "'" + text + "': expected a whole number from 0 to " + Host.Number(Settings.Most_depth);
            Triggers now = Control.Current.Triggers;
            Control.SetTriggers(new Triggers(below, depth, now == null ? 0 : now.Longer).OrNone);
            answer.Append("+depth: ").Append(depth == 0 ? "all" : Number(depth, "frame")).Append('\n');
            return null;
        }

        private static string SetLonger(string text, StringBuilder answer)
        {
            long nanoseconds = Triggers.Nanoseconds(text);
            if (nanoseconds < 0)
                return "'" + text + "': " + Settings.ExpectedTime;
            if (nanoseconds != 0 && Clock.Kind == Clock.None)
                return "with clock=none calls take no time";
            Triggers now = Control.Current.Triggers;
            Control.SetTriggers(new Triggers(below, now == null ? 0 : now.Depth, Triggers.Ticks(nanoseconds)).OrNone);
            answer.Append("+longer: ").Append(nanoseconds == 0 ? "all calls" : "calls of " + text + " and more").Append('\n');
            return null;
        }

        private static void TakeAllBack(StringBuilder answer)
        {
            bool had = rules != null || Control.Current.Triggers != null;
            active = false;
            rules = null;
            below = null;
            Control.SetTriggers(null);
            Ids ids = new Ids();
            foreach (ModuleInfo module in ModuleTable.All())
                for (int method = 0; method < module.MethodCount; method++)
                    if (Switches.IsOff(module.FirstId + method))
                        ids.Add(module.FirstId + method);
            Switches.Set(ids.Items, ids.Count, Switches.ByUser, false);
            answer.Append(had ? "+all: no switch and no trigger is left\n" : "+all: there was no switch and no trigger\n");
        }

        /// <summary>A list of ids.</summary>
        private sealed class Ids
        {
            internal int[] Items = new int[64];
            internal int Count;

            internal void Add(int id)
            {
                if (Count == Items.Length)
                    Array.Resize(ref Items, Count * 2);
                Items[Count++] = id;
            }

            /// <summary>The methods of a module that are, or are not, marked.</summary>
            internal void Add(int firstId, bool[] marks, bool marked)
            {
                for (int method = 0; method < marks.Length; method++)
                    if (marks[method] == marked)
                        Add(firstId + method);
            }
        }
    }
}
