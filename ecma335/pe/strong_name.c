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

void pe_sha1(bytes content, uint8_t digest[PE_SHA1_BYTES]) {
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    size_t at = 0;
    for (; content.size - at >= 64; at += 64)
        sha1_block(h, content.data + at);
    uint8_t last[128] = {0};
    size_t left = content.size - at, padded = left < 56 ? 64 : 128;
    if (left)
        memcpy(last, content.data + at, left);
    last[left] = 0x80;
    uint64_t bits = (uint64_t)content.size * 8;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)(bits >> (i * 8));
    for (size_t block = 0; block < padded; block += 64)
        sha1_block(h, last + block);
    for (size_t i = 0; i < PE_SHA1_BYTES; i++)
        digest[i] = (uint8_t)(h[i / 4] >> ((3 - i % 4) * 8));
}

void pe_public_key_token(bytes public_key, uint8_t token[8]) {
    uint8_t digest[PE_SHA1_BYTES];
    pe_sha1(public_key, digest);
    for (size_t i = 0; i < 8; i++)
        token[i] = digest[PE_SHA1_BYTES - 1 - i];
}

bool pe_try_signature_offset(const pe_image *image, uint32_t *file_offset) {
    pe_directory signature = image->cli.strong_name;
    bytes b;
    if (signature.size == 0 || !pe_section_at(image, signature.rva) ||
        !pe_try_bytes(image, signature.rva, signature.size, &b))
        return false;
    *file_offset = (uint32_t)(b.data - image->file.data);
    return true;
}

/* [from, to) of the file. */
static void give(const pe_image *image, uint32_t from, uint32_t to, pe_content_fn *each, void *user) {
    if (to > from)
        each(user, bytes_of(image->file.data + from, to - from));
}

static void give_headers(const pe_image *image, pe_content_fn *each, void *user) {
    static const uint8_t zeros[8];
    uint32_t at = image->optional_offset + PE_CHECKSUM_OFFSET;
    give(image, 0, at, each, user);
    each(user, bytes_of(zeros, 4));
    at += 4;
    if (image->directory_count > PE_DIRECTORY_CERTIFICATE) {
        uint32_t certificate = image->directories_offset + PE_DIRECTORY_CERTIFICATE * 8;
        give(image, at, certificate, each, user);
        each(user, bytes_of(zeros, 8));
        at = certificate + 8;
    }
    give(image, at, image->sections_offset + image->section_count * PE_SECTION_HEADER_BYTES, each, user);
}

bool pe_try_signed_content(const pe_image *image, pe_content_fn *each, void *user) {
    uint32_t signature;
    if (!pe_try_signature_offset(image, &signature))
        return false;
    uint32_t signature_end = signature + image->cli.strong_name.size;
    give_headers(image, each, user);
    for (uint32_t i = 0; i < image->section_count; i++) {
        /* All bytes of the file that the header claims, also those that no loader maps. */
        const uint8_t *header = image->file.data + image->sections_offset + (size_t)i * PE_SECTION_HEADER_BYTES;
        uint32_t size = load_u32(header + 16), start = load_u32(header + 20), end = start + size;
        bytes whole;
        if (size == 0)
            continue;
        if (!bytes_try_sub(image->file, start, size, &whole))
            return false;
        bool holds = signature >= start && signature_end <= end;
        give(image, start, holds ? signature : end, each, user);
        if (holds)
            give(image, signature_end, end, each, user);
    }
    return true;
}
