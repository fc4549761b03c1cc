// Parts of the tracker that a compiler of .NET leaves out unless they are requested.
namespace Instrumenter
{
    /// <summary>
    /// Each is true where the tracker runs as it was built. Substitutions.xml says which switch makes it false, by the name
    /// Instrumenter and the property's; trimmers and NativeAOT's compiler then drop what stands after it. They follow no value
    /// through variables, so a condition asks for the property itself. It stands last in a condition: .NET compiles a getter
    /// when it is called for the first time.
    /// </summary>
    internal static class Features
    {
        /// <summary>The reason why a setting is not followed.</summary>
        internal const string Missing = "this program was published without that part of the tracker (ILInjectFeatures)";

        /// <summary>The setting `post`.</summary>
        internal static bool Http
        {
            get { return true; }
        }

        /// <summary>The setting `log`.</summary>
        internal static bool Log
        {
            get { return true; }
        }

        /// <summary>The settings `timeline` and `histogram`.</summary>
        internal static bool Timeline
        {
            get { return true; }
        }

        /// <summary>The settings `alloc` and `collections`, and the counting of objects.</summary>
        internal static bool Alloc
        {
            get { return true; }
        }

        /// <summary>Requests of `ilinject ctl`, and the settings that turn methods off.</summary>
        internal static bool Control
        {
            get { return true; }
        }

        /// <summary>The setting `overhead`.</summary>
        internal static bool Overhead
        {
            get { return true; }
        }

        /// <summary>The profile that is written when a signal ends the program.</summary>
        internal static bool Signals
        {
            get { return true; }
        }

        /// <summary>The setting `clock` with a type of the program's.</summary>
        internal static bool UserClock
        {
            get { return true; }
        }

        /// <summary>Hosts before .NET 5: Mono, .NET Framework, Silverlight. No compiler that reads Substitutions.xml is for them.</summary>
        internal static bool OldHosts
        {
            get { return true; }
        }

        /// <summary>The runtime's version with its build. .NET 8 reads that from an attribute, which brings reflection along.</summary>
        internal static bool FullVersion
        {
            get { return true; }
        }

        /// <summary>Code that is compiled while the program runs. NativeAOT has none, and reflection alone is a megabyte there.</summary>
        internal static bool DynamicCode
        {
            get { return true; }
        }
    }
}
