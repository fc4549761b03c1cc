/* machine_sites.h - what happens in the body of an async machine's MoveNext: which builder it works with, where that
 * lies, and which calls suspend and end the machine. */
#ifndef ILINJECT_ASYNC_MACHINE_SITES_H
#define ILINJECT_ASYNC_MACHINE_SITES_H

#include "async/state_machine.h"
#include "base/buffer.h"
#include "il/stack.h"
#include "input/image.h"
#include "metadata/types.h"

/* Kept from one body to the next; starts as zeros. */
typedef struct machine_scratch {
    il_stack stack;
    buffer sites;
} machine_scratch;

void machine_scratch_clear(machine_scratch *scratch);

/* Fills in builder, address, builder_type and sites of m. `started_on` is the type, a TypeDef or TypeRef, with the
 * method that starts the machine. A body that cannot be followed has no sites. The address borrows the body's bytes,
 * the sites lie in the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status machine_find_sites(state_machine *m, ilj_image *image, const il_body *body, md_token started_on,
                               machine_scratch *scratch);

#endif
