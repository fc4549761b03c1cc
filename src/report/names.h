/* names.h - the names of an instrumented module's methods (docs/profile-format.md, section 2).
 *
 * names_read inflates and checks the whole resource once; afterwards every offset kept here is good. All belongs to the
 * arena that was passed. The strings are claimed to be UTF-8, nobody has checked. */
#ifndef ILINJECT_REPORT_NAMES_H
#define ILINJECT_REPORT_NAMES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/status.h"

enum {
    NAMES_MAX_INFLATED = 256 * 1024 * 1024, /* a resource that claims more is refused unread */
    NAMES_MAX_NESTING = 64,                 /* types; outer ones beyond that are shown as an ellipsis */
    NAMES_MAX_NAME = 64 * 1024,             /* bytes of one method's full name */
};

/* Texts are kept as offsets in data, generic parameters' names one behind another. */
typedef struct names_type {
    uint32_t enclosing; /* 0: none, else 1 + index */
    uint32_t space, name;
    uint32_t generics, generic_count;
} names_type;

typedef struct names_method {
    uint32_t type; /* index */
    uint32_t row;  /* in MethodDef; ascending */
    uint32_t name, parameters;
    uint32_t generics, generic_count;
    uint32_t owner; /* 0: none, else 1 + index of the method that the user wrote, which has no owner itself */
    uint32_t flags; /* of NAMES_ASYNC, NAMES_ITERATOR, NAMES_SCOPE */
} names_method;

/* Flags of a state machine's MoveNext; of what is no method, but a scope that the user measures. */
enum { NAMES_ASYNC = 16, NAMES_ITERATOR = 32, NAMES_SCOPE = 64 };

typedef struct names {
    uint8_t mvid[16]; /* of the input module */
    bytes data;
    bytes module, assembly;
    names_type *types;
    names_method *methods;
    uint32_t type_count, method_count;
} names;

/* Returns ECMA_OK, ECMA_BAD_FILE (*fault says in a few words, statically, what is wrong) or ECMA_NO_MEMORY. */
ecma_status names_read(names *out, const char **fault, arena *a, bytes resource);

/* Where the parts of a full name end: type, then a separator (none before a constructor, whose name is `.ctor` or
 * `.cctor`), then the method from `method` on, whose parameters start with the parenthesis at `parameters`. */
typedef struct names_parts {
    uint32_t type_bytes, method, parameters;
} names_parts;

/* Makes the full name of a method the content of `b`: C#-like, `Namespace.Outer.Inner<T>.Method<U>(int, string)`,
 * constructors as `Type.ctor(int)` and `Type.cctor()`; with `raw` as in the metadata,
 * `Namespace.Outer/Inner`1::.ctor(int)`. A scope's is its text in
 * quotes, all of it the method's part. A name over NAMES_MAX_NAME bytes is cut. */
void names_of_method(buffer *b, names_parts *parts, const names *n, uint32_t method, bool raw);

#endif
