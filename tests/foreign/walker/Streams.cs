// Metadata streams: the same ones in the same order; a heap's old bytes are the first of its new ones; an unknown
// stream is kept.
using System;
using System.Linq;
using System.Reflection.Metadata.Ecma335;

namespace Walker
{
    static class Streams
    {
        public static void Compare(Image a, Image b, Findings f)
        {
            f.Expect("metadata version", a.Md.MetadataVersion, b.Md.MetadataVersion);
            // A module without #US gets one when strings are put in; everything else stands in its old order.
            var names = b.Streams.Select(s => s.Name).ToList();
            if (!a.Streams.Any(s => s.Name == "#US"))
                names.Remove("#US");
            f.Expect("streams", string.Join(" ", a.Streams.Select(s => s.Name)), string.Join(" ", names));
            foreach (var old in a.Streams)
            {
                int index = b.Streams.FindIndex(s => s.Name == old.Name);
                if (index < 0 || old.Name == "#~" || old.Name == "#-" || old.Name == "#Schema")
                    continue;
                var before = a.File.AsSpan(old.Offset, old.Size);
                var after = b.File.AsSpan(b.Streams[index].Offset, b.Streams[index].Size);
                bool heap = old.Name == "#Strings" || old.Name == "#US" || old.Name == "#Blob" || old.Name == "#GUID";
                if (old.Name == "#GUID")
                {
                    // the module's own identity is new by right
                    int mvid = (a.Md.GetHeapOffset(a.Md.GetModuleDefinition().Mvid) - 1) * 16;
                    before = before.ToArray();
                    after = after.ToArray();
                    if (mvid >= 0 && mvid + 16 <= Math.Min(before.Length, after.Length))
                    {
                        before.Slice(mvid, 16).Clear();
                        after.Slice(mvid, 16).Clear();
                    }
                }
                if (heap && after.Length >= before.Length)
                    after = after.Slice(0, before.Length);
                f.ExpectBytes("stream " + old.Name, before, after);
            }
        }
    }
}
