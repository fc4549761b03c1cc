// The profile's file: a name that no other living run has, and writing that leaves a whole profile at any moment.
using System;
using System.IO;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// The name is held by a lock on the profile itself, which the system drops when the process ends in whatever way:
    /// no lock file remains. A new profile is locked before it is renamed over the old one, so the name is never free
    /// in between. Windows: <see cref="WindowsFile"/>. Used under the session's writing lock.
    /// </summary>
    internal static class OutputFile
    {
        /// <summary>Refused: the file is there, but can't be written. Failed: no file can be there.</summary>
        private enum Claim { Held, Taken, Refused, Failed }

        private const int MaxAttempts = 100;

        /// <summary>How many milliseconds the end of a reading by the program is waited for.</summary>
        private const int MaxReads = 1000;

        private const string Reserved = "ilinject profile: ";

        private static string path;

        // A run before has left a profile there.
        private static bool isBefores;

        private static FileStream held, previous;

        // Why the last file that was tried could not be written.
        private static string problem;

        // The place that the user was shown last, because it is not the wanted one.
        private static string toldPlace;

        // A name that was held, of a file that could then not be replaced, and why: it is another user's.
        private static string foreign, foreignProblem;

        /// <summary>True if the host has refused files as such, not this one or that.</summary>
        internal static bool IsForbidden;

        /// <summary>The places that could not be written last, each with the reason.</summary>
        internal static string Failures;

        /// <summary>Finds the name, if that has not been done: the wanted one, or one with the process id, or one in the temp folder.</summary>
        internal static bool Open()
        {
            if (path != null)
                return true;
            string wanted = OutputName.Expand(Settings.Out, RunName.Directory);
            bool opened = OpenAt(wanted);
            string reason = problem;
            if (!opened && !OpenInTemp(wanted, reason))
                return false;
            if (reason != null)
                TellPlace(wanted, reason);
            return true;
        }

        private static bool OpenInTemp(string wanted, string reason)
        {
            Failures = wanted + ": " + reason;
            try
            {
                string there = Path.Combine(Path.GetTempPath(), Path.GetFileName(wanted));
                if (there == wanted)
                    return false;
                if (OpenAt(there))
                    return true;
                Failures += "; " + there + ": " + problem;
            }
            catch (Exception e)
            {
                Failures += "; the temporary folder: " + Reason(e);
            }
            return false;
        }

        /// <summary>Says once that the profile goes to another place than the wanted one.</summary>
        private static void TellPlace(string wanted, string reason)
        {
            if (path != toldPlace || Settings.Verbose)
                Host.Say(wanted + " can't be written (" + reason + "); the profile is at " + path);
            toldPlace = path;
        }

        private static string Reason(Exception e)
        {
            return ReflectedTypes.Reason(e).TrimEnd('.');
        }

        /// <summary>
        /// Afterwards <see cref="problem"/> says why the wanted name could not be written, if that is so.
        /// </summary>
        private static bool OpenAt(string wanted)
        {
            string refused = null;
            problem = "all names are taken";
            for (int attempt = 0; attempt < MaxAttempts; attempt++)
            {
                string name = wanted;
                if (attempt > 0)
                    name = OutputName.Insert(wanted, Host.Number(RunName.ProcessId) + (attempt > 1 ? "-" + Suffix(attempt) : ""));
                if (name == foreign)
                    refused = refused ?? foreignProblem;
                if (name == foreign || !TryReserve(name))
                    continue;
                Claim claim = TryClaim(name);
                if (claim == Claim.Held)
                {
                    path = name;
                    problem = refused;
                    return true;
                }
                Release(name);
                if (claim == Claim.Refused && refused == null)
                    refused = problem;
                if (claim == Claim.Failed)
                    break;
            }
            problem = refused ?? problem;
            return false;
        }

        /// <summary>The last attempt has a name that cannot be predicted.</summary>
        private static string Suffix(int attempt)
        {
            return attempt < MaxAttempts - 1 ? Host.Number(attempt) : Guid.NewGuid().ToString("N");
        }

        private static Claim TryClaim(string name)
        {
            try
            {
                isBefores = false;
                if (IsDevice(name))
                    return Claim.Held;
                if (Features.OldHosts && IsOfOtherDomain(name))
                    return Claim.Taken;
                string directory = Path.GetDirectoryName(name);
                if (Settings.Out != null && !Directory.Exists(directory))
                    Directory.CreateDirectory(directory);
                // Made before the file, which is then empty for as short a time as can be.
                ByteWriter empty = File.Exists(name) && !PrivateFile.IsLink(name) ? null : ProfileWriter.WriteEmpty();
                isBefores = empty == null;
                if (Host.IsWindows)
                    return ClaimOnWindows(name, empty);
                held = OpenUnread(name);
                if (held == null)
                    return Claim.Taken;
                return empty == null || held.Length != 0 || TryWrite(held, empty, name) ? Claim.Held : Claim.Failed;
            }
            catch (Exception e)
            {
                IsForbidden |= Host.IsForbidden(e);
                problem = Reason(e);
                // Systems refuse sharing and locks in many ways; it counts whether the file is there.
                if (PrivateFile.IsLink(name))
                    return Refuse("it is another user's link");
                if (!File.Exists(name))
                    return Claim.Failed;
                return e is UnauthorizedAccessException ? Claim.Refused : Claim.Taken;
            }
        }

        /// <summary>
        /// Opens and locks a profile's name. Mono makes the file, and then throws when a thread of this process reads it at
        /// that moment: the file would stay there, empty, and the profile go to another name. A reader is done soon.
        /// </summary>
        private static FileStream OpenUnread(string name)
        {
            Pauses pauses = new Pauses();
            try
            {
                for (int trial = 0;; trial++)
                    try
                    {
                        return OpenLocked(name, PrivateFile.PrepareProfile(name, false));
                    }
                    catch (IOException)
                    {
                        if (!Features.OldHosts || !Host.IsMono || trial == MaxReads || !File.Exists(name))
                            throw;
                        pauses.Sleep(1);
                    }
            }
            finally
            {
                pauses.End();
            }
        }

        /// <summary>Mono gives a domain the number of one that was unloaded. What has been written since the process began stays.</summary>
        private static bool IsOfOtherDomain(string name)
        {
            return Host.IsFurtherDomain() && File.Exists(name) && File.GetLastWriteTime(name) >= Host.ProcessStart();
        }

        private static Claim Refuse(string why)
        {
            problem = why;
            return Claim.Refused;
        }

        private static Claim ClaimOnWindows(string name, ByteWriter empty)
        {
            held = WindowsFile.TryHold(name);
            if (held == null)
                return Claim.Taken;
            bool done = false;
            try
            {
                done = TryMake(name, empty);
                return done ? Claim.Held : Claim.Failed;
            }
            finally
            {
                if (!done)
                    held.Close();
            }
        }

        /// <summary>Makes an empty profile, unless the run before left one; it must be writable.</summary>
        private static bool TryMake(string name, ByteWriter empty)
        {
            try
            {
                using (FileStream stream = new FileStream(name, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read | FileShare.Delete, 1))
                    return stream.Length != 0 || TryWrite(stream, empty ?? ProfileWriter.WriteEmpty(), name);
            }
            catch (IOException)
            {
                // A file that another program reads is replaced later all the same.
                if (!File.Exists(name))
                    throw;
                return true;
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
                problem = Reason(e);
                Discard(stream, name);
                return false;
            }
        }

        /// <summary>
        /// Locks of bytes hold against other processes only. .NET loads the tracker once more for each load context
        /// that has a copy of its own (plug-ins, MSBuild's tasks); what these share goes through their domain.
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
            // A lock that is refused is an exception, which the program may count.
            if (mode == FileMode.Open && IsLocked(stream))
            {
                stream.Close();
                return null;
            }
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

        private static bool IsLocked(FileStream stream)
        {
            try
            {
                return NativeFile.IsLocked(stream);
            }
            catch (Exception)
            {
                // No such library: the attempt shows it.
                return false;
            }
        }

        internal static bool IsDevice(string name)
        {
            if (Host.IsWindows)
                return WindowsFile.IsDevice(name);
            return name.StartsWith("/dev/", StringComparison.Ordinal) && !name.StartsWith("/dev/shm/", StringComparison.Ordinal);
        }

        /// <summary>Puts an empty profile in the place of another run's. Where that fails the first writing finds out.</summary>
        internal static void Begin()
        {
            if (isBefores)
                TryReplace(ProfileWriter.WriteEmpty());
        }

        /// <summary>
        /// Puts the profile in its place; where that fails, in the temp folder. False: nowhere, and
        /// <see cref="Failures"/> says why.
        /// </summary>
        internal static bool Write(ByteWriter profile, bool isLast)
        {
            if (isLast && path == null && TryWriteOnce(profile))
                return true;
            if (!Open())
                return false;
            if (TryReplace(profile))
                return true;
            string failed = path, reason = problem;
            GiveUp();
            if (foreign == failed ? !OpenAt(failed) && !OpenInTemp(failed, reason) : !OpenInTemp(failed, reason))
                return false;
            if (TryReplace(profile))
            {
                TellPlace(failed, reason);
                return true;
            }
            Failures = failed + ": " + reason + "; " + path + ": " + problem;
            GiveUp();
            return false;
        }

        /// <summary>The program was short. False: nothing is done, and all is looked at in the usual way.</summary>
        private static bool TryWriteOnce(ByteWriter profile)
        {
            try
            {
                // Linux.
                if (WaitClock.Shortest == 0 || Host.IsFurtherDomain())
                    return false;
                string name = OutputName.Expand(Settings.Out, RunName.Directory);
                if (IsDevice(name) || !TryReserve(name))
                    return false;
                if (TryWriteQuickly(name, profile))
                    path = name;
                else
                    Release(name);
            }
            catch (Exception)
            {
                // The usual way says what it is.
            }
            return path != null;
        }

        private static bool TryWriteQuickly(string name, ByteWriter profile)
        {
            try
            {
                return ShortRunFile.TryWrite(name, profile);
            }
            catch (Exception)
            {
                // No such calls.
                return false;
            }
        }

        /// <summary>Other processes may have the name.</summary>
        internal static void Close()
        {
            if (held != null)
                held.Close();
            if (previous != null)
                previous.Close();
        }

        /// <summary>The next writing looks for a place again.</summary>
        private static void GiveUp()
        {
            Release(path);
            path = null;
            try
            {
                if (held != null)
                    held.Close();
            }
            catch (Exception)
            {
            }
            held = null;
        }

        private static bool TryReplace(ByteWriter profile)
        {
            string temporary = null;
            FileStream stream = null;
            try
            {
                if (IsDevice(path))
                {
                    using (FileStream device = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, 1))
                        device.Write(profile.Bytes, 0, profile.Count);
                    return true;
                }
                isBefores = false;
                temporary = Temporary(path);
                stream = OpenLocked(temporary, PrivateFile.PrepareProfile(temporary, profile.HoldsValues));
                if (stream == null)
                    throw new IOException("another run has " + temporary);
                if (!TryWrite(stream, profile, temporary))
                    return false;
                if (Host.IsWindows)
                {
                    stream.Close();
                    WindowsFile.Replace(temporary, path);
                    return true;
                }
                PutInPlace(temporary);
            }
            catch (Exception e)
            {
                problem = Reason(e);
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

        /// <summary>
        /// Deletes a file that a killed run left there, so the new one is made again. Another user's, in a folder of
        /// all users, stays, and another name is taken.
        /// </summary>
        private static string Temporary(string path)
        {
            string name = path + ".tmp";
            try
            {
                File.Delete(name);
                return name;
            }
            catch (Exception)
            {
                if (!File.Exists(name) && !PrivateFile.IsLink(name))
                    throw;
                return path + "." + Guid.NewGuid().ToString("N") + ".tmp";
            }
        }

        private static void PutInPlace(string temporary)
        {
            try
            {
                if (File.Exists(path))
                    File.Replace(temporary, path, null);
                else
                    File.Move(temporary, path);
            }
            catch (Exception e)
            {
                foreign = path;
                foreignProblem = Reason(e);
                throw;
            }
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
