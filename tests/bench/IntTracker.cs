// A tracker of the plain (int32) shape for the rewriting benchmark: what is called costs nothing here, the rewriting is measured.
namespace Instrumenter
{
    public static class ProfileInfoTracker
    {
        public static int Entered;
        public static int Left;

        public static void WhenEnteringMethod(int id)
        {
            Entered++;
        }

        public static void WhenLeavingMethod(int id)
        {
            Left++;
        }
    }
}
