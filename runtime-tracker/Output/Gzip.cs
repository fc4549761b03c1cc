// A body compressed on its way, where the host can do that: .NET 5 and later, also in a browser.
using System;
using System.IO;

namespace Instrumenter
{
    internal static class Gzip
    {
        internal const string Coding = "gzip";
        private const string AssemblyName = "System.IO.Compression";
        private const int Compress = 1; // CompressionMode.Compress

        /// <summary>Null when the host can't, or when nothing would be gained. Never throws.</summary>
        internal static byte[] Of(byte[] body)
        {
            try
            {
                Type type = ReflectedTypes.OfCore("System.IO.Compression.GZipStream", AssemblyName), mode = ReflectedTypes.OfCore("System.IO.Compression.CompressionMode", AssemblyName);
                if (type == null || mode == null)
                    return null;
                MemoryStream made = new MemoryStream();
                using (Stream stream = (Stream)Activator.CreateInstance(type, new object[] { made, Enum.ToObject(mode, Compress) }))
                    stream.Write(body, 0, body.Length);
                byte[] compressed = made.ToArray();
                return compressed.Length < body.Length ? compressed : null;
            }
            catch (Exception)
            {
                // The library is not there, or was trimmed: the body goes as it is.
                return null;
            }
        }
    }
}
