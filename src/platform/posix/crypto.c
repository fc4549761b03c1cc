#include "platform/crypto.h"

#include "platform/os.h"

#include <stdlib.h>

/* ---- The library ----------------------------------------------------------------------------------------------- */

typedef struct library {
#define CRYPTO_FUNCTION(result, name, parameters) result(*name) parameters;
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION
} library;

#define LIBRARY_NAME "libcrypto.so.3"

#ifdef OS_STATIC

#define CRYPTO_FUNCTION(result, name, parameters) extern result name parameters;
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION

static ecma_status load(library *l, diag *d) {
    (void)d;
    *l = (library){
#define CRYPTO_FUNCTION(result, name, parameters) .name = name,
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION
    };
    return ECMA_OK;
}

#else

static ecma_status load(library *l, diag *d) {
    static const char *const names[] = {
#define CRYPTO_FUNCTION(result, name, parameters) #name,
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION
        NULL};
    void *addresses[sizeof names / sizeof names[0] - 1];
    if (!os_load_library(LIBRARY_NAME, names, addresses))
        return diag_report(d, DIAG_NO_CRYPTO, "signing needs %s (OpenSSL 3), which is not here", LIBRARY_NAME);
    _Static_assert(sizeof *l == sizeof addresses, "library has other members than functions");
    memcpy(l, addresses, sizeof addresses);
    return ECMA_OK;
}

#endif

static ecma_status failed(diag *d, const char *what) {
    return diag_report(d, DIAG_NO_CRYPTO, "%s failed to %s", LIBRARY_NAME, what);
}

/* ---- Hashes ---------------------------------------------------------------------------------------------------- */

typedef struct hash_row {
    uint32_t algorithm;
    const char *name;
    size_t size;
    size_t prefix_bytes; /* of DigestInfo before the digest (RFC 8017, 9.2, note 1); 0: not for signatures */
    uint8_t prefix[19];
} hash_row;

#define SHA2_PREFIX(last, octets)                                                                                      \
    {                                                                                                                  \
        0x30, 17 + (octets), 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last, 0x05, 0x00, \
            0x04, octets                                                                                               \
    }

static const hash_row hashes[] = {
    {CRYPTO_MD5, "MD5", 16, 0, {0}},
    {CRYPTO_SHA1,
     "SHA1",
     20,
     15,
     {0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14}},
    {CRYPTO_SHA256, "SHA256", 32, 19, SHA2_PREFIX(0x01, 32)},
    {CRYPTO_SHA384, "SHA384", 48, 19, SHA2_PREFIX(0x02, 48)},
    {CRYPTO_SHA512, "SHA512", 64, 19, SHA2_PREFIX(0x03, 64)},
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

typedef struct hashing {
    const library *l;
    void *context;
    bool failed;
} hashing;

static void hash_part(void *user, bytes part) {
    hashing *h = user;
    if (!h->failed && h->l->EVP_DigestUpdate(h->context, part.data, part.size) != 1)
        h->failed = true;
}

static hashing hash_begin(const library *l, const hash_row *row) {
    hashing h = {l, l->EVP_MD_CTX_new(), true};
    const void *hash = l->EVP_get_digestbyname(row->name);
    h.failed = !h.context || !hash || l->EVP_DigestInit_ex(h.context, hash, NULL) != 1;
    return h;
}

static bool hash_end(hashing *h, uint8_t *digest) {
    unsigned size;
    bool made = !h->failed && h->l->EVP_DigestFinal_ex(h->context, digest, &size) == 1;
    h->l->EVP_MD_CTX_free(h->context);
    return made;
}

ecma_status crypto_digest(uint8_t *digest, uint32_t hash, bytes content, diag *d) {
    const hash_row *row = find_hash(hash);
    library l = {0};
    if (hash == CRYPTO_SHA1) {
        pe_sha1(content, digest);
        return ECMA_OK;
    }
    if (!row)
        return diag_report(d, DIAG_NO_CRYPTO, "hash algorithm 0x%x is not known", hash);
    ecma_status status = load(&l, d);
    if (status)
        return status;
    hashing h = hash_begin(&l, row);
    hash_part(&h, content);
    return hash_end(&h, digest) ? ECMA_OK : failed(d, "hash");
}

/* ---- Signatures ------------------------------------------------------------------------------------------------ */

static bool sign_and_verify(const library *l, void *context, uint8_t *signature, size_t size, bytes info) {
    enum { PKCS1_PADDING = 1 };
    size_t made = size;
    return context && l->EVP_PKEY_sign_init(context) == 1 &&
           l->EVP_PKEY_CTX_set_rsa_padding(context, PKCS1_PADDING) == 1 &&
           l->EVP_PKEY_sign(context, signature, &made, info.data, info.size) == 1 && made == size &&
           l->EVP_PKEY_verify_init(context) == 1 && l->EVP_PKEY_CTX_set_rsa_padding(context, PKCS1_PADDING) == 1 &&
           l->EVP_PKEY_verify(context, signature, size, info.data, info.size) == 1;
}

ecma_status crypto_sign_image(uint8_t *signature, size_t size, const pe_image *image, uint32_t hash, bytes private_key,
                              diag *d) {
    library l = {0};
    const hash_row *row = find_hash(hash);
    if (!row || row->prefix_bytes == 0)
        return diag_report(d, DIAG_NO_CRYPTO, "the public key names hash algorithm 0x%x, with which nothing is signed",
                           hash);
    ecma_status status = load(&l, d);
    if (status)
        return status;
    /* DigestInfo is put together here: a system's policy may forbid SHA-1 signatures, and the format of assemblies
     * requires them. */
    uint8_t info[sizeof row->prefix + CRYPTO_HASH_MOST_BYTES];
    memcpy(info, row->prefix, row->prefix_bytes);
    hashing h = hash_begin(&l, row);
    bool covered = pe_try_signed_content(image, hash_part, &h);
    if (!hash_end(&h, info + row->prefix_bytes))
        return failed(d, "hash");
    if (!covered)
        return diag_report(d, DIAG_SIGNATURE_ROOM, "the image has no room for a signature (II.25.3.3)");
    const uint8_t *at = private_key.data;
    void *pkey = l.d2i_AutoPrivateKey(NULL, &at, (long)private_key.size);
    void *context = pkey ? l.EVP_PKEY_CTX_new(pkey, NULL) : NULL;
    bool done = sign_and_verify(&l, context, signature, size, bytes_of(info, row->prefix_bytes + row->size));
    l.EVP_PKEY_CTX_free(context);
    l.EVP_PKEY_free(pkey);
    if (!done)
        return diag_report(d, DIAG_KEY_FILE, "the key file holds numbers that are no RSA key");
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t byte = signature[i];
        signature[i] = signature[size - 1 - i];
        signature[size - 1 - i] = byte;
    }
    return ECMA_OK;
}

/* ---- Keys ------------------------------------------------------------------------------------------------------ */

static ecma_status export_key(const library *l, buffer *private_key, const void *pkey, const char *path, diag *d) {
    uint8_t *der = NULL;
    int size = l->i2d_PrivateKey(pkey, &der);
    if (size <= 0)
        return diag_report(d, DIAG_KEY_FILE, "the key file %s cannot be used: it holds no RSA key", path);
    buffer_append(private_key, der, (size_t)size);
    l->OPENSSL_cleanse(der, (size_t)size);
    l->CRYPTO_free(der, "", 0);
    return private_key->failed ? diag_no_memory(d) : ECMA_OK;
}

ecma_status crypto_read_pfx(buffer *private_key, bytes file, const char *path, const char *password, diag *d) {
    library l = {0};
    ecma_status status = load(&l, d);
    if (status)
        return status;
    const uint8_t *at = file.data;
    void *pfx = l.d2i_PKCS12(NULL, &at, (long)file.size), *pkey = NULL, *certificate = NULL;
    if (!pfx)
        return diag_report(d, DIAG_KEY_FILE, "the key file %s cannot be used: it is no PKCS #12 file", path);
    /* Visual Studio writes files with ciphers that only the legacy provider has; once one is loaded by name, the
     * default one has to be as well. */
    l.OSSL_PROVIDER_load(NULL, "legacy");
    l.OSSL_PROVIDER_load(NULL, "default");
    const char *given = password ? password : "";
    if (l.PKCS12_verify_mac(pfx, given, -1) != 1 && (*given || l.PKCS12_verify_mac(pfx, NULL, 0) != 1))
        status = diag_report(d, DIAG_KEY_PASSWORD, "%s the key file %s",
                             password ? "the password does not open" : "a password is needed to open", path);
    else if (l.PKCS12_parse(pfx, given, &pkey, &certificate, NULL) != 1 || !pkey)
        status = diag_report(d, DIAG_KEY_FILE,
                             "the key file %s cannot be used: %s cannot decrypt it, or it has no private key", path,
                             LIBRARY_NAME);
    else
        status = export_key(&l, private_key, pkey, path, d);
    l.EVP_PKEY_free(pkey);
    l.X509_free(certificate);
    l.PKCS12_free(pfx);
    return status;
}

void crypto_wipe(buffer *b) {
    volatile uint8_t *p = b->data;
    for (size_t i = 0; i < b->size; i++)
        p[i] = 0;
    buffer_clear(b);
}
