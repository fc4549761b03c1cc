/* bytes.h - untrusted bytes: a borrowed range, and a reader that knows its limits.
 *
 * A reader is little-endian by arithmetic. Once a read runs past the end it has failed and stays failed: every later
 * read gives 0. So read a whole fixed structure, then check once; but check before a value becomes a size, a count or
 * a loop bound. */
#ifndef ECMA335_BASE_BYTES_H
#define ECMA335_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed range. data may be NULL only when size is 0. */
typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static inline bytes bytes_of(const void *data, size_t size) {
    return (bytes){(const uint8_t *)data, size};
}

/* The part [offset, offset + size); false when it does not lie within. */
static inline bool bytes_try_sub(bytes b, size_t offset, size_t size, bytes *sub) {
    if (offset > b.size || size > b.size - offset)
        return false;
    *sub = (bytes){b.data ? b.data + offset : NULL, size};
    return true;
}

static inline bool bytes_equal(bytes a, bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* By bytes, a text before its continuations: negative, 0 or positive. */
static inline int bytes_compare(bytes a, bytes b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Unchecked little-endian loads; the caller has checked the size. */
static inline uint16_t load_u16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t load_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t load_u64(const uint8_t *p) {
    return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Of a value that is put together from others a compiler makes bytes again, and stores each by itself: not so here. */
static inline void store_u16(uint8_t *p, uint16_t v) {
    memcpy(p, &v, sizeof v);
}
static inline void store_u32(uint8_t *p, uint32_t v) {
    memcpy(p, &v, sizeof v);
}
static inline void store_u64(uint8_t *p, uint64_t v) {
    memcpy(p, &v, sizeof v);
}
#else
static inline void store_u16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}
static inline void store_u32(uint8_t *p, uint32_t v) {
    store_u16(p, (uint16_t)v);
    store_u16(p + 2, (uint16_t)(v >> 16));
}
static inline void store_u64(uint8_t *p, uint64_t v) {
    store_u32(p, (uint32_t)v);
    store_u32(p + 4, (uint32_t)(v >> 32));
}
#endif

/* memcpy for runs that are mostly short: those of up to 32 bytes are copied in line. Returns where the copy ends. */
static inline uint8_t *copy_run(uint8_t *to, const uint8_t *from, size_t size) {
    if (size >= 16) {
        if (size > 32) {
            memcpy(to, from, size);
        } else {
            memcpy(to, from, 16);
            memcpy(to + size - 16, from + size - 16, 16);
        }
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
    return to + size;
}

typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    const uint8_t *start;
    bool failed;
} reader;

/* An address for what has none. */
extern const uint8_t bytes_none[];

static inline reader reader_of(bytes b) {
    const uint8_t *p = b.data ? b.data : bytes_none;
    return (reader){p, p + b.size, p, false};
}

static inline size_t reader_left(const reader *r) {
    return (size_t)(r->end - r->at);
}
static inline size_t reader_offset(const reader *r) {
    return (size_t)(r->at - r->start);
}

/* Takes `size` bytes; NULL (and failed) when fewer are left. */
static inline const uint8_t *reader_take(reader *r, size_t size) {
    if (r->failed || size > reader_left(r)) {
        r->failed = true;
        r->at = r->end;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += size;
    return p;
}

static inline void reader_skip(reader *r, size_t size) {
    (void)reader_take(r, size);
}

static inline bytes reader_bytes(reader *r, size_t size) {
    const uint8_t *p = reader_take(r, size);
    return p ? (bytes){p, size} : (bytes){NULL, 0};
}

static inline uint8_t reader_u8(reader *r) {
    const uint8_t *p = reader_take(r, 1);
    return p ? *p : 0;
}
static inline uint16_t reader_u16(reader *r) {
    const uint8_t *p = reader_take(r, 2);
    return p ? load_u16(p) : (uint16_t)0;
}
static inline uint32_t reader_u32(reader *r) {
    const uint8_t *p = reader_take(r, 4);
    return p ? load_u32(p) : 0;
}
static inline uint64_t reader_u64(reader *r) {
    const uint8_t *p = reader_take(r, 8);
    return p ? load_u64(p) : 0;
}

/* reader_compressed, of more than one byte. */
static inline uint32_t reader_compressed_long(reader *r) {
    uint8_t first = reader_u8(r);
    if ((first & 0x80) == 0)
        return first;
    if ((first & 0xC0) == 0x80)
        return (uint32_t)(first & 0x3F) << 8 | reader_u8(r);
    if ((first & 0xE0) != 0xC0) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    uint32_t value = (uint32_t)(first & 0x1F) << 24;
    value |= (uint32_t)reader_u8(r) << 16;
    value |= (uint32_t)reader_u8(r) << 8;
    value |= reader_u8(r);
    return r->failed ? 0 : value;
}

/* A compressed unsigned integer (II.23.2): 1, 2 or 4 bytes, at most 0x1FFFFFFF; fails on a first byte 111xxxxx. */
static inline uint32_t reader_compressed(reader *r) {
    return !r->failed && r->at != r->end && *r->at < 0x80 ? *r->at++ : reader_compressed_long(r);
}

/* A compressed signed integer (II.23.2): the sign bit is rotated into bit 0 of the 7, 14 or 29 bits. */
static inline int32_t reader_compressed_signed(reader *r) {
    size_t before = reader_offset(r);
    uint32_t value = reader_compressed(r);
    size_t size = reader_offset(r) - before;
    uint32_t magnitude = value >> 1;
    if (value & 1)
        magnitude |= size == 1 ? 0xFFFFFFC0u : size == 2 ? 0xFFFFE000u : 0xF0000000u;
    return (int32_t)magnitude;
}

#endif
