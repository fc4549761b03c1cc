/* buffer.h - a growing run of output bytes, owned.
 *
 * BUFFER_INIT, append…, then use data/size, then buffer_clear. A failed allocation is remembered in `failed`; later
 * appends do nothing, so a writer checks once at its end. A buffer that hostile input could make grow without end is
 * given a bound, `most`, right after BUFFER_INIT, and fails where it would pass that. `data` moves when the buffer
 * grows. */
#ifndef ECMA335_BASE_BUFFER_H
#define ECMA335_BASE_BUFFER_H

#include "base/bytes.h"

typedef struct buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
    bool over;   /* it failed since it would have grown past `most` */
    size_t most; /* bytes; 0: as many as memory has */
} buffer;

#define BUFFER_INIT ((buffer){0})

void buffer_clear(buffer *b);

/* Makes room for `extra` more bytes, for which there is none yet; see buffer_reserve. */
bool buffer_grow(buffer *b, size_t extra);

/* Makes room for `extra` more bytes without appending; false when memory ran out (b->failed is then set). */
static inline bool buffer_reserve(buffer *b, size_t extra) {
    return extra <= b->capacity - b->size && (extra || b->data) && !b->failed ? true : buffer_grow(b, extra);
}

/* Appends `size` uninitialised bytes, which may be none, and returns them, or NULL when memory ran out. */
static inline uint8_t *buffer_extend(buffer *b, size_t size) {
    if (!buffer_reserve(b, size))
        return NULL;
    uint8_t *p = b->data + b->size;
    b->size += size;
    return p;
}

static inline void buffer_append(buffer *b, const void *data, size_t size) {
    uint8_t *p = size ? buffer_extend(b, size) : NULL;
    if (p)
        memcpy(p, data, size);
}

static inline void buffer_append_zeros(buffer *b, size_t size) {
    uint8_t *p = size ? buffer_extend(b, size) : NULL;
    if (p)
        memset(p, 0, size);
}

/* Appends zeros up to the next multiple of `alignment` (a power of two). */
static inline void buffer_align(buffer *b, size_t alignment) {
    buffer_append_zeros(b, -b->size & (alignment - 1));
}

/* A compressed unsigned integer (II.23.2); value at most 0x1FFFFFFF. */
void buffer_compressed(buffer *b, uint32_t value);
void buffer_printf(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bytes buffer_bytes(const buffer *b) {
    return (bytes){b->data, b->size};
}

/* Unsigned LEB128, at `to`, where there is room for it; returns where it ends. */
static inline uint8_t *store_varuint(uint8_t *to, uint64_t value) {
    enum { BITS_A_BYTE = 7 };
    for (; value >= 0x80; value >>= BITS_A_BYTE)
        *to++ = (uint8_t)(0x80 | value);
    *to++ = (uint8_t)value;
    return to;
}

/* The same, appended. */
void buffer_varuint_long(buffer *b, uint64_t value);
static inline void buffer_varuint(buffer *b, uint64_t value) {
    if (value < 0x80 && b->size < b->capacity && !b->failed)
        b->data[b->size++] = (uint8_t)value;
    else
        buffer_varuint_long(b, value);
}

static inline void buffer_u8(buffer *b, uint8_t v) {
    uint8_t *p = buffer_extend(b, 1);
    if (p)
        *p = v;
}
static inline void buffer_u16(buffer *b, uint16_t v) {
    uint8_t *p = buffer_extend(b, 2);
    if (p)
        store_u16(p, v);
}
static inline void buffer_u32(buffer *b, uint32_t v) {
    uint8_t *p = buffer_extend(b, 4);
    if (p)
        store_u32(p, v);
}
static inline void buffer_string(buffer *b, const char *s) {
    buffer_append(b, s, strlen(s));
}

/* How many bytes buffer_compressed writes. */
static inline size_t compressed_size(uint32_t value) {
    return value < 0x80 ? 1 : value < 0x4000 ? 2 : 4;
}

#endif
