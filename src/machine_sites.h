/* machine_sites.h - what happens in the body of an async machine's MoveNext: which builder it works with, where that
 * lies, and which calls suspend and end the machine. */
#ifndef ILINJECT_MACHINE_SITES_H
#define ILINJECT_MACHINE_SITES_H

#include "base/buffer.h"
#include "il/stack.h"
#include "machines.h"

/* Kept from one body to the next; starts as zeros. */
typedef struct machine_scratch {
    il_stack stack;
    buffer sites;
} machine_scratch;

void machine_scratch_clear(machine_scratch *scratch);

/* Fills in builder, address, builder_type and sites of m. `started_on` is the type, TypeDef or TypeRef, whose method
 * starts the machine. A body that cannot be followed has no sites. The address borrows the body's bytes, the sites lie
 * in the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status machine_find_sites(machine *m, ilj_image *image, const il_body *body, md_token started_on,
                               machine_scratch *scratch);

/* The TypeDef or TypeRef that a TypeDef, TypeRef or TypeSpec token names, that of an instantiation too; 0 for any
 * other.
 */
md_token machine_type_definition(const md_view *view, md_token type);

/* Is it the type of this name? `type` is a TypeDef or TypeRef token. */
bool machine_type_is(const md_view *view, md_token type, const char *namespace, const char *name);

/* The member that a call names, seen through its instantiation: MethodDef or MemberRef, or 0. */
md_token machine_member(const md_view *view, md_token token);
const char *machine_member_name(const md_view *view, md_token member);

/* The type that a member is called on, as a MemberRef names it, or the TypeDef that has it; 0 when it is none. */
md_token machine_member_type(const ilj_image *image, md_token member);

#endif
