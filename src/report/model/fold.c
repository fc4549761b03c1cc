#include "report/model/fold.h"

#include "util/large.h"
#include "util/list.h"

_Static_assert(offsetof(profile_async, parent) == 0 && offsetof(fold_link, parent) == 0,
               "nodes start with their parent");

enum { FIRST_SLOTS = 64 };

bool fold_start(fold *f) {
    if (f->count > 0)
        return true;
    if (!list_grow((void **)&f->links, 0, &f->capacity, sizeof *f->links))
        return false;
    f->links[f->count++] = (fold_link){.parent = 0};
    return true;
}

/* Three quarters of the slots are used at most. */
static bool has_room(const fold *f, uint32_t count) {
    return f->slots && count / 3 < (f->slot_mask / 4 + 1);
}

/* A slot has a part of its place's hash, so that the links of other places are hardly ever looked at. */
struct fold_slot {
    uint32_t place; /* and 1; 0: free */
    uint32_t hash;
};

static uint64_t hash_of(uint32_t parent, uint32_t key) {
    uint64_t both = (uint64_t)parent << 32 | key;
    return (both ^ both >> 29) * 0x9E3779B97F4A7C15u;
}

static uint32_t first_slot(const fold *f, uint64_t hash) {
    return (uint32_t)(hash >> 32) & f->slot_mask;
}

/* The slot of the place, or the free one where it belongs. */
static struct fold_slot *slot_of(const fold *f, uint64_t hash, uint32_t parent, uint32_t key) {
    uint32_t at = first_slot(f, hash);
    for (; f->slots[at].place != 0; at = (at + 1) & f->slot_mask) {
        const fold_link *link = &f->links[f->slots[at].place - 1];
        if (f->slots[at].hash == (uint32_t)hash && link->parent == parent && link->key == key)
            return &f->slots[at];
    }
    return &f->slots[at];
}

/* Makes room for that many places. The places fill the new slots. */
static bool make_slots(fold *f, uint32_t count) {
    uint64_t slots = f->slots ? ((uint64_t)f->slot_mask + 1) * 2 : FIRST_SLOTS;
    while (count / 3 >= slots / 4)
        slots *= 2;
    free(f->slots);
    f->slots = slots <= (uint64_t)UINT32_MAX + 1 ? large_zero((size_t)slots, sizeof *f->slots) : NULL;
    if (!f->slots)
        return false;
    f->slot_mask = (uint32_t)(slots - 1);
    for (uint32_t i = 1; i < f->count; i++) {
        const uint64_t hash = hash_of(f->links[i].parent, f->links[i].key);
        uint32_t at = first_slot(f, hash);
        while (f->slots[at].place != 0)
            at = (at + 1) & f->slot_mask;
        f->slots[at] = (struct fold_slot){i + 1, (uint32_t)hash};
    }
    return true;
}

/* Most profiles of a program have most nodes in the same order, so the place after the last one is tried first. */
static inline uint32_t child_of(fold *f, uint32_t parent, uint32_t key) {
    uint32_t guess = f->last + 1;
    if (guess < f->count && f->links[guess].parent == parent && f->links[guess].key == key)
        return f->last = guess;
    if (!has_room(f, f->count) && !make_slots(f, f->count))
        return FOLD_NONE;
    const uint64_t hash = hash_of(parent, key);
    struct fold_slot *slot = slot_of(f, hash, parent, key);
    if (slot->place != 0)
        return f->last = slot->place - 1;
    if (f->count >= FOLD_NONE - 1 || !list_grow((void **)&f->links, f->count, &f->capacity, sizeof *f->links))
        return FOLD_NONE;
    f->links[f->count] = (fold_link){.parent = parent, .key = key};
    *slot = (struct fold_slot){f->count + 1, (uint32_t)hash};
    return f->last = f->count++;
}

uint32_t fold_child(fold *f, uint32_t parent, uint32_t key) {
    return child_of(f, parent, key);
}

uint32_t fold_find(const fold *f, uint32_t parent, uint32_t key) {
    const struct fold_slot *slot = f->slots ? slot_of(f, hash_of(parent, key), parent, key) : NULL;
    return slot && slot->place != 0 ? slot->place - 1 : FOLD_NONE;
}

bool fold_expect(fold *f, uint32_t count) {
    if (f->count > 1)
        return true;
    if (!list_reserve((void **)&f->links, count, &f->capacity, sizeof *f->links))
        return false;
    large(f->links, f->capacity * sizeof *f->links);
    return has_room(f, count) || make_slots(f, count);
}

void fold_foresee(const fold *f, uint32_t parent, uint32_t key) {
    if (f->slots)
        __builtin_prefetch(&f->slots[first_slot(f, hash_of(parent, key))]);
}

bool fold_tree(fold *f, uint32_t top, const fold_source *from, uint32_t *places) {
    const char *node = from->nodes;
    if (!fold_expect(f, from->count))
        return false;
    f->last = places[0] = top;
    for (uint32_t i = 1; i < from->count; i++) {
        node += from->node_bytes;
        uint32_t parent = places[*(const uint32_t *)(const void *)node];
        places[i] = from->keys[i] == FOLD_PARENT ? parent : child_of(f, parent, from->keys[i]);
        if (places[i] == FOLD_NONE)
            return false;
    }
    return true;
}

void fold_settle(fold *f) {
    free(f->slots);
    f->slots = NULL;
}

void fold_clear(fold *f) {
    free(f->links);
    free(f->slots);
    *f = FOLD_INIT;
}
