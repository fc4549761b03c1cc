/* helper_type.h - the helper type, which an output has and its input has not: the last row of TypeDef, with the methods
 * that injected code calls in its own module (docs/profile-format.md, section 1). The row before it may be that of a
 * type with nothing but an array of what is switched off.
 *
 * Life cycle: all zero, perhaps helper_switches, helper_begin, then methods, helper_clear. Its methods are the last
 * rows of MethodDef, in the order of their addition; no other code may add rows to TypeDef, Field or MethodDef after
 * helper_begin. Memory that runs out is remembered: helper_failed, or the edit. */
#ifndef ILINJECT_TRACKER_HELPER_TYPE_H
#define ILINJECT_TRACKER_HELPER_TYPE_H

#include "metadata/edit.h"

typedef struct helper_type {
    /* Set before helper_switches and helper_begin. */
    uint32_t namespace;    /* in #Strings */
    md_token generated;    /* the constructor of CompilerGeneratedAttribute, which the types get; 0: they do not */
    md_token type;         /* 0: there is none */
    md_token base;         /* its field for the first of the module's ids; 0: the module does not register */
    md_token off;          /* the field of the other type: a byte for each of the ids; 0: there is none */
    uint32_t first_method; /* row, the other type's among them */
    buffer code;           /* bodies */
    buffer methods;        /* where they are in it: helper_method */
    buffer initializer;    /* the first method's code, after room for a header; it grows; only with a base */
    bool fat_initializer;  /* its header takes all of that room */
    buffer switches;       /* the body of the other type's initializer; only with `off` */
} helper_type;

typedef struct helper_method {
    size_t at;
    uint32_t size;
    bool is_fat; /* on a boundary of four bytes */
} helper_method;

void helper_clear(helper_type *h);

/* Adds the other type before it. Its initializer makes an array of `count` bytes and does nothing else: .NET puts the
 * array of such an initializer where nothing is moved. `byte`: System.Byte. */
void helper_switches(helper_type *h, md_edit *edit, uint32_t name, md_token object, md_token byte, uint32_t count);

/* Adds the type, of this name (in #Strings) and base type. `registering`: the tracker's Register, which gives its type
 * initializer the base; it takes `type` itself as a handle and the number of methods that have an id. 0: the type has
 * no initializer. */
void helper_begin(helper_type *h, md_edit *edit, uint32_t name, md_token object, md_token registering,
                  uint32_t method_count);

/* Puts code between what the type initializer does and its return. */
void helper_initialize(helper_type *h, bytes code);

/* Adds a static int32 field. */
md_token helper_add_field(md_edit *edit, const char *name);

/* One that only the type initializer sets. */
md_token helper_add_read_only_field(md_edit *edit, const char *name);

/* Adds a static method of code without locals and clauses that needs a stack of at most 8. */
md_token helper_add_method(helper_type *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                           bytes code);

/* Adds a static method with a whole body after a fat header. */
md_token helper_add_fat_method(helper_type *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                               bytes body);

uint32_t helper_method_count(const helper_type *h);

bool helper_failed(const helper_type *h);

/* The body of the method at this position. */
bytes helper_body(const helper_type *h, uint32_t index, bool *is_fat);

#endif
