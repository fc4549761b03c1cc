// A registered module: what the profile says about it, and where its names resource is.
using System;
using System.IO;
using System.Reflection;

namespace Instrumenter
{
    internal sealed class ModuleInfo
    {
        // Of the holder type and of its names resource; later ones of the same module have a number behind both.
        private const string HolderName = "<ilinject>";
        private const string ResourceName = "ilinject.names";

        internal int FirstId;
        internal readonly int MethodCount;
        private readonly Assembly assembly;
        private readonly string assemblyName;
        private readonly byte[] mvid;
        private readonly string resourceName;
        private byte[] names;

        internal ModuleInfo(Type holder, int methodCount)
        {
            MethodCount = methodCount;
            resourceName = ResourceNameOf(holder);
            Assembly holderAssembly = holder.Assembly;
            if (!IsCollectible(holderAssembly))
            {
                // Stays loaded as long as we do: its name and resource can wait until a profile is written.
                assembly = holderAssembly;
                module = holder.Module;
                return;
            }
            assemblyName = NameOf(holderAssembly);
            mvid = MvidOf(holder.Module);
            names = ReadNames(holderAssembly, resourceName);
        }

        /// <summary>A module that no assembly holds, of one method.</summary>
        internal ModuleInfo(string assemblyName, byte[] mvid, byte[] names)
        {
            MethodCount = 1;
            this.assemblyName = assemblyName;
            this.mvid = mvid;
            this.names = names;
        }

        private readonly Module module;

        internal string AssemblyName
        {
            get { return assembly == null ? assemblyName : NameOf(assembly); }
        }

        internal byte[] Mvid
        {
            get { return assembly == null ? mvid : MvidOf(module); }
        }

        /// <summary>The whole names resource; empty when it could not be had.</summary>
        internal byte[] Names
        {
            get
            {
                if (names == null)
                    names = ReadNames(assembly, resourceName);
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

        private static byte[] MvidOf(Module module)
        {
            try
            {
                return module.ModuleVersionId.ToByteArray();
            }
            catch (Exception)
            {
                return new byte[16];
            }
        }

        private static string ResourceNameOf(Type holder)
        {
            string name = holder.Name;
            return name.Length > HolderName.Length && name.StartsWith(HolderName, StringComparison.Ordinal)
                ? ResourceName + "." + name.Substring(HolderName.Length)
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

        /// <summary>Assembly.IsCollectible, which younger core libraries have.</summary>
        private static bool IsCollectible(Assembly assembly)
        {
            try
            {
                PropertyInfo property = typeof(Assembly).GetProperty("IsCollectible");
                return property != null && (bool)property.GetValue(assembly, null);
            }
            catch (Exception)
            {
                return false;
            }
        }
    }
}
