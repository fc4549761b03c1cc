/* Square roots: the largest number with a square that is no larger. */
#include "util/root.h"

#include "unit.h"

typedef unsigned __int128 wide;

static void assert_root(wide square, uint64_t expected) {
    assert_true(root_of(square) == expected);
}

static void roots_of_squares_and_of_their_neighbours(void **state) {
    (void)state;
    assert_root(0, 0);
    for (uint64_t n = 1; n < 100000; n++) {
        assert_root((wide)n * n - 1, n - 1);
        assert_root((wide)n * n, n);
        assert_root((wide)n * n + 2 * n, n);
    }
}

static void roots_around_powers_of_two_and_the_largest(void **state) {
    (void)state;
    for (int bit = 17; bit < 64; bit++)
        for (uint64_t n = ((uint64_t)1 << bit) - 3; n < ((uint64_t)1 << bit) + 3; n++) {
            assert_root((wide)n * n - 1, n - 1);
            assert_root((wide)n * n, n);
            assert_root((wide)n * n + 2 * (wide)n, n);
        }
    assert_root((wide)UINT64_MAX * UINT64_MAX - 1, UINT64_MAX - 1);
    assert_root((wide)UINT64_MAX * UINT64_MAX, UINT64_MAX);
    assert_root(~(wide)0, UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_of_squares_and_of_their_neighbours),
        cmocka_unit_test(roots_around_powers_of_two_and_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
