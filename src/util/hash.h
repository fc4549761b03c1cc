/* hash.h - FNV-1a of 64 bits (draft-eastlake-fnv): of names, for maps and for ids that are the same on each host. */
#ifndef ILINJECT_UTIL_HASH_H
#define ILINJECT_UTIL_HASH_H

#include "base/bytes.h"

#define HASH_START 0xCBF29CE484222325u

static inline uint64_t hash_byte(uint64_t hash, uint8_t byte) {
    return (hash ^ byte) * 0x100000001B3u;
}

static inline uint64_t hash_bytes(uint64_t hash, bytes text) {
    for (size_t i = 0; i < text.size; i++)
        hash = hash_byte(hash, text.data[i]);
    return hash;
}

#endif
