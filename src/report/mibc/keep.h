/* keep.h - byte strings that get a number each, equal ones the same: 0, 1, 2… as they come.
 *
 * KEEP_INIT, keep_id…, keep_clear. A failed allocation is remembered. */
#ifndef ILINJECT_REPORT_MIBC_KEEP_H
#define ILINJECT_REPORT_MIBC_KEEP_H

#include "base/arena.h"
#include "base/bytes.h"
#include "util/map.h"

typedef struct keep_entry {
    bytes text;    /* a zero follows it */
    uint32_t next; /* with the same hash, or MAP_NONE */
} keep_entry;

typedef struct keep_table {
    map by_hash;
    keep_entry *entries;
    uint32_t count, capacity;
    arena memory;
    bool failed;
} keep_table;

#define KEEP_INIT ((keep_table){.memory = {0}})

/* The number of these bytes, which are copied where they are new; MAP_NONE: memory ran out. */
uint32_t keep_id(keep_table *k, bytes text);

/* The number that they have, or MAP_NONE. */
uint32_t keep_find(const keep_table *k, bytes text);

static inline bytes keep_text(const keep_table *k, uint32_t id) {
    return k->entries[id].text;
}

void keep_clear(keep_table *k);

#endif
