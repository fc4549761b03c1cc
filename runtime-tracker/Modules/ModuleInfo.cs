// A registered module: what the profile says about it, and where its names resource is.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Instrumenter
{
    internal sealed class ModuleInfo
    {
        // The name of the helper type and of its names resource; later ones of the same module
        // have a number after both.
        private const string HelperName = "<ilinject>";
        private const string ResourceName = "ilinject.names";

        internal int FirstId;
        internal readonly int MethodCount;

        /// <summary>The module's own bytes of what is switched off, which <see cref="Switches"/> writes; null: none.</summary>
        internal byte[] Off;

        private readonly string resourceName;

        // Null when nothing more is to be asked of it: it may then be unloaded.
        private volatile Type helper;
        private int settled;
        private string assemblyName;
        private byte[] mvid;
        private byte[] names;

        /// <summary>Keeps the helper type's assembly loaded until <see cref="Settle"/>.</summary>
        internal ModuleInfo(Type helper, int methodCount)
        {
            MethodCount = methodCount;
            resourceName = ResourceNameOf(helper);
            this.helper = helper;
        }

        /// <summary>A module that no assembly holds, of one method.</summary>
        internal ModuleInfo(string assemblyName, byte[] mvid, byte[] names)
        {
            MethodCount = 1;
            this.assemblyName = assemblyName;
            this.mvid = mvid;
            this.names = names;
            settled = 1;
        }

        /// <summary>
        /// Finds out whether the assembly may be unloaded; then all is taken from it that a profile
        /// needs, and it is let go of. A module that stays loaded as long as we do is read when a
        /// profile is written.
        /// </summary>
        internal void Settle()
        {
            if (Interlocked.Exchange(ref settled, 1) != 0)
                return;
            Type holding = helper;
            if (!IsCollectible(holding.Assembly))
                return;
            assemblyName = NameOf(holding.Assembly);
            mvid = MvidOf(holding);
            names = ReadNames(holding.Assembly, resourceName);
            helper = null;
        }

        internal string AssemblyName
        {
            get
            {
                Type holding = helper;
                return holding == null ? assemblyName : NameOf(holding.Assembly);
            }
        }

        internal byte[] Mvid
        {
            get
            {
                Type holding = helper;
                return holding == null ? mvid : MvidOf(holding);
            }
        }

        /// <summary>The whole names resource; empty when it could not be had.</summary>
        internal byte[] Names
        {
            get
            {
                Type holding = helper;
                if (names == null)
                    names = ReadNames(holding.Assembly, resourceName);
                return names;
            }
        }

        private static string NameOf(Assembly assembly)
        {
            try
            {
                return assembly.FullName;
            }
            catch (Exception)
            {
                return "";
            }
        }

        private static byte[] MvidOf(Type helper)
        {
            try
            {
                // Where code is compiled ahead of time, the module's own number comes with a good part of reflection.
                return Features.DynamicCode ? MvidThere(helper.Module) : new byte[16];
            }
            catch (Exception)
            {
                return new byte[16];
            }
        }

        /// <summary>Silverlight lacks it: the names resource says which module has the methods, too.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static byte[] MvidThere(Module module)
        {
            return module.ModuleVersionId.ToByteArray();
        }

        private static string ResourceNameOf(Type helper)
        {
            string name = helper.Name;
            return name.Length > HelperName.Length && name.StartsWith(HelperName, StringComparison.Ordinal)
                ? ResourceName + "." + name.Substring(HelperName.Length)
                : ResourceName;
        }

        private static byte[] ReadNames(Assembly assembly, string resourceName)
        {
            try
            {
                using (Stream stream = assembly.GetManifestResourceStream(resourceName))
                {
                    if (stream == null)
                        return new byte[0];
                    byte[] bytes = new byte[(int)stream.Length];
                    int read = 0;
                    while (read < bytes.Length)
                    {
                        int got = stream.Read(bytes, read, bytes.Length - read);
                        if (got <= 0)
                            return new byte[0];
                        read += got;
                    }
                    return bytes;
                }
            }
            catch (Exception)
            {
                return new byte[0];
            }
        }

        private delegate bool Asked(Assembly assembly);

        private static Asked isCollectible;

        /// <summary>Assembly.IsCollectible, which younger core libraries have.</summary>
        internal static bool IsCollectible(Assembly assembly)
        {
            // Only assemblies with code that is compiled while the program runs can be unloaded.
            if (!Features.DynamicCode)
                return false;
            try
            {
                // A delegate: .NET makes code for a second call by reflection.
                if (isCollectible == null)
                {
                    MethodInfo get = typeof(Assembly).GetMethod("get_IsCollectible");
                    if (get == null)
                        return false;
                    isCollectible = (Asked)Delegate.CreateDelegate(typeof(Asked), get);
                }
                return isCollectible(assembly);
            }
            catch (Exception)
            {
                return false;
            }
        }
    }
}
