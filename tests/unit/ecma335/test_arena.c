/* Memory of an arena is zero, also after what was taken without that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void what_is_taken_is_zero_unless_open(void **state) {
    (void)state;
    enum { MUCH = 100 * 1000, LITTLE = 40, TIMES = 400 };
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        arena a = {.one_by_one = one_by_one};
        for (int i = 0; i < TIMES; i++) {
            const size_t size = i % 8 == 7 ? MUCH : LITTLE;
            uint8_t *open = arena_alloc_open(&a, size, 1), *zero = arena_alloc(&a, LITTLE);
            assert_non_null(open);
            assert_non_null(zero);
            for (size_t n = 0; n < LITTLE; n++)
                assert_int_equal(zero[n], 0);
            memset(open, 0xAA, size);
            memset(zero, 0xAA, LITTLE);
        }
        assert_null(arena_alloc_open(&a, SIZE_MAX, 2));
        arena_clear(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken_is_zero_unless_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
