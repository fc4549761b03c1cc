// The place of requests on Linux.
using System;
using System.IO;

namespace Instrumenter
{
    /// <summary>
    /// A file that has no name any more: made in the temporary folder, for its owner alone from the first moment, and
    /// deleted while it is open. Those who may look into this process (its user, and root) find it at /proc/PID/fd; no
    /// other user can open it, nothing can be put in its place, and nothing of it remains, however the process ends.
    /// </summary>
    internal sealed class ControlFile : ControlPlace
    {
        private const string NamePrefix = ".ilinject-ctl-", Descriptors = "/proc/self/fd";

        private readonly FileStream stream;

        private ControlFile(FileStream stream)
        {
            this.stream = stream;
        }

        /// <summary>Null on systems without these folders, or without files for their owner alone.</summary>
        internal static ControlFile Open()
        {
            if (!Directory.Exists(Descriptors))
                return null;
            string path = PrivateFile.TryMake(Path.Combine(Path.GetTempPath(), NamePrefix));
            if (path == null)
                return null;
            // A buffer of one byte is none: what others write is to be seen.
            FileStream stream = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, 1);
            try
            {
                File.Delete(path);
                return new ControlFile(stream);
            }
            catch (Exception)
            {
                stream.Close();
                throw;
            }
        }

        internal override int Read(int at, byte[] to, int from, int count)
        {
            stream.Position = at;
            return stream.Read(to, from, count);
        }

        internal override void Put(int at, byte[] bytes, int length)
        {
            stream.Position = at;
            stream.Write(bytes, 0, length);
            stream.Flush();
        }

        internal override bool PutPayload(string number, byte[] payload)
        {
            Put(PayloadAt, payload, payload.Length);
            return true;
        }

        internal override void DropPayload(bool late)
        {
            // The client that fetched it has done so already, and another one may be writing.
            if (late)
                stream.SetLength(Math.Min(stream.Length, PayloadAt));
        }

        internal override void Close()
        {
            stream.SetLength(0);
            stream.Close();
        }
    }
}
