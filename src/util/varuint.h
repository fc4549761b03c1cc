/* varuint.h - the variable-length elements of our own formats (docs/profile-format.md). */
#ifndef ILINJECT_UTIL_VARUINT_H
#define ILINJECT_UTIL_VARUINT_H

#include "base/bytes.h"

/* Unsigned LEB128 of at most ten bytes; fails on more, and on a value over 2^64 - 1. */
static inline uint64_t reader_varuint(reader *r) {
    const uint8_t *at = r->at;
    uint64_t value = 0;
    if (r->end - at > 3) { /* nearly all are short */
        const uint32_t a = at[0], b = at[1], c = at[2];
        const unsigned size = a < 0x80 ? 1 : b < 0x80 ? 2 : c < 0x80 ? 3 : 0;
        if (size > 0) {
            r->at = at + size;
            return size == 1 ? a : size == 2 ? (a & 0x7F) | b << 7 : (a & 0x7F) | (b & 0x7F) << 7 | c << 14;
        }
    }
    for (unsigned shift = 0; shift < 70 && at < r->end; shift += 7) { /* a reader that has failed is at its end */
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80)) {
            r->at = at;
            return value;
        }
    }
    r->failed = true;
    r->at = r->end;
    return 0;
}

/* `str` and `blob`: a varuint byte count, then that many bytes, borrowed. */
static inline bytes reader_counted(reader *r) {
    uint64_t size = reader_varuint(r);
    if (size > reader_left(r)) {
        r->failed = true;
        r->at = r->end;
        return (bytes){NULL, 0};
    }
    return reader_bytes(r, (size_t)size);
}

/* `strz`: text up to a zero byte, borrowed without it. */
static inline bytes reader_strz(reader *r) {
    const uint8_t *zero = reader_left(r) ? (const uint8_t *)memchr(r->at, 0, reader_left(r)) : NULL;
    if (!zero) {
        r->failed = true;
        r->at = r->end;
        return (bytes){NULL, 0};
    }
    bytes text = reader_bytes(r, (size_t)(zero - r->at));
    reader_skip(r, 1);
    return text;
}

#endif
