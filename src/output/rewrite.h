/* rewrite.h - from new bodies and added rows to the bytes of the output: layout, metadata, carried directories, and the
 * check that reads it all back. */
#ifndef ILINJECT_OUTPUT_REWRITE_H
#define ILINJECT_OUTPUT_REWRITE_H

#include "base/buffer.h"
#include "metadata/emit.h"
#include "pe/layout.h"
#include "select/native_code.h"
#include "tracker/references.h"

/* A change to an entry of the debug directory: new data, where the old lies in nothing else that changes; or another
 * type, for which data.data is NULL: the data stay. */
typedef struct debug_change {
    uint32_t entry_rva; /* of the entry */
    uint32_t data_rva, old_size;
    bytes data;
    bool set_stamp, set_type;
    uint32_t stamp, type;
} debug_change;

typedef struct rewrite_input {
    ilj_image *image;
    bodies *bodies;   /* settled; instrumented ones have their new bytes in new_bodies */
    bytes new_bodies; /* fat ones at multiples of 4 */
    md_edit *edit;    /* everything added; set_mvid as wanted */
    const references *refs;
    /* The names resource after its length (II.24.2.4), as it stands among the managed resources; empty: there is none.
     */
    bytes names;
    const debug_change *debug;
    uint32_t debug_count;
    const native_code
        *native; /* what stays of the code that was compiled ahead; NULL: there is none, or it all stays */
} rewrite_input;

/* An output: what was made again for it, and where the rest lies: new bodies, and what of the input's metadata stays as
 * it was. Written from there, most of a file is copied once, into the file. Clear `out`; the rest is in the image's
 * arena.
 */
typedef struct rewritten {
    buffer out; /* the file, but for the places of what lies elsewhere */
    bool whole; /* all is in `out` */
    pe_layout layout;
    md_borrowed metadata; /* at offsets in the file */
    bytes new_bodies;
} rewritten;

#define REWRITTEN_INIT ((rewritten){.out = BUFFER_INIT})

/* A settled plan, as a layout_watch sees it: the layout; what a replacement in it is ("body", "metadata" ...), with the
 * MethodDef row of a body of the input's, else 0; the input. */
typedef struct rewrite_plan rewrite_plan;
const pe_layout *rewrite_plan_layout(const rewrite_plan *plan);
const char *rewrite_plan_part(const rewrite_plan *plan, const pe_replacement *part, uint32_t *method_row);
const rewrite_input *rewrite_plan_input(const rewrite_plan *plan);

/* Makes the output, but for the PE checksum, as more may be changed. Until it is whole it borrows new_bodies and the
 * image. The caller clears `out`. Returns ECMA_OK, ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY, ECMA_BUG (it does
 * not read back as planned); all reported to the image's diag. */
ecma_status rewrite(rewritten *r, const rewrite_input *in);

/* The bytes of the file from first to last. Returns what the first call of `take` did that was not ECMA_OK. */
ecma_status rewritten_runs(const rewritten *r, runs_take_fn *take, void *user);

/* Puts all into `out`. The memory of the new bodies is given back meanwhile, as far as it goes. Returns ECMA_OK,
 * ECMA_NO_MEMORY (not reported). */
ecma_status rewritten_complete(rewritten *r);

#endif
