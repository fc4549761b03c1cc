using System.Diagnostics.CodeAnalysis;

// The tracker looks first for all that it finds by reflection, and does without it when it is not there.
[assembly: UnconditionalSuppressMessage("Trimming", "IL2026", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2055", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2057", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2060", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2070", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2072", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2075", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2077", Scope = "module")]
[assembly: UnconditionalSuppressMessage("Trimming", "IL2080", Scope = "module")]
[assembly: UnconditionalSuppressMessage("AOT", "IL3050", Scope = "module")]

// Attributes that trimmers and NativeAOT's compiler look for by name, so that captured values have their fields there (docs/capture.md).
namespace System.Diagnostics.CodeAnalysis
{
    internal enum DynamicallyAccessedMemberTypes
    {
        None = 0,

        // Younger compilers know of the private ones of base types, too (0x10000).
        Fields = 0x20 | 0x40 | 0x10000
    }

    /// <summary>These members of the type argument are read by reflection.</summary>
    [AttributeUsage(AttributeTargets.GenericParameter)]
    internal sealed class DynamicallyAccessedMembersAttribute : Attribute
    {
        internal readonly DynamicallyAccessedMemberTypes MemberTypes;

        public DynamicallyAccessedMembersAttribute(DynamicallyAccessedMemberTypes memberTypes)
        {
            MemberTypes = memberTypes;
        }
    }

    /// <summary>Where this method is, that member is read by reflection, or these of that type.</summary>
    [AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
    internal sealed class DynamicDependencyAttribute : Attribute
    {
        internal readonly string Member, TypeName;

        public DynamicDependencyAttribute(string memberSignature, Type type)
        {
            Member = memberSignature;
            TypeName = type.FullName;
        }

        public DynamicDependencyAttribute(DynamicallyAccessedMemberTypes memberTypes, string typeName, string assemblyName)
        {
            Member = memberTypes.ToString();
            TypeName = typeName + ", " + assemblyName;
        }
    }

    /// <summary>Trimmers and NativeAOT's compiler do not warn of this in the tracker.</summary>
    [AttributeUsage(AttributeTargets.Assembly, AllowMultiple = true)]
    internal sealed class UnconditionalSuppressMessageAttribute : Attribute
    {
        internal readonly string Category, CheckId;

        /// <summary>"module": all of it.</summary>
        public string Scope { get; set; }

        public UnconditionalSuppressMessageAttribute(string category, string checkId)
        {
            Category = category;
            CheckId = checkId;
        }
    }
}
