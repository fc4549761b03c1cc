// A table of exception paths: of one thread, or of all that have ended.
using System;

namespace Instrumenter
{
    /// <summary>
    /// The slots are the owner's alone; readers go along <see cref="Newest"/>: a list that only grows, by paths that are whole
    /// before they are seen. Bounded: past the limit paths go to one of type <see cref="Others"/> per outcome, at the root.
    /// </summary>
    internal sealed class ExceptionPaths : ThreadExtra
    {
        internal const string Others = "(others)";
        private const int MostPaths = 4096;

        internal volatile ExceptionPath Newest;

        private ExceptionPath[] slots = new ExceptionPath[16];
        private int count;

        /// <summary>
        /// Counts a flight that has ended at <paramref name="catcher"/>. <paramref name="exception"/> is null when only
        /// the flight can have it. Returns its path.
        /// </summary>
        internal ExceptionPath Add(ExceptionInFlight flight, int outcome, int catcher, object exception)
        {
            ExceptionPath path = Find(flight.Type, flight.Thrower, catcher, outcome);
            path.Add(flight, 1);
            if (path.WantsMessage && (object)path.Type != (object)Others)
            {
                object known = exception ?? flight.Exception;
                string message = known == null ? flight.Message : ExceptionText.Message(known);
                if (message != null)
                    path.AddMessage(message);
                else if (known != null)
                    path.Mute = true;
            }
            return path;
        }

        /// <summary>True if a path of exceptions of this type from there has room for a message, or there is none
        /// yet.</summary>
        internal bool WantMessage(string type, int thrower)
        {
            bool any = false;
            for (ExceptionPath path = slots[Slot(type, thrower)]; path != null; path = path.Chain)
                if (path.Thrower == thrower && path.Type == type)
                {
                    if (path.WantsMessage)
                        return true;
                    any = true;
                }
            return !any;
        }

        /// <summary>The path with this key, made if there is none.</summary>
        internal ExceptionPath Find(string type, int thrower, int catcher, int outcome)
        {
            ExceptionPath path = Lookup(type, thrower, catcher, outcome);
            if (path != null)
                return path;
            if (count >= MostPaths)
            {
                path = Lookup(Others, NodeTree.Root, NodeTree.Root, outcome);
                if (path != null)
                    return path;
                type = Others;
                thrower = catcher = NodeTree.Root;
            }
            return Make(new ExceptionPath(type, thrower, catcher, outcome));
        }

        internal override ThreadSection Section(ThreadTree tree, long start, ref OpenFrames open)
        {
            return new ExceptionSection(this);
        }

        private ExceptionPath Lookup(string type, int thrower, int catcher, int outcome)
        {
            ExceptionPath path = slots[Slot(type, thrower)];
            while (path != null && !path.Matches(type, thrower, catcher, outcome))
                path = path.Chain;
            return path;
        }

        private int Slot(string type, int thrower)
        {
            int hash = type == null ? 0 : type.GetHashCode();
            hash = unchecked(hash * 31 + thrower);
            return (hash ^ (hash >> 16)) & (slots.Length - 1);
        }

        private ExceptionPath Make(ExceptionPath path)
        {
            if (count == slots.Length)
            {
                slots = new ExceptionPath[count * 2];
                for (ExceptionPath old = Newest; old != null; old = old.Older)
                    Link(old);
            }
            Link(path);
            count++;
            path.Older = Newest;
            Newest = path;
            return path;
        }

        private void Link(ExceptionPath path)
        {
            int slot = Slot(path.Type, path.Thrower);
            path.Chain = slots[slot];
            slots[slot] = path;
        }
    }
}
