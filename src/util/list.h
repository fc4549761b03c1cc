/* list.h - arrays that grow. */
#ifndef ILINJECT_UTIL_LIST_H
#define ILINJECT_UTIL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for one more element; false when memory or positions ran out. */
static inline bool list_grow(void **elements, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity == 0 ? 64 : *capacity > UINT32_MAX / 2 ? UINT32_MAX - 2 : *capacity * 2;
    size_t total;
    if (wanted <= count || __builtin_mul_overflow((size_t)wanted, size, &total))
        return false;
    void *moved = realloc(*elements, total);
    if (!moved)
        return false;
    *elements = moved;
    *capacity = wanted;
    return true;
}

/* Makes room for `count` elements in one step, and for at least twice the old capacity. false: memory ran out. */
static inline bool list_reserve(void **elements, uint32_t count, uint32_t *capacity, size_t size) {
    if (count <= *capacity)
        return true;
    uint32_t wanted = count / 2 < *capacity && *capacity <= UINT32_MAX / 2 ? *capacity * 2 : count;
    size_t total;
    void *moved = __builtin_mul_overflow((size_t)wanted, size, &total) ? NULL : realloc(*elements, total);
    if (!moved)
        return false;
    *elements = moved;
    *capacity = wanted;
    return true;
}

/* For qsort. */
static inline int list_compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

#endif
