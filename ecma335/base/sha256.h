/* sha256.h - SHA-256 (FIPS 180-4) of a run of bytes: what a PDB's id and checksum are made of. */
#ifndef ECMA335_BASE_SHA256_H
#define ECMA335_BASE_SHA256_H

#include "base/bytes.h"

enum { SHA256_BYTES = 32 };

void sha256(bytes data, uint8_t hash[SHA256_BYTES]);

/* The same, `portable` without what the processor may have for it: for tests. */
void sha256_by(bytes data, uint8_t hash[SHA256_BYTES], bool portable);

#endif
