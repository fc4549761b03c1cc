// The address of the setting `post`, as far as it describes the way to it.
using System;

namespace Instrumenter
{
    /// <summary>The core library of 2.0 has no reader of addresses. What this one does not understand is taken for another machine.</summary>
    internal static class PostAddress
    {
        private const string Plain = "http://";

        /// <summary>True for https, and for this machine by its name or number.</summary>
        internal static bool IsEncryptedOrLocal(string url)
        {
            return !IsPlain(url) || IsLoopback(Authority(url));
        }

        /// <summary>Unencrypted, and on this machine? A proxy would take it off the machine.</summary>
        internal static bool IsPlainAndLocal(string url)
        {
            return IsPlain(url) && IsLoopback(Authority(url));
        }

        private static bool IsPlain(string url)
        {
            return url.StartsWith(Plain, StringComparison.Ordinal);
        }

        /// <summary>The host with its port. All that .NET takes for the end of it ends it (RFC 3986, 3.2, and the backslash).</summary>
        private static string Authority(string url)
        {
            int end = url.IndexOfAny(new char[] { '/', '\\', '?', '#' }, Plain.Length);
            return end < 0 ? url.Substring(Plain.Length) : url.Substring(Plain.Length, end - Plain.Length);
        }

        /// <summary>Where a user's name stands before the host, that name can look like a host of this machine.</summary>
        private static bool IsLoopback(string authority)
        {
            if (authority.IndexOf('@') >= 0)
                return false;
            int port = authority.LastIndexOf(':');
            string host = port < 0 || authority[authority.Length - 1] == ']' ? authority : authority.Substring(0, port);
            return host == "[::1]" || string.Equals(host, "localhost", StringComparison.OrdinalIgnoreCase) || IsLoopbackNumber(host.Split('.'));
        }

        /// <summary>127.0.0.0/8 (RFC 1122, 3.2.1.3), each part a number of at most three digits.</summary>
        private static bool IsLoopbackNumber(string[] parts)
        {
            if (parts.Length != 4 || parts[0] != "127")
                return false;
            foreach (string part in parts)
            {
                if (part.Length == 0 || part.Length > 3)
                    return false;
                foreach (char digit in part)
                    if (digit < '0' || digit > '9')
                        return false;
            }
            return true;
        }
    }
}
