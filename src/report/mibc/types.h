/* types.h - types by assembly, namespace and name, whichever module names them, and signatures with their numbers: a
 * type's number is the row, less 1, of a TypeRef in them. */
#ifndef ILINJECT_REPORT_MIBC_TYPES_H
#define ILINJECT_REPORT_MIBC_TYPES_H

#include "base/buffer.h"
#include "metadata/signature.h"
#include "report/mibc/keep.h"

enum { TYPES_MOST = 0xFFFFF0, TYPES_NESTING = 64 };

typedef struct type_names {
    keep_table assemblies; /* simple names */
    keep_table types;      /* scope, namespace, 0, name: type_names_parts */
} type_names;

#define TYPE_NAMES_INIT ((type_names){KEEP_INIT, KEEP_INIT})

/* The number of the type, MAP_NONE when memory ran out. `scope`: an assembly's number, or TYPE_NESTED and that of the
 * enclosing type. */
#define TYPE_NESTED 0x80000000u
uint32_t type_names_id(type_names *t, uint32_t scope, const char *space, const char *name);

typedef struct type_parts {
    uint32_t scope;
    const char *space, *name;
} type_parts;
type_parts type_names_parts(const type_names *t, uint32_t id);

/* The assembly's number that a type is of. */
uint32_t type_names_assembly(const type_names *t, uint32_t id);

bool type_names_failed(const type_names *t);
void type_names_clear(type_names *t);

/* Copies signatures with other tokens, and with arguments in place of type parameters. */
typedef struct signature_copy {
    md_token (*named)(void *user, md_token type); /* what stands for a TypeDef, TypeRef or TypeSpec; 0: nothing does */
    void *user;
    bool closes; /* VAR and MVAR give way to the arguments below, types one after another */
    bytes type_args, method_args;
    uint32_t canon; /* the type number of System.__Canon, which stands for each reference type as an argument */
} signature_copy;

/* Copies the Type, RetType or Param at which `r` stands, with its modifiers. false: it does not follow the grammar, or
 * names what has no name here; `to` then holds part of it. */
bool signature_copy_type(const signature_copy *c, reader *r, buffer *to);

/* A whole method signature (II.23.2.1, II.23.2.2). */
bool signature_copy_method(const signature_copy *c, bytes signature, buffer *to);

/* A type as the argument of an instantiation that code is compiled for: any reference type is System.__Canon, also
 * within the arguments of value types. false: also for what cannot be an argument. */
bool signature_copy_argument(const signature_copy *c, reader *r, buffer *to);

/* Appends CLASS System.__Canon. */
void signature_put_canon(const signature_copy *c, buffer *to);

#endif
