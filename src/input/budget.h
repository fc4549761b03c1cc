/* budget.h - upper bounds for what an input may grow to. Metadata names bytes by where they stand, so any number of
 * rows can name the same ones: a megabyte of methods that share one body, or one name, would give gigabytes. No
 * compiler's output comes near the bounds: mscorlib's grows by a third with all that can be added, its dump is 8 times
 * as large. */
#ifndef ILINJECT_INPUT_BUDGET_H
#define ILINJECT_INPUT_BUDGET_H

#include "base/buffer.h"
#include "base/diag.h"

#define BUDGET_BASE ((uint64_t)64 << 20)

enum {
    BUDGET_ADDED = 16,   /* bytes that are added or read again, for each of the input's, beside the base */
    BUDGET_SHOWN = 64,   /* bytes of a dump or list, the same */
    BUDGET_NAME = 4096,  /* bytes of one name, where it is shown or added: no runtime loads longer ones */
};

static inline uint64_t budget_added(size_t input) {
    return BUDGET_BASE + BUDGET_ADDED * (uint64_t)input;
}

static inline uint64_t budget_shown(size_t input) {
    return BUDGET_BASE + BUDGET_SHOWN * (uint64_t)input;
}

/* Reports why a buffer with `most` has failed: ECMA_UNSUPPORTED when it would have grown past that, else
 * ECMA_NO_MEMORY. */
ecma_status budget_failed(const buffer *b, diag *d);

/* As much of a name as may be shown, cut before a UTF-8 sequence. */
static inline size_t budget_name(const char *name, size_t size) {
    if (size <= BUDGET_NAME)
        return size;
    size = BUDGET_NAME;
    for (int back = 0; back < 3 && ((unsigned char)name[size] & 0xC0) == 0x80; back++)
        size--;
    return size;
}

#endif
