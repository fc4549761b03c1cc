/* strong_name.h - identities and signatures of strong-named assemblies (II.6.2.1.3, II.25.3.3): what is hashed, and
 * where. Keys and signatures themselves belong to a cryptography library. */
#ifndef ECMA335_PE_STRONG_NAME_H
#define ECMA335_PE_STRONG_NAME_H

#include "pe/image.h"

enum { PE_SHA1_BYTES = 20 };

/* SHA-1 (FIPS 180-4) of the bytes: for identities and File rows, never for security. */
void pe_sha1(bytes content, uint8_t digest[PE_SHA1_BYTES]);

/* The token of a public key: the last 8 bytes of its SHA-1, in reverse order. */
void pe_public_key_token(bytes public_key, uint8_t token[8]);

typedef void pe_content_fn(void *user, bytes part);

/* Gives `each` the parts of the image that its strong-name signature covers, in order: the headers up to the end of the
 * section headers, with the checksum and the certificate directory as zeros; then every section's bytes in the file,
 * without the signature's own. False when a section or the signature is not where the headers say; `each` may have
 * been called by then. */
bool pe_try_signed_content(const pe_image *image, pe_content_fn *each, void *user);

/* The file offset of the signature's bytes; false when there are none, or not all of them in one section. */
bool pe_try_signature_offset(const pe_image *image, uint32_t *file_offset);

#endif
