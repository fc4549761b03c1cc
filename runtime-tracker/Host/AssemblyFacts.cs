// The assembly's identity. AssemblyVersion is part of the contract with instrumented modules: it stays; releases count in the file version.
using System.Reflection;

[assembly: AssemblyTitle("ilinject tracker")]
[assembly: AssemblyVersion("1.0.0.0")]
[assembly: AssemblyFileVersion(Instrumenter.AssemblyFacts.Version)]
[assembly: AssemblyInformationalVersion(Instrumenter.AssemblyFacts.Version)]

namespace Instrumenter
{
    internal static class AssemblyFacts
    {
        internal const string Version = "0.1.0";
    }
}
