/* The counts of methods that are left out add up to their number, whatever is found out of them later. */
#include "unit.h"

#include <stdlib.h>

#include "select/bodies.h"

enum { METHODS = 5 };

static uint32_t all_left_out(const bodies *b) {
    uint32_t sum = 0;
    for (int i = 0; i < ILJ_REASON_COUNT; i++)
        sum += b->left_out[i];
    return sum;
}

static void a_body_that_is_not_understood_has_one_reason(void **state) {
    (void)state;
    static const ilj_reason first[METHODS] = {ILJ_INSTRUMENT, ILJ_HELPER, ILJ_INSTRUMENT, ILJ_BAD_BODY, ILJ_HELPER};
    method_body list[METHODS];
    ilj_image *image = calloc(1, sizeof *image); /* its diagnostics go nowhere */
    bodies b = {.list = list, .count = METHODS};
    assert_non_null(image);
    for (uint32_t i = 0; i < METHODS; i++) {
        list[i] = (method_body){.row = i + 1, .reason = first[i]};
        b.left_out[first[i]] += first[i] != ILJ_INSTRUMENT;
    }
    for (uint32_t i = 0; i < 4; i++)
        for (int twice = 0; twice < 2; twice++) {
            bodies_leave_out(&b, image, &list[i], "something", 0);
            assert_int_equal(list[i].reason, ILJ_BAD_BODY);
        }
    assert_int_equal(list[4].reason, ILJ_HELPER);
    assert_int_equal(b.left_out[ILJ_BAD_BODY], 4);
    assert_int_equal(b.left_out[ILJ_HELPER], 1);
    assert_int_equal(all_left_out(&b), METHODS);
    free(image);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_body_that_is_not_understood_has_one_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
