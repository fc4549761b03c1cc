/* holder.h - the type that an output has and its input has not: the last row of TypeDef, with the methods that injected
 * code calls in its own module (docs/profile-format.md, section 1).
 *
 * Life cycle: all zero, holder_begin, then methods, holder_clear. Its methods are the last rows of MethodDef, in the
 * order in which they are added; nobody else may add rows to TypeDef, Field or MethodDef behind holder_begin. Memory
 * that runs out is remembered: holder_failed, or the edit. */
#ifndef ILINJECT_HOLDER_H
#define ILINJECT_HOLDER_H

#include "metadata/edit.h"

typedef struct holder {
    md_token type;         /* 0: there is none */
    md_token base;         /* its field for the first of the module's ids; 0: the module does not register */
    uint32_t first_method; /* row */
    buffer code;           /* bodies */
    buffer methods;        /* where they are in it: holder_method */
    buffer initializer;    /* the first method's body, which grows; only with a base */
} holder;

typedef struct holder_method {
    size_t at;
    uint32_t size;
    bool is_fat; /* on a boundary of four bytes */
} holder_method;

void holder_clear(holder *h);

/* Adds the type, of this name (in #Strings) and base type. `registering`: the tracker's Register, by which its type
 * initializer gets the base; it takes `type` itself as a handle and the number of methods that have an id. 0: the type
 * has no initializer. */
void holder_begin(holder *h, md_edit *edit, uint32_t name, md_token object, md_token registering,
                  uint32_t method_count);

/* Puts code between what the type initializer does and its return. */
void holder_initialize(holder *h, bytes code);

/* Adds a static int32 field. */
md_token holder_add_field(md_edit *edit, const char *name);

/* Adds a static method of code without locals and clauses that needs a stack of at most 8. */
md_token holder_add_method(holder *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                           bytes code);

/* Likewise one with a whole body behind a fat header. */
md_token holder_add_fat_method(holder *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                               bytes body);

uint32_t holder_method_count(const holder *h);

bool holder_failed(const holder *h);

/* The body of the method at this position. */
bytes holder_body(const holder *h, uint32_t index, bool *is_fat);

#endif
