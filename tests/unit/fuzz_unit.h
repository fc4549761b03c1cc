/* fuzz_unit.h - what the plain drivers of the fuzz targets share. */
#ifndef ILINJECT_FUZZ_UNIT_H
#define ILINJECT_FUZZ_UNIT_H

#include "base/bytes.h"

#include <stdio.h>

/* The next of a row of numbers that a seed gives; 24 bits. */
static inline uint32_t fuzz_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Changes `count` bytes from offset `from` on, to one of the edges or to anything. */
static inline void fuzz_change(uint8_t *data, size_t size, size_t from, int count, const uint8_t *edges,
                               size_t edge_count, uint32_t *random) {
    for (; count > 0; count--) {
        uint32_t value = fuzz_random(random);
        data[from + value % (size - from)] = value & 0x10000 ? edges[value / 7 % edge_count] : (uint8_t)(value >> 5);
    }
}

/* Writes what a fuzzer starts from to FOLDER/sample-N. */
static inline bool fuzz_write_seed(const char *folder, unsigned n, bytes seed) {
    char path[4096];
    snprintf(path, sizeof path, "%s/sample-%u", folder, n);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(seed.data, 1, seed.size, file) == seed.size;
    if (file && fclose(file) != 0)
        written = false;
    return written;
}

#endif
