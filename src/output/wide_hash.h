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
#include <cpuid.h>

enum { WIDE_HASH_FEW = 4096 }; /* bytes */

/* The compiler's own question would be asked at each start of the program. In a virtual machine it takes as long as
 * hashing 100 KiB: ask once. */
static inline bool wide_hash_pays(size_t size) {
    enum { EXTENDED_FEATURES = 7, SAVED_BY_SYSTEM = 6 };
    unsigned a, b, c, d;
    if (size <= WIDE_HASH_FEW || !__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & SAVED_BY_SYSTEM) == SAVED_BY_SYSTEM && __get_cpuid_count(EXTENDED_FEATURES, 0, &a, &b, &c, &d) &&
           (b & bit_AVX2);
}
#else
#define HAS_WIDE_HASH 0
enum { WIDE_HASH_FEW = 0 };

static inline bool wide_hash_pays(size_t size) {
    (void)size;
    return false;
}
#endif

uint64_t wide_hash_64(const void *data, size_t size, uint64_t seed);
void wide_hash_128(uint64_t hash[2], const void *data, size_t size, uint64_t seed);

#endif
