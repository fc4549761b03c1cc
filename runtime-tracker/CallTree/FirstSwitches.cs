// The switches of the first ids, for calls whose module has no array of its own: .NET's last code looks by one instruction.
using System;

namespace Instrumenter
{
    /// <summary>
    /// An array of a constant length that is made in the type initializer of its field. Since version 8 .NET puts such an
    /// array, when it takes less than 64 KB, where the garbage collector moves nothing, and takes its address for a constant
    /// in its last code: a look by an id that is a constant, too, is then a comparison with a byte in memory. It looks at no
    /// reference, null or length. The initializer is the one that the tracker has. It calls nothing and waits for nothing,
    /// and <see cref="Make"/> runs it before there is an id.
    /// </summary>
    internal static class FirstSwitches
    {
        /// <summary>How many ids, from <see cref="Registry.FirstId"/> on.</summary>
        internal const int Count = 65000;

        /// <summary>As <see cref="Switches.Off"/> has them, 0 as long as that is null.</summary>
        internal static readonly byte[] Off = new byte[Count];

        /// <summary>
        /// Before the code of any call is compiled: it then does not ask whether the initializer has run. Throws when there
        /// is no memory for the array; no module gets an id then, so nothing looks into it.
        /// </summary>
        internal static void Make()
        {
            if (Off == null)
                throw new OutOfMemoryException();
        }
    }
}
