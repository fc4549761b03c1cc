// Where there are no files: the host's isolated storage, a folder of the program's own.
using System;
using System.IO;

namespace Instrumenter
{
    /// <summary>
    /// Silverlight's is found by the address of the program, and holds 1 MiB unless its user allows more; where no program has one of
    /// its own, the assembly's is taken. Bound late: in trimmed programs it would be kept for nothing.
    /// </summary>
    internal static class IsolatedFile
    {
        private const string Store = "System.IO.IsolatedStorage.IsolatedStorageFile", Opened = "System.IO.IsolatedStorage.IsolatedStorageFileStream";

        /// <summary>Replaces the file of that name. Null, or why that cannot be.</summary>
        internal static string Write(string name, ByteWriter profile)
        {
            try
            {
                Type type = Find(Store), streamType = Find(Opened);
                using (IDisposable store = (IDisposable)(Open(type, "GetUserStoreForApplication") ?? Open(type, "GetUserStoreForAssembly")))
                {
                    if (store == null)
                        return "the host has none";
                    using (Stream stream = (Stream)Activator.CreateInstance(streamType, new object[] { name, FileMode.Create, store }))
                        stream.Write(profile.Bytes, 0, profile.Count);
                    return null;
                }
            }
            catch (Exception e)
            {
                return ReflectedTypes.Reason(e);
            }
        }

        private static Type Find(string name)
        {
            return ReflectedTypes.OfCoreLibrary(name) ?? ReflectedTypes.OfCore(name, "System.IO.IsolatedStorage");
        }

        private static object Open(Type type, string method)
        {
            try
            {
                return ReflectedTypes.Call(null, type, method, new Type[0]);
            }
            catch (Exception)
            {
                return null;
            }
        }
    }
}
