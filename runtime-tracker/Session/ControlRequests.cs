// Control from outside: `ilinject ctl` asks, the tracker's thread answers. src/platform/control.h.
using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Instrumenter
{
    /// <summary>Reads what is asked, obeys and answers. Used by the tracker's thread alone.</summary>
    internal sealed class ControlRequests
    {
        /// <summary>How often it is looked at, in milliseconds.</summary>
        internal const int Period = Schedule.Period;

        private const int RequestAt = 16, MostRequest = 64, AnswerAt = 512, TextAt = 1024, MostText = 7168;

        /// <summary>How many looks an answer stays that is not fetched.</summary>
        private const int LongestAnswer = 150;

        private readonly ControlPlace place;
        private readonly byte[] request = new byte[MostRequest];
        private string last = "";
        private int looksSince = -1;

        private ControlRequests(ControlPlace place)
        {
            this.place = place;
        }

        /// <summary>Null where there is no such way, or none that is its owner's alone.</summary>
        internal static ControlRequests Open()
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

        /// <summary>Uses what some hosts lack.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static ControlRequests OpenThere()
        {
            ControlPlace place = Host.IsWindows ? OpenMemory() : OpenFile();
            if (place == null)
                return null;
            try
            {
                byte[] header = new byte[RequestAt];
                byte[] magic = Encoding.ASCII.GetBytes("ILCTL\r\n\x01");
                Buffer.BlockCopy(magic, 0, header, 0, magic.Length);
                for (int i = 0; i < 4; i++)
                    header[magic.Length + i] = (byte)(RunName.ProcessId >> (8 * i));
                place.Put(0, header, header.Length);
                return new ControlRequests(place);
            }
            catch (Exception)
            {
                Close(place);
                throw;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static ControlPlace OpenMemory()
        {
            return ControlMemory.Open();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static ControlPlace OpenFile()
        {
            return ControlFile.Open();
        }

        internal void Close()
        {
            Close(place);
        }

        private static void Close(ControlPlace place)
        {
            try
            {
                if (place != null)
                    place.Close();
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
            int length = place.Read(RequestAt, request, 0, request.Length);
            bool isAsked = length != 0 && request[0] != 0;
            if (looksSince >= 0 && (++looksSince > LongestAnswer || !isAsked))
            {
                looksSince = -1;
                place.DropPayload(isAsked);
            }
            if (!isAsked)
                return;
            int end = Array.IndexOf(request, (byte)'\n', 0, length);
            // A zero before it: not all of it has come yet.
            if (end < 0 || Array.IndexOf(request, (byte)0, 0, end) >= 0)
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

        /// <summary>The lines of that many bytes that came with the request; null when they are not there.</summary>
        private string[] Arguments(string size)
        {
            int length;
            if (!int.TryParse(size, NumberStyles.None, CultureInfo.InvariantCulture, out length) || length > ControlPlace.MostArguments)
                return null;
            byte[] bytes = new byte[length];
            for (int read = 0, got; read < length; read += got)
                if ((got = place.Read(ControlPlace.PayloadAt + read, bytes, read, length - read)) <= 0)
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
                case "status":
                    payload = Encoding.UTF8.GetBytes(SwitchRules.Status());
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

        /// <summary>The line that says that all is there comes last; its number, at both ends, says that it is whole.</summary>
        private void Answer(string number, bool done, byte[] payload)
        {
            byte[] text = Encoding.UTF8.GetBytes(OutputFile.FullPath ?? "");
            int textLength = Math.Min(text.Length, MostText);
            done &= place.PutPayload(number, payload);
            place.Put(TextAt, text, textLength);
            byte[] line = Encoding.ASCII.GetBytes(string.Format(CultureInfo.InvariantCulture, "{0} {1} {2} {3} {0}\n", number, done ? 1 : 0, textLength,
                                                                payload.Length));
            place.Put(AnswerAt, line, line.Length);
        }
    }
}
