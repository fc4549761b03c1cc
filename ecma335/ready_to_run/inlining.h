/* inlining.h - who inlined whom: the maps InliningInfo2 and CrossModuleInlineInfo. */
#ifndef ECMA335_READY_TO_RUN_INLINING_H
#define ECMA335_READY_TO_RUN_INLINING_H

#include "ready_to_run/image.h"

/* True if there is a map at all: without one, it is not known. */
bool r2r_has_inlining(const r2r_image *r);

/* A walk over both maps. */
typedef struct r2r_inlining {
    const r2r_image *image;
    unsigned map; /* which of the two */
    nf_table table;
    nf_walk walk;
    uint64_t budget; /* how many numbers may still be read: entries that share bytes could be any number */
    bool failed;     /* it stopped at damage, not at the end */

    /* The inlinee, after r2r_inlining_next. */
    uint32_t row;
    uint32_t module;   /* its index; 0: this one */
    bool other_module; /* it, or a method that inlined it, is known by its body alone */

    nf_reader reader; /* at the next inliner, of how many numbers */
    uint32_t left;
} r2r_inlining;

void r2r_inlining_walk(r2r_inlining *w, const r2r_image *r);
/* The next inlinee; false after the last one. */
bool r2r_inlining_next(r2r_inlining *w);
/* The next method that inlined it, by row and module; false after the last one. `row` is the last one's before, and 0
 * before the first. */
bool r2r_inliner_next(r2r_inlining *w, uint32_t *row, uint32_t *module);

#endif
