// The methods that may become spans: by their ids, with their names.
using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Threading;

namespace Instrumenter
{
    /// <summary>A module that has registered.</summary>
    internal sealed class SpanModule
    {
        private const string HelperName = "<ilinject>", ResourceName = "ilinject.names";

        internal readonly ActivitySource Source;
        private readonly Type helper;
        private NamesResource names;
        private SpanLines lines;
        private bool read;

        internal SpanModule(Type helper)
        {
            this.helper = helper;
            AssemblyName name = helper.Assembly.GetName();
            Source = new ActivitySource(name.Name, name.Version == null ? "" : name.Version.ToString());
        }

        /// <summary>Null: damaged.</summary>
        internal NamesResource Names(out SpanLines sources)
        {
            lock (this)
            {
                if (!read)
                {
                    byte[] bytes = Bytes();
                    names = NamesResource.Read(bytes);
                    lines = names == null ? null : SpanLines.Read(bytes, names);
                }
                read = true;
                sources = lines;
                return names;
            }
        }

        private byte[] Bytes()
        {
            string name = helper.Name;
            string resource = name.Length > HelperName.Length ? ResourceName + "." + name.Substring(HelperName.Length) : ResourceName;
            using (Stream stream = helper.Assembly.GetManifestResourceStream(resource))
            {
                byte[] bytes = new byte[stream == null ? 0 : (int)stream.Length];
                for (int at = 0, got; at < bytes.Length && (got = stream.Read(bytes, at, bytes.Length - at)) > 0;)
                    at += got;
                return bytes;
            }
        }
    }

    internal sealed class SpanMethod
    {
        internal readonly ActivitySource Source;
        private readonly SpanModule module;
        private readonly int index;
        private volatile string name;
        private bool isCall;

        // Null: not known.
        private string file;
        private object line;

        internal SpanMethod(SpanModule module, int index)
        {
            this.module = module;
            this.index = index;
            Source = module.Source;
        }

        /// <summary>Namespace.Type.Method.</summary>
        internal string Name
        {
            get { return name ?? Find(); }
        }

        /// <summary>It is no step of a state machine, which is a part of its starter's call.</summary>
        internal bool IsCall
        {
            get { return Name != null && isCall; }
        }

        private string Find()
        {
            SpanLines lines;
            NamesResource names = module.Names(out lines);
            bool known = names != null && index < names.MethodCount;
            isCall = !known || (names.Flags(index) & (NameFlag.ASYNC | NameFlag.ITERATOR)) == 0;
            int at = 0;
            file = known && lines != null ? lines.FileOf(index, out at) : null;
            // A starter's code is its machine's.
            for (int i = 0; known && lines != null && file == null && i < names.MethodCount; i++)
                if (names.Owner(i) == index)
                    file = lines.FileOf(i, out at);
            line = at;
            return name = known ? names.FullName(index, false) : Source.Name + "!#" + index.ToString();
        }

        internal void Describe(Activity span)
        {
            span.SetTag("code.function.name", Name);
            if (file == null)
                return;
            span.SetTag("code.file.path", file);
            span.SetTag("code.line.number", line);
        }
    }

    internal static class SpanMethods
    {
        // As the profile's tracker has it: what is below was not registered.
        private const int FirstId = 1 << 24;

        private static readonly object gate = new object();
        private static volatile SpanMethod[] methods = new SpanMethod[0];

        /// <summary>The async call that runs, for its slices on other threads.</summary>
        internal static AsyncLocal<SpanCall> Flowing = new AsyncLocal<SpanCall>();

        /// <summary>Returns the first id of the module of that helper type.</summary>
        internal static int Add(Type helper, int methodCount)
        {
            SpanModule module = new SpanModule(helper);
            lock (gate)
            {
                int first = methods.Length;
                SpanMethod[] all = new SpanMethod[first + methodCount];
                Array.Copy(methods, all, first);
                for (int i = 0; i < methodCount; i++)
                    all[first + i] = new SpanMethod(module, i);
                methods = all;
                return FirstId + first;
            }
        }

        /// <summary>Null: it has not registered.</summary>
        internal static SpanMethod Of(int id)
        {
            SpanMethod[] all = methods;
            int at = id - FirstId;
            return (uint)at < (uint)all.Length ? all[at] : null;
        }

        internal static bool Listens(int id)
        {
            SpanMethod method = Of(id);
            return method != null && method.Source.HasListeners();
        }
    }
}
