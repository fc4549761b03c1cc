/* The walk that follows no path, beside the analysis that follows all; and what the scan says of locals. Tokens in
 * these bodies name their own effect: pops in the lowest byte, pushes above. */
#include "il_unit.h"

#include "il/stack.h"
#include "il/walk.h"

enum { POP = 0x26, DUP = 0x25, LDC = 0x17, BRTRUE_S = 0x2D, THROW = 0x7A, ADD = 0x58, NEWOBJ = 0x73, CALLI = 0x29 };

static int32_t by_token(void *user, uint32_t token) {
    (void)user;
    return token >> 24 == 0xFF ? -1 : (int32_t)((token & 0xFF) * 2 + (token >> 8 & 0xFF));
}

static const il_effects effects = {.tell = by_token};

static bool by_call(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    int32_t effect = by_token(user, call->token);
    *pops = (uint32_t)effect / 2 - (call->opcode == IL_newobj && effect >= 2);
    *pushes = (uint32_t)effect % 2;
    return effect >= 0;
}

static bool walk(bytes code, bool returns_value, const il_clause *clauses, uint32_t count) {
    buffer b = BUFFER_INIT;
    make_fat(&b, code, clauses, count, false);
    il_body body = read_body(&b);
    bool settled = il_walk_over(&body, returns_value, &effects);
    buffer_clear(&b);
    return settled;
}

static void results_alone_are_settled(void **state) {
    (void)state;
    const struct {
        bool settled, returns_value;
        bytes code;
    } rows[] = {
        {true, false, CODE(RET)},
        {true, true, CODE(LDC, RET)},
        {false, false, CODE(LDC, RET)},
        {false, true, CODE(LDC, LDC, RET)},
        {false, true, CODE(RET)},
        /* calls: two for one, `this` of a newobj, the pointer of a calli, an unknown one */
        {true, true, CODE(LDC, LDC, CALL, 2, 1, 0, 6, RET)},
        {false, true, CODE(LDC, LDC, CALL, 1, 1, 0, 6, RET)},
        {true, true, CODE(LDC, NEWOBJ, 2, 0, 0, 6, RET)},
        {true, true, CODE(LDC, LDC, CALLI, 1, 1, 0, 0x11, RET)},
        {false, true, CODE(LDC, CALL, 0, 0, 0, 0xFF, RET)},
        /* a ? b : c with a first arm that brings an item; more of them; too much after one */
        {true, true, CODE(LDC, BRTRUE_S, 3, LDC, BR_S, 1, LDC, RET)},
        {true, true, CODE(LDC, LDC, BRTRUE_S, 3, LDC, BR_S, 1, LDC, ADD, RET)},
        {false, true, CODE(LDC, LDC, BRTRUE_S, 3, LDC, BR_S, 1, LDC, RET)},
        /* an item goes back with a branch: not what compilers write, so it is not settled, though it is right */
        {false, true, CODE(LDC, BR_S, 1, RET, BR_S, 0xFD)},
        /* after a throw only what a branch brought; nothing where none did */
        {true, true, CODE(LDC, LDC, BRTRUE_S, 2, LDC, THROW, RET)},
        {false, true, CODE(LDC, LDC, BRTRUE_S, 2, LDC, THROW, LDC, RET)},
        {true, false, CODE(LDC, LDC, THROW, RET)},
        /* dead code that takes what is not there */
        {false, false, CODE(RET, POP, RET)},
        /* arms of a switch bring what is below its value */
        {false, true, CODE(LDC, LDC, SWITCH, 1, 0, 0, 0, 0, 0, 0, 0, LDC, RET)},
        {true, true, CODE(LDC, SWITCH, 1, 0, 0, 0, 0, 0, 0, 0, LDC, RET)},
        /* leave empties the stack */
        {true, true, CODE(LDC, LEAVE_S, 0, LDC, RET)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (walk(rows[i].code, rows[i].returns_value, NULL, 0) != rows[i].settled)
            fail_msg("row %zu", i);
}

static int32_t never(void *user, uint32_t token) {
    (void)user;
    fail_msg("the effect of 0x%08x is known", token);
    return -1;
}

/* An effect that is known by row counts as one that is reported: any number of arguments that a byte can remember, with
 * a result and without; a row that is not known, after the known ones or of another table, is asked about. */
static void known_effects_count_as_told(void **state) {
    (void)state;
    enum { ROW = 3, LAST = 254 };
    for (uint32_t effect = 0; effect <= LAST; effect++) {
        uint8_t code[LAST / 2 + 7], rows[ROW + 1] = {0};
        uint32_t pops = effect / 2, size = 0;
        while (size < pops)
            code[size++] = LDC;
        const uint8_t rest[] = {CALL, ROW, 0, 0, 0x0A, RET};
        memcpy(code + size, rest, sizeof rest);
        il_body body = {.code = bytes_of(code, size + sizeof rest), .max_stack = 255};
        il_effects by_row = {.tell = never};
        by_row.known[0x0A].by_row = rows;
        by_row.known[0x0A].count = sizeof rows;
        rows[ROW] = (uint8_t)(effect + 1);
        bool returns = effect % 2;
        if (!il_walk_over(&body, returns, &by_row) || il_walk_over(&body, !returns, &by_row))
            fail_msg("effect %u", effect);
        if (pops == 0)
            continue;
        code[0] = NOP; /* one argument less */
        assert_false(il_walk_over(&body, returns, &by_row));
    }
    const uint8_t none[] = {0, 0};
    const struct { uint8_t table, row; } asked[] = {{0x0A, 1}, {0x0A, 2}, {0x06, 1}, {0x3F, 1}, {0x40, 1}, {0xFE, 1}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        /* that many arguments, as by_token has it, and a result */
        const uint8_t code[] = {LDC, CALL, asked[i].row, 1, 0, asked[i].table, RET};
        il_body body = {.code = bytes_of(code, sizeof code), .max_stack = 8};
        il_effects by_row = {.tell = by_token};
        by_row.known[0x0A].by_row = none;
        by_row.known[0x0A].count = sizeof none;
        assert_int_equal(il_walk_over(&body, true, &by_row), asked[i].row == 1);
    }
}

static void handlers_start_with_an_exception(void **state) {
    (void)state;
    /* .try { nop; leave } catch { pop; leave } ret */
    bytes code = CODE(NOP, LEAVE_S, 3, POP, LEAVE_S, 0, RET);
    il_clause c = {.flags = IL_CLAUSE_EXCEPTION, .try_length = 3, .handler_offset = 3, .handler_length = 3};
    assert_true(walk(code, false, &c, 1));
    c.flags = IL_CLAUSE_FINALLY;
    assert_false(walk(code, false, &c, 1));
    /* filter { pop; ldc; endfilter } { pop; leave } */
    code = CODE(NOP, LEAVE_S, 7, POP, LDC, 0xFE, 0x11, POP, LEAVE_S, 0, RET);
    c = (il_clause){.flags = IL_CLAUSE_FILTER,
                    .try_length = 3,
                    .class_token_or_filter_offset = 3,
                    .handler_offset = 7,
                    .handler_length = 3};
    assert_true(walk(code, false, &c, 1));
}

/* Whatever a walk settles, no path comes to a ret with more than the result. */
static void what_is_settled_is_so(void **state) {
    (void)state;
    il_stack stack = IL_STACK_INIT;
    uint32_t settled = 0, understood = 0, seed = 7;
    for (int round = 0; round < 200000; round++) {
        uint8_t code[24];
        uint32_t size = 0, starts[12], branches[12], branch_count = 0, count = 0;
        while (count < 10) {
            seed = seed * 1664525 + 1013904223;
            starts[count++] = size;
            static const uint8_t plain[] = {LDC, LDC, NOP, POP, DUP, ADD, RET, THROW};
            uint32_t kind = seed >> 24;
            if (kind < 64) {
                branches[branch_count++] = size;
                code[size++] = kind < 20 ? BR_S : BRTRUE_S;
                size++;
            } else {
                code[size++] = plain[kind % 8];
            }
        }
        starts[count++] = size;
        code[size++] = RET;
        for (uint32_t i = 0; i < branch_count; i++) {
            seed = seed * 1664525 + 1013904223;
            code[branches[i] + 1] = (uint8_t)(starts[(seed >> 16) % count] - branches[i] - 2);
        }
        bool returns_value = seed >> 31, more = false;
        il_body body = {.code = bytes_of(code, size), .max_stack = 8};
        bool is_settled = il_walk_over(&body, returns_value, &effects);
        if (il_stack_analyse(&stack, &body, returns_value, by_call, NULL) != ECMA_OK)
            continue;
        understood++;
        settled += is_settled;
        for (uint32_t i = 0; i < count; i++)
            more |= code[starts[i]] == RET && il_stack_depth_at(&stack, starts[i]) != IL_UNREACHED &&
                    il_stack_depth_at(&stack, starts[i]) > returns_value;
        if (is_settled && more)
            fail_msg("round %d", round);
    }
    assert_in_range(settled, 300, understood - 300);
    il_stack_clear(&stack);
}

/* ---- The scan's findings ----------------------------------------------------------------------------------------- */

static void locals_are_told(void **state) {
    (void)state;
    const struct {
        uint32_t count;
        bool loads, rethrows;
        bytes code;
    } rows[] = {
        {0, false, false, CODE(RET)},
        {1, false, false, CODE(LDC, 0x0A, RET)},
        {4, true, false, CODE(0x09, POP, RET)},
        {3, true, false, CODE(0x06, 0x0C, RET)},
        {8, false, false, CODE(LDC, 0x13, 7, RET)},
        {256, true, false, CODE(0x12, 255, POP, 0x06, POP, RET)},
        {0x102, true, false, CODE(0xFE, 0x0C, 1, 1, POP, RET)},
        {0x102, false, false, CODE(LDC, 0xFE, 0x0E, 1, 1, RET)},
        {6, true, false, CODE(SWITCH, 1, 0, 0, 0, 0, 0, 0, 0, 0x11, 5, POP, RET)},
        /* an operand that looks like one */
        {0, false, false, CODE(0x1F, 0x11, POP, 0x20, 0x06, 0x07, 0x13, 0x12, POP, RET)},
        {0, false, true, CODE(0xFE, 0x1A)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        il_edit edit;
        il_fault fault = {NULL, 0};
        il_body body = {.code = rows[i].code, .max_stack = 8};
        il_edit_init(&edit);
        assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_OK);
        if (edit.flow.local_count != rows[i].count || edit.flow.loads_local != rows[i].loads ||
            edit.flow.rethrows != rows[i].rethrows)
            fail_msg("row %zu: %u locals", i, edit.flow.local_count);
        il_edit_clear(&edit);
    }
}

static void calls_are_told(void **state) {
    (void)state;
    const struct {
        bool calls;
        bytes code;
    } rows[] = {
        {false, CODE(RET)},
        {true, CODE(CALL, 0, 0, 0, 6, RET)},
        {true, CODE(LDC, 0x6F, 1, 0, 0, 6, RET)},
        {true, CODE(NEWOBJ, 0, 0, 0, 6, POP, RET)},
        {true, CODE(LDC, CALLI, 0, 0, 0, 0x11, RET)},
        {true, CODE(LDC, 0xFE, 0x16, 1, 0, 0, 2, 0x6F, 1, 0, 0, 6, RET)}, /* constrained. */
        {true, CODE(0x27, 0, 0, 0, 6)},                                   /* jmp */
        {false, CODE(0xFE, 0x06, 0, 0, 0, 6, POP, RET)},                  /* ldftn */
        {false, CODE(0x20, CALL, 0, 0, 0, POP, RET)},                     /* an operand that looks like one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        il_edit edit;
        il_fault fault = {NULL, 0};
        il_body body = {.code = rows[i].code, .max_stack = 8};
        il_edit_init(&edit);
        assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_OK);
        if (edit.flow.calls != rows[i].calls)
            fail_msg("row %zu", i);
        il_edit_clear(&edit);
    }
}

/* Can a body of two instructions and a ret, with this clause, be guarded? */
static bool guards(bytes code, il_clause c) {
    buffer b = BUFFER_INIT;
    make_fat(&b, code, &c, 1, false);
    il_body body = read_body(&b);
    il_edit edit;
    il_fault fault = {NULL, 0};
    il_edit_init(&edit);
    assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_OK);
    bool can = il_can_guard(&edit, 0);
    il_edit_clear(&edit);
    buffer_clear(&b);
    return can;
}

static void a_ret_within_a_block_is_not_guarded(void **state) {
    (void)state;
    bytes code = CODE(NOP, RET, POP, RET, POP, RET, RET); /* at 1, 3, 5, 6 */
    const il_clause none = {.try_length = 1, .handler_offset = 2, .handler_length = 1},
                    in_try = {.try_length = 2, .handler_offset = 2, .handler_length = 1},
                    in_handler = {.try_length = 1, .handler_offset = 2, .handler_length = 2},
                    in_filter = {.flags = IL_CLAUSE_FILTER,
                                 .try_length = 1,
                                 .class_token_or_filter_offset = 2,
                                 .handler_offset = 4,
                                 .handler_length = 1};
    assert_true(guards(code, none));
    assert_false(guards(code, in_try));
    assert_false(guards(code, in_handler));
    assert_false(guards(code, in_filter));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_alone_are_settled),
        cmocka_unit_test(handlers_start_with_an_exception),
        cmocka_unit_test(known_effects_count_as_told),
        cmocka_unit_test(calls_are_told),
        cmocka_unit_test(what_is_settled_is_so),
        cmocka_unit_test(locals_are_told),
        cmocka_unit_test(a_ret_within_a_block_is_not_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
