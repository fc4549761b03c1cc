/* Memory that runs out: each allocation fails in turn, and nothing is lost or leaked. */
#include "il_unit.h"

#include <limits.h>

#include "il/stack.h"

static unsigned long allocations_left;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size) {
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return __real_realloc(old, size);
}

/* Branches that widen, a switch, prefixes and two tail calls, so that every array is used. */
static ecma_status rewrite_sample(const il_body *body, buffer *out) {
    static const uint8_t nops[200];
    il_edit edit;
    il_edit_init(&edit);
    il_fault fault = {NULL, 0};
    ecma_status status = il_edit_begin(&edit, body, &fault);
    if (status == ECMA_OK)
        status = il_insert(&edit, 0, IL_HEAD, bytes_of(nops, 1));
    for (uint32_t i = 0; status == ECMA_OK && i < edit.exit_count; i++)
        status =
            il_insert(&edit, edit.exits[i].offset, edit.exits[i].kind == IL_EXIT_AFTER_TAIL_CALL ? IL_APART : IL_BEFORE,
                      bytes_of(nops, sizeof nops));
    if (status == ECMA_OK)
        status = il_edit_encode(&edit, out, &fault);
    il_edit_clear(&edit);
    return status;
}

static bool no_effect(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    (void)user;
    (void)call;
    *pops = *pushes = 0;
    return true;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    allocations_left = ULONG_MAX;
    buffer in = BUFFER_INIT, out = BUFFER_INIT;
    make_tiny(&in, CODE(0x02, 0x2D, 37, 0x02, SWITCH, 2, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 0xFE, 0x14, CALL, 0, 0, 0, 6,
                        RET, 0xFE, 0x13, 0x7E, 0, 0, 0, 4, 0x26, 0xFE, 0x14, CALL, 0, 0, 0, 6, RET));
    il_body body = read_body(&in);
    buffer whole = BUFFER_INIT; /* the body with memory enough */
    assert_int_equal(rewrite_sample(&body, &whole), ECMA_OK);
    unsigned long fails = 0;
    for (;; fails++) {
        allocations_left = fails;
        ecma_status status = rewrite_sample(&body, &out);
        if (status == ECMA_OK)
            break;
        assert_int_equal(status, ECMA_NO_MEMORY);
        buffer_clear(&out);
    }
    assert_true(fails >= 8);
    assert_int_equal(out.size, whole.size);
    assert_memory_equal(out.data, whole.data, whole.size);
    buffer_clear(&whole);
    buffer_clear(&out);

    for (fails = 0;; fails++) {
        il_stack stack = IL_STACK_INIT;
        allocations_left = fails;
        ecma_status status = il_stack_analyse(&stack, &body, false, no_effect, NULL);
        il_stack_clear(&stack);
        if (status == ECMA_OK)
            break;
        assert_int_equal(status, ECMA_NO_MEMORY);
    }
    assert_int_equal(fails, 2);
    allocations_left = ULONG_MAX;
    buffer_clear(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
