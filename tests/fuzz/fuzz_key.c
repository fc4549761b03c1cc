/* Reads any bytes as a key file's blob and as the key that a PKCS #12 file holds. A key that is accepted is read a
 * second time, by the layout of the blob (PUBLICKEYSTRUC, RSAPUBKEY) and of RSAPrivateKey (RFC 8017, A.1.2; X.690), and
 * each number is found where it has to stand. */
#include <stdlib.h>

#include "output/key.h"

enum { PUBLIC_KEY = 6, PRIVATE_KEY = 7, ROW_BYTES = 12, BITS_AT = 12, EXPONENT_AT = 16, MODULUS_AT = 20, PARTS = 9 };

static void must(bool holds) {
    if (!holds)
        abort();
}

/* The blob within a public key of an Assembly row (II.6.2.1.3), or the file itself. */
static bytes blob_in(bytes file) {
    bool in_row = file.size > ROW_BYTES && file.data[ROW_BYTES] == PUBLIC_KEY &&
                  load_u32(file.data + ROW_BYTES - 4) == file.size - ROW_BYTES;
    return in_row ? bytes_of(file.data + ROW_BYTES, file.size - ROW_BYTES) : file;
}

/* X.690, 8.1.3 and 8.3: the next INTEGER of the shortest form, not negative. */
static bytes next_integer(const uint8_t **at, const uint8_t *end) {
    must(end - *at > 2 && (*at)[0] == 0x02);
    size_t size = (*at)[1], octets = size & 0x80 ? size & 0x7F : 0;
    *at += 2;
    must(octets <= 2 && (size_t)(end - *at) > octets);
    if (octets > 0) {
        size = octets == 1 ? (*at)[0] : (size_t)(*at)[0] << 8 | (*at)[1];
        must(size >= (octets == 1 ? 0x80 : 0x100)); /* a form as short as it can be */
        *at += octets;
    }
    must(size > 0 && (size_t)(end - *at) >= size);
    bytes number = bytes_of(*at, size);
    *at += size;
    must(!(number.data[0] & 0x80) && (number.size == 1 || number.data[0] != 0 || number.data[1] & 0x80));
    return number;
}

/* The same number, the first of big-endian bytes and the other little-endian with zeros after? */
static bool is_reverse(bytes big, bytes little) {
    for (size_t i = 0; i < big.size || i < little.size; i++) {
        uint8_t a = i < big.size ? big.data[big.size - 1 - i] : 0, b = i < little.size ? little.data[i] : 0;
        if (a != b)
            return false;
    }
    return true;
}

/* RSAPrivateKey's numbers are those of the blob, in another order. */
static void judge_private(bytes der, bytes blob) {
    size_t whole = load_u32(blob.data + BITS_AT) / 8, half = whole / 2;
    const uint8_t *in = blob.data + MODULUS_AT + whole, *end = der.data + der.size, *at = der.data + 4;
    static const uint8_t zero[1];
    const bytes expected[PARTS] = {
        {zero, 1},
        {blob.data + MODULUS_AT, whole},
        {blob.data + EXPONENT_AT, 4},
        {in + 5 * half, whole}, /* privateExponent, the last one of the blob */
        {in, half},
        {in + half, half},
        {in + 2 * half, half},
        {in + 3 * half, half},
        {in + 4 * half, half},
    };
    must(der.data[0] == 0x30);
    at -= der.data[1] == 0x82 ? 0 : der.data[1] == 0x81 ? 1 : 2;
    for (unsigned i = 0; i < PARTS; i++)
        must(is_reverse(next_integer(&at, end), expected[i]));
    must(at == end);
}

static void judge_blob(const key *k, bytes file) {
    bytes blob = blob_in(file);
    size_t whole = load_u32(blob.data + BITS_AT) / 8;
    must(blob.data[0] == PUBLIC_KEY || blob.data[0] == PRIVATE_KEY);
    must(blob.size == MODULUS_AT + whole + (blob.data[0] == PRIVATE_KEY ? whole / 2 * 5 + whole : 0));
    must(bytes_equal(buffer_bytes(&k->numbers), bytes_of(blob.data + BITS_AT, 8 + whole)));
    must((k->private_key.size > 0) == (blob.data[0] == PRIVATE_KEY));
    if (k->private_key.size > 0)
        judge_private(buffer_bytes(&k->private_key), blob);
}

/* The modulus stands in the key, with its most significant byte first. */
static void judge_der(const key *k, bytes der) {
    bytes modulus = bytes_of(k->numbers.data + 8, k->numbers.size - 8);
    bool found = false;
    for (size_t at = 0; !found && at + modulus.size <= der.size; at++)
        found = is_reverse(bytes_of(der.data + at, modulus.size), modulus);
    must(found && bytes_equal(buffer_bytes(&k->private_key), der));
}

static void look_at(key *k, const char *fault, bytes file, void judge(const key *k, bytes file)) {
    uint8_t token[8];
    if (fault) {
        must(*fault && k->numbers.size == 0);
    } else {
        must(k->numbers.size == 8 + load_u32(k->numbers.data) / 8);
        must(key_modulus_bytes(k) * 8 == load_u32(k->numbers.data));
        must(key_token(k, token));
        must(!key_matches(k, buffer_bytes(&k->numbers)));
        judge(k, file);
    }
    key_clear(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    key k = KEY_INIT;
    bytes file = bytes_of(data, size);
    look_at(&k, key_read_blob(&k, file), file, judge_blob);
    k = KEY_INIT;
    look_at(&k, key_read_der(&k, file), file, judge_der);
    return 0;
}
