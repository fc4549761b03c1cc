/* root.h - the square root of a whole number, rounded down. */
#ifndef ILINJECT_UTIL_ROOT_H
#define ILINJECT_UTIL_ROOT_H

#include <stdint.h>

/* By Newton's steps, from a power of two that is no less than the root: they fall until they have it. */
static inline uint64_t root_of(unsigned __int128 square) {
    const uint64_t high = (uint64_t)(square >> 64), low = (uint64_t)square;
    if (square == 0)
        return 0;
    const int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
    uint64_t root = bits > 126 ? UINT64_MAX : (uint64_t)1 << (bits + 1) / 2;
    for (;;) {
        const unsigned __int128 next = high ? (root + square / root) / 2 : (root + low / root) / 2;
        if (next >= root)
            return root;
        root = (uint64_t)next;
    }
}

#endif
