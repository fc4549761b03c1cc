/* flags.h - bits of flag columns (II.23.1), for those who look at them. */
#ifndef ECMA335_METADATA_FLAGS_H
#define ECMA335_METADATA_FLAGS_H

/* Assembly.Flags (II.23.1.2) */
enum {
    MD_ASSEMBLY_ARCHITECTURE_MASK = 0x0070,
    MD_ASSEMBLY_NO_PLATFORM = 0x0070, /* of a reference assembly */
};

/* Field.Flags (II.23.1.5) */
enum {
    MD_FIELD_ASSEMBLY = 0x0003,
    MD_FIELD_STATIC = 0x0010,
    MD_FIELD_INIT_ONLY = 0x0020,
};

/* GenericParam.Flags (II.23.1.7) */
enum {
    MD_GENERIC_PARAM_SPECIAL_CONSTRAINTS = 0x001C,
    MD_GENERIC_PARAM_ALLOW_BY_REF_LIKE = 0x0020, /* not in the standard: C#'s "allows ref struct" */
};

/* MethodDef.Flags (II.23.1.10) */
enum {
    MD_METHOD_ACCESS_MASK = 0x0007,
    MD_METHOD_PRIVATE = 0x0001,
    MD_METHOD_ASSEMBLY = 0x0003,
    MD_METHOD_PUBLIC = 0x0006,
    MD_METHOD_STATIC = 0x0010,
    MD_METHOD_FINAL = 0x0020,
    MD_METHOD_VIRTUAL = 0x0040,
    MD_METHOD_HIDE_BY_SIG = 0x0080,
    MD_METHOD_NEW_SLOT = 0x0100,
    MD_METHOD_ABSTRACT = 0x0400,
    MD_METHOD_SPECIAL_NAME = 0x0800,
    MD_METHOD_RT_SPECIAL_NAME = 0x1000,
    MD_METHOD_PINVOKE_IMPL = 0x2000,
};

/* MethodDef.ImplFlags (II.23.1.11) */
enum {
    MD_IMPL_CODE_TYPE_MASK = 0x0003,
    MD_IMPL_RUNTIME = 0x0003, /* of the code types */
    MD_IMPL_UNMANAGED = 0x0004,
    MD_IMPL_NO_INLINING = 0x0008,
    MD_IMPL_SYNCHRONIZED = 0x0020,
    MD_IMPL_NO_OPTIMIZATION = 0x0040,
    MD_IMPL_AGGRESSIVE_INLINING = 0x0100,     /* not in the standard */
    MD_IMPL_AGGRESSIVE_OPTIMIZATION = 0x0200, /* the same */
    MD_IMPL_INTERNAL_CALL = 0x1000,
    MD_IMPL_ASYNC = 0x2000, /* not in the standard: a method that the runtime suspends */
};

/* Param.Flags (II.23.1.13) */
enum {
    MD_PARAM_IN = 0x0001,
    MD_PARAM_OUT = 0x0002,
};

/* TypeDef.Flags (II.23.1.15) */
enum {
    MD_TYPE_INTERFACE = 0x00000020,
    MD_TYPE_ABSTRACT = 0x00000080,
    MD_TYPE_SEALED = 0x00000100,
    MD_TYPE_BEFORE_FIELD_INIT = 0x00100000,
};

#endif
