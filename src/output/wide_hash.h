/* wide_hash.h - XXH3 of much data in vectors of 32 bytes, where the processor has them. The library that is linked has
 * those of 16, which each processor of x64 has. */
#ifndef ILINJECT_OUTPUT_WIDE_HASH_H
#define ILINJECT_OUTPUT_WIDE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does it pay for `size` bytes? Then the others do what XXH3_64bits_withSeed and XXH3_128bits_withSeed do (low half
 * first); if not, they may not be called. */
#if defined __x86_64__ && !defined __clang__ && !defined _WIN32
#define HAS_WIDE_HASH 1
static inline bool wide_hash_pays(size_t size) {
    enum { FEW_BYTES = 4096 };
    return size > FEW_BYTES && __builtin_cpu_supports("avx2");
}
#else
#define HAS_WIDE_HASH 0
static inline bool wide_hash_pays(size_t size) {
    (void)size;
    return false;
}
#endif

uint64_t wide_hash_64(const void *data, size_t size, uint64_t seed);
void wide_hash_128(uint64_t hash[2], const void *data, size_t size, uint64_t seed);

#endif
