#include "report/merge_tree.h"

#include <stdlib.h>

#include "report/list.h"
#include "report/merge_runs.h"

bool merge_tree_start(merge_tree *to, bytes name) {
    *to = MERGE_TREE_INIT;
    if (!merge_copy(&to->t.name, name))
        return false;
    to->t.merged = true;
    if (!list_grow((void **)&to->t.nodes, 0, &to->node_capacity, sizeof *to->t.nodes))
        return false;
    to->t.nodes[to->t.node_count++] = (profile_node){.id = PROFILE_ID_ROOT, .min_ticks = PROFILE_MAX};
    return true;
}

void merge_tree_clear(merge_tree *t) {
    for (uint32_t i = 0; i < t->t.path_count; i++)
        for (uint32_t k = 0; k < t->t.paths[i].message_count; k++)
            free((void *)(uintptr_t)t->t.paths[i].messages[k].data);
    free((void *)(uintptr_t)t->t.name.data);
    free(t->t.nodes);
    free(t->t.paths);
    free(t->t.async);
    map_clear(&t->node_map);
    map_clear(&t->pair_map);
    map_clear(&t->path_map);
    map_clear(&t->async_map);
    *t = MERGE_TREE_INIT;
}

static inline uint64_t ns_of(const merge_lens *lens, uint64_t ticks) {
    return profile_ns(lens->run, ticks);
}

static inline void add(uint64_t *sum, uint64_t more) {
    *sum = profile_add(*sum, more);
}

uint32_t merge_number_of(const merge_lens *lens, uint32_t id) {
    if (!lens->p || id == PROFILE_ID_FOLDED)
        return id;
    const profile_module *m = profile_module_of(lens->p, id);
    return m ? lens->first[m - lens->p->modules] + (id - m->base) : MERGE_UNKNOWN | id;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* The child of `parent` with this number. Most profiles of a program have most nodes in the same order, so the one that
 * stands behind the last is tried first. */
static uint32_t child_of(merge_tree *to, uint32_t parent, uint32_t number, uint32_t guess) {
    if (guess < to->t.node_count && to->t.nodes[guess].parent == parent && to->t.nodes[guess].id == number)
        return guess;
    uint32_t *slot = map_slot(&to->node_map, map_key(parent, number));
    if (!slot)
        return MAP_NONE;
    if (*slot != MAP_NONE)
        return *slot;
    if (!list_grow((void **)&to->t.nodes, to->t.node_count, &to->node_capacity, sizeof *to->t.nodes))
        return MAP_NONE;
    to->t.nodes[to->t.node_count] = (profile_node){.id = number, .parent = parent, .min_ticks = PROFILE_MAX};
    return *slot = to->t.node_count++;
}

static void add_node(profile_node *sum, const profile_node *more, const merge_lens *lens) {
    add(&sum->calls, more->calls);
    add(&sum->ticks, more->ticks);
    add(&sum->own, more->own);
    add(&sum->resynchronised, more->resynchronised);
    add(&sum->open, more->open);
    add(&sum->by_exception, more->by_exception);
    if (more->min_ticks <= more->max_ticks) {
        uint64_t min = ns_of(lens, more->min_ticks), max = ns_of(lens, more->max_ticks);
        sum->min_ticks = min < sum->min_ticks ? min : sum->min_ticks;
        sum->max_ticks = max > sum->max_ticks ? max : sum->max_ticks;
    }
    add(&sum->inclusive_ns, more->inclusive_ns);
    add(&sum->inclusive_low_ns, more->inclusive_low_ns);
    add(&sum->inclusive_high_ns, more->inclusive_high_ns);
    add(&sum->exclusive_ns, more->exclusive_ns);
    add(&sum->exclusive_low_ns, more->exclusive_low_ns);
    add(&sum->exclusive_high_ns, more->exclusive_high_ns);
    add(&sum->inclusive_offset_ns, more->inclusive_offset_ns);
    add(&sum->exclusive_offset_ns, more->exclusive_offset_ns);
    add(&sum->probe_ns, more->probe_ns);
}

/* `places` gets the position of each node of `from`. */
static bool add_nodes(merge_tree *to, const profile_thread *from, const merge_lens *lens, uint32_t *places) {
    add_node(&to->t.nodes[0], &from->nodes[0], lens);
    places[0] = 0;
    for (uint32_t i = 1; i < from->node_count; i++) {
        const profile_node *n = &from->nodes[i];
        uint32_t place = child_of(to, places[n->parent], merge_number_of(lens, n->id), places[i - 1] + 1);
        if (place == MAP_NONE)
            return false;
        add_node(&to->t.nodes[place], n, lens);
        places[i] = place;
    }
    return true;
}

/* ---- Exceptions ------------------------------------------------------------------------------------------------- */

/* Types are fewer than 2^28, so that an outcome fits above. */
static profile_path *path_of(merge_tree *to, profile_path key) {
    uint32_t *pair = map_slot(&to->pair_map, map_key(key.thrower, key.catcher));
    if (!pair)
        return NULL;
    if (*pair == MAP_NONE)
        *pair = to->pair_count++;
    uint32_t *slot = map_slot(&to->path_map, map_key(*pair, key.outcome << 28 | key.type));
    if (!slot)
        return NULL;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&to->t.paths, to->t.path_count, &to->path_capacity, sizeof *to->t.paths))
            return NULL;
        *slot = to->t.path_count++;
        to->t.paths[*slot] = key;
    }
    return &to->t.paths[*slot];
}
_Static_assert((int)PROFILE_OUTCOMES < 16, "an outcome has four bits");

/* Keeps the first messages by their bytes. */
static bool add_message(profile_path *path, bytes message) {
    uint32_t at = path->message_count;
    int order = 1;
    while (at > 0 && (order = merge_compare(path->messages[at - 1], message)) > 0)
        at--;
    if (order == 0 || at == PROFILE_MESSAGES)
        return true;
    bytes copy;
    if (!merge_copy(&copy, message))
        return false;
    if (path->message_count == PROFILE_MESSAGES)
        free((void *)(uintptr_t)path->messages[--path->message_count].data);
    memmove(&path->messages[at + 1], &path->messages[at], (path->message_count - at) * sizeof *path->messages);
    path->messages[at] = copy;
    path->message_count++;
    return true;
}

static bool add_paths(merge_tree *to, const profile_thread *from, const merge_lens *lens, const uint32_t *types,
                      const uint32_t *places) {
    for (uint32_t i = 0; i < from->path_count; i++) {
        const profile_path *more = &from->paths[i];
        profile_path *sum = path_of(to, (profile_path){.type = types && more->type ? types[more->type - 1] : more->type,
                                                       .thrower = places[more->thrower],
                                                       .catcher = places[more->catcher],
                                                       .outcome = more->outcome});
        if (!sum)
            return false;
        add(&sum->count, more->count);
        add(&sum->ticks, ns_of(lens, more->ticks));
        add(&sum->search_ticks, ns_of(lens, more->search_ticks));
        add(&sum->frames_searched, more->frames_searched);
        add(&sum->frames_unwound, more->frames_unwound);
        for (uint32_t k = 0; k < more->message_count; k++)
            if (!add_message(sum, more->messages[k]))
                return false;
    }
    return true;
}

/* ---- Async methods ---------------------------------------------------------------------------------------------- */

static uint32_t async_of(merge_tree *to, uint32_t parent, uint32_t number) {
    uint32_t *slot = map_slot(&to->async_map, map_key(parent, number));
    if (!slot)
        return MAP_NONE;
    if (*slot != MAP_NONE)
        return *slot;
    if (!list_grow((void **)&to->t.async, to->t.async_count, &to->async_capacity, sizeof *to->t.async))
        return MAP_NONE;
    to->t.async[to->t.async_count] = (profile_async){.id = number, .parent = parent};
    return *slot = to->t.async_count++;
}

static void add_async_node(profile_async *sum, const profile_async *more, const merge_lens *lens) {
    add(&sum->calls, more->calls);
    add(&sum->suspensions, more->suspensions);
    add(&sum->completed, more->completed);
    add(&sum->failed, more->failed);
    add(&sum->cancelled, more->cancelled);
    add(&sum->running_ticks, ns_of(lens, more->running_ticks));
    add(&sum->awaiting_ticks, ns_of(lens, more->awaiting_ticks));
    add(&sum->wall_ticks, ns_of(lens, more->wall_ticks));
    add(&sum->unlinked, more->unlinked);
}

static bool add_async(merge_tree *to, const profile_thread *from, const merge_lens *lens, uint32_t *places) {
    if (from->async_count == 0)
        return true;
    if (to->t.async_count == 0) {
        if (!list_grow((void **)&to->t.async, 0, &to->async_capacity, sizeof *to->t.async))
            return false;
        to->t.async[to->t.async_count++] = (profile_async){.id = PROFILE_ID_ROOT};
    }
    places[0] = 0;
    for (uint32_t i = 1; i < from->async_count; i++) {
        const profile_async *n = &from->async[i];
        places[i] = async_of(to, places[n->parent], merge_number_of(lens, n->id));
        if (places[i] == MAP_NONE)
            return false;
        add_async_node(&to->t.async[places[i]], n, lens);
    }
    return true;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

bool merge_tree_add(merge_tree *to, const profile_thread *from, const merge_lens *lens, const uint32_t *types) {
    uint32_t most = from->node_count > from->async_count ? from->node_count : from->async_count;
    uint32_t *places = calloc(most, sizeof *places);
    if (!places)
        return false;
    add(&to->t.count, from->count);
    bool done = add_nodes(to, from, lens, places) && add_paths(to, from, lens, types, places) &&
                add_async(to, from, lens, places);
    free(places);
    return done;
}
