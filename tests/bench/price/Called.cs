// Methods that CallPrice.cs calls: instrumented, counted, or as they are.
using System.Runtime.CompilerServices;

namespace Called
{
    public static class Methods
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static int Apart(int n)
        {
            return n + 1;
        }

        // Small enough to be inlined.
        public static int Small(int n)
        {
            return n + 1;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static string Result(string text, int n)
        {
            return n < 0 ? null : text;
        }
    }
}
