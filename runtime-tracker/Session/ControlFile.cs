// Control from outside: `ilinject ctl` asks, the tracker's thread answers. docs/profile-format.md, section 6.
using System;
using System.Globalization;
using System.IO;
using System.Runtime.CompilerServices;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// The way is a file that has no name any more: made in the temporary folder, for its owner alone from the first moment, and
    /// deleted while it is open. Whoever may look into this process (its user, and root) finds it at /proc/PID/fd; nobody else
    /// can open it, nothing can be put in its place, and nothing is left behind, however the process ends. Used by the tracker's thread alone.
    /// </summary>
    internal sealed class ControlFile
    {
        /// <summary>How often it is looked at, in milliseconds: an answer shall come within half a second.</summary>
        internal const int Period = 400;

        private const string NamePrefix = ".ilinject-ctl-", Descriptors = "/proc/self/fd";
        private const int RequestAt = 16, MostRequest = 64, AnswerAt = 512, TextAt = 1024, MostText = 7168, PayloadAt = 8192, MostArguments = 65536;

        /// <summary>An answer that nobody fetches goes after so many looks.</summary>
        private const int LongestAnswer = 150;

        private readonly FileStream stream;
        private readonly byte[] request = new byte[MostRequest];
        private string last = "";
        private int looksSince = -1;

        private ControlFile(FileStream stream)
        {
            this.stream = stream;
        }

        /// <summary>Null where there is no such way: on systems without these folders, or without files for their owner alone.</summary>
        internal static ControlFile Open()
        {
            try
            {
                return OpenThere();
            }
            catch (Exception)
            {
                return null;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static ControlFile OpenThere()
        {
            return !Host.IsWindows && Directory.Exists(Descriptors) ? OpenIn(Path.GetTempPath()) : null;
        }

        private static ControlFile OpenIn(string folder)
        {
            string path = PrivateFile.TryMake(Path.Combine(folder, NamePrefix));
            if (path == null)
                return null;
            // A buffer of one byte is none: what others write is to be seen.
            FileStream stream = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, 1);
            try
            {
                File.Delete(path);
                byte[] header = new byte[RequestAt];
                byte[] magic = Encoding.ASCII.GetBytes("ILCTL\r\n\x01");
                Buffer.BlockCopy(magic, 0, header, 0, magic.Length);
                for (int i = 0; i < 4; i++)
                    header[magic.Length + i] = (byte)(Session.ProcessId >> (8 * i));
                stream.Write(header, 0, header.Length);
                stream.Flush();
                return new ControlFile(stream);
            }
            catch (Exception)
            {
                stream.Close();
                throw;
            }
        }

        internal void Close()
        {
            try
            {
                // A client that asks just now shall see that there will be no answer.
                stream.SetLength(0);
                stream.Close();
            }
            catch (Exception)
            {
            }
        }

        /// <summary>Answers what has been asked since the last time. False when that is no longer possible: then it is closed.</summary>
        internal bool TryLook()
        {
            try
            {
                Look();
                return true;
            }
            catch (Exception)
            {
                Close();
                return false;
            }
        }

        private void Look()
        {
            stream.Position = RequestAt;
            int length = stream.Read(request, 0, request.Length);
            if (looksSince >= 0 && ++looksSince > LongestAnswer)
            {
                looksSince = -1;
                stream.SetLength(Math.Min(stream.Length, PayloadAt));
            }
            if (length == 0 || request[0] == 0)
                return;
            int end = Array.IndexOf(request, (byte)'\n', 0, length);
            if (end < 0)
                return;
            string[] words = Encoding.ASCII.GetString(request, 0, end).Split(' ');
            if (words.Length != 2 || words[0] == last)
                return;
            last = words[0];
            byte[] payload = new byte[0];
            bool done = false;
            try
            {
                done = Obey(words[1], ref payload);
            }
            catch (Exception)
            {
                // Out of memory.
            }
            Answer(words[0], done, payload);
            looksSince = 0;
        }

        /// <summary>The lines of so many bytes that came with the request; null when they are not there.</summary>
        private string[] Arguments(string size)
        {
            int length;
            if (!int.TryParse(size, NumberStyles.None, CultureInfo.InvariantCulture, out length) || length > MostArguments)
                return null;
            byte[] bytes = new byte[length];
            stream.Position = PayloadAt;
            for (int read = 0, got; read < length; read += got)
                if ((got = stream.Read(bytes, read, length - read)) <= 0)
                    return null;
            return Encoding.UTF8.GetString(bytes, 0, length).Split('\n');
        }

        private bool Obey(string command, ref byte[] payload)
        {
            string[] parts = command.Split(':');
            if (parts.Length == 2)
                command = parts[0];
            switch (command)
            {
                case "start":
                    Control.Set(true);
                    return true;
                case "stop":
                    Control.Set(false);
                    return true;
                case "reset":
                    Registry.Reset();
                    return true;
                case "flush":
                    return Session.Write("request");
                case "snapshot":
                    payload = Session.Snapshot();
                    return true;
                case "off":
                case "on":
                case "only":
                case "below":
                case "depth":
                case "longer":
                case "all":
                    string[] arguments = parts.Length == 2 ? Arguments(parts[1]) : new string[] { "" };
                    if (arguments == null)
                        return false;
                    StringBuilder answer = new StringBuilder();
                    bool done = SwitchRules.Obey(command, arguments, answer);
                    payload = Encoding.UTF8.GetBytes(answer.ToString());
                    return done;
                default:
                    return false;
            }
        }

        /// <summary>The line that says that all is there comes last; its number, at both ends, tells that it is whole.</summary>
        private void Answer(string number, bool done, byte[] payload)
        {
            byte[] text = Encoding.UTF8.GetBytes(OutputFile.FullPath ?? "");
            int textLength = Math.Min(text.Length, MostText);
            Put(PayloadAt, payload, payload.Length);
            Put(TextAt, text, textLength);
            byte[] line = Encoding.ASCII.GetBytes(string.Format(CultureInfo.InvariantCulture, "{0} {1} {2} {3} {0}\n", number, done ? 1 : 0, textLength,
                                                                payload.Length));
            Put(AnswerAt, line, line.Length);
        }

        private void Put(int at, byte[] bytes, int length)
        {
            stream.Position = at;
            stream.Write(bytes, 0, length);
            stream.Flush();
        }
    }
}
