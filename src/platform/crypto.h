/* crypto.h - hashes, keys and signatures: by libcrypto, which is loaded when one of these is called and not before, on
 * Windows by the system's own library. */
#ifndef ILINJECT_PLATFORM_CRYPTO_H
#define ILINJECT_PLATFORM_CRYPTO_H

#include "base/buffer.h"
#include "base/diag.h"
#include "pe/strong_name.h"

/* Hash algorithms as public keys and Assembly.HashAlgId name them (ALG_ID). */
enum crypto_hash {
    CRYPTO_MD5 = 0x8003,
    CRYPTO_SHA1 = 0x8004,
    CRYPTO_SHA256 = 0x800C,
    CRYPTO_SHA384 = 0x800D,
    CRYPTO_SHA512 = 0x800E,
};
enum { CRYPTO_HASH_MOST_BYTES = 64 };

/* The bytes of its digests; 0 for an algorithm that is not among the above. */
size_t crypto_hash_bytes(uint32_t algorithm);

/* Appends the RSA key (RSAPrivateKey in DER) that a PKCS #12 file holds. `path` is for messages. On Windows only the
 * key is decrypted, by 3DES or AES; parts of indefinite length (BER) are not read. Returns ECMA_OK, ECMA_CONFIG,
 * ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status crypto_read_pfx(buffer *private_key, bytes file, const char *path, const char *password, diag *d);

/* Makes the strong-name signature of an image: RSASSA-PKCS1-v1_5 over the hash of what pe_try_signed_content gives, in
 * reverse order; `size` bytes, which has to be the size of the key's modulus. A signature that the key's own public
 * half does not confirm is an error. Returns ECMA_OK, ECMA_CONFIG, ECMA_UNSUPPORTED. */
ecma_status crypto_sign_image(uint8_t *signature, size_t size, const pe_image *image, uint32_t hash, bytes private_key,
                              diag *d);

/* The digest of some bytes. SHA-1 does without libcrypto. Returns ECMA_OK, ECMA_UNSUPPORTED. */
ecma_status crypto_digest(uint8_t *digest, uint32_t hash, bytes content, diag *d);

/* Overwrites and frees: for what holds a private key. */
void crypto_wipe(buffer *b);

#endif
