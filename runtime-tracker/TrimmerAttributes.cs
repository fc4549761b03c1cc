// What trimmers and NativeAOT's compiler look for by name, so that captured values have their fields there (docs/capture.md).
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
}
