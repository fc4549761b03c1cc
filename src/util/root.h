/* root.h - the square root of a whole number, rounded down. */
#ifndef ILINJECT_UTIL_ROOT_H
#define ILINJECT_UTIL_ROOT_H

#include <stdint.h>

static inline uint64_t root_of(unsigned __int128 square) {
    uint64_t low = 0, high = UINT64_MAX; /* low * low <= square */
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if ((unsigned __int128)middle * middle <= square)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

#endif
