// The tracker's settings: those that an instrumented module brings with it, then ilinject.settings beside the program, then the
// environment. A later source counts for more.
using System;
using System.Collections;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Rows of src/facts/settings.def. SettingFacts.cs is made of them: a member for each setting, null where nothing was set,
    /// and which function parses its kind. A setting that can't be used is named in one line; the program runs on.
    /// </summary>
    internal static partial class Settings
    {
        private const string FileName = "ilinject.settings", Prefix = "ILINJECT_";

        internal const string ExpectedTime = "expected a time of at most a day as 5ms, 20us, 800ns or 1.5s";

        /// <summary>Are messages of exceptions, which may hold anything, in the profile?</summary>
        internal static bool ExceptionMessages
        {
            get { return !WithoutMessages; }
        }

        /// <summary>The same, where the profile may go to another machine as it is: no message does.</summary>
        internal static bool KeepsMessages
        {
            get { return !WithoutMessages && (Settings.Post == null || PostPlainValues || !Features.Http || PostAddress.IsEncryptedOrLocal(Settings.Post)); }
        }

        // Those that the first module brings, a line name=value each; null: no module has said yet.
        private static string bakedIn;
        private static volatile bool loaded;
        private static int differing;

        /// <summary>
        /// Takes the settings that a module brings with it. Those of the first count, if it comes before the first call.
        /// </summary>
        internal static void BakeIn(string text)
        {
            string first = Interlocked.CompareExchange(ref bakedIn, text, null);
            if (first == null || first == text)
                return;
            Interlocked.CompareExchange(ref differing, 1, 0);
            if (loaded)
                SayDiffering();
        }

        /// <summary>Once, if it is so and things are to be said.</summary>
        private static void SayDiffering()
        {
            if (Verbose && Interlocked.CompareExchange(ref differing, 3, 1) == 1)
                Host.Say("modules bring different settings; those of the first count");
        }

        internal static void Load()
        {
            string first = Interlocked.CompareExchange(ref bakedIn, "", null);
            if (!string.IsNullOrEmpty(first))
                foreach (string line in first.Split('\n'))
                    if (line.Length != 0)
                        SetPair("--set ", line);
            try
            {
                LoadFile();
            }
            catch (Exception e)
            {
                // A host without files has none of settings.
                if (!Host.IsForbidden(e))
                    Host.Say(FileName + ": can't be read: " + e.Message);
            }
            try
            {
                LoadEnvironment();
            }
            catch (Exception)
            {
                // A host without an environment.
            }
            loaded = true;
            SayDiffering();
        }

        /// <summary>Is it to be known how long a single call took?</summary>
        internal static bool ShowsCalls
        {
            get { return Settings.Histogram || Settings.Timeline || Settings.Log || Settings.Longer != 0; }
        }

        /// <summary>Gives up what can't be had with the clock that is in use now, and says so.</summary>
        internal static void FitClock()
        {
            if (Settings.Timeline && !Instrumenter.Clock.IsShared)
            {
                Settings.Timeline = false;
                Host.Say("timeline=1: with clock=" + Instrumenter.Clock.Name + " threads have no time in common; there is no timeline");
            }
            if (Histogram && (Instrumenter.Clock.Kind == Instrumenter.Clock.None || Instrumenter.Clock.Kind == Instrumenter.Clock.Ticking))
            {
                Histogram = false;
                Host.Say("histogram=1: with clock=" + Instrumenter.Clock.Name +
                         (Instrumenter.Clock.Kind == Instrumenter.Clock.None ? " calls take no time" : " no single call is timed") + "; there are no histograms");
            }
        }

        private static void SetPair(string where, string line)
        {
            int equals = line.IndexOf('=');
            if (equals < 0)
                Host.Say(where + line + ": expected name=value");
            else
                Set(where + line.Substring(0, equals), line.Substring(0, equals), line.Substring(equals + 1));
        }

        /// <summary>
        /// A member that a host may lack stands in a method of its own, here and elsewhere: one
        /// that names a member that is not there fails when it is compiled, before any handler of
        /// its own is at work.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void LoadFile()
        {
            // An instrumented framework assembly may call before its host has told where the program lies.
            string folder = Host.ProgramFolder();
            string path = folder == null ? null : Path.Combine(folder, FileName);
            if (path != null && SystemFile.Exists(path))
                LoadFile(path);
        }

        private static void LoadFile(string path)
        {
            int number = 0;
            foreach (string line in Features.DynamicCode ? File.ReadAllLines(path) : Lines(path))
            {
                number++;
                string text = line.Trim();
                if (text.Length == 0 || text[0] == '#')
                    continue;
                int equals = text.IndexOf('=');
                string where = FileName + ":" + Host.Number(number);
                if (equals < 0)
                    Host.Say(where + ": expected name=value, found \"" + text + "\"");
                else
                    Set(where + ": " + text.Substring(0, equals).Trim(), text.Substring(0, equals).Trim(), text.Substring(equals + 1).Trim());
            }
        }

        /// <summary>The lines of UTF-8: a reader of text makes programs that are compiled ahead of time 30 KB larger.</summary>
        private static string[] Lines(string path)
        {
            byte[] text = File.ReadAllBytes(path);
            int start = text.Length >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF ? 3 : 0;
            return Encoding.UTF8.GetString(text, start, text.Length - start).Split('\n');
        }

        /// <summary>Was the process started with a variable of the tracker's? True, too, where that is not known.</summary>
        private static bool MayHaveVariables()
        {
            try
            {
                return IntPtr.Size != 8 || Host.IsWindows || NativeFile.MayHaveVariable(Prefix);
            }
            catch (Exception)
            {
                return true;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void LoadEnvironment()
        {
            LoadAttributes("OTEL_RESOURCE_ATTRIBUTES", "");
            LoadAttributes("OTEL_SERVICE_NAME", "service.name=");
            // What the program itself has set is found by its name. For the list of all .NET takes 3 ms.
            if (!Features.DynamicCode || !MayHaveVariables())
            {
                LoadKnown();
                return;
            }
            foreach (DictionaryEntry entry in Environment.GetEnvironmentVariables())
            {
                string name = (string)entry.Key;
                // Windows takes a name for the same in whatever case it is written.
                if (name.StartsWith(Prefix, Host.IsWindows ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal))
                    Set(name, Lower(name.Substring(Prefix.Length)), (string)entry.Value);
            }
        }

        // Of ASCII alone. For all letters .NET loads the libraries of cultures, which takes a start 10 to 20 ms.
        private static string Lower(string name)
        {
            return Moved(name, 'A', 'Z', 'a' - 'A');
        }

        private static string Upper(string name)
        {
            return Moved(name, 'a', 'z', 'A' - 'a');
        }

        private static string Moved(string name, char from, char to, int by)
        {
            char[] letters = name.ToCharArray();
            for (int i = 0; i < letters.Length; i++)
                if (letters[i] >= from && letters[i] <= to)
                    letters[i] = (char)(letters[i] + by);
            return new string(letters);
        }

        /// <summary>Variables that others define, too: those of the tracker's own come later and count for more.</summary>
        private static void LoadAttributes(string variable, string before)
        {
            string text = Environment.GetEnvironmentVariable(variable);
            if (!string.IsNullOrEmpty(text))
                Labels.ParseEscaped(variable, before + text);
        }

        /// <summary>
        /// The variables by their names: a list of all comes with a table whose keys can be anything, and with what is needed
        /// for that. The price is that a name which is not known is not named.
        /// </summary>
        private static void LoadKnown()
        {
            foreach (string name in Names())
            {
                string plain = Prefix + Upper(name), value = Environment.GetEnvironmentVariable(plain);
                if (value != null)
                    Set(plain, name, value);
            }
        }

        private static void Set(string where, string name, string value)
        {
            if (!Features.OldHosts && value.Length != 0 && value != "0" && IsMissing(name))
            {
                Host.Say(where + ": " + Features.Missing);
                return;
            }
            if (name.StartsWith(Labels.Prefix, StringComparison.Ordinal))
                Labels.Set(where, name.Substring(Labels.Prefix.Length), value);
            // Most runs have this one, or none.
            else if (name == "out")
                Out = ParsePath(where, value, Out);
            else if (!SetByKind(where, name, value))
                Host.Say(where + ": unknown setting; known are " + string.Join(", ", Names()));
        }

        /// <summary>The pattern of a path; null for an empty value.</summary>
        private static string ParsePath(string where, string value, string otherwise)
        {
            string problem = RunName.Problem(value);
            if (problem == null)
                return value.Length == 0 ? null : value;
            Host.Say(where + ": " + problem + "; using the usual name");
            return otherwise;
        }

        /// <summary>A method's name; null for an empty value.</summary>
        private static string ParseMethod(string where, string value)
        {
            StartStopTrigger end = value.Length == 0 ? null : StartStopTrigger.Parse(value);
            if (end != null && end.Method != null)
                return value;
            if (value.Length != 0)
                Host.Say(where + ": expected a method's name with a dot, found \"" + value + "\"");
            return null;
        }

        /// <summary>Patterns with semicolons between them; null for an empty value.</summary>
        private static MethodPatterns ParsePatterns(string where, string value, MethodPatterns otherwise)
        {
            if (!Features.Control || value.Length == 0)
                return null;
            string fault;
            MethodPatterns patterns = MethodPatterns.Parse(value.Split(';'), out fault);
            if (patterns != null)
                return patterns;
            Host.Say(where + ": " + fault);
            return otherwise;
        }

        private static void ParsePercent(string where, string value, int least, int most, ref int percent)
        {
            int number = 0;
            string digits = value.EndsWith("%", StringComparison.Ordinal) ? value.Substring(0, value.Length - 1) : value;
            if (value.Length == 0 || (int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out number) &&
                                      number >= least && number <= most))
                percent = number;
            else
                Host.Say(where + ": expected a price from " + Host.Number(least) + "% to " + Host.Number(most) + "%, found \"" + value + "\"");
        }

        /// <summary>Nanoseconds; 0 for an empty value.</summary>
        private static long ParseTime(string where, string value, long otherwise)
        {
            long nanoseconds = value.Length == 0 ? 0 : Triggers.Nanoseconds(value);
            if (nanoseconds >= 0)
                return nanoseconds;
            Host.Say(where + ": " + ExpectedTime + ", found \"" + value + "\"");
            return otherwise;
        }

        private static string ParseAddress(string where, string value, string otherwise)
        {
            if (value.Length == 0 || IsAddress(value))
                return value.Length == 0 ? null : value;
            Host.Say(where + ": expected an address that begins with http:// or https://, found \"" + value + "\"");
            return otherwise;
        }

        private static bool IsAddress(string value)
        {
            int scheme = value.IndexOf("://", StringComparison.Ordinal);
            string name = scheme < 0 ? "" : value.Substring(0, scheme);
            return (name == "http" || name == "https") && value.Length > scheme + 3 && value[scheme + 3] != '/';
        }

        private static string ParseClock(string where, string value, string words, string otherwise)
        {
            if (value.Length == 0 || IsClock(value, words))
                return value.Length == 0 ? null : value;
            Host.Say(where + ": expected " + OneOf(words) + ", found \"" + value + "\"");
            return otherwise;
        }

        private static bool IsClock(string value, string words)
        {
            if (value.StartsWith(Instrumenter.Clock.UserPrefix, StringComparison.Ordinal))
                return value.Length > Instrumenter.Clock.UserPrefix.Length;
            return Array.IndexOf(Words(words), value) >= 0;
        }

        private static string[] Words(string list)
        {
            return list.Replace(", ", ",").Split(',');
        }

        /// <summary>"a, b or c" of "a, b, c".</summary>
        private static string OneOf(string list)
        {
            int last = list.LastIndexOf(',');
            return list.Substring(0, last) + " or" + list.Substring(last + 1);
        }

        private static void ParseFlag(string where, string value, ref bool flag)
        {
            if (value == "1" || value == "0" || value.Length == 0)
                flag = value == "1";
            else
                Host.Say(where + ": expected 0 or 1, found \"" + value + "\"");
        }

        private static void ParseFlagOn(string where, string value, ref bool off)
        {
            bool on = !off;
            ParseFlag(where, value.Length == 0 ? "1" : value, ref on);
            off = !on;
        }

        /// <summary>Two words: the usual one and another, for which <paramref name="other"/> becomes true.</summary>
        private static void ParseChoice(string where, string value, string words, ref bool other)
        {
            int found = value.Length == 0 ? 0 : Array.IndexOf(Words(words), value);
            if (found >= 0)
                other = found == 1;
            else
                Host.Say(where + ": expected " + OneOf(words) + ", found \"" + value + "\"");
        }

        /// <summary>Null for what is usual, <paramref name="other"/> for the other word, else a moment.</summary>
        private static StartStopTrigger ParseTrigger(string where, string value, string usual, string otherWord, StartStopTrigger other, StartStopTrigger otherwise)
        {
            if (value.Length == 0 || value == usual)
                return null;
            if (value == otherWord)
                return other;
            StartStopTrigger moment = StartStopTrigger.Parse(value);
            if (moment != null && moment.Method != null && !Features.Control)
            {
                Host.Say(where + ": " + Features.Missing);
                return otherwise;
            }
            if (moment != null)
                return moment;
            Host.Say(where + ": expected " + usual + (otherWord == usual ? "" : ", " + otherWord) +
                     ", seconds up to 86400, or a method's name with a dot, found \"" + value + "\"");
            return otherwise;
        }

        private static int Parse(string where, string value, int least, int most, int otherwise)
        {
            int number;
            if (int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number >= least && number <= most)
                return number;
            Host.Say(where + ": expected a whole number from " + Host.Number(least) + " to " + Host.Number(most) + ", found \"" + value +
                     "\"; using " + Host.Number(otherwise));
            return otherwise;
        }
    }
}
