// A writer and a reader of JSON by hand, over a tree of values.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace JsonWork
{
    sealed class Writer
    {
        readonly StringBuilder text = new StringBuilder();

        void Put(char c) { text.Append(c); }

        public string Write(object value)
        {
            text.Clear();
            WriteValue(value);
            return text.ToString();
        }

        void WriteValue(object value)
        {
            if (value is string s) WriteText(s);
            else if (value is double d) WriteNumber(d);
            else if (value is List<object> list) WriteList(list);
            else WriteObject((Dictionary<string, object>)value);
        }

        void WriteNumber(double value)
        {
            text.Append(value.ToString("R", CultureInfo.InvariantCulture));
        }

        void WriteText(string value)
        {
            Put('"');
            foreach (char c in value)
                if (c == '"' || c == '\\') { Put('\\'); Put(c); }
                else if (c < ' ') text.Append("\\u").Append(((int)c).ToString("x4"));
                else Put(c);
            Put('"');
        }

        void WriteList(List<object> list)
        {
            Put('[');
            for (int i = 0; i < list.Count; i++)
            {
                if (i > 0) Put(',');
                WriteValue(list[i]);
            }
            Put(']');
        }

        void WriteObject(Dictionary<string, object> all)
        {
            Put('{');
            bool first = true;
            foreach (var pair in all)
            {
                if (!first) Put(',');
                first = false;
                WriteText(pair.Key);
                Put(':');
                WriteValue(pair.Value);
            }
            Put('}');
        }
    }

    sealed class Reader
    {
        readonly string text;
        int at;

        public Reader(string text) { this.text = text; }

        char Peek() { return text[at]; }

        bool Take(char c)
        {
            if (text[at] != c) return false;
            at++;
            return true;
        }

        public object ReadValue()
        {
            char c = Peek();
            if (c == '{') return ReadObject();
            if (c == '[') return ReadList();
            return c == '"' ? ReadText() : (object)ReadNumber();
        }

        double ReadNumber()
        {
            int start = at;
            while (char.IsAsciiDigit(Peek()) || Peek() == '.' || Peek() == '-' || Peek() == 'E')
                at++;
            return double.Parse(text.AsSpan(start, at - start), CultureInfo.InvariantCulture);
        }

        string ReadText()
        {
            var found = new StringBuilder();
            Take('"');
            while (!Take('"'))
            {
                char c = text[at++];
                if (c == '\\')
                {
                    c = text[at++];
                    if (c == 'u')
                    {
                        c = (char)int.Parse(text.AsSpan(at, 4), NumberStyles.HexNumber);
                        at += 4;
                    }
                }
                found.Append(c);
            }
            return found.ToString();
        }

        List<object> ReadList()
        {
            var list = new List<object>();
            Take('[');
            while (!Take(']')) { list.Add(ReadValue()); Take(','); }
            return list;
        }

        Dictionary<string, object> ReadObject()
        {
            var all = new Dictionary<string, object>();
            Take('{');
            while (!Take('}'))
            {
                string name = ReadText();
                Take(':');
                all[name] = ReadValue();
                Take(',');
            }
            return all;
        }
    }

    static class Program
    {
        static object Make(int depth, ref uint x)
        {
            x = x * 1664525 + 1013904223;
            if (depth == 0)
            {
                if ((x >> 16) % 2 == 0) return (x >> 8) / 64.0;
                return "a \"word\"\t of " + (x >> 12) + " letters, rather long";
            }
            if (depth % 2 == 0)
            {
                var list = new List<object>();
                for (int i = 0; i < 6; i++) list.Add(Make(depth - 1, ref x));
                return list;
            }
            var all = new Dictionary<string, object>();
            for (int i = 0; i < 5; i++) all["name" + i] = Make(depth - 1, ref x);
            return all;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 480);
            uint x = 99;
            object value = Make(4, ref x);
            var writer = new Writer();
            long length = 0;
            for (int i = 0; i < size; i++)
            {
                string text = writer.Write(value);
                length += text.Length;
                value = new Reader(text).ReadValue();
            }
            Console.WriteLine(length);
        }
    }
}
