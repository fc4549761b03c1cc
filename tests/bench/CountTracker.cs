// A tracker that counts, with a token and all events of exceptions: what is called costs next to nothing, so that the
// shape of what is injected is measured, and what it keeps a just-in-time compiler from doing.
namespace Instrumenter
{
    public static class ProfileInfoTracker
    {
        public static int Entered;
        public static int Left;
        public static int LeftByException;
        public static int Passed;

        public static int WhenEnteringMethod(int id)
        {
            return Entered++;
        }

        public static void WhenLeavingMethod(int token)
        {
            Left++;
        }

        public static void WhenLeavingByException(int token)
        {
            LeftByException++;
        }

        public static bool WhenExceptionPasses(object exception, int token)
        {
            Passed++;
            return false;
        }

        public static void WhenCatching(object exception, int token)
        {
        }

        public static void WhenUnwinding(int token)
        {
        }
    }
}
