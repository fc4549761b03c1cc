#include "unit.h"

#include "pe/strong_name.h"

#include <stdlib.h>

static void assert_token(bytes key, const char *expected) {
    uint8_t token[8];
    char text[17];
    pe_public_key_token(key, token);
    for (size_t i = 0; i < 8; i++)
        snprintf(text + i * 2, 3, "%02x", token[i]);
    assert_string_equal(text, expected);
}

/* The standard's own key (II.6.2.1.3). */
static void the_token_of_the_ECMA_key(void **state) {
    (void)state;
    static const uint8_t key[16] = {[8] = 4};
    assert_token(bytes_of(key, sizeof key), "b77a5c561934e089");
}

/* FIPS 180's examples: the last 8 bytes of each digest, in reverse. */
static void the_digests_of_the_standard(void **state) {
    (void)state;
    assert_token((bytes){0}, "0907d8af90186095");
    assert_token(bytes_of("abc", 3), "9dd8d09c6cc25078");
    assert_token(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56), "f17046e5e52951f9");
    enum { MILLION = 1000000 };
    uint8_t *many = malloc(MILLION);
    assert_non_null(many);
    memset(many, 'a', MILLION);
    assert_token(bytes_of(many, MILLION), "6f0134653127addb");
    free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_token_of_the_ECMA_key),
        cmocka_unit_test(the_digests_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
