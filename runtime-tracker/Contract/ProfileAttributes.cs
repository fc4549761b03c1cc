// Attributes that choose methods in a source. ilinject knows them by their full names, wherever they are defined.
using System;

namespace Instrumenter
{
    /// <summary>Instruments what a [NoProfile] further out, or a selection that names something else, leaves out.</summary>
    [AttributeUsage(ProfileTargets.All, Inherited = false)]
    public sealed class ProfileAttribute : Attribute
    {
    }

    /// <summary>Leaves out what carries it, with all in it.</summary>
    [AttributeUsage(ProfileTargets.All, Inherited = false)]
    public sealed class NoProfileAttribute : Attribute
    {
    }

    internal static class ProfileTargets
    {
        internal const AttributeTargets All = AttributeTargets.Assembly | AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface |
                                              AttributeTargets.Constructor | AttributeTargets.Method | AttributeTargets.Property | AttributeTargets.Event;
    }
}
