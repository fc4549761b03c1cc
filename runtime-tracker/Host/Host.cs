// The tracker's questions to the runtime and the system about the process, each question answerable
// with "unknown".
using System;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Security;
using System.Text;
using System.Threading;

namespace Instrumenter
{
    internal static class Host
    {
        private const string ProcessFile = "/proc/self/stat";

        /// <summary>The last version of a runtime that may have several AppDomains: Silverlight's.</summary>
        private const int LastWithDomains = 5;

        /// <summary>How often the runtime is asked whether this is its first domain.</summary>
        private const int MostDomainTrials = 10;

        private const int MostDigits = 19;

        // Whether this is the first domain: once that is known, it stays known.
        private static volatile bool knowsDomain, isFurther;
        private static SpinLock askingDomain;

        /// <summary>An answer, which the host may have no way to give.</summary>
        internal delegate T Answer<T>();

        /// <summary>For a call by reflection Mono compiles twice as many methods.</summary>
        private delegate string Text();

        /// <summary>The question's answer, or what stands for "unknown": also when the question itself can't be compiled.</summary>
        private static T Ask<T>(Answer<T> question, T unknown)
        {
            try
            {
                return question();
            }
            catch (Exception)
            {
                return unknown;
            }
        }

        /// <summary>
        /// The entry assembly's simple name (Silverlight: that of <paramref name="firstModule"/>, the first instrumented one); in a further
        /// AppDomain with the domain's number.
        /// </summary>
        internal static string ProgramName(Answer<string> firstModule)
        {
            string name = Ask(EntryName, null);
            if (Features.OldHosts && name == null)
                name = Ask(firstModule, null);
            name = name ?? Ask(DomainName, null);
            if (name == null || name.Length == 0)
                name = "program";
            name = FileName(name);
            return IsFurtherDomain() ? name + ".d" + Number(Ask(DomainNumber, 0)) : name;
        }

        /// <summary>The name, with an underscore for each character that the system takes in no file's name.</summary>
        internal static string FileName(string name)
        {
            return IsPlain(name) ? name : WithoutInvalid(name);
        }

        private static string WithoutInvalid(string name)
        {
            foreach (char bad in Ask(InvalidCharacters, new char[] { '/', '\\', ':' }))
                name = name.Replace(bad, '_');
            return name;
        }

        /// <summary>True if it has only characters that every system takes in a file's name.</summary>
        private static bool IsPlain(string name)
        {
            foreach (char c in name)
                if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-')
                    return false;
            return true;
        }

        private static string EntryName()
        {
            Assembly entry = Assembly.GetEntryAssembly();
            return entry == null ? null : SimpleName(entry);
        }

        private static string DomainName()
        {
            return AppDomain.CurrentDomain.FriendlyName;
        }

        private static int DomainNumber()
        {
            return AppDomain.CurrentDomain.Id;
        }

        /// <summary>True if the program ends, or its AppDomain.</summary>
        internal static bool IsEnding()
        {
            return Ask(HasEndBegun, false);
        }

        private static bool HasEndBegun()
        {
            return Environment.HasShutdownStarted;
        }

        private static char[] InvalidCharacters()
        {
            return Path.GetInvalidFileNameChars();
        }

        /// <summary>GetName, which takes .NET 2 ms for the first time, only where the full name has something escaped.</summary>
        internal static string SimpleName(Assembly assembly)
        {
            string full = assembly.FullName;
            int comma = full.IndexOf(',');
            return comma < 0 || full.IndexOf('\\') >= 0 || full.IndexOf('"') >= 0 ? assembly.GetName().Name : full.Substring(0, comma);
        }

        /// <summary>
        /// True if this is not the process's first AppDomain: then it ends by being unloaded. .NET
        /// has one.
        /// </summary>
        internal static bool IsFurtherDomain()
        {
            return Features.OldHosts && Environment.Version.Major <= LastWithDomains && (knowsDomain ? isFurther : LearnDomain());
        }

        /// <summary>
        /// Mono throws at one of two threads that both are the first to ask. So the tracker's own ask one after another, and
        /// ask again, as a thread of the program's may be the other one: a further domain that took itself for the first one
        /// would write over that one's files.
        /// </summary>
        private static bool LearnDomain()
        {
            using (SpinLock.Of(ref askingDomain).Enter())
            {
                bool answered = false;
                for (int trial = 0; !knowsDomain && !answered && trial < MostDomainTrials; trial++)
                    answered = TryAskForDomain();
                knowsDomain = true;
            }
            return isFurther;
        }

        /// <summary>As Ask, which Mono would compile for an answer of this type alone.</summary>
        private static bool TryAskForDomain()
        {
            try
            {
                AskForDomain();
                return true;
            }
            catch (Exception)
            {
                return false;
            }
        }

        private static void AskForDomain()
        {
            isFurther = !AppDomain.CurrentDomain.IsDefaultAppDomain();
        }

        /// <summary>Null: not reported yet. Mono compiles a dozen methods for what it makes BaseDirectory of this datum with.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        internal static string ProgramFolder()
        {
            string plain = Features.OldHosts && IsMono ? AppDomain.CurrentDomain.GetData("APPBASE") as string : null;
            return plain != null && plain.Length != 0 && plain[0] == '/' ? plain : AppDomain.CurrentDomain.BaseDirectory;
        }

        /// <summary>The temporary folder where that can't be reported, nothing where neither can.</summary>
        internal static string CurrentDirectory()
        {
            return Native(NativeFile.CurrentDirectory) ?? Ask(Current, null) ?? Ask(Temporary, "");
        }

        /// <summary>By a call of the C library; null where there is none. For its own, which decode text, .NET takes 2 ms.</summary>
        private static string Native(Text call)
        {
            try
            {
                return IntPtr.Size == 8 && !IsWindows ? call() : null;
            }
            catch (Exception)
            {
                return null;
            }
        }

        private static string Current()
        {
            return Environment.CurrentDirectory;
        }

        private static string Temporary()
        {
            return Path.GetTempPath();
        }

        /// <summary>0 when there is no way to know.</summary>
        internal static int ProcessId()
        {
            try
            {
                if (!IsWindows)
                    return NativeFile.ProcessId();
                if (!Features.DynamicCode)
                    return WindowsFile.ProcessId();
            }
            catch (Exception)
            {
                // No such library.
            }
            return IdWithoutLibrary();
        }

        private static int IdWithoutLibrary()
        {
            if (!Features.DynamicCode)
                return 0;
            int id = Ask(IdFromFile, 0);
            if (id == 0)
                id = Ask(IdFromProperty, 0);
            if (!Features.OldHosts)
                return id;
            return id != 0 ? id : Ask(IdFromProcess, 0);
        }

        /// <summary>"1234 (name) S …": takes a tenth of the time of a property's look-up, and nothing can trim it away.</summary>
        private static int IdFromFile()
        {
            if (IsWindows || !File.Exists(ProcessFile))
                return 0;
            using (StreamReader reader = new StreamReader(ProcessFile))
                return int.Parse(reader.ReadLine().Split(' ')[0], CultureInfo.InvariantCulture);
        }

        private static int IdFromProperty()
        {
            PropertyInfo property = typeof(Environment).GetProperty("ProcessId");
            return property == null ? 0 : (int)property.GetValue(null, null);
        }

        private static int IdFromProcess()
        {
            return (int)OfProcess("Id");
        }

        /// <summary>
        /// In local time; DateTime.MinValue where it is not known. Only .NET Framework and Mono are asked.
        /// </summary>
        internal static DateTime ProcessStart()
        {
            return Ask(StartFromProcess, DateTime.MinValue);
        }

        private static DateTime StartFromProcess()
        {
            return (DateTime)OfProcess("StartTime");
        }

        private static object OfProcess(string property)
        {
            Type type = SystemProcess("4.0.0.0") ?? SystemProcess("2.0.0.0");
            object process = type.GetMethod("GetCurrentProcess", Type.EmptyTypes).Invoke(null, null);
            return type.GetProperty(property).GetValue(process, null);
        }

        /// <summary>.NET Framework's. The name is put together here, or trimming would keep it, with a megabyte after it.</summary>
        private static Type SystemProcess(string version)
        {
            return Type.GetType("System.Diagnostics.Process, System, Version=" + version + ", Culture=neutral, PublicKeyToken=b77a5c561934e089");
        }

        internal static string MachineName()
        {
            return Native(NativeFile.HostName) ?? Ask(Machine, "");
        }

        private static string Machine()
        {
            return Environment.MachineName;
        }

        internal static string RuntimeName()
        {
            if (!Features.OldHosts)
                return ".NET " + (Features.FullVersion ? Environment.Version.ToString() : CoreLibraryVersion());
            if (IsSilverlight)
                return "Silverlight " + Environment.Version;
            // .NET 5 and later say their version so; a type is not looked up by name for that, which takes .NET 7 ms for the first time.
            return Environment.Version.Major > 4 ? ".NET " + Environment.Version : NameOfOldRuntime();
        }

        private static string NameOfOldRuntime()
        {
            try
            {
                Type mono = typeof(object).Assembly.GetType("Mono.Runtime");
                MethodInfo display = mono == null ? null : mono.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
                if (display != null)
                    return "Mono " + ((Text)Delegate.CreateDelegate(typeof(Text), display))();
                Type information = typeof(object).Assembly.GetType("System.Runtime.InteropServices.RuntimeInformation");
                PropertyInfo description = information == null ? null : information.GetProperty("FrameworkDescription");
                if (description != null)
                    return (string)description.GetValue(null, null);
            }
            catch (Exception)
            {
            }
            return ".NET " + Environment.Version;
        }

        /// <summary>As "8.0": the build is not in the assembly's name.</summary>
        private static string CoreLibraryVersion()
        {
            string name = typeof(object).Assembly.FullName;
            int at = name.IndexOf("Version=", StringComparison.Ordinal) + "Version=".Length, major = name.IndexOf('.', at);
            return name.Substring(at, name.IndexOf('.', major + 1) - at);
        }

        internal static bool IsWindows
        {
            get { return Path.DirectorySeparatorChar == '\\'; }
        }

        /// <summary>By hand: for a culture's own way, also the invariant one's, .NET loads the libraries of all cultures.</summary>
        internal static string Number(long value)
        {
            if (value < 0)
                return value.ToString(CultureInfo.InvariantCulture);
            char[] digits = new char[MostDigits];
            int at = digits.Length;
            do
            {
                digits[--at] = (char)('0' + value % 10);
                value /= 10;
            }
            while (value != 0);
            return new string(digits, at, digits.Length - at);
        }

        /// <summary>Windows Phone, too. .NET's core library has the same key, but another name.</summary>
        internal static bool IsSilverlight
        {
            get
            {
                if (!Features.OldHosts)
                    return false;
                string name = typeof(object).Assembly.FullName;
                return name.StartsWith("mscorlib,", StringComparison.Ordinal) && name.EndsWith("7cec85d7bea7798e", StringComparison.Ordinal);
            }
        }

        /// <summary>
        /// True if the host says no, or lacks what was requested, and not the disk, or the file's owner.
        /// </summary>
        internal static bool IsForbidden(Exception e)
        {
            return e is MemberAccessException || e is TypeLoadException || e is SecurityException || e is NotSupportedException;
        }

        /// <summary>.NET Framework, Mono, or a Silverlight: they have no load contexts.</summary>
        internal static bool IsFramework
        {
            get { return Features.OldHosts && (Environment.Version.Major == 2 || Environment.Version.Major == 4 || IsSilverlight); }
        }

        internal static bool IsMono
        {
            get { return Features.OldHosts && Environment.Version.Major <= 4 && typeof(object).Assembly.GetType("Mono.Runtime") != null; }
        }

        private const int MostUnheard = 8192;

        // The messages where there is no standard error; null: none.
        private static string unheard;

        /// <summary>The lines that could not be said on standard error, as far as they are kept.</summary>
        internal static string Unheard
        {
            get { return unheard ?? ""; }
        }

        private static void Keep(string text)
        {
            string before = unheard, after = before + text;
            if (after.Length <= MostUnheard)
                Interlocked.CompareExchange(ref unheard, after, before);
        }

        /// <summary>One line on standard error.</summary>
        internal static void Say(string text)
        {
            Print("ilinject: " + text + Environment.NewLine);
        }

        /// <summary>Text on standard error, past Console.Error: the program's console stays as it is.</summary>
        internal static void Print(string text)
        {
            try
            {
                PrintThere(text);
            }
            catch (Exception)
            {
                // No console: the program may ask for it.
                Keep(text);
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void PrintThere(string text)
        {
            byte[] bytes = new UTF8Encoding(false).GetBytes(text);
            using (Stream error = Console.OpenStandardError())
            {
                error.Write(bytes, 0, bytes.Length);
                // So a Windows program without a console says that it has no standard error.
                if (error == Stream.Null)
                    Keep(text);
            }
        }
    }
}
