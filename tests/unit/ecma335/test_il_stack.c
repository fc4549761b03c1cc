/* Stack depth by following control. Tokens in these bodies name their own effect: pops in the lowest byte, pushes
 * above. */
#include "il_unit.h"

#include "il/stack.h"

static bool by_token(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    *pops = call->token & 0xFF;
    *pushes = call->token >> 8 & 0xFF;
    return user == NULL;
}

static il_stack stack;

static ecma_status analyse_clauses(bytes code, bool returns_value, const il_clause *clauses, uint32_t count) {
    buffer b = BUFFER_INIT;
    make_fat(&b, code, clauses, count, false);
    il_body body = read_body(&b);
    ecma_status status = il_stack_analyse(&stack, &body, returns_value, by_token, NULL);
    buffer_clear(&b);
    return status;
}

static ecma_status analyse(bytes code, bool returns_value) {
    return analyse_clauses(code, returns_value, NULL, 0);
}

static void straight_code_adds_up(void **state) {
    (void)state;
    /* ldarg.0 dup ldc.i4.1 call(3→1) ret */
    assert_int_equal(analyse(CODE(0x02, 0x25, 0x17, CALL, 3, 1, 0, 6, RET), true), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 0), 0);
    assert_int_equal(il_stack_depth_at(&stack, 3), 3);
    assert_int_equal(il_stack_depth_at(&stack, 8), 1);
    assert_int_equal(stack.max_depth, 3);
}

static void calls_take_what_their_token_says(void **state) {
    (void)state;
    /* newobj(2→1 whatever is reported) */
    assert_int_equal(analyse(CODE(0x02, 0x02, 0x73, 2, 0, 0, 6, RET), true), ECMA_OK);
    /* calli takes its function pointer too */
    assert_int_equal(analyse(CODE(0x02, 0x02, 0x29, 1, 1, 0, 0x11, RET), true), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 7), 1);
    assert_int_equal(analyse(CODE(0x02, 0x02, 0x29, 2, 1, 0, 0x11, RET), true), ECMA_BAD_FILE);
}

static void tail_call_is_seen_at_its_prefix(void **state) {
    (void)state;
    assert_int_equal(analyse(CODE(0x02, 0x02, 0xFE, 0x14, CALL, 2, 0, 0, 6, RET), false), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 2), 2);
    assert_int_equal(il_stack_depth_at(&stack, 9), 0);
}

static void both_sides_of_a_branch_are_followed(void **state) {
    (void)state;
    /* ldarg.0 brtrue.s +3; ldc.i4.0; br.s +1; ldc.i4.1; ret */
    assert_int_equal(analyse(CODE(0x02, 0x2D, 3, 0x16, BR_S, 1, 0x17, RET), true), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 6), 0);
    assert_int_equal(il_stack_depth_at(&stack, 7), 1);
    /* backward, and a switch */
    assert_int_equal(analyse(CODE(0x02, SWITCH, 2, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, RET, RET), false),
                     ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 15), 0);
}

static void what_nothing_leads_to_is_unreached(void **state) {
    (void)state;
    assert_int_equal(analyse(CODE(RET, 0x26, RET), false), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 2), IL_UNREACHED);
    assert_int_equal(analyse(CODE(0x27, 0, 0, 0, 6, 0x26, RET), false), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 5), IL_UNREACHED);
}

static void handlers_start_with_the_exception_or_empty(void **state) {
    (void)state;
    /* leave.s ret | pop ldc.i4.1 endfilter | pop leave.s ret | endfinally | ret */
    bytes code = CODE(LEAVE_S, 8, 0x26, 0x17, 0xFE, 0x11, 0x26, LEAVE_S, 1, 0xDC, RET);
    const il_clause clauses[] = {{IL_CLAUSE_FILTER, 0, 2, 6, 3, 2}, {IL_CLAUSE_FINALLY, 0, 9, 9, 1, 0}};
    assert_int_equal(analyse_clauses(code, false, clauses, 2), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 2), 1);
    assert_int_equal(il_stack_depth_at(&stack, 6), 1);
    assert_int_equal(il_stack_depth_at(&stack, 9), 0);
    assert_int_equal(il_stack_depth_at(&stack, 10), 0);
    assert_int_equal(stack.max_depth, 1);
}

static void leave_empties_the_stack(void **state) {
    (void)state;
    assert_int_equal(analyse(CODE(0x02, 0x02, LEAVE_S, 0, RET), false), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 4), 0);
    assert_int_equal(analyse(CODE(0x02, 0x02, LEAVE, 0, 0, 0, 0, RET), false), ECMA_OK);
    assert_int_equal(il_stack_depth_at(&stack, 7), 0);
}

static void nonsense_is_not_known(void **state) {
    (void)state;
    assert_int_equal(analyse(CODE(0x26, RET), false), ECMA_BAD_FILE);                      /* nothing to pop */
    assert_int_equal(analyse(CODE(RET), true), ECMA_BAD_FILE);                             /* nothing to return */
    assert_int_equal(analyse(CODE(NOP), false), ECMA_BAD_FILE);                            /* off the end */
    assert_int_equal(analyse(CODE(0x24), false), ECMA_BAD_FILE);                           /* no opcode */
    assert_int_equal(analyse(CODE(0x02, 0x2D, 1, 0x02, RET), false), ECMA_BAD_FILE);       /* 1 meets 0 */
    assert_int_equal(analyse(CODE(0x02, BR_S, 0xFD), false), ECMA_BAD_FILE);               /* grows for ever */
    assert_int_equal(analyse(CODE(0x02, CALL, 0xFF, 0, 0, 6, RET), false), ECMA_BAD_FILE); /* too few */
    const il_clause c = {IL_CLAUSE_FINALLY, 0, 1, 0xFFFF, 1, 0};
    assert_int_equal(analyse_clauses(CODE(RET), false, &c, 1), ECMA_BAD_FILE);
    buffer b = BUFFER_INIT;
    make_tiny(&b, CODE(CALL, 0, 0, 0, 6, RET));
    il_body body = read_body(&b);
    assert_int_equal(il_stack_analyse(&stack, &body, false, by_token, &b), ECMA_BAD_FILE);
    buffer_clear(&b);
}

static void depth_is_bounded(void **state) {
    (void)state;
    enum { SIZE = 70000 };
    uint8_t *code = malloc(SIZE);
    memset(code, 0x02, SIZE);
    code[SIZE - 1] = RET;
    assert_int_equal(analyse(bytes_of(code, SIZE), false), ECMA_BAD_FILE);
    code[60000] = RET;
    assert_int_equal(analyse(bytes_of(code, SIZE), false), ECMA_OK);
    assert_int_equal(stack.max_depth, 60000);
    free(code);
}

static int clear(void **state) {
    (void)state;
    il_stack_clear(&stack);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_adds_up),
        cmocka_unit_test(calls_take_what_their_token_says),
        cmocka_unit_test(tail_call_is_seen_at_its_prefix),
        cmocka_unit_test(both_sides_of_a_branch_are_followed),
        cmocka_unit_test(what_nothing_leads_to_is_unreached),
        cmocka_unit_test(handlers_start_with_the_exception_or_empty),
        cmocka_unit_test(leave_empties_the_stack),
        cmocka_unit_test(nonsense_is_not_known),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
