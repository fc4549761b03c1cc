#include "report/model/fold.h"

#include "util/list.h"

_Static_assert(offsetof(profile_link, parent) == 0 && offsetof(fold_link, parent) == 0,
               "nodes start with their parent");

bool fold_start(fold *f) {
    if (f->count > 0)
        return true;
    if (!list_grow((void **)&f->links, 0, &f->capacity, sizeof *f->links))
        return false;
    f->links[f->count++] = (fold_link){0, 0};
    return true;
}

/* Most profiles of a program have most nodes in the same order, so the place after the last one is tried first. */
static inline uint32_t child_of(fold *f, uint32_t parent, uint32_t key) {
    uint32_t guess = f->last + 1;
    if (guess < f->count && f->links[guess].parent == parent && f->links[guess].key == key)
        return f->last = guess;
    uint32_t *slot = map_slot(&f->places, map_key(parent, key));
    if (!slot)
        return FOLD_NONE;
    if (*slot != MAP_NONE)
        return f->last = *slot;
    if (!list_grow((void **)&f->links, f->count, &f->capacity, sizeof *f->links))
        return FOLD_NONE;
    f->links[f->count] = (fold_link){parent, key};
    return f->last = *slot = f->count++;
}

uint32_t fold_child(fold *f, uint32_t parent, uint32_t key) {
    return child_of(f, parent, key);
}

uint32_t fold_find(const fold *f, uint32_t parent, uint32_t key) {
    return map_find(&f->places, map_key(parent, key));
}

bool fold_tree(fold *f, uint32_t top, const fold_source *from, uint32_t *places) {
    const char *node = from->nodes;
    /* The first tree has a place for most of its nodes. */
    if (f->count == 1 && !list_reserve((void **)&f->links, from->count, &f->capacity, sizeof *f->links))
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

void fold_clear(fold *f) {
    free(f->links);
    map_clear(&f->places);
    *f = FOLD_INIT;
}
