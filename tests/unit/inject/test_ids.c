/* Ids: one for each selected method, in the table's order, whatever comes of it later. */
#include "unit.h"

#include "inject/ids.h"

/* Rows 2, 5 and 9 are selected; 5 is the MoveNext of a machine that 9 owns, 7 that of one without an owner's id. */
static method_body list[] = {
    {.row = 2, .code_size = 20, .reason = ILJ_INSTRUMENT}, {.row = 3, .code_size = 30, .reason = ILJ_EXCLUDED},
    {.row = 5, .code_size = 50, .reason = ILJ_INSTRUMENT}, {.row = 7, .code_size = 70, .reason = ILJ_BAD_BODY},
    {.row = 9, .code_size = 90, .reason = ILJ_INSTRUMENT},
};
static state_machine found[] = {{.method = 5, .owner = 9, .is_async = true, .is_iterator = true},
                                {.method = 7, .owner = 2, .is_async = true},
                                {.method = 9, .owner = 3, .is_iterator = true}};

static void ids_are_dealt_in_order_before_anything_is_injected(void **state) {
    (void)state;
    bodies b = {.list = list, .count = 5};
    b.left_out[ILJ_EXCLUDED] = b.left_out[ILJ_BAD_BODY] = 1;
    state_machines m = {found, 3};
    diag d = {0};
    ids i = {0};
    assert_int_equal(ids_deal(&i, &b, &m, &d), ECMA_OK);
    assert_int_equal(i.count, 3);
    const uint32_t rows[] = {2, 5, 9}, sizes[] = {20, 50, 90};
    for (uint32_t id = 0; id < 3; id++) {
        assert_int_equal(i.methods[id].row, rows[id]);
        assert_int_equal(i.methods[id].il_size, sizes[id]);
        assert_int_equal(ids_of(&i, rows[id]), id);
    }
    assert_int_equal(ids_of(&i, 1), NO_ID);
    assert_int_equal(ids_of(&i, 3), NO_ID);
    assert_int_equal(ids_of(&i, 7), NO_ID);
    /* 16 and 32 are async and iterator; an owner is 1 + its id (docs/profile-format.md, section 2). */
    assert_int_equal(i.methods[0].flags, 0);
    assert_int_equal(i.methods[1].flags, 16 | 32);
    assert_int_equal(i.methods[1].owner, 3);
    assert_int_equal(i.methods[2].flags, 32);
    assert_int_equal(i.methods[2].owner, 0);

    /* A body that turns out to be bad leaves all other ids as they are. */
    list[2].reason = ILJ_BAD_BODY;
    b.left_out[ILJ_BAD_BODY]++;
    assert_int_equal(ids_of(&i, 9), 2);
    assert_int_equal(i.left_out[ILJ_BAD_BODY], 1);
    list[2].reason = ILJ_INSTRUMENT;
    ids_clear(&i);
    assert_int_equal(ids_of(&i, 2), NO_ID);
}

static void without_methods_there_are_none(void **state) {
    (void)state;
    bodies b = {.list = list, .count = 0};
    state_machines m = {0};
    diag d = {0};
    ids i = {0};
    assert_int_equal(ids_deal(&i, &b, &m, &d), ECMA_OK);
    assert_int_equal(i.count, 0);
    assert_int_equal(ids_of(&i, 1), NO_ID);
    ids_clear(&i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_dealt_in_order_before_anything_is_injected),
        cmocka_unit_test(without_methods_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
