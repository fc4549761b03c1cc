/* Sizes of rewritten bodies: what becomes long or fat, and that nothing else does. */
#include "il_unit.h"

#include "il/opcode.h"

/* `count` nops with `instruction` standing at `at` in place of some. */
static uint8_t *nops(size_t count, size_t at, bytes instruction) {
    uint8_t *code = calloc(count, 1);
    if (instruction.size)
        memcpy(code + at, instruction.data, instruction.size);
    return code;
}

static rewrite fat_of(uint8_t *code, size_t size) {
    rewrite r = {0};
    make_fat(&r.in, bytes_of(code, size), NULL, 0, false);
    free(code);
    begin(&r);
    return r;
}

static void insert_nops(rewrite *r, uint32_t offset, il_place place, size_t count) {
    static const uint8_t zeros[70000];
    assert_int_equal(il_insert(&r->edit, offset, place, bytes_of(zeros, count)), ECMA_OK);
}

static void nothing_inserted_gives_the_same_bytes(void **state) {
    (void)state;
    static const il_clause clauses[] = {{0, 0, 1, 1, 1, 0x02000001}, {2, 0, 2, 4, 5, 0x77777777}};
    static const uint8_t code[] = {NOP, NOP, BR_S, 5, BR, 0, 0, 0, 0, SWITCH, 0, 0, 0, 0, RET};
    for (unsigned variant = 0; variant < 8; variant++) {
        rewrite r = {0};
        make_fat(&r.in, bytes_of(code, sizeof code), clauses, variant & 1 ? 2 : 0, variant & 2);
        if (variant & 1 && variant & 4) { /* DataSize less its 4, something in the padding */
            size_t section = 12 + 16;
            r.in.data[section + 1] = (uint8_t)(r.in.data[section + 1] - 4);
            r.in.data[section - 1] = 0xCC;
            if (!(variant & 2))
                r.in.data[section + 3] = 0xDD;
        }
        begin(&r);
        finish(&r);
        assert_int_equal(r.in.size, r.out.size);
        assert_memory_equal(r.in.data, r.out.data, r.in.size);
        drop(&r);
    }
}

static void chained_sections_stay_chained(void **state) {
    (void)state;
    rewrite r = {0};
    const il_clause c = {IL_CLAUSE_FINALLY, 0, 1, 1, 1, 0};
    make_fat(&r.in, CODE(NOP, NOP, RET), &c, 1, false);
    size_t first = r.in.size - 16;
    buffer_append(&r.in, r.in.data + first, 16);
    r.in.data[first] |= IL_SECT_MORE_SECTS;
    begin(&r);
    insert_nops(&r, 2, IL_BEFORE, 300);
    insert_nops(&r, 2, IL_BEFORE, 1);
    finish(&r);
    assert_int_equal(r.body.section_count, 2);
    assert_int_equal(r.body.clause_count, 2);
    assert_int_equal(r.body.size, 12 + 304 + 32);
    drop(&r);
}

/* A forward branch over 100 bytes to the last ret, `inserted` bytes put in between. */
static il_opcode forward_branch_after(size_t inserted) {
    uint8_t *code = nops(103, 0, CODE(BR_S, 100));
    code[102] = RET;
    rewrite r = fat_of(code, 103);
    insert_nops(&r, 50, IL_BEFORE, inserted);
    finish(&r);
    il_opcode opcode = il_opcode_of_encoding[r.body.code.data[0]];
    if (opcode == IL_br_s) {
        assert_int_equal(r.body.code.data[1], 100 + inserted);
        assert_int_equal(r.body.code.size, 103 + inserted);
    } else {
        assert_int_equal(load_u32(r.body.code.data + 1), 100 + inserted);
        assert_int_equal(r.body.code.size, 106 + inserted);
    }
    drop(&r);
    return opcode;
}

/* The same backward: the branch's end is 100 bytes after its target. */
static il_opcode backward_branch_after(size_t inserted) {
    rewrite r = fat_of(nops(100, 98, CODE(BR_S, 0x9C)), 100);
    insert_nops(&r, 50, IL_BEFORE, inserted);
    finish(&r);
    const uint8_t *end = r.body.code.data + r.body.code.size;
    il_opcode opcode = il_opcode_of_encoding[r.body.code.data[98 + inserted]];
    if (opcode == IL_br_s)
        assert_int_equal((int8_t)end[-1], -100 - (int)inserted);
    else
        assert_int_equal((int32_t)load_u32(end - 4), -103 - (int)inserted);
    drop(&r);
    return opcode;
}

static void short_branch_widens_exactly_when_its_distance_does_not_fit(void **state) {
    (void)state;
    assert_int_equal(forward_branch_after(27), IL_br_s);  /* 127 */
    assert_int_equal(forward_branch_after(28), IL_br);    /* 128 */
    assert_int_equal(backward_branch_after(28), IL_br_s); /* -128 */
    assert_int_equal(backward_branch_after(29), IL_br);   /* -129 */
}

static void every_short_branch_widens_to_its_long_form(void **state) {
    (void)state;
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        if (il_opcodes[i].operand != IL_ShortInlineBrTarget)
            continue;
        uint8_t *code = nops(103, 0, CODE((uint8_t)il_opcodes[i].encoding, 100));
        code[102] = RET;
        rewrite r = fat_of(code, 103);
        insert_nops(&r, 50, IL_BEFORE, 28);
        finish(&r);
        assert_int_equal(r.body.code.data[0], il_opcodes[il_opcodes[i].long_form].encoding);
        drop(&r);
    }
}

static void long_branch_stays_long(void **state) {
    (void)state;
    rewrite r = fat_of(nops(7, 0, CODE(BR, 1, 0, 0, 0, NOP, RET)), 7);
    insert_nops(&r, 0, IL_HEAD, 5);
    finish(&r);
    assert_int_equal(r.body.code.size, 12);
    assert_int_equal(r.body.code.data[5], BR);
    drop(&r);
}

/* Each branch reaches 127 bytes, over the next one; the last is stretched by one byte. */
static void one_widened_branch_widens_the_next(void **state) {
    (void)state;
    enum { LINKS = 40, STEP = 100, SIZE = LINKS * STEP + 200 };
    uint8_t *code = calloc(SIZE, 1);
    for (int i = 0; i < LINKS; i++)
        memcpy(code + i * STEP, (const uint8_t[]){BR_S, 127}, 2);
    code[SIZE - 1] = RET;
    uint32_t near_end = LINKS * STEP + 10; /* over which only the last leads */
    rewrite r = fat_of(code, SIZE);
    insert_nops(&r, near_end, IL_BEFORE, 1);
    finish(&r);
    assert_int_equal(r.body.code.size, SIZE + 1 + 3 * LINKS);
    drop(&r);

    code = calloc(SIZE, 1); /* with one that has three bytes to spare, those before it stay short */
    for (int i = 0; i < LINKS; i++)
        memcpy(code + i * STEP, (const uint8_t[]){BR_S, i == 20 ? 124 : 127}, 2);
    code[SIZE - 1] = RET;
    r = fat_of(code, SIZE);
    insert_nops(&r, near_end, IL_BEFORE, 1);
    finish(&r);
    assert_int_equal(r.body.code.size, SIZE + 1 + 3 * (LINKS - 21));
    drop(&r);
}

static bool stays_tiny(size_t code_size, size_t inserted, uint16_t max_stack, uint32_t local_var_sig_token) {
    rewrite r = {0};
    uint8_t *code = nops(code_size, code_size - 1, CODE(RET));
    make_tiny(&r.in, bytes_of(code, code_size));
    free(code);
    begin(&r);
    insert_nops(&r, 0, IL_HEAD, inserted);
    r.edit.max_stack = max_stack;
    r.edit.local_var_sig_token = local_var_sig_token;
    r.edit.init_locals = local_var_sig_token != 0;
    finish(&r);
    assert_int_equal(r.body.code.size, code_size + inserted);
    assert_int_equal(r.out.size, r.body.code.size + (r.body.tiny ? 1 : 12));
    assert_int_equal(il_edit_is_fat(&r.edit), !r.body.tiny);
    if (!r.body.tiny) {
        assert_int_equal(r.body.max_stack, max_stack);
        assert_int_equal(r.body.local_var_sig_token, local_var_sig_token);
        assert_int_equal(r.body.init_locals, local_var_sig_token != 0);
    }
    bool tiny = r.body.tiny;
    drop(&r);
    return tiny;
}

static void tiny_body_becomes_fat_exactly_when_it_must(void **state) {
    (void)state;
    assert_true(stays_tiny(58, 5, 8, 0));  /* 63 bytes */
    assert_false(stays_tiny(59, 5, 8, 0)); /* 64 */
    assert_true(stays_tiny(1, 5, 3, 0));
    assert_false(stays_tiny(1, 5, 9, 0));
    assert_false(stays_tiny(1, 5, 8, 0x11000009));
}

static void fat_body_stays_fat_and_takes_new_header_facts(void **state) {
    (void)state;
    rewrite r = fat_of(nops(1, 0, CODE(RET)), 1);
    r.edit.max_stack = 3;
    r.edit.init_locals = false;
    r.edit.local_var_sig_token = 0;
    finish(&r);
    assert_false(r.body.tiny);
    assert_int_equal(r.body.max_stack, 3);
    assert_false(r.body.init_locals);
    assert_int_equal(r.body.local_var_sig_token, 0);
    drop(&r);
}

static void switch_of_300_arms_keeps_every_arm(void **state) {
    (void)state;
    enum { ARMS = 300, FIRST = 5 + 4 * ARMS, SIZE = FIRST + ARMS };
    uint8_t *code = calloc(SIZE, 1);
    code[0] = SWITCH;
    store_u32(code + 1, ARMS);
    for (uint32_t i = 0; i < ARMS; i++)
        store_u32(code + 5 + i * 4, i);
    memset(code + FIRST, RET, ARMS);
    rewrite r = fat_of(code, SIZE);
    instrument(&r);
    finish(&r);
    assert_int_equal(r.body.code.size, SIZE + 5 + 5 * ARMS);
    for (uint32_t i = 0; i < ARMS; i++)
        assert_int_equal(load_u32(r.body.code.data + 10 + i * 4), i * 6);
    drop(&r);
}

/* A body of `size` bytes with one clause; `inserted` bytes at `offset`. Whether its section is fat then. */
static bool section_becomes_fat(uint32_t size, il_clause c, uint32_t offset, size_t inserted) {
    rewrite r = {0};
    uint8_t *code = nops(size, size - 1, CODE(RET));
    make_fat(&r.in, bytes_of(code, size), &c, 1, false);
    free(code);
    begin(&r);
    insert_nops(&r, offset, IL_BEFORE, inserted);
    finish(&r);
    il_clause n;
    il_body_clause(&r.body, 0, &n);
    assert_int_equal(n.try_offset, c.try_offset + (offset < c.try_offset ? inserted : 0));
    assert_int_equal(n.try_length,
                     c.try_length + (offset >= c.try_offset && offset < c.try_offset + c.try_length ? inserted : 0));
    assert_int_equal(n.handler_offset, c.handler_offset + (offset < c.handler_offset ? inserted : 0));
    assert_int_equal(n.handler_length,
                     c.handler_length +
                         (offset >= c.handler_offset && offset < c.handler_offset + c.handler_length ? inserted : 0));
    bool fat = r.body.sections[0].fat;
    size_t end = (12 + size + inserted + 3) / 4 * 4;
    assert_int_equal(r.out.size, end + (fat ? 28 : 16));
    assert_int_equal(r.out.data[end + 1], fat ? 28 : 16);
    drop(&r);
    return fat;
}

static void small_section_becomes_fat_exactly_when_a_bound_outgrows_it(void **state) {
    (void)state;
    assert_false(section_becomes_fat(400, (il_clause){2, 0, 250, 250, 1, 0}, 100, 5)); /* try length 255 */
    assert_true(section_becomes_fat(400, (il_clause){2, 0, 250, 250, 1, 0}, 100, 6));
    assert_false(section_becomes_fat(400, (il_clause){2, 0, 1, 1, 250, 0}, 100, 5)); /* handler length */
    assert_true(section_becomes_fat(400, (il_clause){2, 0, 1, 1, 250, 0}, 100, 6));
    assert_false(section_becomes_fat(66000, (il_clause){2, 0, 1, 65530, 1, 0}, 100, 5)); /* handler offset 65535 */
    assert_true(section_becomes_fat(66000, (il_clause){2, 0, 1, 65530, 1, 0}, 100, 6));
    assert_false(section_becomes_fat(66000, (il_clause){2, 65530, 1, 1, 1, 0}, 100, 5)); /* try offset */
    assert_true(section_becomes_fat(66000, (il_clause){2, 65530, 1, 1, 1, 0}, 100, 6));
}

static void fat_section_stays_fat(void **state) {
    (void)state;
    rewrite r = {0};
    const il_clause c = {IL_CLAUSE_FINALLY, 0, 1, 1, 1, 0};
    make_fat(&r.in, CODE(NOP, NOP, RET), &c, 1, true);
    begin(&r);
    insert_nops(&r, 2, IL_BEFORE, 5);
    finish(&r);
    assert_true(r.body.sections[0].fat);
    drop(&r);
}

static void one_edit_serves_many_bodies(void **state) {
    (void)state;
    rewrite r = {0};
    il_edit_init(&r.edit);
    for (unsigned round = 0; round < 3; round++)
        for (uint8_t length = 1; length < 40; length++) {
            r.in.size = r.out.size = 0;
            uint8_t *code = nops(length, length - 1u, CODE(RET));
            make_tiny(&r.in, bytes_of(code, length));
            free(code);
            il_body body = read_body(&r.in);
            il_fault fault;
            assert_int_equal(il_edit_begin(&r.edit, &body, &fault), ECMA_OK);
            instrument(&r);
            finish(&r);
            assert_int_equal(r.body.code.size, length + 10);
            assert_memory_equal(r.body.code.data, enter_code, 5);
            assert_memory_equal(r.body.code.data + length + 4, leave_code, 5);
        }
    drop(&r);
}

static void result_over_2_gib_is_refused(void **state) {
    (void)state;
    rewrite r = fat_of(nops(1, 0, CODE(RET)), 1);
    /* Never read: the sizes alone are summed. */
    bytes huge = {enter_code, INT32_MAX - 1};
    assert_int_equal(il_insert(&r.edit, 0, IL_HEAD, huge), ECMA_OK);
    il_fault fault = {NULL, 0};
    assert_int_equal(il_edit_layout(&r.edit, &fault), ECMA_UNSUPPORTED);
    assert_string_equal(fault.what, "the rewritten body would exceed 2 GiB");
    drop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_inserted_gives_the_same_bytes),
        cmocka_unit_test(chained_sections_stay_chained),
        cmocka_unit_test(short_branch_widens_exactly_when_its_distance_does_not_fit),
        cmocka_unit_test(every_short_branch_widens_to_its_long_form),
        cmocka_unit_test(long_branch_stays_long),
        cmocka_unit_test(one_widened_branch_widens_the_next),
        cmocka_unit_test(tiny_body_becomes_fat_exactly_when_it_must),
        cmocka_unit_test(fat_body_stays_fat_and_takes_new_header_facts),
        cmocka_unit_test(switch_of_300_arms_keeps_every_arm),
        cmocka_unit_test(small_section_becomes_fat_exactly_when_a_bound_outgrows_it),
        cmocka_unit_test(fat_section_stays_fat),
        cmocka_unit_test(one_edit_serves_many_bodies),
        cmocka_unit_test(result_over_2_gib_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
