// A recursive-descent parser of expressions with small methods that are called millions of times,
// beside a matrix product.
using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace ParserWork
{
    sealed class Parser
    {
        readonly string text;
        int at;

        public Parser(string text) { this.text = text; }

        char Peek() { return at < text.Length ? text[at] : '\0'; }

        void Next() { at++; }

        static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

        void Spaces() { while (Peek() == ' ') Next(); }

        public long Sum()
        {
            long value = Product();
            for (; ; )
            {
                Spaces();
                if (Peek() == '+') { Next(); value += Product(); }
                else if (Peek() == '-') { Next(); value -= Product(); }
                else return value;
            }
        }

        long Product()
        {
            long value = Atom();
            for (; ; )
            {
                Spaces();
                if (Peek() != '*') return value;
                Next();
                value = value * Atom() % 1000003;
            }
        }

        long Atom()
        {
            Spaces();
            if (Peek() == '(')
            {
                Next();
                long inner = Sum();
                Spaces();
                Next();
                return inner;
            }
            long number = 0;
            while (IsDigit(Peek()))
            {
                number = number * 10 + (Peek() - '0');
                Next();
            }
            return number;
        }
    }

    static class Program
    {
        static void Make(StringBuilder text, int depth, ref uint x)
        {
            for (int i = 0; i < 4; i++)
            {
                x = x * 1664525 + 1013904223;
                if (i > 0) text.Append(new[] { " * ", " + ", "-" }[(x >> 20) % 3]);
                if (depth == 0) text.Append((x >> 8) % 1000);
                else { text.Append('('); Make(text, depth - 1, ref x); text.Append(')'); }
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Multiply(double[] a, double[] b, double[] c, int n)
        {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                {
                    double sum = 0;
                    for (int k = 0; k < n; k++)
                        sum += a[i * n + k] * b[k * n + j];
                    c[i * n + j] = sum;
                }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static double Trace(double[] a, int n)
        {
            double sum = 0;
            for (int r = 0; r < 40; r++)
                for (int i = 0; i < n * n; i++)
                    sum = sum * 0.999 + a[i];
            return sum;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 130);
            const int n = 96;
            var text = new StringBuilder();
            uint x = 5;
            Make(text, 4, ref x);
            string source = text.ToString();
            double[] a = new double[n * n], b = new double[n * n], c = new double[n * n];
            for (int i = 0; i < n * n; i++) { a[i] = i % 13; b[i] = i % 7; }
            double sum = 0;
            long value = 0;
            for (int i = 0; i < size; i++)
            {
                for (int k = 0; k < 25; k++) value += new Parser(source).Sum();
                for (int k = 0; k < 3; k++) Multiply(a, b, c, n);
                sum += Trace(c, n);
            }
            Console.WriteLine($"{value} {sum:F3}");
        }
    }
}
