/* SHA-256 against the examples of FIPS 180-4 and the lengths around a block's end. */
#include "unit.h"

#include "base/sha256.h"

#include <stdlib.h>

static void assert_hash(bytes data, const char *expected) {
    uint8_t hash[SHA256_BYTES], portable[SHA256_BYTES];
    char text[2 * SHA256_BYTES + 1];
    sha256(data, hash);
    sha256_by(data, portable, true);
    assert_memory_equal(hash, portable, sizeof hash);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        snprintf(text + (size_t)i * 2, 3, "%02x", hash[i]);
    assert_string_equal(text, expected);
}

static void published_examples(void **state) {
    (void)state;
    assert_hash((bytes){0}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash(bytes_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_hash(bytes_of(two, 56), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    uint8_t *million = malloc(1000000);
    memset(million, 'a', 1000000);
    assert_hash(bytes_of(million, 1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void lengths_around_a_blocks_end(void **state) {
    (void)state;
    char text[64];
    memset(text, 'a', sizeof text);
    assert_hash(bytes_of(text, 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_hash(bytes_of(text, 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    assert_hash(bytes_of(text, 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(lengths_around_a_blocks_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
