/* The fuzz target of key files, driven plainly: made keys, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../fuzz/fuzz_key.c"
#include "fuzz_unit.h"

enum { BITS = 512 };
enum { PRIVATE, PUBLIC, IDENTITY, SAMPLES };

/* A key of made numbers: its form is what counts here. */
static void make(buffer *b, unsigned kind) {
    if (kind == IDENTITY) {
        buffer_u32(b, 0x2400);
        buffer_u32(b, 0x8004);
        buffer_u32(b, 20 + BITS / 8);
    }
    buffer_u32(b, kind == PRIVATE ? 0x207 : 0x206);
    buffer_u32(b, 0x2400);
    buffer_u32(b, kind == PRIVATE ? 0x32415352 : 0x31415352);
    buffer_u32(b, BITS);
    buffer_u32(b, 0x10001);
    size_t size = kind == PRIVATE ? (size_t)BITS / 16 * 9 : BITS / 8;
    for (size_t i = 0; i < size; i++)
        buffer_u8(b, (uint8_t)(0x80 | i));
}

static void made_keys_are_read(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < SAMPLES; kind++) {
        buffer b = BUFFER_INIT;
        key k = KEY_INIT;
        make(&b, kind);
        assert_null(key_read_blob(&k, buffer_bytes(&b)));
        assert_int_equal(key_modulus_bytes(&k), BITS / 8);
        assert_int_equal(k.private_key.size != 0, kind == PRIVATE);
        assert_int_equal(key_matches(&k, buffer_bytes(&b)), kind == IDENTITY);
        fuzz_run(b.data, b.size);
        key_clear(&k);
        buffer_clear(&b);
    }
}

static void a_private_key_becomes_DER_with_the_same_numbers(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    key k = KEY_INIT, again = KEY_INIT;
    make(&b, PRIVATE);
    assert_null(key_read_blob(&k, buffer_bytes(&b)));
    assert_null(key_read_der(&again, buffer_bytes(&k.private_key)));
    assert_true(bytes_equal(buffer_bytes(&k.numbers), buffer_bytes(&again.numbers)));
    key_clear(&k);
    key_clear(&again);
    buffer_clear(&b);
}

static void every_cut_is_refused(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < SAMPLES; kind++) {
        buffer b = BUFFER_INIT;
        make(&b, kind);
        for (size_t size = 0; size < b.size; size++) {
            key k = KEY_INIT;
            assert_non_null(key_read_blob(&k, bytes_of(b.data, size)));
            key_clear(&k);
            fuzz_run(b.data, size);
        }
        buffer_clear(&b);
    }
}

static void changed_keys_are_read_or_refused(void **state) {
    (void)state;
    enum { ROUNDS = 20000 };
    uint32_t random = 71;
    printf("seed %u, %d rounds\n", random, ROUNDS);
    for (int round = 0; round < ROUNDS; round++) {
        buffer b = BUFFER_INIT;
        make(&b, (unsigned)round % SAMPLES);
        for (int i = 0; i < 3; i++) {
            uint32_t value = fuzz_random(&random);
            b.data[value % (i ? 40 : b.size)] = (uint8_t)(value >> 16);
        }
        fuzz_run(b.data, b.size);
        buffer_clear(&b);
    }
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_keys_are_read),
        cmocka_unit_test(a_private_key_becomes_DER_with_the_same_numbers),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(changed_keys_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
