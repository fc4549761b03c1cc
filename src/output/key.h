/* key.h - key files of strong names: .snk, which holds a key as Windows' cryptography writes it (II.6.2.1.3,
 * PUBLICKEYBLOB and PRIVATEKEYBLOB), and .pfx (PKCS #12), which libcrypto opens. */
#ifndef ILINJECT_OUTPUT_KEY_H
#define ILINJECT_OUTPUT_KEY_H

#include "base/buffer.h"
#include "base/diag.h"

/* An RSA key. KEY_INIT, one of the readers, key_clear. */
typedef struct key {
    buffer numbers;     /* as in a PUBLICKEYBLOB after its "RSA1": bits, public exponent, modulus, little-endian */
    buffer private_key; /* RSAPrivateKey (RFC 8017, A.1.2) in DER; empty when the file holds the public half alone */
} key;

#define KEY_INIT ((key){BUFFER_INIT, BUFFER_INIT})

/* Reads a whole key file; `path` is for messages. `password` is for .pfx; NULL: none was given.
 * Returns ECMA_OK, ECMA_CONFIG, ECMA_UNSUPPORTED (no libcrypto), ECMA_NO_MEMORY; all reported. */
ecma_status key_read(key *k, bytes file, const char *path, const char *password, diag *d);

/* Wipes and frees. */
void key_clear(key *k);

/* The size of its modulus, and so of its signatures. */
static inline size_t key_modulus_bytes(const key *k) {
    return k->numbers.size - 8;
}

/* The parts of key_read that read bytes themselves. They return what is wrong, or NULL; a failed allocation shows in
 * the buffers. */
const char *key_read_blob(key *k, bytes blob);
const char *key_read_der(key *k, bytes private_key);

/* True if the key belongs to the public key of an Assembly row. */
bool key_matches(const key *k, bytes public_key);

/* The token that an assembly with this key has. */
bool key_token(const key *k, uint8_t token[8]);

#endif
