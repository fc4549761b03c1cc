/* strong_name.h - identities of strong-named assemblies (II.6.2.1.3). */
#ifndef ECMA335_PE_STRONG_NAME_H
#define ECMA335_PE_STRONG_NAME_H

#include "base/bytes.h"

/* The token of a public key: the last 8 bytes of its SHA-1, in reverse order. */
void pe_public_key_token(bytes public_key, uint8_t token[8]);

#endif
