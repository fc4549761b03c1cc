#include "pe/strong_name.h"

static uint32_t rotate(uint32_t x, unsigned by) {
    return x << by | x >> (32 - by);
}

/* SHA-1 (FIPS 180-4, 6.1): one block of 64 bytes. Used for identities only, never for security. */
static void sha1_block(uint32_t h[5], const uint8_t *block) {
    uint32_t w[80];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 | (uint32_t)block[i * 4 + 2] << 8 |
               block[i * 4 + 3];
    for (int i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20   ? (b & c) | (~b & d)
                     : i < 40 ? b ^ c ^ d
                     : i < 60 ? (b & c) | (b & d) | (c & d)
                              : b ^ c ^ d;
        static const uint32_t k[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
        uint32_t next = rotate(a, 5) + f + e + k[i / 20] + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void pe_public_key_token(bytes public_key, uint8_t token[8]) {
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    size_t at = 0;
    for (; public_key.size - at >= 64; at += 64)
        sha1_block(h, public_key.data + at);
    uint8_t last[128] = {0};
    size_t left = public_key.size - at, padded = left < 56 ? 64 : 128;
    if (left)
        memcpy(last, public_key.data + at, left);
    last[left] = 0x80;
    uint64_t bits = (uint64_t)public_key.size * 8;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)(bits >> (i * 8));
    for (size_t block = 0; block < padded; block += 64)
        sha1_block(h, last + block);
    for (size_t i = 0; i < 8; i++) {
        size_t byte = 19 - i;
        token[i] = (uint8_t)(h[byte / 4] >> ((3 - byte % 4) * 8));
    }
}
