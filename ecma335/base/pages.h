/* pages.h - memory that is used from end to end. src/platform has the functions: systems differ. */
#ifndef ECMA335_BASE_PAGES_H
#define ECMA335_BASE_PAGES_H

#include "base/buffer.h"

#include <string.h>

/* Says of memory that all of it will be written soon: the system gives all its pages at once, where it can, which takes
 * a tenth of a fault for each. What the memory holds stays. */
void pages_use(void *data, size_t size);

/* The same of memory that will be read: of a file, too. */
void pages_read(const void *data, size_t size);

enum { PAGES_WORTH_ASKING = 1 << 16 /* bytes: below that the question takes as long as the faults */ };

/* malloc for what will be filled to the most part, without a gap: of some MiB it is in large pages, where the system
 * has them. NULL: no memory. */
void *pages_alloc(size_t size);

enum { PAGES_LARGE = 2 << 20 /* bytes of a large page */ };

/* Fresh memory that is all zero, in large pages as far as whole ones fit. NULL: no memory. */
void *pages_map(size_t size);
void pages_unmap(void *data, size_t size);

/* memcpy to memory that is fresh. */
static inline void pages_copy(void *to, const void *from, size_t size) {
    if (size >= PAGES_WORTH_ASKING)
        pages_use(to, size);
    memcpy(to, from, size);
}

/* buffer_reserve by pages_alloc, for a buffer that has none yet. */
static inline void buffer_reserve_pages(buffer *b, size_t size) {
    if (b->data)
        return;
    b->data = pages_alloc(size);
    b->capacity = b->data ? size : 0;
    b->failed = !b->data;
}

/* For a buffer that is filled to less than was reserved: asks for its next pages when those up to `ready`, 0 at first,
 * are nearly full. Returns up to where they are there now. */
static inline size_t pages_ahead(const buffer *b, size_t ready) {
    enum { STEP = 1 << 18, NEAR = 1 << 14 };
    if (b->size + NEAR <= ready || b->capacity < STEP)
        return ready;
    const size_t left = b->capacity - b->size, size = left < STEP ? left : STEP;
    pages_use(b->data + b->size, size);
    return b->size + size;
}

#endif
