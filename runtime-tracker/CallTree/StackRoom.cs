// Room on the stack below the program's frames: Mono makes an exception of an overflow, which a program may catch.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Instrumenter
{
    /// <summary>
    /// Mono throws StackOverflowException where compiled code reaches the guard pages at the stack's end. Where its own native code
    /// does, as after every reading of a clock, it prints a line and soon ends the program (mono/mini/mini-exceptions.c,
    /// mono_handle_soft_stack_ovf). So compiled code reaches further down than the tracker will, before the tracker does anything:
    /// the exception then comes at the head of the program's method, as it would without the tracker.
    /// </summary>
    internal static class StackRoom
    {
        /// <summary>
        /// Bytes that are had. The tracker's ways in and out stayed below 4096 on x86-64, also while Mono
        /// compiled them. A collection that begins there takes more, on this thread as on one that another
        /// thread stops: with 16384 bytes one run of fifty that recorded values overflowed in native code.
        /// The rest is for frames between two checks. Mono's smallest stack has 88 KB for a program.
        /// </summary>
        private const int Size = 32768;

        /// <summary>
        /// The fast way in checks one call of that many of a place, less one. A place's first call is always checked, and a path of
        /// instrumented methods cannot go deeper without a new place. Other code that recurses and calls an instrumented method at
        /// each level can: <see cref="Size"/> is enough for 32 of its frames.
        /// </summary>
        internal const int CallsBetween = 31;

        // A frame that holds one is so large. Mono touches every page of a large frame in order, before anything else.
        [StructLayout(LayoutKind.Sequential, Size = Size)]
        private struct Block
        {
        }

        private static bool isChecked, isMono;

        /// <summary>Called once. Before, nothing is checked: to ask for the host is no way in.</summary>
        internal static void Begin()
        {
            isChecked = isMono = Host.IsMono;
        }

        /// <summary>Each check asks the governor, too, from now on.</summary>
        internal static void AlwaysCheck()
        {
            isChecked = true;
        }

        /// <summary>
        /// Throws StackOverflowException when there is no room. The only thing of the tracker's that throws: to be called where
        /// nothing was recorded yet, and no handler of the tracker's sees it.
        /// </summary>
        [MethodImpl((MethodImplOptions)256)]
        internal static void Ensure()
        {
            if (isChecked)
                Check();
        }

        /// <summary>
        /// Throws from here again. Mono runs the handlers below the frame that has thrown: the handlers have the room then that
        /// <see cref="Reach"/> did not get.
        /// </summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Check()
        {
            try
            {
                if (isMono)
                    Reach(false);
            }
            catch (StackOverflowException)
            {
                throw;
            }
            if (Settings.Overhead != 0 && Features.Overhead)
                Governor.LookFromCall();
        }

        /// <summary>Has a block in its frame for a result, which unlike a variable is not cleared.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Reach(bool further)
        {
            if (further)
                NewBlock();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Block NewBlock()
        {
            return default(Block);
        }
    }
}
