#include "unit.h"

#include "pe/image.h"
#include "pe/writer.h"
#include "platform/os.h"

#include <glob.h>

/* The plain way: word by word, the carry at once. */
static uint32_t slow_checksum(const uint8_t *file, size_t size, size_t field) {
    uint32_t sum = 0;
    for (size_t at = 0; at < size; at += 2) {
        uint8_t low = at >= field && at < field + 4 ? 0 : file[at];
        uint8_t high = at + 1 >= size || (at + 1 >= field && at + 1 < field + 4) ? 0 : file[at + 1];
        sum += (uint32_t)(low | high << 8);
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum + (uint32_t)size;
}

static void random_bytes_of_all_sizes(void **state) {
    (void)state;
    uint8_t file[300];
    uint32_t random = 5;
    printf("seed %u\n", random);
    for (size_t size = 4; size <= sizeof file; size++)
        for (int round = 0; round < 20; round++) {
            for (size_t i = 0; i < size; i++) {
                random = random * 1664525u + 1013904223u;
                file[i] = round == 0 ? 0xFF : round == 1 ? 0 : (uint8_t)(random >> 24);
            }
            size_t field = random % (size - 3);
            uint32_t fast = pe_checksum(file, size, field), slow = slow_checksum(file, size, field);
            /* 0 and 0xFFFF are the same to end-around carry; only the sum of nothing is 0. */
            assert_true(fast == slow || (fast == size + 0xFFFF && slow == size));
            pe_sum sum = {0};
            for (size_t at = 0, part; at < size; at += part) {
                part = (random >> (at % 13)) % 24 / 2 * 2;
                part = part < size - at ? part : size - at;
                pe_sum_add(&sum, file + at, part ? part : size - at);
                part = part ? part : size - at;
            }
            assert_int_equal(pe_sum_checksum(&sum, load_u32(file + field), field), fast);
        }
}

static void files_that_carry_one(void **state) {
    (void)state;
    static const char *const patterns[] = {"/usr/share/dotnet/shared/Microsoft.NETCore.App/*/System.*.dll",
                                           "/usr/lib/dotnet/shared/Microsoft.NETCore.App/*/System.*.dll",
                                           "/usr/lib/mono/*/*.dll"};
    unsigned found = 0;
    glob_t files = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc && found < 200; i++) {
        os_map map = OS_MAP_INIT;
        diag d = {0};
        pe_image image;
        arena a = ARENA_INIT;
        if (os_map_file(&map, &d, files.gl_pathv[i]) == ECMA_OK &&
            pe_image_open(&image, map.content, &a, &d) == ECMA_OK && image.checksum != 0) {
            size_t field = image.optional_offset + 64;
            uint32_t slow = slow_checksum(map.content.data, map.content.size, field);
            if (slow == image.checksum) { /* some linkers put something else there */
                found++;
                assert_int_equal(pe_checksum(map.content.data, map.content.size, field), image.checksum);
            }
        }
        arena_clear(&a);
        os_unmap(&map);
    }
    globfree(&files);
    printf("%u files\n", found);
    if (found == 0)
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes_of_all_sizes),
        cmocka_unit_test(files_that_carry_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
