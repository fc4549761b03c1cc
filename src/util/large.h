/* large.h - arrays of many MiB, which large pages make faster to walk and to fill. */
#ifndef ILINJECT_UTIL_LARGE_H
#define ILINJECT_UTIL_LARGE_H

#include <stdlib.h>

#include "platform/os.h"

enum { LARGE_BYTES = 2 << 20 /* below that no large page fits */ };

/* Of memory that was just allocated, or NULL; returns it. */
static inline void *large(void *memory, size_t bytes) {
    if (memory && bytes >= LARGE_BYTES)
        os_use_much(memory, bytes);
    return memory;
}

/* malloc and calloc. */
static inline void *large_alloc(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : large(malloc(bytes), bytes);
}
static inline void *large_zero(size_t count, size_t size) {
    return large(calloc(count, size), count * size); /* no memory: the product may have wrapped around */
}

#endif
