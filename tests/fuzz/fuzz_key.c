/* Reads any bytes as a key file's blob and as the key that a PKCS #12 file holds; what is accepted has to be whole. */
#include <stdlib.h>

#include "output/key.h"

static void must(bool holds) {
    if (!holds)
        abort();
}

static void look_at(key *k, const char *fault) {
    uint8_t token[8];
    if (fault) {
        must(*fault && k->numbers.size == 0);
    } else {
        must(k->numbers.size == 8 + load_u32(k->numbers.data) / 8);
        must(key_token(k, token));
        must(!key_matches(k, buffer_bytes(&k->numbers)));
    }
    key_clear(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    key k = KEY_INIT;
    const char *fault = key_read_blob(&k, bytes_of(data, size));
    /* The outcome for a private blob is itself a key, with the same numbers. */
    if (!fault && k.private_key.size) {
        key again = KEY_INIT;
        const char *second = key_read_der(&again, buffer_bytes(&k.private_key));
        if (!second && again.numbers.size == k.numbers.size)
            must(bytes_equal(buffer_bytes(&again.numbers), buffer_bytes(&k.numbers)));
        key_clear(&again);
    }
    look_at(&k, fault);
    k = KEY_INIT;
    look_at(&k, key_read_der(&k, bytes_of(data, size)));
    return 0;
}
