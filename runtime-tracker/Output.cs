// Where a profile goes when it is written: a file, or isolated storage where there are none, and the address of `post`.
using System;

namespace Instrumenter
{
    internal static class Output
    {
        private static bool filesAreForbidden;

        /// <summary>Finds the file's name, if that has not been done.</summary>
        internal static void Open()
        {
            try
            {
                OutputFile.Open();
            }
            catch (Exception e)
            {
                filesAreForbidden |= Host.IsForbidden(e);
            }
        }

        /// <summary>
        /// False when it went nowhere. <paramref name="waits"/>: until it has arrived at the address, as far as that can be known in time; else it is on
        /// its way. The session's writing lock must be held.
        /// </summary>
        internal static bool Write(ByteWriter profile, string reason, bool waits)
        {
            bool written = WriteHere(profile, reason);
            if (Settings.Post == null)
                return written;
            byte[] body = new byte[profile.Count];
            Buffer.BlockCopy(profile.Bytes, 0, body, 0, body.Length);
            bool sent = Post.Send(body);
            if (sent && waits)
                sent = Post.Await();
            return written || sent;
        }

        private static bool WriteHere(ByteWriter profile, string reason)
        {
            if (!filesAreForbidden)
            {
                try
                {
                    if (OutputFile.Write(profile))
                    {
                        if (Settings.Verbose)
                            Host.Say(OutputFile.FullPath + " written (" + reason + ")");
                        return true;
                    }
                    filesAreForbidden = OutputFile.IsForbidden;
                }
                catch (Exception e)
                {
                    filesAreForbidden = Host.IsForbidden(e);
                }
            }
            // A disk that is full, or a folder that is read-only, is no reason to leave something elsewhere.
            string name = Session.Name + OutputName.Extension;
            if (!filesAreForbidden || !IsolatedFile.TryWrite(name, profile))
                return false;
            if (Settings.Verbose)
                Host.Say(name + " written to isolated storage (" + reason + ")");
            return true;
        }
    }
}
