#include "report/merge/tree.h"

#include <stdlib.h>

#include "report/merge/runs.h"
#include "report/model/times.h"
#include "util/list.h"

static inline void add(uint64_t *sum, uint64_t more) {
    *sum = profile_add(*sum, more);
}

/* Makes the nodes for the places that are new. */
static bool make_nodes(merge_tree *to) {
    to->node_count = to->calls.count;
    return columns_extend(&to->nodes, to->calls.count);
}

bool merge_tree_start(merge_tree *to, bytes name, bool tells_waits) {
    *to = MERGE_TREE_INIT;
    to->tells_waits = tells_waits;
    return merge_copy(&to->name, name) && fold_start(&to->calls) && make_nodes(to);
}

void merge_tree_clear(merge_tree *t) {
    for (uint32_t i = 0; i < t->path_count; i++)
        for (uint32_t k = 0; k < t->paths[i].message_count; k++)
            free((void *)(uintptr_t)t->paths[i].messages[k].data);
    free((void *)(uintptr_t)t->name.data);
    fold_clear(&t->calls);
    columns_clear(&t->nodes);
    free(t->folds);
    free(t->below);
    map_clear(&t->below_map);
    free(t->paths);
    map_clear(&t->pair_map);
    map_clear(&t->path_map);
    fold_clear(&t->starts);
    free(t->async);
    *t = MERGE_TREE_INIT;
}

uint32_t merge_number_of(const merge_lens *lens, uint32_t id) {
    if (id == PROFILE_ID_FOLDED)
        return id;
    const profile_module *m = profile_module_of(lens->p, id);
    return m ? lens->first[m - lens->p->modules] + (id - m->base) : MERGE_UNKNOWN | id;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static void add_to(columns *sums, unsigned column, uint32_t node, uint64_t more) {
    if (more > 0)
        columns_set(sums, column, node, profile_add(columns_at(sums, column, node), more));
}

static void widen(columns *sums, unsigned least, uint32_t node, profile_span more) {
    profile_set_span(sums, least, node, profile_span_widened(profile_span_at(sums, least, node), more));
}

static void add_times(columns *sums, uint32_t node, recorded_times recorded, const profile_timing *more) {
    profile_timing sum = timing_at(sums, node);
    add_to(sums, MERGE_RECORDED_INCLUSIVE, node, recorded.inclusive_ns);
    add_to(sums, MERGE_RECORDED_EXCLUSIVE, node, recorded.exclusive_ns);
    add_to(sums, MERGE_RECORDED_OVER, node, recorded.over_ns);
    times_add_inclusive(&sum.times, &more->times);
    times_add_exclusive(&sum.times, &more->times);
    add(&sum.probe_ns, more->probe_ns);
    add(&sum.blocked_ns, more->blocked_ns);
    timing_set(sums, node, &sum);
}

/* Adds the times of folded calls at a place. False when memory ran out. */
static bool add_fold(merge_tree *to, uint32_t place, const corrected_fold *more) {
    if (columns_at(&to->nodes, MERGE_FOLD, place) == 0) {
        if (!list_grow((void **)&to->folds, to->fold_count, &to->fold_capacity, sizeof *to->folds))
            return false;
        to->folds[to->fold_count++] = (corrected_fold){.node = place};
        columns_set(&to->nodes, MERGE_FOLD, place, to->fold_count);
        if (to->nodes.failed)
            return false;
    }
    corrected_fold *sum = &to->folds[columns_at(&to->nodes, MERGE_FOLD, place) - 1];
    add(&sum->recorded_ns, more->recorded_ns);
    add(&sum->recorded_outer_ns, more->recorded_outer_ns);
    times_add_inclusive(&sum->all, &more->all);
    times_add_inclusive(&sum->outer, &more->outer);
    return true;
}

/* Adds what was folded below a place. False when memory ran out. */
static bool add_below(merge_tree *to, uint32_t place, uint32_t number, uint64_t calls) {
    uint32_t *slot = place == 0 ? NULL : map_slot(&to->below_map, map_key(place, number));
    if (!slot)
        return place == 0;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&to->below, to->below_count, &to->below_capacity, sizeof *to->below))
            return false;
        *slot = to->below_count;
        to->below[to->below_count++] = (merge_below){place, number, 0};
    }
    add(&to->below[*slot].calls, calls);
    return true;
}

/* Adds a node of another tree. */
static void add_merged(columns *sums, uint32_t node, const columns *from, uint32_t i) {
    const profile_timing more = timing_at(from, i);
    for (unsigned k = MERGE_CALLS; k <= MERGE_BY_EXCEPTION; k++)
        add_to(sums, k, node, columns_at(from, k, i));
    widen(sums, MERGE_RECORDED_LEAST, node, profile_span_at(from, MERGE_RECORDED_LEAST, i));
    widen(sums, MERGE_LEAST, node, profile_span_at(from, MERGE_LEAST, i));
    add_times(sums, node,
              (recorded_times){columns_at(from, MERGE_RECORDED_INCLUSIVE, i),
                               columns_at(from, MERGE_RECORDED_EXCLUSIVE, i), columns_at(from, MERGE_RECORDED_OVER, i)},
              &more);
    for (unsigned k = MERGE_FIGURE; k < MERGE_COLUMNS; k++)
        add_to(sums, k, node, columns_at(from, k, i));
}

/* All but the times of the `i`th node of a profile's thread. */
static inline void add_node(columns *sums, uint32_t node, const corrected_thread *from, uint32_t i,
                            const profile_run *run) {
    const profile_thread *t = &from->t;
    const profile_span span = profile_span_at(&t->nodes, PROFILE_LEAST, i);
    add_to(sums, MERGE_CALLS, node, profile_number(t, PROFILE_CALLS, i));
    add_to(sums, MERGE_TICKED_CALLS, node, profile_number(t, PROFILE_TICKED_CALLS, i));
    add_to(sums, MERGE_RESYNCHRONISED, node, profile_number(t, PROFILE_RESYNCHRONISED, i));
    add_to(sums, MERGE_OPEN, node, profile_number(t, PROFILE_OPEN, i));
    add_to(sums, MERGE_BY_EXCEPTION, node, profile_number(t, PROFILE_BY_EXCEPTION, i));
    if (span.min_ns <= span.max_ns) {
        const profile_span recorded = {profile_ns(run, span.min_ns), profile_ns(run, span.max_ns)};
        widen(sums, MERGE_RECORDED_LEAST, node, recorded);
        widen(sums, MERGE_LEAST, node, correct_span(from, run, i));
    }
    for (unsigned k = 0; k < 2 * FIGURES && !columns_are_empty(&t->nodes, PROFILE_FIGURE, 2 * FIGURES); k++)
        add_to(sums, MERGE_FIGURE + k, node, columns_at(&t->nodes, PROFILE_FIGURE + k, i));
}

/* ---- Exceptions ------------------------------------------------------------------------------------------------- */

/* Types are fewer than 2^28, so that an outcome fits above. NULL when memory ran out. */
static merge_path *path_of(merge_tree *to, const merge_path *key) {
    uint32_t *pair = map_slot(&to->pair_map, map_key(key->thrower, key->catcher));
    if (!pair)
        return NULL;
    if (*pair == MAP_NONE)
        *pair = to->pair_count++;
    uint32_t *slot = map_slot(&to->path_map, map_key(*pair, key->outcome << 28 | key->type));
    if (!slot)
        return NULL;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&to->paths, to->path_count, &to->path_capacity, sizeof *to->paths))
            return NULL;
        *slot = to->path_count++;
        to->paths[*slot] =
            (merge_path){.type = key->type, .thrower = key->thrower, .catcher = key->catcher, .outcome = key->outcome};
    }
    return &to->paths[*slot];
}
_Static_assert((int)PROFILE_OUTCOMES < 16, "an outcome has four bits");

/* Keeps the first messages by their bytes. */
static bool add_message(merge_path *path, bytes message) {
    uint32_t at = path->message_count;
    int order = 1;
    while (at > 0 && (order = bytes_compare(path->messages[at - 1], message)) > 0)
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

static bool add_path(merge_tree *to, const merge_path *more) {
    merge_path *sum = path_of(to, more);
    if (!sum)
        return false;
    exceptions_add_figures(&sum->figures, &more->figures);
    for (uint32_t k = 0; k < more->message_count; k++)
        if (!add_message(sum, more->messages[k]))
            return false;
    return true;
}

/* A path of a profile; its messages stay the profile's. `places` of its nodes. */
static merge_path path_from(const profile_path *p, const profile_run *run, const uint32_t *types,
                            const uint32_t *places) {
    merge_path made = {.type = p->type ? types[p->type - 1] : 0,
                       .thrower = places[p->thrower],
                       .catcher = places[p->catcher],
                       .outcome = p->outcome,
                       .figures = exceptions_figures_of(run, p),
                       .message_count = p->message_count};
    memcpy(made.messages, p->messages, sizeof made.messages);
    return made;
}

/* ---- Async methods ---------------------------------------------------------------------------------------------- */

/* Makes the figures for the places that are new. False also when there are too many for the keys of slices. */
static bool make_async(merge_tree *to) {
    if (to->starts.count > MERGE_SLICES)
        return false;
    if (!list_reserve((void **)&to->async, to->starts.count, &to->async_capacity, sizeof *to->async))
        return false;
    for (; to->async_count < to->starts.count; to->async_count++)
        to->async[to->async_count] = (async_figures){0};
    return true;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

/* Keys and places of the nodes of one tree, and places of its async nodes. */
typedef struct room {
    uint32_t *keys, *places, *starts;
} room;

/* False when memory ran out; room_clear all the same. */
static bool room_make(room *r, uint32_t nodes, uint32_t async) {
    uint32_t most = nodes > async ? nodes : async;
    *r = (room){malloc(((size_t)most + 1) * sizeof *r->keys), malloc(((size_t)nodes + 1) * sizeof *r->places),
                malloc(((size_t)async + 1) * sizeof *r->starts)};
    return r->keys && r->places && r->starts;
}

static void room_clear(room *r) {
    free(r->keys);
    free(r->places);
    free(r->starts);
}

/* Uses up the thread's times. */
static void add_all_times(merge_tree *to, corrected_thread *from, const uint32_t *places) {
    enum { COLUMNS = RECORDED_END };
    const uint32_t count = from->t.node_count;
    const bool fit = timings_fit(&to->all_times, &from->timings, COLUMNS);
    for (uint32_t i = 0; i < count && !fit; i++) {
        const profile_timing more = timing_at(&from->timings, i);
        add_times(&to->nodes, places[i], recorded_at(from, i), &more);
    }
    for (unsigned k = 0; k < COLUMNS; k++) {
        if (fit)
            columns_add(&to->nodes, k, places, &from->timings, count, NULL);
        columns_drop(&from->timings, k);
    }
}

static bool add_calls(merge_tree *to, corrected_thread *from, const merge_lens *lens, const room *r) {
    const profile_thread *t = &from->t;
    for (uint32_t i = 1; i < t->node_count; i++) {
        const uint64_t place = profile_number(t, PROFILE_PLACE, i);
        r->keys[i] = place ? MERGE_SLICE + r->starts[place] : merge_number_of(lens, t->ids[i]);
    }
    const fold_source source = {t->parents, sizeof *t->parents, t->node_count, r->keys};
    if (!fold_tree(&to->calls, 0, &source, r->places) || !make_nodes(to))
        return false;
    for (uint32_t i = 0; i < t->node_count; i++)
        add_node(&to->nodes, r->places[i], from, i, &lens->p->run);
    add_all_times(to, from, r->places);
    for (uint32_t i = 0; i < from->fold_count; i++)
        if (!add_fold(to, r->places[from->folds[i].node], &from->folds[i]))
            return false;
    for (uint32_t i = 0; i < t->below_count; i++) {
        const profile_below *b = &t->below[i];
        if (!add_below(to, r->places[b->node], PROFILE_ID_FOLDED, b->calls))
            return false;
        for (uint32_t k = 0; k < b->count; k++)
            if (!add_below(to, r->places[b->node], merge_number_of(lens, b->ids[k]), 0))
                return false;
    }
    return !to->nodes.failed;
}

static bool add_async(merge_tree *to, const profile_thread *t, const merge_lens *lens, const room *r) {
    if (t->async_count == 0)
        return true;
    for (uint32_t i = 1; i < t->async_count; i++)
        r->keys[i] = t->async[i].taken ? FOLD_PARENT : merge_number_of(lens, t->async[i].id);
    const fold_source source = {t->async, sizeof *t->async, t->async_count, r->keys};
    if (!fold_start(&to->starts) || !fold_tree(&to->starts, 0, &source, r->starts) || !make_async(to))
        return false;
    for (uint32_t i = 1; i < t->async_count; i++) {
        async_figures more = async_figures_of(&lens->p->run, &t->async[i]);
        async_add_figures(&to->async[r->starts[i]], &more);
    }
    return true;
}

bool merge_tree_add(merge_tree *to, corrected_thread *from, const merge_lens *lens, const uint32_t *types) {
    const profile_thread *t = &from->t;
    room r;
    bool done =
        room_make(&r, t->node_count, t->async_count) && add_async(to, t, lens, &r) && add_calls(to, from, lens, &r);
    add(&to->count, t->count);
    for (uint32_t i = 0; i < t->path_count && done; i++) {
        merge_path more = path_from(&t->paths[i], &lens->p->run, types, r.places);
        done = add_path(to, &more);
    }
    room_clear(&r);
    return done;
}

/* Folds a tree that was folded before. */
static bool fold_again(fold *to, const fold *from, const room *r, uint32_t *places) {
    for (uint32_t i = 1; i < from->count; i++) {
        uint32_t key = from->links[i].key, slice = merge_slice_of(key);
        r->keys[i] = slice ? MERGE_SLICE + r->starts[slice] : key;
    }
    const fold_source source = {from->links, sizeof *from->links, from->count, r->keys};
    return fold_tree(to, 0, &source, places);
}

bool merge_tree_join(merge_tree *to, const merge_tree *from) {
    room r;
    bool done = room_make(&r, from->node_count, from->async_count);
    if (done && from->async_count > 0)
        done = fold_start(&to->starts) && fold_again(&to->starts, &from->starts, &r, r.starts) && make_async(to);
    done = done && fold_again(&to->calls, &from->calls, &r, r.places) && make_nodes(to);
    add(&to->count, from->count);
    to->all_times = PROFILE_MAX; /* what comes later is added node by node */
    for (uint32_t i = 0; i < from->node_count && done; i++)
        add_merged(&to->nodes, r.places[i], &from->nodes, i);
    for (uint32_t i = 0; i < from->fold_count && done; i++)
        done = add_fold(to, r.places[from->folds[i].node], &from->folds[i]);
    for (uint32_t i = 0; i < from->below_count && done; i++)
        done = add_below(to, r.places[from->below[i].node], from->below[i].number, from->below[i].calls);
    for (uint32_t i = 0; i < from->path_count && done; i++) {
        merge_path more = from->paths[i];
        more.thrower = r.places[more.thrower];
        more.catcher = r.places[more.catcher];
        done = add_path(to, &more);
    }
    for (uint32_t i = 0; i < from->async_count && done; i++)
        async_add_figures(&to->async[r.starts[i]], &from->async[i]);
    room_clear(&r);
    return done && !to->nodes.failed;
}
