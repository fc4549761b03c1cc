/* varuint.h - the variable-length elements of our own formats (docs/profile-format.md). */
#ifndef ILINJECT_UTIL_VARUINT_H
#define ILINJECT_UTIL_VARUINT_H

#include "base/bytes.h"

/* Unsigned LEB128 of at most ten bytes; fails on more, and on a value over 2^64 - 1. */
static inline uint64_t reader_varuint(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = reader_u8(r);
        if (r->failed || (shift == 63 && byte > 1))
            break;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
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
