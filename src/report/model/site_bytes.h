/* site_bytes.h - how many bytes the objects of a type have at most.
 *
 * Places count objects, and methods count bytes, which are those of all their places and of what they call that is not
 * recorded. A type's objects have at most the bytes of the methods with such a place. That is worth a word where it is
 * the only type in each of these, or the only one of arrays and strings: objects of other types are small.
 *
 * All zero, site_bytes_make, use, site_bytes_clear. */
#ifndef ILINJECT_REPORT_MODEL_SITE_BYTES_H
#define ILINJECT_REPORT_MODEL_SITE_BYTES_H

#include "report/model/aggregate.h"

#define SITE_BYTES_UNKNOWN UINT64_MAX

typedef struct site_bytes {
    uint64_t *methods; /* by function: what its own code has allocated; of those that have places */
    uint64_t *types;   /* by type: the most that its objects have */
} site_bytes;

/* Where some run has not counted both, nothing is there. False when memory ran out. */
bool site_bytes_make(site_bytes *b, const aggregate *a);

void site_bytes_clear(site_bytes *b);

/* SITE_BYTES_UNKNOWN where nothing is there, and where calls of the method were taken back. */
static inline uint64_t site_bytes_of_method(const site_bytes *b, const report_site *site) {
    return b->methods && site->function != FUNCTION_ROOT ? b->methods[site->function] : SITE_BYTES_UNKNOWN;
}
static inline uint64_t site_bytes_of_type(const site_bytes *b, uint32_t type) {
    return b->types ? b->types[type] : SITE_BYTES_UNKNOWN;
}

#endif
