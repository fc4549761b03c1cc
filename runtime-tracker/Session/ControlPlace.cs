// Where the tracker is asked and answers.
namespace Instrumenter
{
    /// <summary>
    /// Bytes that another process of the same user finds and no other user can open. It holds a header, one request and
    /// its answer; nothing of it remains, however the process ends.
    /// </summary>
    internal abstract class ControlPlace
    {
        /// <summary>Where the arguments stand, and elsewhere than on Windows the payload.</summary>
        internal const int PayloadAt = 8192;

        /// <summary>Bytes of arguments.</summary>
        internal const int MostArguments = 65536;

        /// <summary>How many bytes there were, at most <paramref name="count"/>; 0 at the end.</summary>
        internal abstract int Read(int at, byte[] to, int from, int count);

        internal abstract void Put(int at, byte[] bytes, int length);

        /// <summary>Puts what comes with the answer to a request. False: there is no room.</summary>
        internal abstract bool PutPayload(string number, byte[] payload);

        /// <summary>Deletes the payload; <paramref name="late"/>: it was not fetched.</summary>
        internal abstract void DropPayload(bool late);

        /// <summary>A client that asks just now sees that there will be no answer.</summary>
        internal abstract void Close();
    }
}
