/* protobuf.h - messages in Protocol Buffers' wire form, for pprof.c and otlp.c: fields in a buffer, and tables of
 * distinct messages that others name by number. */
#ifndef ILINJECT_REPORT_EXPORT_PROTOBUF_H
#define ILINJECT_REPORT_EXPORT_PROTOBUF_H

#include "base/buffer.h"
#include "util/map.h"

enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 }; /* wire types */

/* A field of any integer type. The default, 0, is not written. */
static inline void proto_number(buffer *b, unsigned field, uint64_t value) {
    if (value == 0)
        return;
    buffer_varuint(b, field << 3 | PROTO_VARINT);
    buffer_varuint(b, value);
}

/* A string, a message, or packed numbers; written when it is empty, too. */
static inline void proto_bytes(buffer *b, unsigned field, bytes content) {
    buffer_varuint(b, field << 3 | PROTO_BYTES);
    buffer_varuint(b, content.size);
    buffer_append(b, content.data, content.size);
}

void proto_fixed64(buffer *b, unsigned field, uint64_t value);

/* The bytes that a varint takes, and those of a field of `size` bytes with its head; fields have numbers below 16. */
static inline unsigned proto_varint_size(uint64_t value) {
    return (unsigned)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}
static inline uint64_t proto_field_size(uint64_t size) {
    return 1 + proto_varint_size(size) + size;
}
static inline uint64_t proto_number_size(uint64_t value) {
    return value > 0 ? 1 + proto_varint_size(value) : 0;
}

/* Distinct contents, numbered as they came. PROTO_TABLE_INIT, proto_table_number…,
 * proto_table_clear. */
typedef struct proto_table {
    buffer content;
    size_t *ends; /* of each in `content` */
    uint32_t count, capacity;
    map known;     /* by hash */
    uint64_t size; /* of all as fields */
    bool failed;   /* memory ran out */
} proto_table;

#define PROTO_TABLE_INIT ((proto_table){.content = BUFFER_INIT})

/* The number of this content, which is added when it is new; 0 when memory ran out. */
uint32_t proto_table_number(proto_table *t, bytes content);
bytes proto_table_content(const proto_table *t, uint32_t number);
void proto_table_clear(proto_table *t);

#endif
