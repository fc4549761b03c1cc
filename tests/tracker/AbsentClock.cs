// Stands for a System.dll that the host does not have: the tracker is compiled against it and run without it.
namespace System.Diagnostics
{
    public class Stopwatch
    {
        public static readonly long Frequency = 1;
        public static long GetTimestamp() { return 0; }
    }
}
