/* All of this unit is for processors that have AVX2. */
#include "output/wide_hash.h"

#if HAS_WIDE_HASH
#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX2
#endif
#include <xxhash.h>

uint64_t wide_hash_64(const void *data, size_t size, uint64_t seed) {
    return XXH3_64bits_withSeed(data, size, seed);
}

void wide_hash_128(uint64_t hash[2], const void *data, size_t size, uint64_t seed) {
    XXH128_hash_t found = XXH3_128bits_withSeed(data, size, seed);
    hash[0] = found.low64;
    hash[1] = found.high64;
}
