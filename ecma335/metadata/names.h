/* names.h - C#-like names of types and methods, from tables and signatures alone.
 *
 * Everything is appended to a buffer; nothing else is allocated. A name that cannot be read shows as `?`, a name that
 * is longer than a runtime takes (1,023 bytes) is cut, and so, with `…`, is what grows past 16 KiB: malformed input
 * gives an ugly name, never an endless one. Bytes of names are copied as they are, valid UTF-8 or not. */
#ifndef ECMA335_METADATA_NAMES_H
#define ECMA335_METADATA_NAMES_H

#include "base/buffer.h"
#include "metadata/index.h"
#include "metadata/signature.h"

enum {
    MD_NAME_NAMESPACE = 1, /* with namespaces: System.Collections.Generic.List<T> instead of List<T> */
    MD_NAME_ENCLOSING = 2, /* with enclosing types: Outer<T>.Inner */
    MD_NAME_FULL = 3,
};

/* A type's name with its generic parameters: `Namespace.Outer<T>.Inner<U>`. */
void md_append_type_name(buffer *b, const md_view *view, const md_index *index, uint32_t typedef_row, unsigned flags);

/* The type that a TypeDef, TypeRef or TypeSpec token names; `?` for any other. VAR and MVAR in a TypeSpec are named
 * through `type_row` and `method_row` (0: none), as `!0` and `!!0` where there is no such parameter. There are seven
 * parameters here and below, since none of them stays the same from one call to the next in all callers. */
void md_append_type_token(buffer *b, const md_view *view, const md_index *index, md_token token, uint32_t type_row,
                          uint32_t method_row, unsigned flags);

/* The type (with modifiers dropped) at which `r` stands: `int[,]`, `ref List<T>`, `delegate*<int, void>`, `int?`. `r`
 * moves past it; when it is malformed, r->failed. */
void md_append_type(buffer *b, const md_view *view, const md_index *index, reader *r, uint32_t type_row,
                    uint32_t method_row, unsigned flags);

/* The types of a method's parameters, with enclosing types but without namespaces: `int, string, List<T>, out byte`. */
void md_append_parameters(buffer *b, const md_view *view, const md_index *index, uint32_t method_row);

/* Names of types that stand in a buffer already, for those who write many signatures one after another into it and take
 * nothing out. Starts all zero. */
enum { MD_KNOWN_NAMES_BITS = 10 };
typedef struct md_known_names {
    struct {
        md_token token; /* 0: none */
        uint32_t at, size;
    } slots[1 << MD_KNOWN_NAMES_BITS];
} md_known_names;

/* md_append_parameters. Returns whether every method with the same signature has the same. */
bool md_append_parameters_known(buffer *b, const md_view *view, const md_index *index, uint32_t method_row,
                                md_known_names *known);

/* A method's name with generic parameters and parameter types: `Method<U>(int, string)`. */
void md_append_method_name(buffer *b, const md_view *view, const md_index *index, uint32_t method_row);

/* The same after its type's full name: `Namespace.Outer<T>.Method<U>(int, string)`, `Namespace.Type.ctor()`. */
void md_append_full_method_name(buffer *b, const md_view *view, const md_index *index, uint32_t method_row);

/* The parameter types of a method signature that belongs to no row here, a MemberRef's: VAR and MVAR show as `!0` and
 * `!!0`. */
void md_append_signature_parameters(buffer *b, const md_view *view, const md_index *index, bytes signature);

/* The name of a MethodDef, MemberRef, MethodSpec or Field token: `Type.Method<int>(string)`, `Type.field`; `?` for any
 * other. `type_row` and `method_row` (0: none) are where the token is used, for the arguments of instantiations.
 * (members.c) */
void md_append_member(buffer *b, const md_view *view, const md_index *index, md_token token, uint32_t type_row,
                      uint32_t method_row);

#endif
