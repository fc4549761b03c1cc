namespace Some.Library
{
    public static class Calculator
    {
        public static int Twice(int x) { return Add(x, x); }
        static int Add(int a, int b) { return a + b; }
    }
}
