// A JSON parser of the plain kind: a method for each thing in the grammar, one character at a time.
using System;
using System.Collections.Generic;
using System.Text;

namespace Bench
{
    sealed class JsonParser
    {
        private readonly string text;
        private int at;

        public JsonParser(string text)
        {
            this.text = text;
        }

        private char Peek()
        {
            return at < text.Length ? text[at] : '\0';
        }

        private char Next()
        {
            return text[at++];
        }

        private void Skip()
        {
            while (IsSpace(Peek()))
                at++;
        }

        private static bool IsSpace(char c)
        {
            return c == ' ' || c == '\n' || c == '\t' || c == '\r';
        }

        private static bool IsDigit(char c)
        {
            return c >= '0' && c <= '9';
        }

        private void Expect(char c)
        {
            if (Next() != c)
                throw new FormatException("expected " + c);
        }

        public object Value()
        {
            Skip();
            char c = Peek();
            if (c == '{')
                return Members();
            if (c == '[')
                return Elements();
            if (c == '"')
                return String();
            if (c == '-' || IsDigit(c))
                return Number();
            return Word();
        }

        private object Members()
        {
            Dictionary<string, object> members = new Dictionary<string, object>();
            Expect('{');
            Skip();
            while (Peek() != '}')
            {
                string name = String();
                Skip();
                Expect(':');
                members[name] = Value();
                Skip();
                if (Peek() == ',')
                    Next();
                Skip();
            }
            Expect('}');
            return members;
        }

        private object Elements()
        {
            List<object> elements = new List<object>();
            Expect('[');
            Skip();
            while (Peek() != ']')
            {
                elements.Add(Value());
                Skip();
                if (Peek() == ',')
                    Next();
                Skip();
            }
            Expect(']');
            return elements;
        }

        private string String()
        {
            StringBuilder value = new StringBuilder();
            Expect('"');
            while (Peek() != '"')
            {
                char c = Next();
                value.Append(c == '\\' ? Escaped(Next()) : c);
            }
            Expect('"');
            return value.ToString();
        }

        private static char Escaped(char c)
        {
            return c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }

        private object Number()
        {
            int sign = 1, value = 0;
            if (Peek() == '-')
            {
                sign = -1;
                Next();
            }
            while (IsDigit(Peek()))
                value = value * 10 + Digit(Next());
            return sign * value;
        }

        private static int Digit(char c)
        {
            return c - '0';
        }

        private object Word()
        {
            foreach (string word in new string[] { "true", "false", "null" })
                if (string.CompareOrdinal(text, at, word, 0, word.Length) == 0)
                {
                    at += word.Length;
                    return word;
                }
            throw new FormatException("expected a value");
        }
    }

    static class Json
    {
        private const string Text =
            "{ \"name\": \"probe\", \"version\": [1, 20, 300], \"valid\": true, \"nothing\": null,\n" +
            "  \"items\": [ { \"id\": 1, \"text\": \"first \\\"one\\\"\", \"size\": -12 }, { \"id\": 2, \"text\": \"second\", \"size\": 4096 },\n" +
            "              { \"id\": 3, \"text\": \"third\\n\", \"parts\": [[1, 2], [3, 4], []] } ] }";

        private static int Size(object value)
        {
            Dictionary<string, object> members = value as Dictionary<string, object>;
            List<object> elements = value as List<object>;
            int size = 1;
            if (members != null)
                foreach (object member in members.Values)
                    size += Size(member);
            if (elements != null)
                foreach (object element in elements)
                    size += Size(element);
            return size;
        }

        public static int Run()
        {
            return Size(new JsonParser(Text).Value());
        }
    }
}
