// The interface of a clock that the program brings, for its own measurements or for all calls.
namespace Instrumenter
{
    /// <summary>A clock of the program's own.</summary>
    public interface IHighResolution
    {
        /// <summary>The time now, from whatever start.</summary>
        long Ticks { get; }

        /// <summary>The average cost of reading it, in its own ticks; 0: not known.</summary>
        long Avg { get; }
    }
}
