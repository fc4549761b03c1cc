/* writer.h - the bytes of a planned layout, and every place in a PE image that holds an RVA, a file offset or an
 * address carried along: headers, CLI header, import tables, debug directory, base relocations, native resources, the
 * entry stub. */
#ifndef ECMA335_PE_WRITER_H
#define ECMA335_PE_WRITER_H

#include "base/runs.h"
#include "pe/layout.h"

/* The new values of the CLI header; zero: as the map has it. */
typedef struct pe_changes {
    pe_directory metadata;  /* new RVA and size */
    pe_directory resources; /* new RVA and size, or {0, 0} */
} pe_changes;

/* Checks that the compact layout can be used, or the append layout where pe_needs_append. Refuses precompiled images
 * and directories that cannot be moved. Returns ECMA_OK, ECMA_UNSUPPORTED. */
ecma_status pe_check_movable(const pe_image *image, diag *d);

/* Appends the RVAs that the headers and directories refer to, at most PE_ANCHOR_MAX of them; returns how many. */
enum { PE_ANCHOR_MAX = 64, PE_ANCHOR_DEBUG_ENTRIES = 8 };
size_t pe_header_anchors(const pe_image *image, uint32_t anchors[PE_ANCHOR_MAX]);

/* Writes layout->file_size bytes: gaps and replacements that have data, headers and directories as they become. The
 * caller writes the replacements without data, before or after. With layout->copied, all zero before the call, it does
 * not write unchanged gaps, movable parts and the padding around them: pe_layout_runs lists these. Returns ECMA_OK,
 * ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status pe_layout_write(const pe_layout *layout, const pe_changes *changes, uint8_t *out, diag *d);

/* The bytes of a layout that was written to `out`, from first to last. Replacements without data, the `borrowed` ones,
 * lie elsewhere, ascending in offset. Returns what the first call of `take` did that was not ECMA_OK. */
ecma_status pe_layout_runs(const pe_layout *layout, const uint8_t *out, const borrowed_run *borrowed,
                           size_t borrowed_count, runs_take_fn *take, void *user);

/* The PE checksum of a whole file, its own field counted as 0. */
uint32_t pe_checksum(const uint8_t *file, size_t size, size_t checksum_offset);

/* The same of a file that comes in parts, all of them but the last with an even number of bytes. It starts as {0}. */
typedef struct pe_sum {
    uint64_t sum;
    size_t size;
} pe_sum;

void pe_sum_add(pe_sum *s, const uint8_t *part, size_t size);

/* `field`: what stood there when the sum was made. */
uint32_t pe_sum_checksum(const pe_sum *s, uint32_t field, size_t checksum_offset);

#endif
