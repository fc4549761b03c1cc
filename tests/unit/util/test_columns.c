/* Numbers in columns: each is what was set last, whatever its size, and however many are large. */
#include "util/columns.h"

#include "unit.h"

enum { ROWS = 1000 };

/* Numbers around those that stand apart, and the largest. */
static uint64_t number_at(uint32_t row) {
    static const uint64_t numbers[] = {0, 1, UINT32_MAX - 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX};
    return numbers[row % 6];
}

static void rows_are_0_at_first(void **state) {
    (void)state;
    columns c = COLUMNS_INIT;
    assert_true(columns_extend(&c, ROWS));
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(columns_at(&c, 3, i), 0);
    columns_set(&c, 3, 5, 0);
    assert_true(columns_is_empty(&c, 3));
    columns_set(&c, 3, 5, 7);
    assert_false(columns_is_empty(&c, 3));
    assert_int_equal(columns_at(&c, 3, 4), 0);
    assert_int_equal(columns_at(&c, 3, 5), 7);
    assert_int_equal(columns_at(&c, 2, 5), 0);
    columns_drop(&c, 3);
    assert_int_equal(columns_at(&c, 3, 5), 0);
    columns_clear(&c);
}

/* Of one row in `step` a large number, so that a few stand apart, or the column gets wide. */
static void numbers_stay(uint32_t step) {
    columns c = COLUMNS_INIT, copy;
    assert_true(columns_extend(&c, ROWS));
    for (uint32_t i = 0; i < ROWS; i++)
        columns_set(&c, 0, i, i % step ? i : number_at(i / step));
    for (uint32_t i = 0; i < ROWS; i += 2) /* large ones become small, and the other way round */
        columns_set(&c, 0, i, i % step ? UINT64_MAX - i : i);
    assert_true(columns_copy(&copy, &c));
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t expected = i % 2 == 0 ? (i % step ? UINT64_MAX - i : i) : i % step ? i : number_at(i / step);
        assert_true(columns_at(&c, 0, i) == expected);
        assert_true(columns_at(&copy, 0, i) == expected);
    }
    assert_false(c.failed);
    columns_clear(&c);
    columns_clear(&copy);
}

static void numbers_stay_what_they_are(void **state) {
    (void)state;
    numbers_stay(1);
    numbers_stay(3);
    numbers_stay(500);
}

static void few_large_numbers_leave_the_others_small(void **state) {
    (void)state;
    columns c = COLUMNS_INIT;
    assert_true(columns_extend(&c, ROWS));
    for (uint32_t i = 0; i < ROWS; i++)
        columns_set(&c, 0, i, i % 100 ? 1 : UINT64_MAX);
    assert_non_null(c.list[0]->small);
    assert_int_equal(columns_at(&c, 0, 900) == UINT64_MAX, true);
    for (uint32_t i = 0; i < ROWS; i++)
        columns_set(&c, 0, i, UINT64_MAX - i);
    assert_null(c.list[0]->small);
    assert_int_equal(columns_at(&c, 0, 999) == UINT64_MAX - 999, true);
    columns_clear(&c);
}

static void new_rows_are_0_also_where_others_were_cut(void **state) {
    (void)state;
    columns c = COLUMNS_INIT;
    assert_true(columns_extend(&c, 10));
    for (uint32_t i = 0; i < 10; i++)
        columns_set(&c, 1, i, i < 5 ? 9 : UINT64_MAX);
    columns_cut(&c, 4);
    assert_true(columns_extend(&c, 3 * ROWS));
    assert_int_equal(columns_at(&c, 1, 3), 9);
    for (uint32_t i = 4; i < 3 * ROWS; i++)
        assert_int_equal(columns_at(&c, 1, i), 0);
    columns_clear(&c);
}

static void signed_numbers_near_0_are_small(void **state) {
    (void)state;
    static const int64_t numbers[] = {0, 1, -1, 1000, -1000, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_true(columns_unfolded(columns_folded(numbers[i])) == numbers[i]);
    assert_true(columns_folded(-1000) < 2001);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_0_at_first),
        cmocka_unit_test(numbers_stay_what_they_are),
        cmocka_unit_test(few_large_numbers_leave_the_others_small),
        cmocka_unit_test(new_rows_are_0_also_where_others_were_cut),
        cmocka_unit_test(signed_numbers_near_0_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
