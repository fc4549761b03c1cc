/* referrers.h - who refers to bytes inside a method body, and whether that stands in the way of
 * replacing it.
 *
 * In the compact layout a replaced body is gone, so whatever refers into it does. In the append layout
 * the old bytes stay, and field data does with them; there a header that names the first byte stands in
 * the way, as the map leads to the new body, and so does a byte that the loader changes: no copy has
 * it. */
#ifndef ILINJECT_SELECT_REFERRERS_H
#define ILINJECT_SELECT_REFERRERS_H

#include "input/data_extents.h"
#include "pe/patched.h"

typedef struct referrers {
    ilj_image *image;
    uint32_t *rvas; /* ascending: that stand in the way anywhere, or at the first byte, of a body */
    uint32_t count;
    bool first_byte;
    const data_extents *data;    /* that must not reach into a body; NULL: none */
    const data_extent *reaching; /* of those below the last question, the one that reaches farthest */
    pe_patches patches;
    uint32_t at, data_at, patch_at; /* where the last question ended */
    uint64_t free_until;            /* nothing stands in the way from the last question's RVA up to here */
} referrers;

enum { REFERRER_TEXT = 160 };

/* `anchors`, ascending, are what headers and fields refer to; bodies lie in [from, to). `data` starts as NULL, and may
 * be set afterwards. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status referrers_find(referrers *r, ilj_image *image, uint32_t *anchors, uint32_t count, uint32_t from,
                           uint32_t to);

/* True if something stands in the way of the body; then *offset and `text` say where, and what
 * refers to it. Call it with ascending RVAs. */
bool referrers_ask(referrers *r, uint32_t rva, uint32_t size, uint32_t *offset, char text[REFERRER_TEXT]);

/* Has referrers_ask to be called for the body, in its turn? */
static inline bool referrers_may(const referrers *r, uint32_t rva, uint32_t size) {
    return rva + (uint64_t)size > r->free_until;
}

#endif
