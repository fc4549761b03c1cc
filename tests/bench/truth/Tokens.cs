// A lexer with small methods over words, a table of symbols, and text that is checked by a checksum.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Text;

namespace TokensWork
{
    enum Kind { Word, Number, Sign, End }

    sealed class Lexer
    {
        readonly string text;
        int at, start;

        public Lexer(string text) { this.text = text; }

        static bool IsLetter(char c) { return (uint)((c | 32) - 'a') < 26 || c == '_'; }

        static bool IsDigit(char c) { return (uint)(c - '0') < 10; }

        char Ahead(int by) { return at + by < text.Length ? text[at + by] : '\0'; }

        void Move(int by) { at += by; }

        public ReadOnlySpan<char> Token { get { return text.AsSpan(start, at - start); } }

        public Kind Read()
        {
            while (Ahead(0) == ' ') Move(1);
            start = at;
            char c = Ahead(0);
            if (c == '\0') return Kind.End;
            if (IsLetter(c))
            {
                while (IsLetter(Ahead(0)) || IsDigit(Ahead(0))) Move(1);
                return Kind.Word;
            }
            if (IsDigit(c))
            {
                while (IsDigit(Ahead(0))) Move(1);
                return Kind.Number;
            }
            Move(c == '=' && Ahead(1) == '=' ? 2 : 1);
            return Kind.Sign;
        }
    }

    static class Program
    {
        static string Make(int lines)
        {
            var text = new StringBuilder();
            uint x = 9;
            for (int i = 0; i < lines; i++)
            {
                x = x * 1664525 + 1013904223;
                text.Append("value_").Append(x >> 24).Append(i % 3 == 0 ? " == " : " = ");
                text.Append("factor * ").Append((x >> 8) % 100000).Append(" + offset ; ");
            }
            return text.ToString();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Number(ReadOnlySpan<char> digits)
        {
            long value = 0;
            foreach (char c in digits) value = value * 10 + (c - '0');
            return value;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Names(Dictionary<string, int> names, Lexer lexer)
        {
            string name = lexer.Token.ToString();
            names.TryGetValue(name, out int seen);
            names[name] = seen + 1;
            return name.Length + seen % 7;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Scan(string text)
        {
            var lexer = new Lexer(text);
            var names = new Dictionary<string, int>();
            long sum = 0;
            for (Kind kind; (kind = lexer.Read()) != Kind.End;)
                sum += kind == Kind.Word ? Names(names, lexer) : kind == Kind.Number ? Number(lexer.Token) : 1;
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static uint Checksum(string text, int rounds)
        {
            uint a = 1, b = 0;
            for (int r = 0; r < rounds; r++)
                foreach (char c in text)
                {
                    a = (a + c) % 65521;
                    b = (b + a) % 65521;
                }
            return b << 16 | a;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 700);
            string text = Make(250);
            long sum = 0;
            for (int i = 0; i < size; i++)
            {
                for (int k = 0; k < 8; k++) sum += Scan(text);
                sum += Checksum(text, 9);
            }
            Console.WriteLine(sum);
        }
    }
}
