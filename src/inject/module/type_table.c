#include "inject/module/type_table.h"

#include <stdlib.h>
#include <xxhash.h>

void type_table_clear(type_table *t) {
    free(t->entries);
    buffer_clear(&t->types);
    *t = (type_table){0};
}

static type_entry *find(const type_table *t, bytes type, uint32_t hash) {
    for (uint32_t at = hash;; at++) {
        type_entry *e = &t->entries[at & (t->capacity - 1)];
        if (!e->used || (e->hash == hash && bytes_equal(type, bytes_of(t->types.data + e->at, e->size))))
            return e;
    }
}

static bool grow(type_table *t) {
    enum { FIRST_CAPACITY = 64 };
    uint32_t capacity = t->capacity ? t->capacity * 2 : FIRST_CAPACITY;
    type_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    for (uint32_t i = 0; i < t->capacity; i++) {
        uint32_t at = t->entries[i].hash;
        while (t->entries[i].used && entries[at & (capacity - 1)].used)
            at++;
        if (t->entries[i].used)
            entries[at & (capacity - 1)] = t->entries[i];
    }
    free(t->entries);
    t->entries = entries;
    t->capacity = capacity;
    return true;
}

type_entry *type_table_find(type_table *t, bytes type) {
    uint32_t hash = (uint32_t)XXH3_64bits(type.data, type.size);
    if (t->used * 2 >= t->capacity && !grow(t))
        return NULL;
    type_entry *e = find(t, type, hash);
    if (e->used)
        return e;
    size_t at = t->types.size;
    buffer_append(&t->types, type.data, type.size);
    if (t->types.failed)
        return NULL;
    *e = (type_entry){.hash = hash, .used = true, .at = at, .size = type.size};
    t->used++;
    return e;
}
