#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const uint8_t bytes_none[1];

void buffer_clear(buffer *b) {
    free(b->data);
    *b = BUFFER_INIT;
}

bool buffer_grow(buffer *b, size_t extra) {
    if (b->failed)
        return false;
    size_t wanted;
    if (__builtin_add_overflow(b->size, extra, &wanted)) {
        b->failed = true;
        return false;
    }
    if (b->most && wanted > b->most) {
        b->failed = b->over = true;
        return false;
    }
    size_t capacity = b->capacity < 64 ? 64 : b->capacity;
    while (capacity < wanted)
        capacity = capacity > SIZE_MAX / 2 ? wanted : capacity * 2;
    if (b->most && capacity > b->most)
        capacity = b->most;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->capacity = capacity;
    return true;
}

void buffer_compressed(buffer *b, uint32_t value) {
    uint8_t *p = buffer_extend(b, compressed_size(value));
    if (!p)
        return;
    if (value < 0x80) {
        p[0] = (uint8_t)value;
    } else if (value < 0x4000) {
        p[0] = (uint8_t)(0x80 | value >> 8);
        p[1] = (uint8_t)value;
    } else {
        p[0] = (uint8_t)(0xC0 | value >> 24);
        p[1] = (uint8_t)(value >> 16);
        p[2] = (uint8_t)(value >> 8);
        p[3] = (uint8_t)value;
    }
}

void buffer_varuint_long(buffer *b, uint64_t value) {
    enum { MOST = 10 }; /* bytes */
    uint8_t bytes_made[MOST];
    if (b->capacity - b->size >= MOST && !b->failed)
        b->size = (size_t)(store_varuint(b->data + b->size, value) - b->data);
    else
        buffer_append(b, bytes_made, (size_t)(store_varuint(bytes_made, value) - bytes_made));
}

void buffer_printf(buffer *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !buffer_reserve(b, (size_t)length + 1)) {
        b->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf((char *)b->data + b->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    b->size += (size_t)length;
}
