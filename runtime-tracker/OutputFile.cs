// The profile's file: a name that no other living run has, and writing that leaves a whole profile at any moment.
using System;
using System.IO;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The name is held by a lock on the profile itself, which the system drops when the process ends in whatever way: no
    /// lock file is left behind. A new profile is locked before it is renamed over the old one, so the name is never free
    /// in between. Used under the session's writing lock.
    /// </summary>
    internal static class OutputFile
    {
        private enum Claim { Held, Taken, Failed }

        private const int MaxAttempts = 100;
        private const string Reserved = "ilinject profile: ";

        private static string path;
        private static FileStream held, previous;

        /// <summary>Has the host refused files as such, not this one or that?</summary>
        internal static bool IsForbidden;

        /// <summary>Finds the name, if that has not been done: the wanted one, or one with the process id, or one in the temp folder.</summary>
        internal static bool Open()
        {
            if (path != null)
                return true;
            string wanted = OutputName.Expand(Settings.Out, Session.Directory);
            return OpenAt(wanted) || OpenInTemp(wanted);
        }

        private static bool OpenInTemp(string wanted)
        {
            try
            {
                string there = Path.Combine(Path.GetTempPath(), Path.GetFileName(wanted));
                if (there == wanted || !OpenAt(there))
                    return false;
            }
            catch (Exception)
            {
                return false;
            }
            if (Settings.Verbose)
                Host.Say(wanted + " can't be written; using " + path);
            return true;
        }

        private static bool OpenAt(string wanted)
        {
            for (int attempt = 0; attempt < MaxAttempts; attempt++)
            {
                string name = wanted;
                if (attempt > 0)
                    name = OutputName.Insert(wanted, Host.Number(Session.ProcessId) + (attempt > 1 ? "-" + Host.Number(attempt) : ""));
                if (!TryReserve(name))
                    continue;
                Claim claim = TryClaim(name);
                if (claim == Claim.Held)
                {
                    path = name;
                    return true;
                }
                Release(name);
                if (claim == Claim.Failed)
                    return false;
            }
            return false;
        }

        private static Claim TryClaim(string name)
        {
            try
            {
                if (IsDevice(name))
                    return Claim.Held;
                string directory = Path.GetDirectoryName(name);
                if (Settings.Out != null && !Directory.Exists(directory))
                    Directory.CreateDirectory(directory);
                // Made before the file, which is then empty for as short a time as can be.
                ByteWriter empty = File.Exists(name) ? null : ProfileWriter.WriteEmpty();
                held = OpenLocked(name, FileMode.OpenOrCreate);
                if (held == null)
                    return Claim.Taken;
                return empty == null || held.Length != 0 || TryWrite(held, empty, name) ? Claim.Held : Claim.Failed;
            }
            catch (Exception e)
            {
                IsForbidden |= Host.IsForbidden(e);
                // Sharing, locks and rights are refused in as many ways as there are systems; what counts is whether the file is there.
                return File.Exists(name) ? Claim.Taken : Claim.Failed;
            }
        }

        /// <summary>Writes to a new file; one that there is no room for goes.</summary>
        private static bool TryWrite(FileStream stream, ByteWriter profile, string name)
        {
            try
            {
                if (!FileLimit.Allows(profile.Count))
                    throw new IOException("the process may not write files of " + Host.Number(profile.Count) + " bytes");
                stream.Write(profile.Bytes, 0, profile.Count);
                stream.Flush();
                return true;
            }
            catch (Exception e)
            {
                if (Settings.Verbose)
                    Host.Say(name + ": " + e.Message);
                Discard(stream, name);
                return false;
            }
        }

        /// <summary>
        /// Locks of bytes hold against other processes only. .NET loads the tracker once more for each load context that has a
        /// copy of its own (plug-ins, MSBuild's tasks); what these tell one another goes through their domain.
        /// </summary>
        internal static bool TryReserve(string name)
        {
            try
            {
                // The only object that all of them have in common.
                string gate = string.Intern(Reserved);
                SharedMonitor.Enter(gate);
                try
                {
                    if (AppDomain.CurrentDomain.GetData(Reserved + name) != null)
                        return false;
                    Reserve(name, Reserved);
                }
                finally
                {
                    Monitor.Exit(gate);
                }
            }
            catch (Exception)
            {
                // A host that forbids it: the lock has to do.
            }
            return true;
        }

        private static void Reserve(string name, string by)
        {
            if (!IsDevice(name))
                AppDomain.CurrentDomain.SetData(Reserved + name, by);
        }

        internal static void Release(string name)
        {
            try
            {
                Reserve(name, null);
            }
            catch (Exception)
            {
            }
        }

        /// <summary>Opens for writing and locks, if it is no pipe; null when another run has the lock.</summary>
        internal static FileStream OpenLocked(string name, FileMode mode)
        {
            // Windows: our not sharing the writing is the lock. Elsewhere that is a matter of politeness, so a byte is locked.
            // Nothing is buffered: Mono's finalizer throws when it can't write what is left.
            FileStream stream = new FileStream(name, mode, FileAccess.ReadWrite, FileShare.Read | FileShare.Delete, 1);
            if (Host.IsWindows || !stream.CanSeek)
                return stream;
            try
            {
                stream.Lock(0, 1);
                return stream;
            }
            catch (IOException)
            {
                stream.Close();
                return null;
            }
            catch (Exception)
            {
                // No byte locks here (macOS): those of whole files have to do.
                stream.Close();
                return new FileStream(name, FileMode.Open, FileAccess.ReadWrite, FileShare.None, 1);
            }
        }

        internal static bool IsDevice(string name)
        {
            return !Host.IsWindows && name.StartsWith("/dev/", StringComparison.Ordinal) && !name.StartsWith("/dev/shm/", StringComparison.Ordinal);
        }

        /// <summary>Puts the profile in its place; where that fails, in the temp folder. False: nowhere.</summary>
        internal static bool Write(ByteWriter profile)
        {
            if (!Open())
            {
                if (Settings.Verbose)
                    Host.Say("the profile can't be written anywhere");
                return false;
            }
            if (TryReplace(profile))
                return true;
            string failed = path;
            path = null;
            if (OpenInTemp(failed) && TryReplace(profile))
                return true;
            if (Settings.Verbose)
                Host.Say("the profile can't be written");
            return false;
        }

        private static bool TryReplace(ByteWriter profile)
        {
            string temporary = path + ".tmp";
            FileStream stream = null;
            try
            {
                if (IsDevice(path))
                {
                    using (FileStream device = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, 1))
                        device.Write(profile.Bytes, 0, profile.Count);
                    return true;
                }
                // What a killed run left there goes; made anew, so that no link is followed.
                File.Delete(temporary);
                stream = OpenLocked(temporary, FileMode.CreateNew);
                if (stream == null || !TryWrite(stream, profile, temporary))
                    return false;
                if (Host.IsWindows && held != null)
                    held.Close();
                if (File.Exists(path))
                    File.Replace(temporary, path, null);
                else
                    File.Move(temporary, path);
            }
            catch (Exception e)
            {
                if (Settings.Verbose)
                    Host.Say(path + ": " + e.Message);
                Discard(stream, temporary);
                return false;
            }
            // The old file's lock goes one writing later: who opened it just before must not get the lock just after.
            if (previous != null)
                previous.Close();
            previous = held;
            held = stream;
            return true;
        }

        private static void Discard(FileStream stream, string temporary)
        {
            try
            {
                if (stream == null)
                    return;
                GC.SuppressFinalize(stream);
                stream.Close();
                File.Delete(temporary);
            }
            catch (Exception)
            {
            }
        }

        internal static string FullPath
        {
            get { return path; }
        }
    }
}
