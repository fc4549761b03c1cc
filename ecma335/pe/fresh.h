/* fresh.h - the fresh layout: a new IL-only image from the parts of an old one that are worth keeping.
 *
 * For images that hold precompiled code beside their IL (ReadyToRun): taking that code out in place gives an image that
 * no runtime loads. So headers and sections are made again, as compilers write them, and the kept parts move into one
 * section; the native sections, with everything that was not requested, are dropped. Kept parts keep their order and
 * their address modulo 16. The result is an image for the compact layout (layout.h). */
#ifndef ECMA335_PE_FRESH_H
#define ECMA335_PE_FRESH_H

#include "pe/layout.h"

/* Old bytes [rva, rva + size), all of them in the file part of a section. */
typedef struct pe_kept {
    uint32_t rva, size;
} pe_kept;

/* Plans. `kept` has what the tables name, method bodies and field data; what the headers name is added here: CLI
 * header, metadata, resources, strong name, debug directory and its data, native resources. The plan depends on nothing
 * but `image` and the set of kept bytes. Returns ECMA_OK, ECMA_UNSUPPORTED (reported), ECMA_NO_MEMORY. */
ecma_status pe_fresh_plan(pe_layout *layout, const pe_image *image, const pe_kept *kept, size_t count, arena *a,
                          diag *d);

/* Writes layout->file_size bytes; `out` is zero-filled. The RVAs that stand in the metadata are the caller's to change.
 * Returns ECMA_OK, ECMA_UNSUPPORTED (reported). */
ecma_status pe_fresh_write(const pe_layout *layout, uint8_t *out, diag *d);

#endif
