// Values that are not recorded, by the names of their parameters, fields and keys.
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Instrumenter
{
    /// <summary>The patterns of --mask in their order, the last that matches decides; before all of them what looks like a secret.</summary>
    internal sealed class Masks
    {
        private readonly List<string> patterns = new List<string>();

        internal void Add(string pattern)
        {
            patterns.Add(pattern);
        }

        internal bool Hide(string name)
        {
            if (name == null || name.Length == 0)
                return false;
            for (int i = patterns.Count - 1; i >= 0; i--)
            {
                bool shows = patterns[i][0] == '!';
                if (Matches(patterns[i], shows ? 1 : 0, name))
                    return !shows;
            }
            return LooksSecret(name);
        }

        private static bool LooksSecret(string name)
        {
            string[] words =
            {
                "password", "passwd", "pwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "privatekey", "credential", "authorization",
                "connectionstring", "accesstoken", "refreshtoken", "bearertoken", "authtoken", "idtoken", "sessiontoken", "securitytoken",
                "csrftoken", "apitoken", "usertoken", "cvv", "creditcard", "cardnumber"
            };
            string plain = name.Replace("_", "").Replace("-", "").ToLower(CultureInfo.InvariantCulture);
            if (plain == "token" || plain == "pin" || plain == "jwt")
                return true;
            foreach (string word in words)
                if (plain.IndexOf(word, StringComparison.Ordinal) >= 0)
                    return true;
            return false;
        }

        /// <summary>* stands for any run of characters; case does not count.</summary>
        private static bool Matches(string pattern, int from, string name)
        {
            int p = from, n = 0, star = -1, back = 0;
            while (n < name.Length)
            {
                if (p < pattern.Length && pattern[p] == '*')
                {
                    star = p++;
                    back = n;
                }
                else if (p < pattern.Length && Lower(pattern[p]) == Lower(name[n]))
                {
                    p++;
                    n++;
                }
                else if (star >= 0)
                {
                    p = star + 1;
                    n = ++back;
                }
                else
                {
                    return false;
                }
            }
            while (p < pattern.Length && pattern[p] == '*')
                p++;
            return p == pattern.Length;
        }

        private static char Lower(char c)
        {
            return char.ToLower(c, CultureInfo.InvariantCulture);
        }
    }
}
