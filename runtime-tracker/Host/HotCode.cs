// The mark of methods that are compiled as hot code at once, and their dead ways out.
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    /// <summary>
    /// .NET compiles code in tiers, and goes on with the slow code of the first for as long as a program calls new methods. What each call of
    /// the program goes through would stay slow for seconds; what calibration calls, too, as it is seldom called. But code with an explicit
    /// tail call .NET compiles at once as it does hot code. So each method marked <see cref="Hot"/> has one (<see cref="Never"/>), where nothing
    /// gets to: retarget.c makes it of a call that is returned, putting the prefix in place of the two conversions before it, which the
    /// compiler cannot. (The flag AggressiveOptimization says it in words, but Mono's verifier refuses all of an assembly that has it.)
    /// </summary>
    internal static class HotCode
    {
        internal const MethodImplOptions Hot = MethodImplOptions.NoInlining | MethodImplOptions.PreserveSig;

        // AggressiveInlining, which frameworks before 4.5 do not name, nor heed.
        internal const MethodImplOptions Inlined = (MethodImplOptions)256;

        internal static int Never(int rows)
        {
            return rows;
        }

        internal static bool NeverSo(int rows)
        {
            return rows == 0;
        }

        internal static void NeverLeave(int token)
        {
        }
    }
}
