// Values that are not recorded, by the names of their parameters, fields and keys.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

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

        /// <summary>True if this is the key, or the name in a pair, of a value that is not recorded. An enum's key is
        /// its name.</summary>
        internal bool HideKey(object key)
        {
            string name = key as string;
            return name != null || key is Enum ? Hide(name ?? key.ToString()) : false;
        }

        /// <summary>True if the item after this one is its value: that of an option, or of a pair.</summary>
        internal bool HideAfter(object item, int count)
        {
            string name = item as string;
            return name != null && name.Length > 0 && (count == 2 || name[0] == '-') && Hide(name.TrimStart('-'));
        }

        /// <summary>Names that have another one beside them for the value: as fields, and as parameters.</summary>
        internal static bool IsKey(string name)
        {
            return IsOne(name, " key name item1 parametername headername fieldname ");
        }

        internal static bool IsValue(string name)
        {
            return IsOne(name, " value values val item2 content data text rawvalue ");
        }

        /// <summary>In any case, with what compilers and customs put around the name of a field.</summary>
        private static bool IsOne(string name, string all)
        {
            string plain = name.ToLower(CultureInfo.InvariantCulture);
            if (plain.StartsWith("m_", StringComparison.Ordinal))
                plain = plain.Substring(2);
            plain = plain.Trim('_', '@');
            return plain.Length != 0 && plain.IndexOf(' ') < 0 && all.IndexOf(" " + plain + " ", StringComparison.Ordinal) >= 0;
        }

        // Anywhere in a name that is reduced to its letters and digits.
        private const string Anywhere =
            "password passwd passphrase passcode passwort kennwort pincode userpass dbpass secret credential authorization bearer " +
            "cookie apikey accesskey privatekey privkey signingkey encryptionkey masterkey sharedkey symmetrickey sshkey accountkey " +
            "subscriptionkey sessionkey authkey licensekey connectionstr connstr connstring databaseurl sessionid sessid " +
            "sharedaccesssignature creditcard cardnumber cardno securitycode verificationcode recoverycode accesstoken refreshtoken " +
            "bearertoken authtoken idtoken sessiontoken securitytoken csrftoken apitoken usertoken";

        // Made where it is first asked for: no type initializer runs while a call is recorded.
        private static string[] anywhere;

        // One of a name's words.
        private const string Words = " pass pwd pswd psw pw auth oauth cookie session otp totp hotp pin dsn cred creds jwt csrf xsrf cvv cvc ssn ";

        // Words before "token" that make it one that gives no access.
        private const string OtherTokens = " cancellation cancel stopping stop abort shutdown syntax metadata method type member change next ";

        private static bool LooksSecret(string name)
        {
            StringBuilder plain = new StringBuilder(name.Length);
            foreach (char c in name)
                if (char.IsLetterOrDigit(c))
                    plain.Append(char.ToLower(c, CultureInfo.InvariantCulture));
            string letters = plain.ToString();
            if (anywhere == null)
                anywhere = Anywhere.Split(' ');
            foreach (string word in anywhere)
                if (letters.IndexOf(word, StringComparison.Ordinal) >= 0)
                    return true;
            return HasSecretWord(name);
        }

        /// <summary>Words end where the letters do, and before a capital one: userPIN, APIPass2, x-auth.</summary>
        private static bool HasSecretWord(string name)
        {
            string before = "";
            for (int at = 0; at < name.Length;)
            {
                int from = at;
                while (at < name.Length && char.IsUpper(name[at]))
                    at++;
                // The last one of several capitals may begin the next word, or not: PINCode, PINs.
                int capitals = at;
                while (at < name.Length && char.IsLetter(name[at]) && !char.IsUpper(name[at]))
                    at++;
                if (at == from)
                {
                    at++;
                    continue;
                }
                if (capitals - from > 1 && at > capitals)
                {
                    if (IsSecret(name.Substring(from, capitals - from), before) || IsSecret(name.Substring(from, capitals - 1 - from), before) ||
                        IsSecret(name.Substring(from, at - from), before))
                        return true;
                    before = name.Substring(from, capitals - 1 - from);
                    from = capitals - 1;
                }
                string word = name.Substring(from, at - from);
                if (IsSecret(word, before))
                    return true;
                before = word;
            }
            return false;
        }

        private static bool IsSecret(string word, string before)
        {
            string lower = " " + word.ToLower(CultureInfo.InvariantCulture);
            if (lower == " token" || lower == " tokens")
                return OtherTokens.IndexOf(" " + before.ToLower(CultureInfo.InvariantCulture) + " ", StringComparison.Ordinal) < 0 || before.Length == 0;
            if (Words.IndexOf(lower + " ", StringComparison.Ordinal) >= 0 || lower.EndsWith("pwd", StringComparison.Ordinal))
                return true;
            return lower.EndsWith("s", StringComparison.Ordinal) && lower.Length > 3 &&
                   Words.IndexOf(lower.Substring(0, lower.Length - 1) + " ", StringComparison.Ordinal) >= 0;
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
