/* fuzz_unit.h - what the plain drivers of the fuzz targets share. */
#ifndef ILINJECT_FUZZ_UNIT_H
#define ILINJECT_FUZZ_UNIT_H

#include "base/buffer.h"
#include "platform/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

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

/* Runs the target over a copy that ends where the data does, so that a sanitizer sees each overrun. */
static inline void fuzz_run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (size > 0)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* The treatment of a sample: it is cut, and changed again and again. */
typedef struct fuzz_plan {
    uint32_t seed;
    unsigned rounds;
    size_t step;          /* between two cuts */
    size_t from;          /* offset of what is changed */
    size_t seldom_from;   /* the same in every fourth round */
    const uint8_t *edges; /* the values that most changes are to */
    size_t edge_count;
} fuzz_plan;

/* Makes sample `n` of a target, in an empty buffer. */
typedef void fuzz_make_fn(buffer *sample, unsigned n);

static inline void fuzz_replay(fuzz_make_fn *make, unsigned first, unsigned end, const fuzz_plan *plan) {
    uint32_t random = plan->seed;
    const char *most = getenv("FUZZ_ROUNDS"); /* for programs that are slow */
    unsigned rounds = most && (unsigned)atoi(most) < plan->rounds ? (unsigned)atoi(most) : plan->rounds;
    printf("seed %u, %u rounds for each of %u samples\n", random, rounds, end - first);
    for (unsigned n = first; n < end; n++) {
        buffer sample = BUFFER_INIT, changed = BUFFER_INIT;
        make(&sample, n);
        for (size_t size = 0; size < sample.size; size += plan->step)
            fuzz_run(sample.data, size);
        fuzz_run(sample.data, sample.size);
        buffer_append(&changed, sample.data, sample.size);
        for (unsigned round = 0; round < rounds; round++) {
            memcpy(changed.data, sample.data, sample.size);
            fuzz_change(changed.data, sample.size, round % 4 ? plan->from : plan->seldom_from, 3, plan->edges,
                        plan->edge_count, &random);
            fuzz_run(changed.data, sample.size);
        }
        buffer_clear(&changed);
        buffer_clear(&sample);
    }
}

/* Runs the target over what its mutator makes of a sample, one change upon another. */
static inline void fuzz_mutate(fuzz_make_fn *make, unsigned first, unsigned end, unsigned rounds) {
    enum { CHAIN = 8, ROOM = 4096 };
    const char *most = getenv("FUZZ_ROUNDS");
    rounds = most && (unsigned)atoi(most) < rounds ? (unsigned)atoi(most) : rounds;
    for (unsigned n = first; n < end; n++) {
        buffer sample = BUFFER_INIT;
        make(&sample, n);
        uint8_t *changed = malloc(sample.size + ROOM);
        size_t size = 0;
        for (unsigned round = 0; changed && round < rounds; round++) {
            if (round % CHAIN == 0)
                memcpy(changed, sample.data, size = sample.size);
            size = LLVMFuzzerCustomMutator(changed, size, sample.size + ROOM, n * rounds + round);
            fuzz_run(changed, size);
        }
        free(changed);
        buffer_clear(&sample);
    }
}

/* Writes what a fuzzer starts from to FOLDER/sample-N. */
static inline bool fuzz_write_seed(const char *folder, unsigned n, fuzz_make_fn *make) {
    char path[4096];
    buffer sample = BUFFER_INIT;
    make(&sample, n);
    snprintf(path, sizeof path, "%s/sample-%u", folder, n);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(sample.data, 1, sample.size, file) == sample.size;
    if (file && fclose(file) != 0)
        written = false;
    buffer_clear(&sample);
    return written;
}

/* The arguments of a driver: `seeds FOLDER` writes its samples, other ones are files that the target is run over.
 * Returns the exit value; without arguments -1: the tests are wanted. */
static inline int fuzz_arguments(int count, char **arguments, fuzz_make_fn *make, unsigned samples) {
    if (count == 3 && strcmp(arguments[1], "seeds") == 0) {
        for (unsigned n = 0; n < samples; n++)
            if (!fuzz_write_seed(arguments[2], n, make))
                return 1;
        return 0;
    }
    for (int i = 1; i < count; i++) {
        os_map map = OS_MAP_INIT;
        diag d = {.file = arguments[i]};
        if (os_map_file(&map, &d, arguments[i]) != ECMA_OK)
            return 1;
        puts(arguments[i]); /* which one it was, if this is the last that is heard */
        fflush(stdout);
        fuzz_run(map.content.data, map.content.size);
        os_unmap(&map);
    }
    return count > 1 ? 0 : -1;
}

#endif
