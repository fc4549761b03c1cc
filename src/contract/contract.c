#include "contract/contract.h"

#include <stdlib.h>

#include "util/hash.h"
#include "util/list.h"
#include "util/text_keep.h"

const char *const contract_metric_names[CONTRACT_METRICS] = {
#define CONTRACT_METRIC(ID, column, words) [CONTRACT_##ID] = column,
#include "contract/metrics.def"
};
const char *const contract_metric_words[CONTRACT_METRICS] = {
#define CONTRACT_METRIC(ID, column, words) [CONTRACT_##ID] = words,
#include "contract/metrics.def"
};

static uint64_t hash_text(uint64_t hash, bytes text) {
    return hash_byte(hash_bytes(hash, text), 0xFF);
}

/* A key for the map; entries with equal hashes take the next ones. */
static uint64_t hash_of(const contract_entry *e) {
    uint64_t hash = hash_text(HASH_START, e->assembly);
    hash = hash_text(hash_text(hash, e->type), e->name);
    return (hash ^ e->ordinal) * 2 + e->is_type;
}

static int compare_texts(bytes a, bytes b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : list_compare(a.size, b.size);
}

int contract_compare(const contract_entry *a, const contract_entry *b) {
    int order = (int)a->is_type - (int)b->is_type;
    order = order ? order : compare_texts(a->assembly, b->assembly);
    order = order ? order : compare_texts(a->type, b->type);
    order = order ? order : compare_texts(a->name, b->name);
    return order ? order : list_compare(a->ordinal, b->ordinal);
}

uint32_t contract_find(const contract *c, const contract_entry *key) {
    for (uint64_t hash = hash_of(key);; hash++) {
        uint32_t found = map_find(&c->places, hash);
        if (found == MAP_NONE || contract_compare(&c->entries[found], key) == 0)
            return found;
    }
}

uint32_t contract_entry_of(contract *c, const contract_entry *key) {
    uint32_t *slot;
    for (uint64_t hash = hash_of(key);; hash++) {
        slot = map_slot(&c->places, hash);
        if (!slot)
            return MAP_NONE;
        if (*slot == MAP_NONE)
            break;
        if (contract_compare(&c->entries[*slot], key) == 0)
            return *slot;
    }
    *slot = c->count; /* a failure below ends the whole, so that the slot may dangle */
    contract_entry made = *key;
    if (c->count >= MAP_NONE - 1 || !list_grow((void **)&c->entries, c->count, &c->capacity, sizeof *c->entries) ||
        !text_keep(&c->memory, &made.assembly) || !text_keep(&c->memory, &made.type) ||
        !text_keep(&c->memory, &made.name) || !text_keep(&c->memory, &made.path))
        return MAP_NONE;
    c->entries[c->count] = made;
    return c->count++;
}

void contract_see(contract_range *range, uint64_t value, bool first) {
    range->least = first || value < range->least ? value : range->least;
    range->most = first || value > range->most ? value : range->most;
}

void contract_name(buffer *b, const contract_entry *e) {
    b->size = 0;
    buffer_append(b, e->type.data, e->type.size);
    if (e->type.size > 0)
        buffer_u8(b, '.');
    buffer_append(b, e->name.data, e->name.size);
}

void contract_clear(contract *c) {
    free(c->entries);
    free(c->rules);
    free(c->edges);
    map_clear(&c->places);
    arena_clear(&c->memory);
    *c = CONTRACT_INIT;
}
