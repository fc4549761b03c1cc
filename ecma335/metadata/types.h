/* types.h - plain questions about types, members and methods: which type a token names, what it extends, what a method
 * returns. Nothing is allocated, and a token or row that does not exist is none of what is asked for. */
#ifndef ECMA335_METADATA_TYPES_H
#define ECMA335_METADATA_TYPES_H

#include "metadata/flags.h"
#include "metadata/index.h"

/* The TypeDef or TypeRef that a TypeDef, TypeRef or TypeSpec token names, that of an instantiation too; 0 for any
 * other. */
md_token md_type_definition(const md_view *view, md_token type);

/* True if it is the type of this name. `type` is a TypeDef or TypeRef token. */
bool md_type_is(const md_view *view, md_token type, const char *namespace, const char *name);

/* Returns the TypeDef row that owns a Field row. Field lists ascend: it is the last type with a list that starts at or
 * before the row. 0 if there is none, and in a module with FieldPtr, where only a search through all types could find
 * it. */
uint32_t md_field_type(const md_view *view, uint32_t field);

/* Does the type extend System.ValueType? */
bool md_is_value_type(const md_view *view, uint32_t typedef_row);

/* The member that a call names, seen through its instantiation: MethodDef or MemberRef, or 0. */
md_token md_member(const md_view *view, md_token token);
const char *md_member_name(const md_view *view, md_token member);

/* The type that a member is called on, as a MemberRef names it, or the TypeDef that has it; 0 when it is none. */
md_token md_member_type(const md_view *view, const md_index *index, md_token member);

/* The type of what the method's IL returns, as it stands in a local's signature; empty for none. A runtime-async
 * method's IL returns what its task unwraps to. false when it is none that a local can have (a typed reference) or the
 * signature is not understood. */
bool md_result_type(bytes signature, bool runtime_async, bytes *type);

/* True for a method that the runtime suspends: MethodImpl 0x2000, and it returns a task. (The core library has the
 * flag on those that suspend, too, which return other things.) */
bool md_is_runtime_async(const md_view *view, uint32_t method_row);

/* Whether the RVA, when there is one, is that of IL, of native code, or neither. Code type native, unmanaged code and
 * what a P/Invoke forwards to in its own image (II.23.1.10, II.23.1.11) are no IL, and what the runtime makes is
 * neither. */
static inline bool md_has_il(uint32_t flags, uint32_t impl_flags) {
    return !(flags & MD_METHOD_PINVOKE_IMPL) && !(impl_flags & (MD_IMPL_CODE_TYPE_MASK | MD_IMPL_UNMANAGED));
}

static inline bool md_has_native_code(uint32_t flags, uint32_t impl_flags) {
    return !md_has_il(flags, impl_flags) && (impl_flags & MD_IMPL_CODE_TYPE_MASK) != MD_IMPL_RUNTIME;
}

#endif
