// The async calls of a rule that have returned to their callers and have not ended.

namespace Instrumenter
{
    /// <summary>The oldest first, linked by the calls themselves. One thread uses them at a time.</summary>
    internal sealed class OpenCalls
    {
        private readonly long most;
        private CapturedCall first, last;
        private long bytes;
        private int count;

        internal OpenCalls(long mostBytes)
        {
            most = mostBytes;
        }

        /// <summary>Returns how many calls had to go, as all of them together would hold more memory than they may.</summary>
        internal int Add(CapturedCall call)
        {
            call.Earlier = last;
            call.Later = null;
            if (last == null)
                first = call;
            else
                last.Later = call;
            last = call;
            call.IsOpen = true;
            count++;
            bytes += call.OpenBytes;
            int dropped = 0;
            for (; bytes > most && first != last; dropped++)
            {
                CapturedCall oldest = first;
                Remove(oldest);
                oldest.Drop();
            }
            return dropped;
        }

        /// <summary>Takes the call out, if it is in.</summary>
        internal void Remove(CapturedCall call)
        {
            if (!call.IsOpen)
                return;
            if (call.Earlier == null)
                first = call.Later;
            else
                call.Earlier.Later = call.Later;
            if (call.Later == null)
                last = call.Earlier;
            else
                call.Later.Earlier = call.Earlier;
            call.Earlier = call.Later = null;
            call.IsOpen = false;
            count--;
            bytes -= call.OpenBytes;
        }

        internal CapturedCall[] ToArray()
        {
            CapturedCall[] all = new CapturedCall[count];
            int at = 0;
            for (CapturedCall call = first; call != null; call = call.Later)
                all[at++] = call;
            return all;
        }
    }
}
