// Objects before and after a reset within a call, with far more nodes after it than there are at first.
using Instrumenter;

class Plain { }

static class ResetObjects
{
    static object kept;

    static void Down(int more)
    {
        kept = new Plain();
        if (more != 0)
            Down(more - 1);
    }

    static void Across()
    {
        kept = new Plain();
        ProfileInfoTracker.Reset();
        for (int i = 0; i < 7; i++)
            kept = new Plain();
        Down(299);
    }

    static void Main()
    {
        Down(499);
        Across();
        Across();
    }
}
