// The place of requests on Windows.
using System;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Memory with a name, for its owner, administrators and the system alone. It goes with the process, or the last client
    /// that has it open. A payload has memory of its own, as large as it is, which goes when its client has taken it. A
    /// first byte of zero says that the rest is not there yet, so the first byte is written last.
    /// </summary>
    internal sealed class ControlMemory : ControlPlace
    {
        /// <summary>Trackers in one process.</summary>
        private const int Slots = 16;

        private const int Size = PayloadAt + MostArguments, PageReadWrite = 4, MapWrite = 2, AccessDenied = 5, AlreadyExists = 183, Revision = 1;

        /// <summary>All rights for the owner, the system and administrators; nothing is inherited.</summary>
        private const string Rights = "D:P(A;;GA;;;OW)(A;;GA;;;SY)(A;;GA;;;BA)";

        [StructLayout(LayoutKind.Sequential)]
        private struct SecurityAttributes
        {
            internal int Length;
            internal IntPtr Descriptor;
            internal int Inherits;
        }

        [DllImport("advapi32.dll", CharSet = CharSet.Unicode)]
        private static extern int ConvertStringSecurityDescriptorToSecurityDescriptorW(string text, int revision, out IntPtr descriptor, IntPtr size);

        [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
        private static extern IntPtr CreateFileMappingW(IntPtr file, ref SecurityAttributes rights, int protection, int sizeHigh, int sizeLow, string name);

        [DllImport("kernel32.dll")]
        private static extern IntPtr MapViewOfFile(IntPtr section, int access, int offsetHigh, int offsetLow, IntPtr size);

        [DllImport("kernel32.dll")]
        private static extern int UnmapViewOfFile(IntPtr view);

        [DllImport("kernel32.dll")]
        private static extern int CloseHandle(IntPtr handle);

        [DllImport("kernel32.dll")]
        private static extern IntPtr LocalFree(IntPtr memory);

        private readonly string name;
        private IntPtr section, view, payloadSection;

        private ControlMemory(string name, IntPtr section)
        {
            this.name = name;
            this.section = section;
        }

        /// <summary>When its domain is unloaded, the process goes on.</summary>
        ~ControlMemory()
        {
            Close();
        }

        /// <summary>Null: the system does not give it.</summary>
        internal static ControlMemory Open()
        {
            string start = "Local\\ilinject-ctl-" + RunName.ProcessId.ToString(CultureInfo.InvariantCulture) + "-";
            for (int slot = 0; slot < Slots; slot++)
            {
                string name = start + slot.ToString(CultureInfo.InvariantCulture);
                bool isTaken;
                IntPtr section = Make(name, Size, out isTaken);
                if (section == IntPtr.Zero && !isTaken)
                    return null;
                if (isTaken)
                    continue;
                ControlMemory made = new ControlMemory(name, section);
                made.view = MapViewOfFile(section, MapWrite, 0, 0, IntPtr.Zero);
                if (made.view != IntPtr.Zero)
                    return made;
                made.Close();
                return null;
            }
            return null;
        }

        /// <summary>New memory of that name; zero: there is none.</summary>
        private static IntPtr Make(string name, int size, out bool isTaken)
        {
            SecurityAttributes rights = new SecurityAttributes();
            isTaken = false;
            if (ConvertStringSecurityDescriptorToSecurityDescriptorW(Rights, Revision, out rights.Descriptor, IntPtr.Zero) == 0)
                return IntPtr.Zero;
            rights.Length = Marshal.SizeOf(typeof(SecurityAttributes));
            IntPtr made = CreateFileMappingW(new IntPtr(-1), ref rights, PageReadWrite, 0, size, name);
            int error = Marshal.GetLastWin32Error();
            LocalFree(rights.Descriptor);
            // One of another user that may not be opened is one, too.
            isTaken = made == IntPtr.Zero ? error == AccessDenied : error == AlreadyExists;
            if (made == IntPtr.Zero || !isTaken)
                return made;
            CloseHandle(made);
            return IntPtr.Zero;
        }

        private static IntPtr Behind(IntPtr start, int bytes)
        {
            return new IntPtr(start.ToInt64() + bytes);
        }

        internal override int Read(int at, byte[] to, int from, int count)
        {
            count = Math.Min(count, Size - at);
            Thread.MemoryBarrier();
            Marshal.Copy(Behind(view, at), to, from, count);
            return count;
        }

        internal override void Put(int at, byte[] bytes, int length)
        {
            if (length == 0)
                return;
            Marshal.Copy(bytes, 1, Behind(view, at + 1), length - 1);
            Thread.MemoryBarrier();
            Marshal.WriteByte(view, at, bytes[0]);
            Thread.MemoryBarrier();
        }

        internal override bool PutPayload(string number, byte[] payload)
        {
            DropPayload(false);
            if (payload.Length == 0)
                return true;
            bool isTaken;
            payloadSection = Make(name + "-" + number, payload.Length, out isTaken);
            IntPtr place = payloadSection == IntPtr.Zero ? IntPtr.Zero : MapViewOfFile(payloadSection, MapWrite, 0, 0, IntPtr.Zero);
            if (place == IntPtr.Zero)
                return false;
            Marshal.Copy(payload, 0, place, payload.Length);
            UnmapViewOfFile(place);
            return true;
        }

        internal override void DropPayload(bool late)
        {
            if (payloadSection != IntPtr.Zero)
                CloseHandle(payloadSection);
            payloadSection = IntPtr.Zero;
        }

        internal override void Close()
        {
            DropPayload(false);
            if (view != IntPtr.Zero)
            {
                Marshal.WriteByte(view, 0, 0);
                UnmapViewOfFile(view);
            }
            view = IntPtr.Zero;
            if (section != IntPtr.Zero)
                CloseHandle(section);
            section = IntPtr.Zero;
            GC.SuppressFinalize(this);
        }
    }
}
