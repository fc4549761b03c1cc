#include "platform/crypto.h"

#include <stdlib.h>
#include <string.h>

#include "platform/windows/der.h"
#include "platform/windows/wide.h"

#include <bcrypt.h>

/* By the system's own library (CNG), which needs nothing else. */

/* ---- Hashes ---------------------------------------------------------------------------------------------------- */

typedef struct hash_row {
    uint32_t algorithm;
    const wchar_t *name;
    size_t size;
} hash_row;

static const hash_row hashes[] = {
    {CRYPTO_MD5, BCRYPT_MD5_ALGORITHM, 16},       {CRYPTO_SHA1, BCRYPT_SHA1_ALGORITHM, 20},
    {CRYPTO_SHA256, BCRYPT_SHA256_ALGORITHM, 32}, {CRYPTO_SHA384, BCRYPT_SHA384_ALGORITHM, 48},
    {CRYPTO_SHA512, BCRYPT_SHA512_ALGORITHM, 64},
};

static const hash_row *find_hash(uint32_t algorithm) {
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
        if (hashes[i].algorithm == algorithm)
            return &hashes[i];
    return NULL;
}

size_t crypto_hash_bytes(uint32_t algorithm) {
    const hash_row *row = find_hash(algorithm);
    return row ? row->size : 0;
}

static ecma_status failed(diag *d, const char *what) {
    return diag_report(d, DIAG_NO_CRYPTO, "Windows failed to %s", what);
}

typedef struct hashing {
    BCRYPT_ALG_HANDLE provider;
    BCRYPT_HASH_HANDLE hash;
    bool failed;
} hashing;

static hashing hash_begin(const hash_row *row) {
    hashing h = {0};
    h.failed = BCryptOpenAlgorithmProvider(&h.provider, row->name, NULL, 0) != 0 ||
               BCryptCreateHash(h.provider, &h.hash, NULL, 0, NULL, 0, 0) != 0;
    return h;
}

static void hash_part(void *user, bytes part) {
    enum { MOST = 1 << 30 };
    hashing *h = user;
    while (!h->failed && part.size > 0) {
        size_t size = part.size < MOST ? part.size : MOST;
        h->failed = BCryptHashData(h->hash, (PUCHAR)(uintptr_t)part.data, (ULONG)size, 0) != 0;
        part = bytes_of(part.data + size, part.size - size);
    }
}

static bool hash_end(hashing *h, const hash_row *row, uint8_t *digest) {
    bool made = !h->failed && BCryptFinishHash(h->hash, digest, (ULONG)row->size, 0) == 0;
    if (h->hash)
        BCryptDestroyHash(h->hash);
    if (h->provider)
        BCryptCloseAlgorithmProvider(h->provider, 0);
    return made;
}

ecma_status crypto_digest(uint8_t *digest, uint32_t hash, bytes content, diag *d) {
    const hash_row *row = find_hash(hash);
    if (hash == CRYPTO_SHA1) {
        pe_sha1(content, digest);
        return ECMA_OK;
    }
    if (!row)
        return diag_report(d, DIAG_NO_CRYPTO, "hash algorithm 0x%x is not known", hash);
    hashing h = hash_begin(row);
    hash_part(&h, content);
    return hash_end(&h, row, digest) ? ECMA_OK : failed(d, "hash");
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

/* RSAPrivateKey (RFC 8017, A.1.2): version, n, e, d, p, q and more, as CNG takes it: BCRYPT_RSAPRIVATE_BLOB, for the
 * caller to wipe. */
static bool key_blob(buffer *blob, bytes private_key) {
    bytes all, version, n, e, d, p, q;
    if (!der_next(&private_key, DER_SEQUENCE, &all) || !der_next(&all, DER_INTEGER, &version) ||
        !der_next(&all, DER_INTEGER, &n) || !der_next(&all, DER_INTEGER, &e) || !der_next(&all, DER_INTEGER, &d) ||
        !der_next(&all, DER_INTEGER, &p) || !der_next(&all, DER_INTEGER, &q))
        return false;
    const BCRYPT_RSAKEY_BLOB head = {.Magic = BCRYPT_RSAPRIVATE_MAGIC,
                                     .BitLength = (ULONG)n.size * 8,
                                     .cbPublicExp = (ULONG)e.size,
                                     .cbModulus = (ULONG)n.size,
                                     .cbPrime1 = (ULONG)p.size,
                                     .cbPrime2 = (ULONG)q.size};
    buffer_append(blob, &head, sizeof head);
    buffer_append(blob, e.data, e.size);
    buffer_append(blob, n.data, n.size);
    buffer_append(blob, p.data, p.size);
    buffer_append(blob, q.data, q.size);
    return !blob->failed;
}

/* ---- Signatures ------------------------------------------------------------------------------------------------ */

/* Signs, and verifies with the key's own public half. */
static bool sign_and_verify(uint8_t *signature, size_t size, const hash_row *row, const uint8_t *digest, bytes blob) {
    BCRYPT_PKCS1_PADDING_INFO padding = {row->name};
    BCRYPT_ALG_HANDLE rsa = NULL;
    BCRYPT_KEY_HANDLE key = NULL;
    ULONG made = 0;
    PUCHAR hash = (PUCHAR)(uintptr_t)digest;
    bool done =
        BCryptOpenAlgorithmProvider(&rsa, BCRYPT_RSA_ALGORITHM, NULL, 0) == 0 &&
        BCryptImportKeyPair(rsa, NULL, BCRYPT_RSAPRIVATE_BLOB, &key, (PUCHAR)(uintptr_t)blob.data, (ULONG)blob.size,
                            0) == 0 &&
        BCryptSignHash(key, &padding, hash, (ULONG)row->size, signature, (ULONG)size, &made, BCRYPT_PAD_PKCS1) == 0 &&
        made == size &&
        BCryptVerifySignature(key, &padding, hash, (ULONG)row->size, signature, made, BCRYPT_PAD_PKCS1) == 0;
    if (key)
        BCryptDestroyKey(key);
    if (rsa)
        BCryptCloseAlgorithmProvider(rsa, 0);
    return done;
}

ecma_status crypto_sign_image(uint8_t *signature, size_t size, const pe_image *image, uint32_t hash, bytes private_key,
                              diag *d) {
    uint8_t digest[CRYPTO_HASH_MOST_BYTES];
    const hash_row *row = find_hash(hash);
    if (!row || hash == CRYPTO_MD5)
        return diag_report(d, DIAG_NO_CRYPTO, "the public key names hash algorithm 0x%x, with which nothing is signed",
                           hash);
    hashing h = hash_begin(row);
    bool covered = pe_try_signed_content(image, hash_part, &h);
    if (!hash_end(&h, row, digest))
        return failed(d, "hash");
    if (!covered)
        return diag_report(d, DIAG_SIGNATURE_ROOM, "the image has no room for a signature (II.25.3.3)");
    buffer blob = BUFFER_INIT;
    bool done = key_blob(&blob, private_key) && sign_and_verify(signature, size, row, digest, buffer_bytes(&blob));
    crypto_wipe(&blob);
    if (!done)
        return diag_report(d, DIAG_KEY_FILE, "the key file holds numbers that are no RSA key");
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t byte = signature[i];
        signature[i] = signature[size - 1 - i];
        signature[size - 1 - i] = byte;
    }
    return ECMA_OK;
}

void crypto_wipe(buffer *b) {
    if (b->data)
        SecureZeroMemory(b->data, b->size);
    buffer_clear(b);
}
