// Code that is not instrumented, for Overflows.cs.
using System.Runtime.CompilerServices;

public delegate int OtherCall(int depth);

public static class Other
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Calls(OtherCall call, int depth) { return call(depth) + 1; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int GoesDown(OtherCall call, int depth)
    {
        if (call != null)
            call(depth);
        return GoesDown(call, depth + 1) + 1;
    }
}
