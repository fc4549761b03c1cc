// The call log's file: opened once, its own as long as the run lasts.
using System;
using System.IO;

namespace Instrumenter
{
    /// <summary>The name is held as the profile's is: by a lock that goes with the process, and against other load contexts within it.</summary>
    internal sealed class LogFile
    {
        /// <summary>The names that the logger of old had.</summary>
        private const string Variable = "LOG_FILENAME", DefaultName = "ILInjectCallbackLog.log";

        private const int MaxAttempts = 100;

        private readonly string path;
        private readonly FileStream stream;
        private readonly bool canSeek;
        private long written;

        private LogFile(string path, FileStream stream)
        {
            this.path = path;
            this.stream = stream;
            canSeek = stream.CanSeek && !OutputFile.IsDevice(path);
        }

        /// <summary>Opens the log. An older file goes; a name that another run has gets the process id. Null, and
        /// reported in a line, when it can't be had.</summary>
        internal static LogFile Open()
        {
            string name = DefaultName;
            try
            {
                string given = Environment.GetEnvironmentVariable(Variable);
                if (given != null && given.Length != 0)
                    name = given;
                if (!OutputFile.IsDevice(name))
                    name = OutputName.OfDomain(Path.Combine(RunName.Directory, name));
            }
            catch (Exception e)
            {
                return Fail(name, e.Message);
            }
            for (int attempt = 0; attempt < MaxAttempts; attempt++)
            {
                string tried = name;
                if (attempt > 0)
                    tried = OutputName.Insert(name, Host.Number(Host.ProcessId()) + (attempt > 1 ? "-" + Host.Number(attempt) : ""));
                if (!OutputFile.TryReserve(tried))
                    continue;
                string problem = null;
                try
                {
                    LogFile file = TryOpen(tried);
                    if (file != null)
                        return file;
                }
                catch (Exception e)
                {
                    // Where locks are a matter of sharing, that the name is taken shows only so.
                    problem = (e is IOException && File.Exists(tried)) || PrivateFile.MayBeForeign(tried) ? null : e.Message;
                }
                OutputFile.Release(tried);
                if (problem != null)
                    return Fail(tried, problem);
            }
            return Fail(name, "the name is taken");
        }

        /// <summary>Null when another run has the name.</summary>
        private static LogFile TryOpen(string path)
        {
            FileStream stream = OutputFile.IsDevice(path) ? new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, 1) : TryLock(path);
            if (stream == null)
                return null;
            LogFile file = new LogFile(path, stream);
            if (file.canSeek)
                stream.SetLength(0);
            if (Settings.Verbose)
                Host.Say(path + " is the call log");
            return file;
        }

        /// <summary>
        /// Values are not written into a file that another user may have made: one that lies in a folder of all users
        /// is made again, and another user's, which can't be deleted there, is an exception.
        /// </summary>
        private static FileStream TryLock(string path)
        {
            bool mayBeForeign = PrivateFile.MayBeForeign(path);
            FileStream stream = OutputFile.OpenLocked(path, PrivateFile.PrepareLog(path));
            if (stream == null || !mayBeForeign)
                return stream;
            stream.Close();
            File.Delete(path);
            return OutputFile.OpenLocked(path, PrivateFile.PrepareLog(path));
        }

        private static LogFile Fail(string path, string problem)
        {
            Host.Say(path + ": the call log can't be written: " + problem);
            return null;
        }

        /// <summary>False, and reported in a line, when no more can be written; nothing may then be.</summary>
        internal bool TryWrite(byte[] bytes, int count)
        {
            try
            {
                if (!FileLimit.Allows(written + count))
                    throw new IOException("the process may not write files of " + Host.Number(written + count) + " bytes");
                stream.Write(bytes, 0, count);
                stream.Flush();
                written += count;
                return true;
            }
            catch (Exception e)
            {
                Host.Say(path + ": the call log ends here: " + e.Message);
                GC.SuppressFinalize(stream);
                return false;
            }
        }

        /// <summary>Where the next byte goes; below 0 where what is written can't be taken back.</summary>
        internal long Position
        {
            get { return canSeek ? written : -1; }
        }

        /// <summary>Takes back what stands from there on.</summary>
        internal void Cut(long position)
        {
            try
            {
                stream.SetLength(position);
                stream.Position = position;
                written = position;
            }
            catch (Exception)
            {
                // Then it stays.
            }
        }
    }
}
