/* Methods that are too small to be worth a call of the tracker, by their IL alone. */
#include "unit.h"

#include "choice/guess.h"

static guess guess_at(uint32_t impl_flags, const uint8_t *code, size_t size) {
    il_body body = {.code = {code, size}, .tiny = true};
    return guess_of(impl_flags, &body);
}

static void test_small_straight_code_is_guessed(void **state) {
    (void)state;
    static const uint8_t getter[] = {0x02, 0x7B, 1, 0, 0, 4, 0x2A}; /* ldarg.0, ldfld, ret */
    static const uint8_t thrower[] = {0x14, 0x7A};                  /* ldnull, throw */
    static const uint8_t loop[] = {0x00, 0x2B, 0xFD, 0x2A};         /* nop, br.s to it, ret */
    static const uint8_t broken[] = {0x24, 0x2A};                   /* no opcode */
    assert_int_equal(guess_at(0, getter, sizeof getter), GUESS_SMALL);
    assert_int_equal(guess_at(0x0100, getter, sizeof getter), GUESS_FORCED);
    for (uint32_t flag = 1; flag <= 0x2000; flag <<= 1)
        if (flag == 0x0008 || flag == 0x0020 || flag == 0x0040 || flag == 0x0200 || flag == 0x2000)
            assert_int_equal(guess_at(flag, getter, sizeof getter), GUESS_STAYS);
    assert_int_equal(guess_at(0, thrower, sizeof thrower), GUESS_STAYS);
    assert_int_equal(guess_at(0, loop, sizeof loop), GUESS_STAYS);
    assert_int_equal(guess_at(0, broken, sizeof broken), GUESS_STAYS);
    il_body guarded = {.code = {getter, sizeof getter}, .clause_count = 1};
    assert_int_equal(guess_of(0x0100, &guarded), GUESS_STAYS);
}

/* `size` bytes: with `branch` a branch over a nop, then `calls` calls, nops and a ret. */
static guess guess_long(size_t size, unsigned calls, bool branch) {
    uint8_t code[128] = {0};
    size_t at = 0;
    if (branch) {
        code[at++] = 0x02;
        code[at++] = 0x2C; /* brfalse.s */
        code[at++] = 0x01; /* over one nop */
        at++;
    }
    for (; calls > 0; calls--, at += 5)
        code[at] = 0x28;   /* call */
    code[size - 1] = 0x2A; /* and nops before it */
    return guess_at(0, code, size);
}

static void test_the_limits_of_sizes(void **state) {
    (void)state;
    assert_int_equal(guess_long(19, 2, true), GUESS_SMALL);
    assert_int_equal(guess_long(20, 2, false), GUESS_STAYS);
    assert_int_equal(guess_long(20, 1, true), GUESS_STAYS);
    assert_int_equal(guess_long(32, 1, false), GUESS_WRAPPER);
    assert_int_equal(guess_long(33, 1, false), GUESS_STAYS);
    assert_int_equal(guess_long(100, 0, true), GUESS_LEAF);
    assert_int_equal(guess_long(101, 0, true), GUESS_STAYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_straight_code_is_guessed),
        cmocka_unit_test(test_the_limits_of_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
