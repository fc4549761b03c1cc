/* map.h - from 64-bit keys to positions: open addressing, no removal. MAP_INIT, map_slot…, map_clear. */
#ifndef ILINJECT_UTIL_MAP_H
#define ILINJECT_UTIL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE UINT32_MAX

typedef struct map {
    struct map_entry *entries;
    unsigned bits; /* 2^bits entries */
    size_t used;
} map;

#define MAP_INIT ((map){0})

static inline uint64_t map_key(uint32_t high, uint32_t low) {
    return (uint64_t)high << 32 | low;
}

/* The value's place for this key; a new one holds MAP_NONE and must be given another value before the next call, which
 * may move it. NULL when memory ran out. */
uint32_t *map_slot(map *m, uint64_t key);

/* The value for this key; MAP_NONE: it has none. */
uint32_t map_find(const map *m, uint64_t key);

void map_clear(map *m);

#endif
