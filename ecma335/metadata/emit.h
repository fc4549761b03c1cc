/* emit.h - a view and its additions as one run of bytes. Sizes first (md_emit_plan), then the bytes (md_emit_write):
 * the plan depends only on how much was added, not on RVAs or the MVID, so that a layout can be made between the two.
 *
 * Streams keep their order and names, heaps their old bytes, tables their rows; a column changes its width when a count
 * or heap passes the limit of 2 bytes. */
#ifndef ECMA335_METADATA_EMIT_H
#define ECMA335_METADATA_EMIT_H

#include "base/diag.h"
#include "base/runs.h"
#include "metadata/edit.h"

typedef struct md_plan {
    uint32_t size; /* of the whole metadata, bytes */
    uint8_t heap_sizes;
    uint64_t valid;
    uint32_t row_counts[MD_TABLE_SPACE]; /* old and new */
    uint8_t column_width[MD_COLUMN_COUNT];
    uint32_t row_bytes[MD_TABLE_SPACE];
    uint32_t table_stream_bytes;
} md_plan;

/* Returns ECMA_OK, ECMA_UNSUPPORTED (a limit is passed; reported), ECMA_NO_MEMORY. */
ecma_status md_emit_plan(md_plan *plan, const md_edit *edit, diag *d);

/* Old metadata that stays as it was in long runs: rows, and what heaps held before; by offset. */
enum { MD_BORROWED_MOST = MD_TABLE_SPACE + 8, MD_BORROWED_BYTES = 1 << 13 };
typedef struct md_borrowed {
    borrowed_run runs[MD_BORROWED_MOST];
    uint32_t count;
} md_borrowed;

/* Writes plan->size bytes. With `borrowed` it does not write such runs and lists them in it instead; the old metadata
 * has to last as long as that list. */
void md_emit_write(const md_plan *plan, const md_edit *edit, uint8_t *out, md_borrowed *borrowed);

#endif
