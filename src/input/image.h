/* image.h - an opened assembly: its mapped bytes and the views over them, with the arena that all of it lives in. */
#ifndef ILINJECT_INPUT_IMAGE_H
#define ILINJECT_INPUT_IMAGE_H

#include "base/arena.h"
#include "input/context.h"
#include "metadata/index.h"
#include "metadata/view.h"
#include "pe/image.h"
#include "platform/os.h"

struct ilj_image {
    ilj_context *context; /* borrowed */
    const char *path;     /* as the caller named it; in the arena */
    os_map map;           /* empty for an image that was opened from memory */
    arena arena;          /* of all that is derived from the bytes */
    diag diag;            /* of this file; reports to the context's sink */
    bool bare;            /* metadata without a PE image around it: a portable PDB; pe is then empty */
    pe_image pe;
    md_view metadata;
    md_index index;
    struct effects *effects; /* what calls do to the stack; NULL until requested (call_effects.h) */
};

/* ilj_image_open over bytes that the caller keeps alive until ilj_image_free. `name` is what diagnostics call it.
 * Returns ILJ_OK, ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_NO_MEMORY. */
ilj_status image_open_bytes(ilj_image **image, ilj_context *context, const char *name, bytes file);

/* Puts other bytes, which live as long and have the same tables but for RVAs, in place of those of an opened assembly,
 * and opens the views over them; those that were read from a file are freed. Returns ECMA_OK, ECMA_BAD_FILE,
 * ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status image_reopen(ilj_image *image, bytes file);

/* Lets the managed resources reach to the end of the last one where the CLI header says less: runtimes that go by the
 * resources' own sizes read them whole, so they may not be parted. */
void image_measure_resources(ilj_image *image);

/* Refuses bare metadata, which has no methods of its own. Returns ECMA_OK, ECMA_BAD_FILE. */
ecma_status image_check_assembly(ilj_image *image);

#endif
