// The sections of a profile that belong to no thread.
namespace Instrumenter
{
    /// <summary>
    /// Writes a section, unless it would be empty. Called after the threads have been read; <paramref name="sites"/>: the objects by
    /// place, of all threads.
    /// </summary>
    internal delegate void RunSection(ByteWriter output, Generation generation, long[] sites);

    /// <summary>
    /// A field for each of these sections, in the order of a file: RunSectionFields.cs.in. Null as long as there is nothing for it. The
    /// part of the tracker that has something sets it; until then .NET compiles nothing of its writer.
    /// </summary>
    internal static partial class RunSections
    {
    }
}
