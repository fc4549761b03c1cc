/* Long branches that become short: which do, what hangs on that, and where everything lands. */
#include "il_unit.h"

#include "il/opcode.h"
#include "pdb/moves.h"

/* Code put together piece by piece. */
typedef struct writer {
    uint8_t code[1024];
    uint32_t size;
} writer;

static void put_nops(writer *w, uint32_t count) {
    memset(w->code + w->size, NOP, count);
    w->size += count;
}

/* A branch that leads to `target`. */
static void put_branch(writer *w, uint8_t opcode, uint32_t target) {
    w->code[w->size] = opcode;
    if (opcode == BR_S) {
        w->code[w->size + 1] = (uint8_t)(target - (w->size + 2));
        w->size += 2;
        return;
    }
    store_u32(w->code + w->size + 1, target - (w->size + 5));
    w->size += 5;
}

/* Long branches to the next instruction each. */
static void put_steps(writer *w, int count) {
    for (; count > 0; count--)
        put_branch(w, BR, w->size + 5);
}

/* The code with a ret after it, ready for insertions. */
static rewrite rewrite_of(writer *w) {
    rewrite r = {0};
    w->code[w->size++] = RET;
    make_fat(&r.in, bytes_of(w->code, w->size), NULL, 0, false);
    begin(&r);
    r.edit.shorten = true;
    return r;
}

static void insert_nops(rewrite *r, uint32_t offset, size_t count) {
    static const uint8_t zeros[400];
    assert_int_equal(il_insert(&r->edit, offset, IL_BEFORE, bytes_of(zeros, count)), ECMA_OK);
}

static uint8_t byte_at(const rewrite *r, uint32_t offset) {
    assert_true(offset < r->body.code.size);
    return r->body.code.data[offset];
}

static void long_branch_becomes_short_only_when_told(void **state) {
    (void)state;
    writer w = {.size = 0};
    put_branch(&w, BR, 6);
    put_nops(&w, 1);
    rewrite r = rewrite_of(&w);
    finish(&r);
    assert_code(&r.body, CODE(BR_S, 1, NOP, RET));
    il_body body = read_body(&r.in);
    il_fault fault;
    assert_int_equal(il_edit_begin(&r.edit, &body, &fault), ECMA_OK);
    r.out.size = 0;
    finish(&r);
    assert_code(&r.body, CODE(BR, 1, 0, 0, 0, NOP, RET));
    drop(&r);
}

static void every_long_branch_shortens_to_its_short_form(void **state) {
    (void)state;
    unsigned count = 0;
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        if (il_opcodes[i].operand != IL_InlineBrTarget)
            continue;
        rewrite r = {0};
        make_fat(&r.in, CODE((uint8_t)il_opcodes[i].encoding, 0, 0, 0, 0, RET), NULL, 0, false);
        begin(&r);
        r.edit.shorten = true;
        finish(&r);
        assert_int_equal(r.body.code.size, 3);
        il_opcode now = il_opcode_of_encoding[byte_at(&r, 0)];
        assert_int_equal(il_opcodes[now].operand, IL_ShortInlineBrTarget);
        assert_int_equal(il_opcodes[now].long_form, i);
        drop(&r);
        count++;
    }
    assert_int_equal(count, 14);
}

/* A branch over `count` bytes; forward, or backward with itself. */
static il_opcode branch_over(uint32_t count, bool forward, uint32_t inserted) {
    writer w = {.size = 0};
    put_nops(&w, 1);
    uint32_t branch = 1;
    if (forward)
        put_branch(&w, BR, 6 + count);
    put_nops(&w, count);
    if (!forward) {
        branch = w.size + inserted;
        put_branch(&w, BR, 1);
    }
    rewrite r = rewrite_of(&w);
    insert_nops(&r, 10, inserted);
    finish(&r);
    il_opcode now = il_opcode_of_encoding[byte_at(&r, branch)];
    int distance = now == IL_br_s ? (int8_t)byte_at(&r, branch + 1) : (int32_t)load_u32(r.body.code.data + branch + 1);
    int self = now == IL_br_s ? 2 : 5, over = (int)(count + inserted);
    assert_int_equal(distance, forward ? over : -over - self);
    assert_int_equal(r.body.code.size, 2 + over + self);
    drop(&r);
    return now;
}

static void long_branch_becomes_short_exactly_when_its_new_distance_fits(void **state) {
    (void)state;
    for (uint32_t inserted = 1; inserted < 60; inserted += 29) {
        assert_int_equal(branch_over(127 - inserted, true, inserted), IL_br_s);
        assert_int_equal(branch_over(128 - inserted, true, inserted), IL_br);
        assert_int_equal(branch_over(126 - inserted, false, inserted), IL_br_s); /* -128 */
        assert_int_equal(branch_over(127 - inserted, false, inserted), IL_br);
    }
}

/* 63 branches shrink from 315 bytes to 126. */
static void long_branch_becomes_short_when_that_takes_all_others_to_be(void **state) {
    (void)state;
    for (uint32_t spare = 1; spare <= 2; spare++) {
        writer w = {.size = 0};
        put_branch(&w, BR, 5 + 315 + spare);
        put_steps(&w, 63);
        put_nops(&w, spare);
        rewrite r = rewrite_of(&w);
        finish(&r);
        assert_int_equal(byte_at(&r, 0), spare == 1 ? BR_S : BR);
        drop(&r);
    }
    for (uint32_t spare = 0; spare <= 1; spare++) {
        writer w = {.size = 0};
        put_nops(&w, spare);
        put_steps(&w, 63);
        put_branch(&w, BR, 0);
        rewrite r = rewrite_of(&w);
        finish(&r);
        assert_int_equal(byte_at(&r, spare + 126), spare == 0 ? BR_S : BR);
        drop(&r);
    }
}

/* A short branch that grows makes a branch too long that started over 300 bytes away. */
static void far_branch_hears_of_one_that_grows(void **state) {
    (void)state;
    for (uint32_t grows = 0; grows < 2; grows++) {
        writer w = {.size = 0};
        put_branch(&w, BR, 5 + 305 + 2 + 2);
        put_steps(&w, 61);
        put_branch(&w, BR_S, w.size + 2 + 127);
        put_nops(&w, 130);
        rewrite r = rewrite_of(&w);
        insert_nops(&r, 5 + 305 + 2 + 50, grows);
        finish(&r);
        assert_int_equal(byte_at(&r, 0), grows ? BR : BR_S);
        assert_int_equal(r.body.code.size, grows ? 5 + 122 + 5 + 130 + 1 + 1 : 2 + 122 + 2 + 130 + 1);
        drop(&r);

        w = (writer){.size = 0};
        put_nops(&w, 126);
        put_branch(&w, BR_S, 0);
        put_steps(&w, 61);
        put_nops(&w, 1);
        put_branch(&w, BR, 126);
        r = rewrite_of(&w);
        insert_nops(&r, 50, grows);
        finish(&r);
        assert_int_equal(r.body.code.size, grows ? 127 + 5 + 122 + 1 + 5 + 1 : 126 + 2 + 122 + 1 + 2 + 1);
        drop(&r);
    }
}

/* 40 short branches, each stretched by what is put in after the end of the first one's reach. */
static void branch_over_many_that_grow_becomes_long(void **state) {
    (void)state;
    writer w = {.size = 0};
    put_branch(&w, BR_S, 82);
    for (int i = 0; i < 40; i++)
        put_branch(&w, BR_S, w.size + 2 + 127);
    put_nops(&w, 200);
    rewrite r = rewrite_of(&w);
    insert_nops(&r, 90, 1);
    finish(&r);
    assert_int_equal(byte_at(&r, 0), BR);
    assert_int_equal(r.body.code.size, 41 * 5 + 200 + 1 + 1);
    drop(&r);
}

static void switch_stays_as_it_is(void **state) {
    (void)state;
    rewrite r = {0};
    make_fat(&r.in, CODE(SWITCH, 1, 0, 0, 0, 5, 0, 0, 0, BR, 0, 0, 0, 0, RET), NULL, 0, false);
    begin(&r);
    r.edit.shorten = true;
    finish(&r);
    assert_code(&r.body, CODE(SWITCH, 1, 0, 0, 0, 2, 0, 0, 0, BR_S, 0, RET));
    drop(&r);
}

/* Two offsets may have become one, but none has come before its instruction or after the next. */
static void offsets_within_a_shortened_branch_stay_within_it(void **state) {
    (void)state;
    writer w = {.size = 0};
    put_branch(&w, BR, 6);
    put_nops(&w, 1);
    rewrite r = rewrite_of(&w);
    finish(&r);
    static const uint32_t expected[] = {0, 1, 1, 1, 1, 2, 3};
    arena a = ARENA_INIT;
    pdb_moves moves;
    assert_true(pdb_moves_init(&moves, 1, &a));
    uint32_t count;
    const il_point *p = il_map_points(&r.edit, &count);
    pdb_moves_begin(&moves, 1, &(pdb_method){.old_size = w.size, .new_size = il_edit_code_size(&r.edit)});
    for (uint32_t i = 0; i < count; i++)
        pdb_moves_add(&moves, 1, (pdb_move){p[i].old, p[i].end, p[i].reference, p[i].self, p[i].after});
    const pdb_method *method = pdb_moves_of(&moves, 1);
    for (uint32_t offset = 0; offset < sizeof expected / sizeof *expected; offset++) {
        assert_int_equal(il_map_offset(&r.edit, offset), expected[offset]);
        assert_int_equal(il_map_end(&r.edit, offset), expected[offset]);
        assert_int_equal(pdb_move_start(&moves, method, offset), expected[offset]);
        assert_int_equal(pdb_move_end(&moves, method, offset), expected[offset]);
    }
    pdb_moves_clear(&moves);
    arena_clear(&a);
    drop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_branch_becomes_short_only_when_told),
        cmocka_unit_test(every_long_branch_shortens_to_its_short_form),
        cmocka_unit_test(long_branch_becomes_short_exactly_when_its_new_distance_fits),
        cmocka_unit_test(long_branch_becomes_short_when_that_takes_all_others_to_be),
        cmocka_unit_test(far_branch_hears_of_one_that_grows),
        cmocka_unit_test(branch_over_many_that_grow_becomes_long),
        cmocka_unit_test(switch_stays_as_it_is),
        cmocka_unit_test(offsets_within_a_shortened_branch_stay_within_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
