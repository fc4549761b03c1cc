#include "report/export/protobuf.h"

#include <xxhash.h>

#include "util/list.h"

void proto_fixed64(buffer *b, unsigned field, uint64_t value) {
    buffer_varuint(b, field << 3 | PROTO_FIXED64);
    uint8_t *to = buffer_extend(b, sizeof value);
    if (to)
        store_u64(to, value);
}

bytes proto_table_content(const proto_table *t, uint32_t number) {
    const size_t start = number > 0 ? t->ends[number - 1] : 0;
    return (bytes){t->content.data + start, t->ends[number] - start};
}

uint32_t proto_table_number(proto_table *t, bytes content) {
    t->failed = t->failed || !list_grow((void **)&t->ends, t->count, &t->capacity, sizeof *t->ends);
    if (t->failed)
        return 0;
    uint64_t hash = XXH3_64bits(content.data, content.size);
    uint32_t *slot = map_slot(&t->known, hash);
    /* Another content of the same hash has the next one. */
    while (slot && *slot != MAP_NONE && !bytes_equal(proto_table_content(t, *slot), content))
        slot = map_slot(&t->known, ++hash);
    if (slot && *slot != MAP_NONE)
        return *slot;
    buffer_append(&t->content, content.data, content.size);
    t->failed = !slot || t->content.failed;
    if (t->failed)
        return 0;
    *slot = t->count;
    t->ends[t->count] = t->content.size;
    t->size += proto_field_size(content.size);
    return t->count++;
}

void proto_table_clear(proto_table *t) {
    buffer_clear(&t->content);
    map_clear(&t->known);
    free(t->ends);
    *t = PROTO_TABLE_INIT;
}
