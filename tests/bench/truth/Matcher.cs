// A matcher of patterns by backtracking, and text that is put together: words are looked for,
// replaced, padded.
using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace MatcherWork
{
    static class Matcher
    {
        static bool One(char pattern, char c) { return pattern == '.' || pattern == c; }

        static bool Here(string pattern, int p, string text, int t)
        {
            if (p == pattern.Length) return true;
            if (p + 1 < pattern.Length && pattern[p + 1] == '*') return Star(pattern, p, text, t);
            return t < text.Length && One(pattern[p], text[t]) && Here(pattern, p + 1, text, t + 1);
        }

        static bool Star(string pattern, int p, string text, int t)
        {
            for (int end = t; ; end++)
            {
                if (Here(pattern, p + 2, text, end)) return true;
                if (end >= text.Length || !One(pattern[p], text[end])) return false;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Find(string pattern, string text)
        {
            int found = 0;
            for (int i = 0; i < text.Length; i++)
                if (Here(pattern, 0, text, i)) found++;
            return found;
        }
    }

    static class Program
    {
        static string Make(int words)
        {
            var text = new StringBuilder();
            uint x = 77;
            for (int i = 0; i < words; i++)
            {
                for (int k = 0; k < 3 + i % 5; k++)
                {
                    x = x * 1664525 + 1013904223;
                    text.Append((char)('a' + (x >> 16) % 9));
                }
                text.Append(' ');
            }
            return text.ToString();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static string Upper(string text)
        {
            var result = new StringBuilder(text.Length);
            bool start = true;
            foreach (char c in text)
            {
                result.Append(start ? char.ToUpperInvariant(c) : c);
                start = c == ' ';
            }
            return result.ToString();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Distance(string a, string b)
        {
            Span<int> row = stackalloc int[b.Length + 1];
            for (int j = 0; j <= b.Length; j++) row[j] = j;
            for (int i = 1; i <= a.Length; i++)
            {
                int corner = row[0];
                row[0] = i;
                for (int j = 1; j <= b.Length; j++)
                {
                    int above = row[j];
                    int same = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
                    row[j] = Math.Min(Math.Min(above, row[j - 1]) + 1, same);
                    corner = above;
                }
            }
            return row[b.Length];
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static string Padded(string[] words)
        {
            string text = "";
            foreach (string word in words)
            {
                text += word.PadRight(8, '_');
                if (text.Length > 400) text = text.Substring(200);
            }
            return text;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 2200);
            string text = Make(600);
            string start = text.Substring(0, 400);
            string[] words = text.Split(' ');
            long sum = 0;
            for (int i = 0; i < size; i++)
            {
                sum += Matcher.Find("a.*b*c", start) + Matcher.Find("ab*.d", text);
                sum += Matcher.Find("c*d.*e", start);
                for (int k = 0; k < 4; k++) sum += Upper(text).Length;
                for (int k = 0; k < 240; k++)
                    sum += Distance(words[k] + words[k + 1], words[k + 2] + "abc");
                sum += Padded(words).Length;
            }
            Console.WriteLine(sum);
        }
    }
}
