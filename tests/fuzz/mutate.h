/* mutate.h - what the mutators that know a format share. A mutator changes `size` bytes where the format's structure is
 * and returns how many there are then, `most` at most. Random numbers come from `random`, so that a number makes a case
 * again. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

typedef size_t mutator(uint8_t *data, size_t size, size_t most, uint64_t *random);

/* libFuzzer's own mutations; not there in programs that drive a target plainly. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static inline uint32_t mutate_below(uint64_t *random, uint32_t end) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return end ? (uint32_t)(*random >> 16) % end : 0;
}

/* A value that is near, at an edge, or any. */
static inline uint32_t mutate_value(uint64_t *random, uint32_t old) {
    static const uint32_t edges[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0xFFFFFFFF};
    switch (mutate_below(random, 4)) {
    case 0:
        return old + 1 + mutate_below(random, 4);
    case 1:
        return old - 1 - mutate_below(random, 4);
    case 2:
        return edges[mutate_below(random, sizeof edges / sizeof edges[0])];
    default:
        return old ^ 1u << mutate_below(random, 32);
    }
}

/* A little-endian field of 1, 2 or 4 bytes. */
static inline void mutate_field(uint8_t *data, size_t size, size_t at, unsigned width, uint64_t *random) {
    if (at > size || size - at < width)
        return;
    if (width == 1)
        data[at] = (uint8_t)mutate_value(random, data[at]);
    else if (width == 2)
        store_u16(data + at, (uint16_t)mutate_value(random, load_u16(data + at)));
    else
        store_u32(data + at, mutate_value(random, load_u32(data + at)));
}

/* Puts `count` bytes in place of `old` ones; returns the new size, or the old one when there is no room. */
static inline size_t mutate_splice(uint8_t *data, size_t size, size_t most, size_t at, size_t old, const uint8_t *with,
                                   size_t count) {
    if (at > size || old > size - at || size - old > most || count > most - (size - old))
        return size;
    memmove(data + at + count, data + at + old, size - at - old);
    memcpy(data + at, with, count);
    return size - old + count;
}

/* Libfuzzer's mutations, or this format's: half of the inputs each, where libFuzzer is. */
static inline size_t mutate_either(mutator *mutate, uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t random = (seed + (uint64_t)1) * 0x9E3779B97F4A7C15u;
    for (unsigned i = 0; i < 4; i++)
        mutate_below(&random, 2);
    if (LLVMFuzzerMutate && mutate_below(&random, 2))
        return LLVMFuzzerMutate(data, size, most);
    for (uint32_t i = 1 + mutate_below(&random, 3); i > 0; i--)
        size = mutate(data, size, most, &random);
    return size;
}

#endif
