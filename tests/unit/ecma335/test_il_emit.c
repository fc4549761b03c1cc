/* Instructions as the standard encodes them (III.1.2, III.3): each at the ends of the ranges of its forms. */
#include "unit.h"

#include "il/emit.h"

static void expect(buffer *b, const uint8_t *wanted, size_t size) {
    assert_false(b->failed);
    assert_int_equal(b->size, size);
    assert_memory_equal(b->data, wanted, size);
    buffer_clear(b);
}
#define EXPECT(...) expect(&b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void locals_and_arguments_take_their_shortest_form(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    il_emit_ldloc(&b, 0);
    il_emit_ldloc(&b, 3);
    EXPECT(0x06, 0x09);
    il_emit_ldloc(&b, 4);
    il_emit_ldloc(&b, 255);
    EXPECT(0x11, 4, 0x11, 255);
    il_emit_ldloc(&b, 256);
    EXPECT(0xFE, 0x0C, 0, 1);
    il_emit_stloc(&b, 3);
    il_emit_stloc(&b, 4);
    il_emit_stloc(&b, 0x1234);
    EXPECT(0x0D, 0x13, 4, 0xFE, 0x0E, 0x34, 0x12);
    il_emit_ldloca(&b, 0);
    il_emit_ldloca(&b, 255);
    il_emit_ldloca(&b, 256);
    EXPECT(0x12, 0, 0x12, 255, 0xFE, 0x0D, 0, 1);
    il_emit_ldarg(&b, 0);
    il_emit_ldarg(&b, 3);
    il_emit_ldarg(&b, 4);
    il_emit_ldarg(&b, 256);
    EXPECT(0x02, 0x05, 0x0E, 4, 0xFE, 0x09, 0, 1);
    il_emit_ldarga(&b, 3);
    il_emit_ldarga(&b, 256);
    EXPECT(0x0F, 3, 0xFE, 0x0A, 0, 1);
}

static void so_do_constants(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    il_emit_ldc_i4(&b, -1);
    il_emit_ldc_i4(&b, 0);
    il_emit_ldc_i4(&b, 8);
    EXPECT(0x15, 0x16, 0x1E);
    il_emit_ldc_i4(&b, -2);
    il_emit_ldc_i4(&b, 9);
    il_emit_ldc_i4(&b, 127);
    il_emit_ldc_i4(&b, -128);
    EXPECT(0x1F, 0xFE, 0x1F, 9, 0x1F, 127, 0x1F, 0x80);
    il_emit_ldc_i4(&b, 128);
    il_emit_ldc_i4(&b, -129);
    EXPECT(0x20, 0x80, 0, 0, 0, 0x20, 0x7F, 0xFF, 0xFF, 0xFF);
}

static void tokens_stand_behind_one_byte_or_two(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    il_emit_call(&b, 0x0A000102);
    il_emit_token(&b, IL_OP_initobj, 0x02000003);
    il_emit(&b, IL_OP_ret);
    il_emit(&b, IL_OP_rethrow);
    EXPECT(0x28, 0x02, 0x01, 0, 0x0A, 0xFE, 0x15, 0x03, 0, 0, 0x02, 0x2A, 0xFE, 0x1A);
}

static void branches_lead_behind_what_they_skip(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    il_emit(&b, IL_OP_nop);
    size_t from = il_emit_branch(&b, IL_OP_brtrue_s);
    il_emit(&b, IL_OP_pop);
    il_emit(&b, IL_OP_dup);
    il_emit_land(&b, from);
    EXPECT(0x00, 0x2D, 2, 0x26, 0x25);
    from = il_emit_long_branch(&b, IL_OP_brfalse);
    for (unsigned i = 0; i < 300; i++)
        il_emit(&b, IL_OP_nop);
    il_emit_long_land(&b, from);
    assert_int_equal(b.size, 305);
    assert_memory_equal(b.data, ((const uint8_t[]){0x39, 0x2C, 0x01, 0, 0, 0}), 6);
    buffer_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locals_and_arguments_take_their_shortest_form),
        cmocka_unit_test(so_do_constants),
        cmocka_unit_test(tokens_stand_behind_one_byte_or_two),
        cmocka_unit_test(branches_lead_behind_what_they_skip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
