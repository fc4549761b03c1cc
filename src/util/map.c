#include "util/map.h"

#include <stdlib.h>

struct map_entry {
    uint64_t key;
    uint32_t value; /* MAP_NONE: free */
};

enum { FIRST_BITS = 6 };

static struct map_entry *find(const map *m, uint64_t key) {
    size_t mask = ((size_t)1 << m->bits) - 1;
    size_t at = (size_t)((key ^ key >> 29) * 0x9E3779B97F4A7C15u >> (64 - m->bits));
    while (m->entries[at].value != MAP_NONE && m->entries[at].key != key)
        at = (at + 1) & mask;
    return &m->entries[at];
}

static bool grow(map *m) {
    map bigger = {.bits = m->entries ? m->bits + 1 : FIRST_BITS, .used = m->used};
    size_t count = (size_t)1 << bigger.bits, old_count = m->entries ? count / 2 : 0;
    bigger.entries = malloc(count * sizeof *bigger.entries);
    if (!bigger.entries)
        return false;
    for (size_t i = 0; i < count; i++)
        bigger.entries[i] = (struct map_entry){0, MAP_NONE};
    for (size_t i = 0; i < old_count; i++)
        if (m->entries[i].value != MAP_NONE)
            *find(&bigger, m->entries[i].key) = m->entries[i];
    free(m->entries);
    *m = bigger;
    return true;
}

uint32_t *map_slot(map *m, uint64_t key) {
    if (!m->entries || m->used >= (size_t)1 << (m->bits - 1))
        if (!grow(m))
            return NULL;
    struct map_entry *entry = find(m, key);
    if (entry->value == MAP_NONE) {
        entry->key = key;
        m->used++;
    }
    return &entry->value;
}

uint32_t map_find(const map *m, uint64_t key) {
    return m->entries ? find(m, key)->value : MAP_NONE;
}

void map_clear(map *m) {
    free(m->entries);
    *m = MAP_INIT;
}
