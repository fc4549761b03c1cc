using System;
using BenchmarkDotNet.Configs;

namespace ILInject
{
    /// <summary>Counts calls and bytes of each operation by method, in a run of their own.</summary>
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly)]
    public sealed class ILInjectDiagnoserAttribute : Attribute, IConfigSource
    {
        /// <param name="options">Options of `ilinject instrument`, as `--leaves` or `--exclude=Shop.Log.**`.</param>
        public ILInjectDiagnoserAttribute(params string[] options)
        {
            Config = ManualConfig.CreateEmpty().AddDiagnoser(new ILInjectDiagnoser(options));
        }

        public IConfig Config { get; }
    }
}
