#include "platform/crypto.h"

#include <string.h>

/* There is no library to ask: of all hashes only SHA-1, which names public keys, is made, and nothing is signed. */

size_t crypto_hash_bytes(uint32_t algorithm) {
    static const struct {
        uint32_t algorithm;
        size_t size;
    } hashes[] = {{CRYPTO_MD5, 16}, {CRYPTO_SHA1, 20}, {CRYPTO_SHA256, 32}, {CRYPTO_SHA384, 48}, {CRYPTO_SHA512, 64}};
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
        if (hashes[i].algorithm == algorithm)
            return hashes[i].size;
    return 0;
}

ecma_status crypto_digest(uint8_t *digest, uint32_t hash, bytes content, diag *d) {
    if (hash != CRYPTO_SHA1)
        return diag_report(d, DIAG_NO_CRYPTO, "hash algorithm 0x%x is not in the WASI build of ilinject", hash);
    pe_sha1(content, digest);
    return ECMA_OK;
}

ecma_status crypto_read_pfx(buffer *private_key, bytes file, const char *path, const char *password, diag *d) {
    (void)private_key;
    (void)file;
    (void)password;
    return diag_report(d, DIAG_NO_CRYPTO, "the key file %s is not read: the WASI build of ilinject does not sign",
                       path);
}

ecma_status crypto_sign_image(uint8_t *signature, size_t size, const pe_image *image, uint32_t hash, bytes private_key,
                              diag *d) {
    (void)signature;
    (void)size;
    (void)image;
    (void)hash;
    (void)private_key;
    return diag_report(d, DIAG_NO_CRYPTO, "it is not signed: the WASI build of ilinject does not sign");
}

void crypto_wipe(buffer *b) {
    volatile uint8_t *p = b->data;
    for (size_t i = 0; i < b->size; i++)
        p[i] = 0;
    buffer_clear(b);
}
