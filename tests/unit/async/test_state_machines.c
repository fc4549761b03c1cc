/* The machine of a MoveNext is found by its row, whatever was asked for before. */
#include "unit.h"

#include "async/state_machines.h"

static state_machine machines[] = {
    {.method = 3, .starter = 1, .site_count = 2},
    {.method = 7, .starter = 2, .site_count = 1},
    {.method = 8, .starter = 0, .site_count = 1}, /* its starter is not known */
    {.method = 9, .starter = 4, .site_count = 0}, /* it ends where nothing is known */
    {.method = 12, .starter = 5, .site_count = 3},
};
static const state_machines all = {machines, sizeof machines / sizeof machines[0]};

/* By a look at each, in order. */
static const state_machine *plainly(uint32_t row) {
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i].method == row)
            return all.list[i].starter && all.list[i].site_count ? &all.list[i] : NULL;
    return NULL;
}

static void a_row_has_its_machine_whichever_was_asked_for_before(void **state) {
    (void)state;
    for (uint32_t first = 0; first < 15; first++)
        for (uint32_t second = 0; second < 15; second++) {
            uint32_t hint = 0;
            assert_ptr_equal(state_machines_with_events(&all, first, &hint), plainly(first));
            assert_ptr_equal(state_machines_with_events(&all, second, &hint), plainly(second));
        }
}

static void a_hint_may_be_of_a_longer_list(void **state) {
    (void)state;
    uint32_t hint = 40;
    assert_ptr_equal(state_machines_with_events(&all, 7, &hint), &machines[1]);
    const state_machines none = {NULL, 0};
    assert_null(state_machines_with_events(&none, 7, &hint));
}

static void some_machine_has_events(void **state) {
    (void)state;
    assert_true(state_machines_have_events(&all));
    const state_machines silent = {machines + 2, 2};
    assert_false(state_machines_have_events(&silent));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_its_machine_whichever_was_asked_for_before),
        cmocka_unit_test(a_hint_may_be_of_a_longer_list),
        cmocka_unit_test(some_machine_has_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
