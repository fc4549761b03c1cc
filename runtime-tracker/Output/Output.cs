// Where a profile goes when it is written: a file, or isolated storage where there are none, and the address of `post`.
using System;

namespace Instrumenter
{
    internal static class Output
    {
        private static bool filesAreForbidden, toldLoss, toldStore;

        /// <summary>
        /// Finds the file's name, if that has not been done, while the program runs. A profile of the run before is
        /// deleted: it would be taken for this run's if this one ends without a profile.
        /// </summary>
        internal static void Open()
        {
            try
            {
                if (OutputFile.Open())
                    OutputFile.Begin();
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
            if (Settings.Post == null || !Features.Http || Post.WouldShowValues(profile))
                return written;
            byte[] body = new byte[profile.Count];
            Buffer.BlockCopy(profile.Bytes, 0, body, 0, body.Length);
            bool sent = reason == BrowserPage.LeaveReason ? Post.SendLast(body) : Post.Send(body);
            if (sent && waits)
                sent = Post.Await();
            return written || sent;
        }

        private static bool WriteHere(ByteWriter profile, string reason)
        {
            string problem = OutputFile.Failures;
            if (!filesAreForbidden)
            {
                try
                {
                    if (OutputFile.Write(profile, reason == "exit"))
                    {
                        if (Settings.Verbose)
                            Host.Say(OutputFile.FullPath + " written (" + reason + ")");
                        return true;
                    }
                    problem = OutputFile.Failures;
                    filesAreForbidden = OutputFile.IsForbidden;
                }
                catch (Exception e)
                {
                    problem = ReflectedTypes.Reason(e);
                    filesAreForbidden = Host.IsForbidden(e);
                }
            }
            // A disk that is full, or a folder that is read-only, is no reason to leave something elsewhere.
            if (filesAreForbidden && Features.OldHosts && TryStore(profile, reason, ref problem))
                return true;
            TellLoss(problem);
            return false;
        }

        /// <summary>Says once that a profile is nowhere, and why.</summary>
        internal static void TellLoss(string problem)
        {
            if (!toldLoss || Settings.Verbose)
                Host.Say("the profile can't be written: " + problem);
            toldLoss = true;
        }

        private static bool TryStore(ByteWriter profile, string reason, ref string problem)
        {
            string name = RunName.Program + OutputName.Extension, refused = IsolatedFile.Write(name, profile);
            if (refused != null)
            {
                problem += "; isolated storage: " + refused;
                return false;
            }
            if (Settings.Verbose)
                Host.Say(name + " written to isolated storage (" + reason + ")");
            else if (!toldStore && Settings.Out != null)
                Host.Say(Settings.Out + " can't be written (" + problem + "); the profile is " + name + " in isolated storage");
            toldStore = true;
            return true;
        }
    }
}
