/* Vectors of 32 bytes give what the library gives by those of 16. */
#include "unit.h"

#include "output/wide_hash.h"

#include <xxhash.h>

/* Sizes around those at which XXH3 changes its way: 16, 128, 240, a block of 1,024, and the many blocks of a file. */
static void wide_hashes_are_those_of_the_library(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 16, 17, 128, 129, 240, 241, 1023, 1024, 1025, 4097, 65536, 99991};
    static uint8_t data[100000];
    if (HAS_WIDE_HASH && !wide_hash_pays(sizeof data))
        skip(); /* the processor has none */
    uint32_t next = 1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)((next = next * 1664525u + 1013904223u) >> 24);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const void *from = data + seed; /* unaligned, too */
            XXH128_hash_t expected = XXH3_128bits_withSeed(from, sizes[i], seed);
            uint64_t found[2];
            wide_hash_128(found, from, sizes[i], seed);
            assert_true(found[0] == expected.low64 && found[1] == expected.high64);
            assert_true(wide_hash_64(from, sizes[i], seed) == XXH3_64bits_withSeed(from, sizes[i], seed));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_hashes_are_those_of_the_library),
    };
    return cmocka_run_group_tests_name("wide_hash", tests, NULL, NULL);
}
