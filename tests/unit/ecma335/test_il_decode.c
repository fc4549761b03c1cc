/* The cursor over instructions. */
#include "unit.h"

#include <stdlib.h>

#include "il/decode.h"

static void every_operand_kind_is_decoded(void **state) {
    (void)state;
    const uint8_t code[] = {
        0x0E, 0xFE,                                                       /* ldarg.s 254 */
        0xFE, 0x0C, 0xFE, 0xFF,                                           /* ldloc 65534 */
        0x1F, 0x80,                                                       /* ldc.i4.s -128 */
        0x20, 0xFE, 0xFF, 0xFF, 0xFF,                                     /* ldc.i4 -2 */
        0x21, 1,    2,    3,    4,    5,    6,    7,    0x88,             /* ldc.i8 */
        0x22, 1,    2,    3,    0xC4,                                     /* ldc.r4 */
        0x23, 1,    2,    3,    4,    5,    6,    7,    0xC8,             /* ldc.r8 */
        0x28, 4,    3,    2,    0x0A,                                     /* call */
        0x45, 2,    0,    0,    0,    0xCC, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, /* switch */
        0x2B, 0xFE,                                                       /* br.s to itself */
        0x38, 0xFF, 0xFF, 0xFF, 0xFF, /* br into its own operand: not this layer's to refuse */
        0x2A,
    };
    il_cursor c = il_cursor_of(bytes_of(code, sizeof code));
    il_instruction i;
    assert_true(il_next(&c, &i));
    assert_int_equal(i.opcode, IL_ldarg_s);
    assert_true(i.integer == 254);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.opcode, IL_ldloc);
    assert_int_equal(i.size, 4);
    assert_true(i.integer == 65534);
    assert_true(il_next(&c, &i));
    assert_true(i.integer == -128);
    assert_true(il_next(&c, &i));
    assert_true(i.integer == -2);
    assert_true(il_next(&c, &i));
    assert_true((uint64_t)i.integer == 0x8807060504030201);
    assert_true(il_next(&c, &i));
    assert_true(i.real_bits == 0xC4030201);
    assert_true(il_next(&c, &i));
    assert_true(i.real_bits == 0xC807060504030201);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.token, 0x0A020304);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.opcode, IL_switch);
    assert_int_equal(i.offset, 41);
    assert_int_equal(i.size, 13);
    assert_int_equal(i.arm_count, 2);
    assert_int_equal(il_switch_target(&i, 0), 2);
    assert_int_equal(il_switch_target(&i, 1), 55);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.target, 54);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.target, 60);
    assert_true(il_next(&c, &i));
    assert_int_equal(i.opcode, IL_ret);
    assert_false(il_next(&c, &i));
    assert_null(c.fault.what);
}

static void each_fault_is_named_with_its_offset(void **state) {
    (void)state;
    static const struct {
        const char *code;
        size_t size;
        const char *what;
    } cases[] = {
        {"\x00\x24", 2, "an opcode is undefined"},
        {"\x00\xFE\x08", 3, "an opcode is undefined"},
        {"\x00\xFF", 2, "an opcode is undefined"},
        {"\x00\xFE", 2, "an instruction runs past the end"},
        {"\x00\x20\x01\x02\x03", 5, "an instruction runs past the end"},
        {"\x00\x2B\x00", 3, "a branch leads outside the code"},
        {"\x00\x2B\xFC", 3, "a branch leads outside the code"},
        {"\x00\x38\x00\x00\x00\x80", 6, "a branch leads outside the code"},
        {"\x00\x38\xFF\xFF\xFF\x7F", 6, "a branch leads outside the code"},
        {"\x00\x45\xFF\xFF\xFF\xFF\x2A", 7, "a switch runs past the end"},
        {"\x00\x45\x01\x00\x00\x00\x00\x00\x00", 9, "a switch runs past the end"},
        {"\x00\x45\x01\x00\x00\x00\x00\x00\x00\x00", 10, "a switch arm leads outside the code"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        uint8_t *copy = malloc(cases[n].size);
        memcpy(copy, cases[n].code, cases[n].size);
        il_cursor c = il_cursor_of(bytes_of(copy, cases[n].size));
        il_instruction i;
        assert_true(il_next(&c, &i));
        assert_false(il_next(&c, &i));
        assert_string_equal(c.fault.what, cases[n].what);
        assert_int_equal(c.fault.offset, 1);
        assert_false(il_next(&c, &i));
        free(copy);
    }
}

/* Instructions of all encodings, each with a zero operand that is cut off byte by byte. */
static void every_opcode_has_the_size_its_row_says(void **state) {
    (void)state;
    unsigned defined = 0;
    for (unsigned e = 0; e < 512; e++) {
        il_opcode opcode = il_opcode_of_encoding[e];
        if (opcode == IL_none)
            continue;
        defined++;
        uint8_t code[16] = {0xFE};
        code[e >> 8] = (uint8_t)e;
        size_t size = (size_t)il_opcodes[opcode].size + il_opcodes[opcode].operand_size;
        il_instruction i;
        for (size_t cut = 1; cut < size; cut++) {
            il_cursor c = il_cursor_of(bytes_of(code, cut));
            assert_false(il_next(&c, &i));
            assert_string_equal(c.fault.what, "an instruction runs past the end");
        }
        il_cursor c = il_cursor_of(bytes_of(code, sizeof code));
        assert_true(il_next(&c, &i));
        assert_int_equal(i.opcode, opcode);
        assert_int_equal(i.size, size);
    }
    assert_int_equal(defined, 219);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operand_kind_is_decoded),
        cmocka_unit_test(each_fault_is_named_with_its_offset),
        cmocka_unit_test(every_opcode_has_the_size_its_row_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
