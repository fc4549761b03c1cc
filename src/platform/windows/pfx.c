#include "platform/crypto.h"

#include <stdlib.h>
#include <string.h>

#include "platform/windows/der.h"
#include "platform/windows/wide.h"

#include <bcrypt.h>

/* PKCS #12 (RFC 7292) with the hashes and ciphers of Windows. Its own import (PFXImportCertStore) may leave the key on
 * the disk, and does not always give it away again. The certificates, and so the weak ciphers that they often have, are
 * not looked at. */

enum { MOST_KEY = 64, MOST_ROUNDS = 1 << 30 };

/* ---- Names ----------------------------------------------------------------------------------------------------- */

#define PKCS 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01
#define NIST 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04

typedef struct object_row {
    uint8_t size;
    uint8_t id[11];
    const wchar_t *algorithm;
    size_t bytes;      /* of a hash, or of a cipher's key */
    size_t hash_block; /* of a hash: how many bytes it takes at a time */
} object_row;

static const object_row hashes[] = {
    {5, {0x2B, 0x0E, 0x03, 0x02, 0x1A}, BCRYPT_SHA1_ALGORITHM, 20, 64},
    {9, {NIST, 0x02, 0x01}, BCRYPT_SHA256_ALGORITHM, 32, 64},
    {9, {NIST, 0x02, 0x02}, BCRYPT_SHA384_ALGORITHM, 48, 128},
    {9, {NIST, 0x02, 0x03}, BCRYPT_SHA512_ALGORITHM, 64, 128},
    {0, {0}, NULL, 0, 0},
};
/* HMACs with them. */
static const object_row functions[] = {
    {8, {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x07}, BCRYPT_SHA1_ALGORITHM, 20, 64},
    {8, {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09}, BCRYPT_SHA256_ALGORITHM, 32, 64},
    {8, {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x0A}, BCRYPT_SHA384_ALGORITHM, 48, 128},
    {8, {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x0B}, BCRYPT_SHA512_ALGORITHM, 64, 128},
    {0, {0}, NULL, 0, 0},
};
static const object_row ciphers[] = {
    {9, {NIST, 0x01, 0x02}, BCRYPT_AES_ALGORITHM, 16, 0},
    {9, {NIST, 0x01, 0x16}, BCRYPT_AES_ALGORITHM, 24, 0},
    {9, {NIST, 0x01, 0x2A}, BCRYPT_AES_ALGORITHM, 32, 0},
    {8, {0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x03, 0x07}, BCRYPT_3DES_ALGORITHM, 24, 0},
    {0, {0}, NULL, 0, 0},
};
static const object_row data_content = {9, {PKCS, 0x07, 0x01}, NULL, 0, 0};
static const object_row encrypted_content = {9, {PKCS, 0x07, 0x06}, NULL, 0, 0};
static const object_row pbes2 = {9, {PKCS, 0x05, 0x0D}, NULL, 0, 0};
static const object_row pbkdf2 = {9, {PKCS, 0x05, 0x0C}, NULL, 0, 0};
static const object_row rsa = {9, {PKCS, 0x01, 0x01}, NULL, 0, 0};
static const object_row sha1_and_3des = {10, {PKCS, 0x0C, 0x01, 0x03}, BCRYPT_3DES_ALGORITHM, 24, 0};
static const object_row key_bag = {11, {PKCS, 0x0C, 0x0A, 0x01, 0x01}, NULL, 0, 0};
static const object_row shrouded_bag = {11, {PKCS, 0x0C, 0x0A, 0x01, 0x02}, NULL, 0, 0};

static bool is(bytes id, const object_row *row) {
    return id.size == row->size && memcmp(id.data, row->id, id.size) == 0;
}

/* NULL: it is not among them. */
static const object_row *find(const object_row *rows, bytes id) {
    for (; rows->size > 0; rows++)
        if (is(id, rows))
            return rows;
    return NULL;
}

static bool der_number(bytes *rest, size_t *number) {
    bytes content;
    if (!der_next(rest, DER_INTEGER, &content) || content.size == 0 || content.size > 4)
        return false;
    *number = 0;
    for (size_t i = 0; i < content.size; i++)
        *number = *number << 8 | content.data[i];
    return *number <= MOST_ROUNDS;
}

/* ---- Hashes and keys ------------------------------------------------------------------------------------------- */

/* `keyed`: an HMAC with the key. */
static bool digest(uint8_t *to, const object_row *hash, const bytes *keyed, bytes content) {
    BCRYPT_ALG_HANDLE provider = NULL;
    BCRYPT_HASH_HANDLE state = NULL;
    bool done =
        BCryptOpenAlgorithmProvider(&provider, hash->algorithm, NULL, keyed ? BCRYPT_ALG_HANDLE_HMAC_FLAG : 0) == 0 &&
        BCryptCreateHash(provider, &state, NULL, 0, keyed ? (PUCHAR)(uintptr_t)keyed->data : NULL,
                         keyed ? (ULONG)keyed->size : 0, 0) == 0 &&
        BCryptHashData(state, (PUCHAR)(uintptr_t)content.data, (ULONG)content.size, 0) == 0 &&
        BCryptFinishHash(state, to, (ULONG)hash->bytes, 0) == 0;
    if (state)
        BCryptDestroyHash(state);
    if (provider)
        BCryptCloseAlgorithmProvider(provider, 0);
    return done;
}

typedef struct derivation {
    const object_row *hash;
    bytes salt;
    size_t rounds;
} derivation;

static void append_repeated(buffer *to, bytes text, size_t block) {
    size_t size = text.size == 0 ? 0 : (text.size + block - 1) / block * block;
    for (size_t i = 0; i < size; i++)
        buffer_append(to, text.data + i % text.size, 1);
}

/* RFC 7292, B.2, for that many bytes; `id` says what they are for. `password` is in UTF-16, with its end. */
enum { FOR_KEY = 1, FOR_IV = 2, FOR_MAC = 3 };
static bool derive(uint8_t *to, size_t size, const derivation *by, uint8_t id, bytes password) {
    size_t block = by->hash->hash_block, unit = by->hash->bytes;
    uint8_t made[MOST_KEY];
    buffer all = BUFFER_INIT;
    for (size_t i = 0; i < block; i++)
        buffer_append(&all, &id, 1);
    append_repeated(&all, by->salt, block);
    append_repeated(&all, password, block);
    bool done = !all.failed;
    while (done && size > 0) {
        done = digest(made, by->hash, NULL, buffer_bytes(&all));
        for (size_t round = 1; done && round < by->rounds; round++)
            done = digest(made, by->hash, NULL, bytes_of(made, unit));
        size_t part = size < unit ? size : unit;
        memcpy(to, made, part);
        to += part;
        size -= part;
        /* Each block of what follows the ids becomes itself + the digest, repeated, + 1. */
        for (size_t at = block; at < all.size; at += block)
            for (size_t i = block, carry = 1; i-- > 0; carry >>= 8)
                all.data[at + i] = (uint8_t)(carry += (size_t)all.data[at + i] + made[i % unit]);
    }
    SecureZeroMemory(made, sizeof made);
    crypto_wipe(&all);
    return done;
}

/* ---- Decrypting ------------------------------------------------------------------------------------------------ */

typedef struct passwords {
    bytes utf8, utf16; /* the latter in the order of a BMPString, with two zeros after it */
} passwords;

static bool decrypt(buffer *to, const object_row *cipher, uint8_t *key, bytes iv, bytes content) {
    BCRYPT_ALG_HANDLE provider = NULL;
    BCRYPT_KEY_HANDLE handle = NULL;
    uint8_t start[16];
    ULONG size = 0, block = cipher->algorithm[0] == L'A' ? 16 : 8;
    if (iv.size != block || content.size == 0 || content.size % block != 0 || content.size > UINT32_MAX)
        return false;
    memcpy(start, iv.data, iv.size);
    buffer_append(to, content.data, content.size);
    bool done = !to->failed && BCryptOpenAlgorithmProvider(&provider, cipher->algorithm, NULL, 0) == 0 &&
                BCryptSetProperty(provider, BCRYPT_CHAINING_MODE, (PUCHAR)(uintptr_t)BCRYPT_CHAIN_MODE_CBC,
                                  sizeof BCRYPT_CHAIN_MODE_CBC, 0) == 0 &&
                BCryptGenerateSymmetricKey(provider, &handle, NULL, 0, key, (ULONG)cipher->bytes, 0) == 0 &&
                BCryptDecrypt(handle, (PUCHAR)(uintptr_t)content.data, (ULONG)content.size, NULL, start, block,
                              to->data, (ULONG)content.size, &size, 0) == 0 &&
                size == content.size;
    if (handle)
        BCryptDestroyKey(handle);
    if (provider)
        BCryptCloseAlgorithmProvider(provider, 0);
    /* RFC 8018, 6.1.1: as many bytes after it as each of them says. */
    uint8_t padding = done ? to->data[size - 1] : 0;
    if (padding == 0 || padding > block)
        return false;
    to->size -= padding;
    return true;
}

/* `algorithm`: what stands in an AlgorithmIdentifier. False: it is not known, or the password is another one. */
static bool open_up(buffer *to, bytes algorithm, bytes content, const passwords *given) {
    uint8_t key[MOST_KEY], start[8];
    bytes id, rest, parts, iv, prf;
    derivation by = {.hash = &hashes[0]};
    const object_row *cipher = &sha1_and_3des;
    bool done = false;
    if (!der_next(&algorithm, DER_OBJECT, &id) || !der_next(&algorithm, DER_SEQUENCE, &rest))
        return false;
    if (is(id, &sha1_and_3des)) {
        iv = bytes_of(start, sizeof start);
        done = der_next(&rest, DER_OCTETS, &by.salt) && der_number(&rest, &by.rounds) &&
               derive(key, cipher->bytes, &by, FOR_KEY, given->utf16) &&
               derive(start, sizeof start, &by, FOR_IV, given->utf16);
    } else if (is(id, &pbes2) && der_next(&rest, DER_SEQUENCE, &parts) && der_next(&parts, DER_OBJECT, &id) &&
               is(id, &pbkdf2) && der_next(&parts, DER_SEQUENCE, &parts) && der_next(&parts, DER_OCTETS, &by.salt) &&
               der_number(&parts, &by.rounds)) {
        (void)der_next(&parts, DER_INTEGER, &id); /* the key's size, which the cipher says as well */
        by.hash = &functions[0];
        if (der_next(&parts, DER_SEQUENCE, &prf))
            by.hash = der_next(&prf, DER_OBJECT, &id) ? find(functions, id) : NULL;
        BCRYPT_ALG_HANDLE provider = NULL;
        cipher = der_next(&rest, DER_SEQUENCE, &parts) && der_next(&parts, DER_OBJECT, &id) ? find(ciphers, id) : NULL;
        done = by.hash && cipher && der_next(&parts, DER_OCTETS, &iv) &&
               BCryptOpenAlgorithmProvider(&provider, by.hash->algorithm, NULL, BCRYPT_ALG_HANDLE_HMAC_FLAG) == 0 &&
               BCryptDeriveKeyPBKDF2(provider, (PUCHAR)(uintptr_t)given->utf8.data, (ULONG)given->utf8.size,
                                     (PUCHAR)(uintptr_t)by.salt.data, (ULONG)by.salt.size, by.rounds, key,
                                     (ULONG)cipher->bytes, 0) == 0;
        if (provider)
            BCryptCloseAlgorithmProvider(provider, 0);
    }
    done = done && decrypt(to, cipher, key, iv, content);
    SecureZeroMemory(key, sizeof key);
    return done;
}

/* ---- The file -------------------------------------------------------------------------------------------------- */

/* PFX: what its parts are in, and what the MAC of that says. */
typedef struct pfx_file {
    bytes safe;
    bytes mac, salt;
    const object_row *hash;
    size_t rounds;
} pfx_file;

static bool read_file(pfx_file *p, bytes file) {
    bytes all, content, id, mac, info, algorithm;
    *p = (pfx_file){.rounds = 1};
    if (!der_next(&file, DER_SEQUENCE, &all) || !der_next(&all, DER_INTEGER, &id) ||
        !der_next(&all, DER_SEQUENCE, &content) || !der_next(&content, DER_OBJECT, &id) || !is(id, &data_content) ||
        !der_next(&content, DER_EXPLICIT, &content) || !der_next(&content, DER_OCTETS, &p->safe))
        return false;
    if (der_next(&all, DER_SEQUENCE, &mac) && der_next(&mac, DER_SEQUENCE, &info) &&
        der_next(&info, DER_SEQUENCE, &algorithm) && der_next(&algorithm, DER_OBJECT, &id) &&
        der_next(&info, DER_OCTETS, &p->mac) && der_next(&mac, DER_OCTETS, &p->salt)) {
        p->hash = find(hashes, id);
        if (mac.size > 0 && !der_number(&mac, &p->rounds))
            return false;
    }
    return true;
}

/* True if the file was made with this password. */
static bool opens(const pfx_file *p, bytes password) {
    uint8_t key[MOST_KEY], made[MOST_KEY];
    const derivation by = {p->hash, p->salt, p->rounds};
    if (!p->hash || p->mac.size != p->hash->bytes || !derive(key, p->hash->bytes, &by, FOR_MAC, password))
        return false;
    bytes keyed = bytes_of(key, p->hash->bytes);
    bool same = digest(made, p->hash, &keyed, p->safe) && memcmp(made, p->mac.data, p->mac.size) == 0;
    SecureZeroMemory(key, sizeof key);
    return same;
}

/* PrivateKeyInfo. */
static bool take_key(buffer *private_key, bytes info) {
    bytes all, part, id;
    if (!der_next(&info, DER_SEQUENCE, &all) || !der_next(&all, DER_INTEGER, &part) ||
        !der_next(&all, DER_SEQUENCE, &part) || !der_next(&part, DER_OBJECT, &id) || !is(id, &rsa) ||
        !der_next(&all, DER_OCTETS, &part))
        return false;
    buffer_append(private_key, part.data, part.size);
    return true;
}

/* SafeContents: the first key in it. */
static bool take_from_bags(buffer *private_key, bytes content, const passwords *given) {
    bytes all, bag, id, value, parts, algorithm, secret;
    if (!der_next(&content, DER_SEQUENCE, &all))
        return false;
    while (der_next(&all, DER_SEQUENCE, &bag)) {
        if (!der_next(&bag, DER_OBJECT, &id) || !der_next(&bag, DER_EXPLICIT, &value))
            continue;
        if (is(id, &key_bag) && take_key(private_key, value))
            return true;
        if (!is(id, &shrouded_bag) || !der_next(&value, DER_SEQUENCE, &parts) ||
            !der_next(&parts, DER_SEQUENCE, &algorithm) || !der_next(&parts, DER_OCTETS, &secret))
            continue;
        buffer plain = BUFFER_INIT;
        bool taken = open_up(&plain, algorithm, secret, given) && take_key(private_key, buffer_bytes(&plain));
        crypto_wipe(&plain);
        if (taken)
            return true;
    }
    return false;
}

/* AuthenticatedSafe: parts that are open or encrypted. */
static bool take_from(buffer *private_key, bytes safe, const passwords *given) {
    enum { SECRET = 0x80 /* [0], of octets */ };
    bytes all, part, id, content, parts, algorithm, secret;
    if (!der_next(&safe, DER_SEQUENCE, &all))
        return false;
    while (der_next(&all, DER_SEQUENCE, &part)) {
        if (!der_next(&part, DER_OBJECT, &id) || !der_next(&part, DER_EXPLICIT, &content))
            continue;
        if (is(id, &data_content) && der_next(&content, DER_OCTETS, &parts) &&
            take_from_bags(private_key, parts, given))
            return true;
        if (!is(id, &encrypted_content) || !der_next(&content, DER_SEQUENCE, &parts) ||
            !der_next(&parts, DER_INTEGER, &id) || !der_next(&parts, DER_SEQUENCE, &parts) ||
            !der_next(&parts, DER_OBJECT, &id) || !der_next(&parts, DER_SEQUENCE, &algorithm) ||
            !der_next(&parts, SECRET, &secret))
            continue;
        buffer plain = BUFFER_INIT;
        bool taken =
            open_up(&plain, algorithm, secret, given) && take_from_bags(private_key, buffer_bytes(&plain), given);
        crypto_wipe(&plain);
        if (taken)
            return true;
    }
    return false;
}

static bool append_utf16(buffer *to, const char *text) {
    wchar_t *wide = wide_text(text);
    if (!wide)
        return false;
    for (size_t i = 0; i <= wcslen(wide); i++) {
        const uint8_t pair[2] = {(uint8_t)(wide[i] >> 8), (uint8_t)wide[i]};
        buffer_append(to, pair, 2);
    }
    SecureZeroMemory(wide, wcslen(wide) * sizeof *wide);
    free(wide);
    return !to->failed;
}

ecma_status crypto_read_pfx(buffer *private_key, bytes file, const char *path, const char *password, diag *d) {
    pfx_file p;
    if (!read_file(&p, file))
        return diag_report(d, DIAG_KEY_FILE, "the key file %s cannot be used: it is no PKCS #12 file", path);
    const char *text = password ? password : "";
    buffer utf16 = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    if (!append_utf16(&utf16, text))
        status = diag_no_memory(d);
    /* An empty password may be one of no characters, or none at all. */
    passwords given = {bytes_of((const uint8_t *)text, strlen(text)), buffer_bytes(&utf16)};
    bool fits = status == ECMA_OK && opens(&p, given.utf16);
    if (status == ECMA_OK && !fits && !*text) {
        given.utf16 = (bytes){0};
        fits = opens(&p, given.utf16);
    }
    if (status == ECMA_OK && !fits)
        status = diag_report(d, DIAG_KEY_PASSWORD, "%s the key file %s",
                             password ? "the password does not open" : "a password is needed to open", path);
    else if (status == ECMA_OK && !take_from(private_key, p.safe, &given))
        status = diag_report(d, DIAG_KEY_FILE,
                             "the key file %s cannot be used: Windows cannot decrypt it, or it has no private RSA key",
                             path);
    else if (status == ECMA_OK && private_key->failed)
        status = diag_no_memory(d);
    crypto_wipe(&utf16);
    return status;
}
