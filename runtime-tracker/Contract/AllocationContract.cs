// Objects that are counted where the program's IL allocates them (docs/leaves.md).
using System;
using System.Runtime.CompilerServices;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// Reserves numbers for the places that allocate objects in the module with <paramref name="firstId"/> as its
        /// first id. Returns the first one, at least 2^24; 0 when they are used up.
        /// </summary>
        public static int RegisterAllocations(int firstId, int count)
        {
            int id = 0;
            try { } finally { id = RegisterAllocationsUnbroken(firstId, count); }
            return id;
        }

        private static int RegisterAllocationsUnbroken(int firstId, int count)
        {
            bool entered = Guard.Enter();
            try
            {
                if (Features.Alloc)
                    RunSections.SITE = SiteSection.Write;
                return AllocationSites.Add(firstId, count);
            }
            catch (Exception)
            {
                return 0;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>
        /// The place with this number allocates an object, in the call with this token; -1: in that on top of the thread's stack. Token 0, which
        /// a call that is not recorded has, does nothing.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        public static void WhenAllocating(int site, int token)
        {
            if (token == 0)
                return;
            if (IntPtr.Size == 8)
                Allocate(site, token);
            else
                ThreadTree.AllocateSlowly(site, token);
        }

        // Hot, and a method of its own, as the ways in and out are.
        [MethodImpl(HotCode.Hot)]
        internal static void Allocate(int site, int token)
        {
            if (site < 0)
            {
                HotCode.NeverLeave((int)(long)site);
                return;
            }
            ThreadTree tree = ThreadTree.Current;
            if (tree == null)
                return;
            // The frame on top, and none is folded. The arrays are read again for their elements: a variable that outlives the conditions
            // would take a register that Mono has to save first.
            if (token == tree.Depth && (tree.State & ~(TreeState.CountingFigures | TreeState.Recording)) == Control.OpenState &&
                (uint)(site - AllocationSites.First) < (uint)tree.Sites.Length)
            {
                tree.Sites[site - AllocationSites.First]++;
                tree.Objects[tree.Top]++;
                return;
            }
            ThreadTree.AllocateSlowly(site, token);
        }

        /// <summary>
        /// A value is about to be boxed there, of a type that may be no value type, or null: then no object is allocated. The types of values
        /// that cannot be null are distinguished when this is compiled.
        /// </summary>
        public static void WhenBoxing<T>(T value, int site, int token)
        {
            if (token != 0 && typeof(T).IsValueType && value != null)
                WhenAllocating(site, token);
        }

        /// <summary>
        /// <c>new T()</c> has made the value there: an object, unless the type is a value type. A <c>Nullable</c> is null.
        /// </summary>
        public static void WhenCreating<T>(T value, int site, int token)
        {
            if (token != 0 && !typeof(T).IsValueType && value != null)
                WhenAllocating(site, token);
        }
    }
}
