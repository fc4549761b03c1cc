#include "report/mibc/keep.h"

#include <xxhash.h>

#include "util/list.h"

static uint32_t among(const keep_table *k, uint32_t id, bytes text) {
    while (id != MAP_NONE && !bytes_equal(k->entries[id].text, text))
        id = k->entries[id].next;
    return id;
}

uint32_t keep_find(const keep_table *k, bytes text) {
    return among(k, map_find(&k->by_hash, XXH3_64bits(text.data, text.size)), text);
}

uint32_t keep_id(keep_table *k, bytes text) {
    uint32_t *slot = k->failed ? NULL : map_slot(&k->by_hash, XXH3_64bits(text.data, text.size));
    uint32_t known = slot ? among(k, *slot, text) : MAP_NONE;
    if (known != MAP_NONE)
        return known;
    uint8_t *copy = slot ? arena_alloc(&k->memory, text.size + 1) : NULL;
    if (!copy || !list_grow((void **)&k->entries, k->count, &k->capacity, sizeof *k->entries)) {
        k->failed = true;
        return MAP_NONE;
    }
    if (text.size)
        memcpy(copy, text.data, text.size);
    k->entries[k->count] = (keep_entry){bytes_of(copy, text.size), *slot};
    return *slot = k->count++;
}

void keep_clear(keep_table *k) {
    map_clear(&k->by_hash);
    free(k->entries);
    arena_clear(&k->memory);
    *k = KEEP_INIT;
}
