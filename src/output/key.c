#include "output/key.h"

#include "pe/strong_name.h"
#include "platform/crypto.h"

enum {
    PUBLIC_BLOB = 6, /* BLOBHEADER.bType */
    PRIVATE_BLOB = 7,
    BLOB_VERSION = 2,
    BLOB_HEADER_BYTES = 8,
    ALGORITHM_RSA_SIGN = 0x2400,
    ALGORITHM_RSA_EXCHANGE = 0xA400,
    ALGORITHM_SHA1 = 0x8004,
    MAGIC_PUBLIC = 0x31415352,  /* "RSA1" */
    MAGIC_PRIVATE = 0x32415352, /* "RSA2" */
    IDENTITY_HEADER_BYTES = 12, /* what stands before the blob in an Assembly row: two algorithms and a size */
    LEAST_BITS = 384,
    MOST_BITS = 16384,
    DER_INTEGER = 0x02,
    DER_SEQUENCE = 0x30,
};

/* ---- DER ------------------------------------------------------------------------------------------------------- */

static void der_header(buffer *b, uint8_t tag, size_t size) {
    buffer_u8(b, tag);
    if (size >= 0x100) {
        buffer_u8(b, 0x82);
        buffer_u8(b, (uint8_t)(size >> 8));
    } else if (size >= 0x80) {
        buffer_u8(b, 0x81);
    }
    buffer_u8(b, (uint8_t)size);
}

/* A number given little-endian, without leading zeros but the one that keeps it positive. */
static void der_number(buffer *b, bytes number) {
    size_t size = number.size;
    while (size > 1 && number.data[size - 1] == 0)
        size--;
    bool negative = number.data[size - 1] & 0x80;
    der_header(b, DER_INTEGER, size + negative);
    if (negative)
        buffer_u8(b, 0);
    while (size > 0)
        buffer_u8(b, number.data[--size]);
}

/* The contents of the next element, when it has the tag and a size that is there. */
static bool der_take(reader *r, uint8_t tag, bytes *contents) {
    if (reader_u8(r) != tag)
        return false;
    size_t size = reader_u8(r);
    if (size & 0x80) {
        size_t octets = size & 0x7F;
        if (octets == 0 || octets > 2)
            return false;
        for (size = 0; octets > 0; octets--)
            size = size << 8 | reader_u8(r);
    }
    *contents = reader_bytes(r, size);
    return !r->failed;
}

/* The next number without leading zeros; false for a negative or empty one, or 0. */
static bool der_take_number(reader *r, bytes *number) {
    if (!der_take(r, DER_INTEGER, number) || number->size == 0 || number->data[0] & 0x80)
        return false;
    while (number->size > 0 && number->data[0] == 0)
        *number = bytes_of(number->data + 1, number->size - 1);
    return number->size > 0;
}

static void append_reversed(buffer *b, bytes number) {
    for (size_t i = number.size; i > 0; i--)
        buffer_u8(b, number.data[i - 1]);
}

const char *key_read_der(key *k, bytes private_key) {
    reader r = reader_of(private_key);
    bytes all, version, modulus, exponent;
    if (!der_take(&r, DER_SEQUENCE, &all))
        return "it holds no RSA key";
    r = reader_of(all);
    if (!der_take(&r, DER_INTEGER, &version) || !der_take_number(&r, &modulus) || !der_take_number(&r, &exponent))
        return "it holds no RSA key";
    if (modulus.size < LEAST_BITS / 8 || modulus.size > MOST_BITS / 8 || modulus.size % 2 || exponent.size > 4)
        return "its RSA key has a size that strong names cannot have";
    buffer_u32(&k->numbers, (uint32_t)modulus.size * 8);
    append_reversed(&k->numbers, exponent);
    buffer_append_zeros(&k->numbers, 4 - exponent.size);
    append_reversed(&k->numbers, modulus);
    buffer_append(&k->private_key, private_key.data, private_key.size);
    return NULL;
}

/* ---- Blobs ----------------------------------------------------------------------------------------------------- */

static void convert_private(key *k, bytes modulus, const uint8_t exponent[4], reader *rest) {
    size_t half = modulus.size / 2;
    bytes prime1 = reader_bytes(rest, half), prime2 = reader_bytes(rest, half), exponent1 = reader_bytes(rest, half),
          exponent2 = reader_bytes(rest, half), coefficient = reader_bytes(rest, half),
          private_exponent = reader_bytes(rest, modulus.size);
    if (rest->failed)
        return;
    static const uint8_t version[1];
    const bytes in_order[] = {
        bytes_of(version, 1), modulus, bytes_of(exponent, 4), private_exponent, prime1, prime2, exponent1, exponent2,
        coefficient};
    buffer numbers = BUFFER_INIT;
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++)
        der_number(&numbers, in_order[i]);
    der_header(&k->private_key, DER_SEQUENCE, numbers.size);
    buffer_append(&k->private_key, numbers.data, numbers.size);
    k->private_key.failed |= numbers.failed;
    crypto_wipe(&numbers);
}

const char *key_read_blob(key *k, bytes blob) {
    reader r = reader_of(blob);
    /* The public half alone may stand as in an Assembly row. */
    if (blob.size > IDENTITY_HEADER_BYTES && blob.data[IDENTITY_HEADER_BYTES] == PUBLIC_BLOB &&
        load_u32(blob.data + 8) == blob.size - IDENTITY_HEADER_BYTES)
        reader_skip(&r, IDENTITY_HEADER_BYTES);
    uint8_t type = reader_u8(&r), version = reader_u8(&r);
    reader_skip(&r, 2);
    uint32_t algorithm = reader_u32(&r), magic = reader_u32(&r), bits = reader_u32(&r);
    const uint8_t *exponent = reader_take(&r, 4);
    if (version != BLOB_VERSION || (type != PUBLIC_BLOB && type != PRIVATE_BLOB))
        return "it is neither a strong-name key (.snk) nor a PKCS #12 file (.pfx)";
    if (r.failed)
        return "it is cut short";
    if ((algorithm != ALGORITHM_RSA_SIGN && algorithm != ALGORITHM_RSA_EXCHANGE) ||
        magic != (type == PUBLIC_BLOB ? MAGIC_PUBLIC : MAGIC_PRIVATE))
        return "it holds no RSA key";
    if (bits < LEAST_BITS || bits > MOST_BITS || bits % 16)
        return "its RSA key has a size that strong names cannot have";
    bytes modulus = reader_bytes(&r, bits / 8);
    if (type == PRIVATE_BLOB && !r.failed)
        convert_private(k, modulus, exponent, &r);
    if (r.failed)
        return "it is cut short";
    if (reader_left(&r) > 0)
        return "something stands after its key";
    buffer_u32(&k->numbers, bits);
    buffer_append(&k->numbers, exponent, 4);
    buffer_append(&k->numbers, modulus.data, modulus.size);
    return NULL;
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

ecma_status key_read(key *k, bytes file, const char *path, const char *password, diag *d) {
    const char *fault;
    if (file.size > 0 && file.data[0] == DER_SEQUENCE) {
        buffer private_key = BUFFER_INIT;
        ecma_status status = crypto_read_pfx(&private_key, file, path, password, d);
        if (status)
            return status;
        fault = key_read_der(k, buffer_bytes(&private_key));
        crypto_wipe(&private_key);
    } else if (file.size >= 10 && memcmp(file.data, "-----BEGIN", 10) == 0) {
        fault = "it is a PEM file; a strong-name key (.snk) or a PKCS #12 file (.pfx) is needed";
    } else {
        fault = file.size == 0 ? "it is empty" : key_read_blob(k, file);
    }
    if (fault)
        return diag_report(d, DIAG_KEY_FILE, "the key file %s cannot be used: %s", path, fault);
    return k->numbers.failed || k->private_key.failed ? diag_no_memory(d) : ECMA_OK;
}

void key_clear(key *k) {
    buffer_clear(&k->numbers);
    crypto_wipe(&k->private_key);
}

bool key_matches(const key *k, bytes public_key) {
    size_t before = IDENTITY_HEADER_BYTES + BLOB_HEADER_BYTES + 4;
    bytes numbers;
    return bytes_try_sub(public_key, before, public_key.size > before ? public_key.size - before : 0, &numbers) &&
           bytes_equal(numbers, buffer_bytes(&k->numbers));
}

bool key_token(const key *k, uint8_t token[8]) {
    buffer public_key = BUFFER_INIT;
    buffer_u32(&public_key, ALGORITHM_RSA_SIGN);
    buffer_u32(&public_key, ALGORITHM_SHA1);
    buffer_u32(&public_key, (uint32_t)(BLOB_HEADER_BYTES + 4 + k->numbers.size));
    buffer_u32(&public_key, PUBLIC_BLOB | BLOB_VERSION << 8);
    buffer_u32(&public_key, ALGORITHM_RSA_SIGN);
    buffer_u32(&public_key, MAGIC_PUBLIC);
    buffer_append(&public_key, k->numbers.data, k->numbers.size);
    bool made = !public_key.failed;
    if (made)
        pe_public_key_token(buffer_bytes(&public_key), token);
    buffer_clear(&public_key);
    return made;
}
