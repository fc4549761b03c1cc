/* Rewriting bodies: what is inserted where, and who comes through it. */
#include "il_unit.h"

#include "il/arguments.h"

static rewrite tiny(bytes code) {
    rewrite r = {0};
    make_tiny(&r.in, code);
    begin(&r);
    return r;
}

static rewrite fat(bytes code, const il_clause *clauses, uint32_t count) {
    rewrite r = {0};
    make_fat(&r.in, code, clauses, count, false);
    begin(&r);
    return r;
}

/* Instruments a tiny body and compares the code. */
static void instruments_to(bytes code, bytes expected) {
    rewrite r = tiny(code);
    instrument(&r);
    finish(&r);
    assert_true(r.body.tiny);
    assert_code(&r.body, expected);
    drop(&r);
}

#define ENTER_ CALL, 1, 0, 0, 0x0A
#define LEAVE_ CALL, 2, 0, 0, 0x0A

static void lone_ret_gets_enter_then_leave(void **state) {
    (void)state;
    instruments_to(CODE(RET), CODE(ENTER_, LEAVE_, RET));
}

static void branch_to_ret_reaches_leave_call(void **state) {
    (void)state;
    instruments_to(CODE(0x02, 0x2D, 1, NOP, RET), CODE(ENTER_, 0x02, 0x2D, 1, NOP, LEAVE_, RET));
    instruments_to(CODE(BR, 0, 0, 0, 0, RET), CODE(ENTER_, BR, 0, 0, 0, 0, LEAVE_, RET));
}

static void switch_arm_and_leave_to_ret_reach_leave_call(void **state) {
    (void)state;
    instruments_to(CODE(0x02, SWITCH, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, RET, NOP, RET),
                   CODE(ENTER_, 0x02, SWITCH, 2, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, LEAVE_, RET, NOP, LEAVE_, RET));
    instruments_to(CODE(LEAVE_S, 1, NOP, RET), CODE(ENTER_, LEAVE_S, 1, NOP, LEAVE_, RET));
}

static void jump_to_offset_0_does_not_call_enter_again(void **state) {
    (void)state;
    instruments_to(CODE(NOP, 0x02, 0x2D, 0xFC, RET), CODE(ENTER_, NOP, 0x02, 0x2D, 0xFC, LEAVE_, RET));
    instruments_to(CODE(RET, BR_S, 0xFD), CODE(ENTER_, LEAVE_, RET, BR_S, 0xF8));
}

static void unreachable_ret_leaves_too(void **state) {
    (void)state;
    instruments_to(CODE(RET, NOP, RET), CODE(ENTER_, LEAVE_, RET, NOP, LEAVE_, RET));
}

static void body_without_ret_gets_enter_only(void **state) {
    (void)state;
    instruments_to(CODE(0x14, 0x7A), CODE(ENTER_, 0x14, 0x7A));
    instruments_to(CODE(BR_S, 0xFE), CODE(ENTER_, BR_S, 0xFE));
}

static void jmp_leaves_before_it(void **state) {
    (void)state;
    instruments_to(CODE(0x02, 0x2D, 0, 0x27, 9, 0, 0, 6), CODE(ENTER_, 0x02, 0x2D, 0, LEAVE_, 0x27, 9, 0, 0, 6));
}

static void tail_call_leaves_before_its_prefix_and_its_ret_stays_bare(void **state) {
    (void)state;
    instruments_to(CODE(0x02, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET),
                   CODE(ENTER_, 0x02, LEAVE_, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET));
    /* constrained. before tail. is part of the call; a branch to it reaches the leave */
    instruments_to(CODE(0x02, 0x2D, 0, 0xFE, 0x16, 5, 0, 0, 2, 0xFE, 0x14, 0x6F, 9, 0, 0, 6, RET),
                   CODE(ENTER_, 0x02, 0x2D, 0, LEAVE_, 0xFE, 0x16, 5, 0, 0, 2, 0xFE, 0x14, 0x6F, 9, 0, 0, 6, RET));
}

static void branch_to_the_ret_of_a_tail_call_leaves_apart(void **state) {
    (void)state;
    instruments_to(CODE(0x02, 0x2D, 8, 0x03, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET),
                   CODE(ENTER_, 0x02, 0x2D, 14, 0x03, LEAVE_, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET, LEAVE_, RET));
}

static void tail_that_no_ret_follows_is_a_plain_call(void **state) {
    (void)state;
    instruments_to(CODE(0xFE, 0x14, CALL, 9, 0, 0, 6, NOP, RET),
                   CODE(ENTER_, 0xFE, 0x14, CALL, 9, 0, 0, 6, NOP, LEAVE_, RET));
}

static void exits_and_flow_are_told(void **state) {
    (void)state;
    rewrite r = tiny(CODE(0x02, 0x2D, 3, 0xFE, 0x0F, RET, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET, 0x27, 9, 0, 0, 6));
    assert_int_equal(r.edit.exit_count, 4);
    assert_int_equal(r.edit.exits[0].kind, IL_EXIT_RET);
    assert_int_equal(r.edit.exits[0].offset, 5);
    assert_int_equal(r.edit.exits[1].kind, IL_EXIT_TAIL_CALL);
    assert_int_equal(r.edit.exits[1].offset, 6);
    assert_int_equal(r.edit.exits[2].kind, IL_EXIT_AFTER_TAIL_CALL);
    assert_int_equal(r.edit.exits[2].offset, 13);
    assert_int_equal(r.edit.exits[3].kind, IL_EXIT_JMP);
    assert_int_equal(r.edit.exits[3].offset, 14);
    assert_int_equal(r.edit.flow.ret_count, 2);
    assert_int_equal(r.edit.flow.tail_call_count, 1);
    assert_int_equal(r.edit.flow.jmp_count, 1);
    assert_int_equal(r.edit.flow.branch_count, 1);
    assert_true(r.edit.flow.has_localloc);
    assert_false(r.edit.flow.runs_off_end);
    drop(&r);
}

static void prefixes_stay_with_their_instruction(void **state) {
    (void)state;
    rewrite r = tiny(CODE(0x02, 0xFE, 0x12, 1, 0xFE, 0x13, 0x4A, 0x26, RET)); /* unaligned. 1 volatile. ldind.i4 */
    assert_int_equal(il_insert(&r.edit, 1, IL_BEFORE, EXIT), ECMA_OK);
    finish(&r);
    assert_code(&r.body, CODE(0x02, LEAVE_, 0xFE, 0x12, 1, 0xFE, 0x13, 0x4A, 0x26, RET));
    drop(&r);
}

static void map_tells_where_things_went(void **state) {
    (void)state;
    rewrite r = tiny(CODE(NOP, NOP, RET));
    instrument(&r);
    finish(&r);
    assert_int_equal(il_map_offset(&r.edit, 0), 5);
    assert_int_equal(il_map_end(&r.edit, 0), 0);
    assert_int_equal(il_map_offset(&r.edit, 1), 6);
    assert_int_equal(il_map_offset(&r.edit, 2), 7);
    assert_int_equal(il_map_end(&r.edit, 2), 7);
    assert_int_equal(il_map_offset(&r.edit, 3), 13);
    assert_int_equal(il_map_end(&r.edit, 3), 13);
    drop(&r);
}

/* try { nop; leave.s } finally { endfinally } ret */
static void region_that_ends_at_the_ret_ends_before_the_leave_call(void **state) {
    (void)state;
    const il_clause c = {IL_CLAUSE_FINALLY, 0, 3, 3, 1, 0};
    rewrite r = fat(CODE(NOP, LEAVE_S, 1, 0xDC, RET), &c, 1);
    instrument(&r);
    finish(&r);
    assert_code(&r.body, CODE(ENTER_, NOP, LEAVE_S, 1, 0xDC, LEAVE_, RET));
    il_clause n;
    il_body_clause(&r.body, 0, &n);
    assert_int_equal(n.try_offset, 5); /* enter stands outside */
    assert_int_equal(n.try_length, 3);
    assert_int_equal(n.handler_offset, 8);
    assert_int_equal(n.handler_length, 1);
    drop(&r);
}

static void region_that_starts_at_the_ret_takes_the_leave_call_in(void **state) {
    (void)state;
    const il_clause c = {IL_CLAUSE_EXCEPTION, 1, 2, 3, 3, 0x01000001};
    rewrite r = fat(CODE(NOP, RET, NOP, 0x26, LEAVE_S, 0xFB), &c, 1);
    instrument(&r);
    finish(&r);
    assert_code(&r.body, CODE(ENTER_, NOP, LEAVE_, RET, NOP, 0x26, LEAVE_S, 0xF6));
    il_clause n;
    il_body_clause(&r.body, 0, &n);
    assert_int_equal(n.try_offset, 6);
    assert_int_equal(n.try_length, 7);
    assert_int_equal(n.handler_offset, 13); /* and the last handler ends with the code */
    assert_int_equal(n.handler_length, 3);
    assert_int_equal(n.class_token_or_filter_offset, 0x01000001);
    drop(&r);
}

static void nested_clauses_and_filters_move_with_their_code(void **state) {
    (void)state;
    const il_clause clauses[] = {
        {IL_CLAUSE_FILTER, 0, 3, 6, 4, 3},           /* filter at 3: pop; ldc.i4.1; endfilter would be longer */
        {IL_CLAUSE_FAULT, 0, 10, 10, 1, 0x12345678}, /* around it */
    };
    rewrite r = fat(CODE(NOP, LEAVE_S, 8, 0x26, NOP, NOP, 0x26, NOP, LEAVE_S, 1, 0xDC, RET), clauses, 2);
    instrument(&r);
    finish(&r);
    il_clause n;
    il_body_clause(&r.body, 0, &n);
    assert_int_equal(n.try_offset, 5);
    assert_int_equal(n.class_token_or_filter_offset, 8);
    assert_int_equal(n.handler_offset, 11);
    assert_int_equal(n.handler_length, 4);
    il_body_clause(&r.body, 1, &n);
    assert_int_equal(n.try_length, 10);
    assert_int_equal(n.handler_offset, 15);
    assert_int_equal(n.handler_length, 1);
    assert_int_equal(n.class_token_or_filter_offset, 0x12345678);
    drop(&r);
}

static void empty_range_at_the_head_stays_empty(void **state) {
    (void)state;
    const il_clause c = {IL_CLAUSE_FAULT, 0, 0, 0, 0, 0};
    rewrite r = fat(CODE(NOP, RET), &c, 1);
    instrument(&r);
    finish(&r);
    il_clause n;
    il_body_clause(&r.body, 0, &n);
    assert_int_equal(n.try_length, 0);
    assert_int_equal(n.handler_length, 0);
    drop(&r);
}

static void insertions_within_an_instruction_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t offset;
        il_place place;
    } none[] = {{4, IL_BEFORE}, {6, IL_BEFORE}, {2, IL_BEFORE}, {9, IL_BEFORE}, {1, IL_APART}};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        rewrite r = tiny(CODE(0x02, 0xFE, 0x12, 1, 0xFE, 0x13, 0x4A, 0x26, RET));
        il_fault fault = {NULL, 0};
        assert_int_equal(il_insert(&r.edit, none[i].offset, none[i].place, EXIT), ECMA_BUG);
        assert_int_equal(il_insert(&r.edit, 1, IL_BEFORE, EXIT), ECMA_OK);
        assert_int_equal(il_edit_encode(&r.edit, &r.out, &fault), ECMA_BUG);
        drop(&r);
    }
}

/* ldarg.0; brtrue.s to the ldarg.s; ldarg.s 4; br.s to the first: the one is replaced by a bigger instruction, the
 * other by one of its size, and references to them lead to what stands there now. */
static void a_replacement_takes_the_instructions_place(void **state) {
    (void)state;
    rewrite r = tiny(CODE(0x02, 0x2D, 1, NOP, 0x0E, 4, 0x2B, 0xF8));
    assert_int_equal(il_replace(&r.edit, 0, CODE(0x11, 9)), ECMA_OK);
    assert_int_equal(il_replace(&r.edit, 4, CODE(0x11, 7)), ECMA_OK);
    finish(&r);
    assert_code(&r.body, CODE(0x11, 9, 0x2D, 1, NOP, 0x11, 7, 0x2B, 0xF7));
    assert_int_equal(il_map_offset(&r.edit, 0), 0);
    assert_int_equal(il_map_offset(&r.edit, 1), 2);
    assert_int_equal(il_map_end(&r.edit, 4), 5);
    drop(&r);
}

/* Without branches or clauses the map is not requested before the end of the code is known. */
static void what_is_inserted_stands_before_a_replacement(void **state) {
    (void)state;
    rewrite r = tiny(CODE(0x02, 0x26, RET));
    assert_int_equal(il_replace(&r.edit, 0, CODE(0xFE, 0x0C, 0, 1)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_BEFORE, CODE(0x16)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_HEAD, CODE(0x15)), ECMA_OK);
    finish(&r);
    assert_code(&r.body, CODE(0x15, 0x16, 0xFE, 0x0C, 0, 1, 0x26, RET));
    assert_int_equal(il_map_offset(&r.edit, 0), 1);
    assert_int_equal(il_map_offset(&r.edit, 1), 6);
    drop(&r);
}

/* A call, a branch, a ret, a prefix, what stands after one, amid an instruction; too few bytes. */
static void only_plain_instructions_are_replaced(void **state) {
    (void)state;
    static const uint32_t none[] = {0, 1, 5, 7, 8, 11};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        rewrite r = tiny(CODE(CALL, 1, 0, 0, 6, BR_S, 0, RET, 0xFE, 0x12, 1, 0x4A, 0x0E, 1, RET));
        il_fault fault = {NULL, 0};
        assert_int_equal(il_replace(&r.edit, none[i], CODE(NOP, NOP, NOP, NOP, NOP)), ECMA_BUG);
        assert_int_equal(il_edit_encode(&r.edit, &r.out, &fault), ECMA_BUG);
        drop(&r);
    }
    rewrite r = tiny(CODE(0x0E, 1, RET));
    assert_int_equal(il_replace(&r.edit, 0, CODE(0x02)), ECMA_BUG);
    drop(&r);
}

static void the_range_of_all_loops_is_told(void **state) {
    (void)state;
    uint32_t start, end;
    rewrite r = tiny(CODE(NOP, BR_S, 0, NOP, NOP, BR_S, 0xFD, 0x02, 0x2D, 0xFD, RET));
    assert_true(il_edit_loops(&r.edit, &start, &end));
    assert_int_equal(start, 4);
    assert_int_equal(end, 8);
    drop(&r);
    r = tiny(CODE(0x02, SWITCH, 2, 0, 0, 0, 0, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, RET));
    assert_true(il_edit_loops(&r.edit, &start, &end));
    assert_int_equal(start, 0);
    assert_int_equal(end, 1);
    drop(&r);
    r = tiny(CODE(0x02, 0x2D, 1, NOP, RET));
    assert_false(il_edit_loops(&r.edit, &start, &end));
    drop(&r);
}

/* From III.3.38 to III.3.61: ldarg.3, then beyond the first 64 bytes unaligned. ldarg.0, ldarga 258 and starg.s 7. The
 * bytes of ldc.i4's operand look like ldarg.0. */
static void instructions_that_name_an_argument_are_found(void **state) {
    (void)state;
    uint8_t code[80] = {0x05, 0x26, 0x20, 2, 2, 2, 2, 0x26};
    static const uint8_t late[] = {0xFE, 0x12, 1, 0x02, 0xFE, 0x0A, 2, 1, 0x10, 7, RET};
    enum { LATE = 68 };
    memcpy(code + LATE, late, sizeof late);
    rewrite r = fat(bytes_of(code, LATE + sizeof late), NULL, 0);
    const il_argument expected[] = {{0, 1, 3, IL_USE_LOADS, false},
                                    {LATE + 3, 1, 0, IL_USE_LOADS, true},
                                    {LATE + 4, 4, 258, IL_USE_LOADS_ADDRESS, false},
                                    {LATE + 8, 2, 7, IL_USE_STORES, false}};
    il_argument found;
    uint32_t from = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, from = found.offset + found.size) {
        assert_true(il_next_argument(&r.edit, from, &found));
        assert_int_equal(found.offset, expected[i].offset);
        assert_int_equal(found.size, expected[i].size);
        assert_int_equal(found.argument, expected[i].argument);
        assert_int_equal(found.use, expected[i].use);
        assert_int_equal(found.prefixed, expected[i].prefixed);
    }
    assert_false(il_next_argument(&r.edit, from, &found));
    drop(&r);
}

static void several_insertions_at_one_offset_stand_in_order(void **state) {
    (void)state;
    rewrite r = tiny(CODE(RET, BR_S, 0xFD));
    assert_int_equal(il_insert(&r.edit, 1, IL_BEFORE, CODE(0x16)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_BEFORE, CODE(0x15)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_HEAD, CODE(0x14)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 1, IL_BEFORE, CODE(0x26)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_BEFORE, CODE(0x26)), ECMA_OK);
    assert_int_equal(il_insert(&r.edit, 0, IL_HEAD, CODE(0x26)), ECMA_OK);
    finish(&r);
    assert_code(&r.body, CODE(0x14, 0x26, 0x15, 0x26, RET, 0x16, 0x26, BR_S, 0xF9));
    drop(&r);
}

static void what_cannot_be_understood_is_named(void **state) {
    (void)state;
    static const struct {
        bytes code;
        const char *what;
    } cases[] = {
        {{(const uint8_t *)"\x24\x2A", 2}, "an opcode is undefined"},
        {{(const uint8_t *)"\xFE\x08\x2A", 3}, "an opcode is undefined"},
        {{(const uint8_t *)"\x00\xFE", 2}, "an instruction runs past the end"},
        {{(const uint8_t *)"\x20\x00\x00", 3}, "an instruction runs past the end"},
        {{(const uint8_t *)"\xFE\x06\x00\x00", 4}, "an instruction runs past the end"},
        {{(const uint8_t *)"\x2B\x00", 2}, "a branch leads outside the code"},
        {{(const uint8_t *)"\x38\x00\x00\x00\x80", 5}, "a branch leads outside the code"},
        {{(const uint8_t *)"\x45\xFF\xFF\xFF\xFF", 5}, "a switch runs past the end"},
        {{(const uint8_t *)"\x45\x01\x00\x00\x00\xF6\xFF\xFF\xFF", 9}, "a switch arm leads outside the code"},
        {{(const uint8_t *)"\x2B\xFF", 2}, "a branch leads into an instruction"},
        {{(const uint8_t *)"\x45\x01\x00\x00\x00\xFF\xFF\xFF\xFF", 9}, "a branch leads into an instruction"},
        {{(const uint8_t *)"\x2A\xFE\x13", 3}, "a prefix stands before nothing"},
        {{(const uint8_t *)"\xFE\x13\x2A", 3}, "a prefix stands before a ret"},
        {{(const uint8_t *)"\xFE\x13\x2B\x00\x2A", 5}, "a prefix stands before a branch"},
        {{(const uint8_t *)"\x2B\x02\xFE\x14\x28\x00\x00\x00\x06\x2A", 10},
         "a branch parts a tail call from its prefix"},
    };
    il_edit edit;
    il_edit_init(&edit);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer b = BUFFER_INIT;
        make_tiny(&b, cases[i].code);
        il_body body = read_body(&b);
        il_fault fault = {"nothing", 0};
        assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_BAD_FILE);
        assert_string_equal(fault.what, cases[i].what);
        buffer_clear(&b);
    }
    il_edit_clear(&edit);
}

static void clause_bounds_off_the_boundaries_are_named(void **state) {
    (void)state;
    static const struct {
        il_clause clause;
        const char *what;
    } cases[] = {
        {{3, 0, 1, 1, 1, 0}, "an exception clause is of no known kind"},
        {{8, 0, 1, 1, 1, 0}, "an exception clause is of no known kind"},
        {{0, 2, 5, 0, 1, 0}, "a protected range does not lie between instructions"},
        {{0, 1, 3, 0, 1, 0}, "a protected range does not lie between instructions"},
        {{0, 1, 0xFF, 0, 1, 0}, "a protected range does not lie between instructions"},
        {{0, 7, 0, 0, 1, 0}, "a protected range does not lie between instructions"},
        {{0, 0, 1, 3, 1, 0}, "a handler does not lie between instructions"},
        {{1, 0, 1, 6, 1, 4}, "a filter does not start at an instruction"},
        {{1, 0, 1, 6, 1, 0xFFFFFFFF}, "a filter does not start at an instruction"},
    };
    il_edit edit;
    il_edit_init(&edit);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer b = BUFFER_INIT;
        make_fat(&b, CODE(NOP, 0x20, 0, 0, 0, 0, RET), &cases[i].clause, 1, false);
        il_body body = read_body(&b);
        il_fault fault = {"nothing", 0};
        assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_BAD_FILE);
        assert_string_equal(fault.what, cases[i].what);
        buffer_clear(&b);
    }
    il_edit_clear(&edit);
}

static void a_handler_does_not_start_behind_a_prefix(void **state) {
    (void)state;
    il_edit edit;
    il_edit_init(&edit);
    for (uint32_t from = 1; from <= 3; from += 2) {
        buffer b = BUFFER_INIT;
        il_clause clause = {0, 0, 1, from, 9 - from, 0};
        make_fat(&b, CODE(NOP, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET), &clause, 1, false);
        il_body body = read_body(&b);
        il_fault fault = {"nothing", 0};
        assert_int_equal(il_edit_begin(&edit, &body, &fault), from == 1 ? ECMA_OK : ECMA_BAD_FILE);
        assert_string_equal(fault.what,
                            from == 1 ? "nothing" : "a handler starts between a prefix and its instruction");
        buffer_clear(&b);
    }
    il_edit_clear(&edit);
}

static void nothing_goes_behind_code_that_runs_off_its_end(void **state) {
    (void)state;
    rewrite r = tiny(CODE(0x02, 0x2D, 7, 0xFE, 0x14, CALL, 9, 0, 0, 6, RET, NOP));
    assert_true(r.edit.flow.runs_off_end);
    instrument(&r);
    il_fault fault = {NULL, 0};
    assert_int_equal(il_edit_encode(&r.edit, &r.out, &fault), ECMA_UNSUPPORTED);
    assert_string_equal(fault.what, "code would go after code that runs off its end");
    drop(&r);
}

/* Cut anywhere, given as code of that length: understood or refused, never read past. */
static void code_cut_at_each_length_is_never_read_past(void **state) {
    (void)state;
    static const uint8_t code[] = {0x02, SWITCH, 2,    0,    0, 0, 0, 0, 0,   0,  1,    0,    0,    0, 0x02, 0x2D,
                                   0xFD, 0x21,   1,    2,    3, 4, 5, 6, 7,   8,  0x26, 0xFE, 0x16, 1, 0,    0,
                                   2,    0xFE,   0x14, 0x6F, 9, 0, 0, 6, RET, BR, 0,    0,    0,    0, RET};
    il_edit edit;
    il_edit_init(&edit);
    unsigned understood = 0;
    for (size_t size = 1; size <= sizeof code; size++) {
        uint8_t *copy = malloc(size + 1);
        copy[0] = (uint8_t)(size << 2 | IL_TINY_FORMAT);
        memcpy(copy + 1, code, size);
        il_body body;
        il_fault fault = {NULL, 0};
        assert_true(il_body_try_read(&body, bytes_of(copy, size + 1), &fault));
        buffer out = BUFFER_INIT;
        if (il_edit_begin(&edit, &body, &fault) == ECMA_OK) {
            understood++;
            assert_int_equal(il_edit_encode(&edit, &out, &fault), ECMA_OK);
            assert_int_equal(out.size, size + 1);
            assert_memory_equal(out.data, copy, size + 1);
        } else
            assert_non_null(fault.what);
        buffer_clear(&out);
        free(copy);
    }
    assert_true(understood > 3);
    il_edit_clear(&edit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lone_ret_gets_enter_then_leave),
        cmocka_unit_test(branch_to_ret_reaches_leave_call),
        cmocka_unit_test(switch_arm_and_leave_to_ret_reach_leave_call),
        cmocka_unit_test(jump_to_offset_0_does_not_call_enter_again),
        cmocka_unit_test(unreachable_ret_leaves_too),
        cmocka_unit_test(body_without_ret_gets_enter_only),
        cmocka_unit_test(jmp_leaves_before_it),
        cmocka_unit_test(tail_call_leaves_before_its_prefix_and_its_ret_stays_bare),
        cmocka_unit_test(branch_to_the_ret_of_a_tail_call_leaves_apart),
        cmocka_unit_test(tail_that_no_ret_follows_is_a_plain_call),
        cmocka_unit_test(exits_and_flow_are_told),
        cmocka_unit_test(prefixes_stay_with_their_instruction),
        cmocka_unit_test(map_tells_where_things_went),
        cmocka_unit_test(region_that_ends_at_the_ret_ends_before_the_leave_call),
        cmocka_unit_test(region_that_starts_at_the_ret_takes_the_leave_call_in),
        cmocka_unit_test(nested_clauses_and_filters_move_with_their_code),
        cmocka_unit_test(empty_range_at_the_head_stays_empty),
        cmocka_unit_test(insertions_within_an_instruction_are_refused),
        cmocka_unit_test(a_replacement_takes_the_instructions_place),
        cmocka_unit_test(what_is_inserted_stands_before_a_replacement),
        cmocka_unit_test(only_plain_instructions_are_replaced),
        cmocka_unit_test(the_range_of_all_loops_is_told),
        cmocka_unit_test(instructions_that_name_an_argument_are_found),
        cmocka_unit_test(several_insertions_at_one_offset_stand_in_order),
        cmocka_unit_test(what_cannot_be_understood_is_named),
        cmocka_unit_test(clause_bounds_off_the_boundaries_are_named),
        cmocka_unit_test(a_handler_does_not_start_behind_a_prefix),
        cmocka_unit_test(nothing_goes_behind_code_that_runs_off_its_end),
        cmocka_unit_test(code_cut_at_each_length_is_never_read_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
