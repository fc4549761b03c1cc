#include "report/model/exceptions.h"

#include "util/hash.h"
#include "util/list.h"
#include "util/text_keep.h"

enum {
    KEPT_FRAMES = 24,      /* of a path, at each end */
    MANY_WALKED = 1 << 26, /* nodes of all paths; from then on of each path that many are looked at: */
    MAX_WALK = 4096,
    MANY_NODES = 1u << 20, /* from then on paths are told by their ends alone */
};

/* ---- Nodes ------------------------------------------------------------------------------------------------------ */

/* Functions are fewer than 2^28 (FUNCTIONS_MOST), so that a child's kind fits above. */
static uint64_t key_of(uint32_t parent, exception_kind kind, uint32_t outcome, uint32_t value) {
    uint32_t tag = kind == EXCEPTION_END ? outcome : PROFILE_OUTCOMES + (uint32_t)kind;
    return map_key(parent, tag << 28 | (value & 0xFFFFFFF));
}
_Static_assert((int)PROFILE_OUTCOMES + (int)EXCEPTION_THROWN < 16, "a tag has four bits");

static exception_node *child_of(exceptions *e, uint32_t *parent, exception_node made) {
    uint32_t value = made.kind == EXCEPTION_TYPE ? made.value : made.function;
    uint32_t *slot = map_slot(&e->node_map, key_of(*parent, made.kind, made.value, value));
    if (!slot)
        return NULL;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&e->nodes, e->node_count, &e->node_capacity, sizeof *e->nodes))
            return NULL;
        *slot = e->node_count++;
        made.parent = *parent;
        made.next_sibling = e->nodes[*parent].first_child;
        e->nodes[*parent].first_child = *slot;
        e->nodes[*slot] = made;
    }
    exception_node *n = &e->nodes[*slot];
    if (made.least < n->least)
        n->least = made.least;
    if (made.most > n->most)
        n->most = made.most;
    *parent = *slot;
    return n;
}

void exceptions_add_figures(exception_figures *sum, const exception_figures *more) {
    sum->count = profile_add(sum->count, more->count);
    sum->ns = profile_add(sum->ns, more->ns);
    sum->search_ns = profile_add(sum->search_ns, more->search_ns);
    sum->searched = profile_add(sum->searched, more->searched);
    sum->unwound = profile_add(sum->unwound, more->unwound);
}

exception_figures exceptions_figures_of(const profile_run *run, const profile_path *p) {
    return (exception_figures){p->count, profile_ns(run, p->ticks), profile_ns(run, p->search_ticks),
                               p->frames_searched, p->frames_unwound};
}

/* ---- Types and messages ----------------------------------------------------------------------------------------- */

static uint32_t type_of(exceptions *e, bytes name) {
    uint32_t *slot = map_slot(&e->type_map, hash_bytes(HASH_START, name));
    if (!slot)
        return MAP_NONE;
    for (uint32_t i = *slot; i != MAP_NONE; i = e->types[i].next_alike)
        if (bytes_equal(e->types[i].name, name))
            return i;
    if (e->type_count >= FUNCTIONS_MOST ||
        !list_grow((void **)&e->types, e->type_count, &e->type_capacity, sizeof *e->types) ||
        !text_keep(&e->memory, &name))
        return MAP_NONE;
    e->types[e->type_count] = (exception_type){.name = name, .next_alike = *slot};
    return *slot = e->type_count++;
}

static bool add_messages(exceptions *e, uint32_t node, const profile_path *path) {
    exception_node *n = &e->nodes[node];
    if (path->message_count == 0)
        return true;
    if (n->message_count == 0) {
        n->messages = e->message_count;
        for (int i = 0; i < PROFILE_MESSAGES; i++) {
            if (!list_grow((void **)&e->messages, e->message_count, &e->message_capacity, sizeof *e->messages))
                return false;
            e->messages[e->message_count++] = (bytes){NULL, 0};
        }
    }
    bytes *kept = &e->messages[n->messages];
    for (uint32_t i = 0; i < path->message_count; i++) {
        bytes message = path->messages[i];
        uint32_t at = n->message_count;
        int order = 1;
        while (at > 0 && (order = bytes_compare(kept[at - 1], message)) > 0)
            at--;
        if (order == 0 || at == PROFILE_MESSAGES)
            continue;
        if (!text_keep(&e->memory, &message))
            return false;
        n->message_count -= n->message_count == PROFILE_MESSAGES;
        memmove(&kept[at + 1], &kept[at], (n->message_count - at) * sizeof *kept);
        kept[at] = message;
        n->message_count++;
    }
    return true;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

typedef struct frame {
    uint32_t function, times;
} frame;

/* A path without what is between its ends when it is long; equal frames in a row are one. */
typedef struct way {
    frame inner[KEPT_FRAMES], outer[KEPT_FRAMES]; /* from the thrower outwards; outer is a ring */
    uint32_t inner_count, outer_count;            /* outer_count goes on when the ring is full */
    uint32_t gap;                                 /* frames between them */
} way;

static void add_frame(way *w, uint32_t keep, uint32_t function, uint32_t times) {
    frame *last = w->outer_count   ? &w->outer[(w->outer_count - 1) % keep]
                  : w->inner_count ? &w->inner[w->inner_count - 1]
                                   : NULL;
    if (last && last->function == function) {
        last->times += times;
    } else if (w->inner_count < keep) {
        w->inner[w->inner_count++] = (frame){function, times};
    } else {
        frame *place = &w->outer[w->outer_count % keep];
        if (w->outer_count >= keep)
            w->gap += place->times;
        *place = (frame){function, times};
        w->outer_count++;
    }
}

/* Collects the frames from the thrower to the one called by the catcher. */
static void find_way(exceptions *e, way *w, uint32_t keep, const matched_thread *t, const profile_path *path) {
    const uint32_t *parents = t->corrected.t.parents, *depths = t->corrected.t.depths;
    uint32_t at = path->thrower, end = path->catcher, walked = 0;
    uint32_t most = e->walked < MANY_WALKED ? UINT32_MAX : MAX_WALK;
    for (; at != end && at != 0 && walked < most; at = parents[at], walked++) {
        uint32_t parent = parents[at];
        const matched_node *n = &t->nodes[at], *above = &t->nodes[parent];
        bool inside = n->machine && above->function == n->function && !above->machine && parent != end;
        if (n->function < FUNCTION_FOLDED)
            add_frame(w, keep, n->function, inside ? 0 : 1);
    }
    e->walked += walked;
    if (at != end && at != 0) {
        for (; w->outer_count > 0; w->outer_count--)
            w->gap += w->outer[(w->outer_count - 1) % keep].times;
        w->gap += depths[at] - depths[end];
    }
}

static bool add_step(exceptions *e, uint32_t *at, exception_node step, const exception_figures *figures) {
    exception_node *n = child_of(e, at, step);
    if (n)
        exceptions_add_figures(&n->figures, figures);
    return n != NULL;
}

static bool add_frames(exceptions *e, uint32_t *at, const frame *frames, uint32_t count, uint32_t ring,
                       const exception_figures *figures) {
    uint32_t kept = count < ring ? count : ring;
    for (uint32_t i = 0; i < kept; i++) {
        const frame *f = &frames[(count - 1 - i) % ring];
        uint32_t times = f->times ? f->times : 1;
        exception_node step = {.kind = EXCEPTION_FRAME, .function = f->function, .least = times, .most = times};
        if (!add_step(e, at, step, figures))
            return false;
    }
    return true;
}

static bool add_path(exceptions *e, const profile_run *run, const matched_thread *t, const profile_path *path) {
    const exception_figures figures = exceptions_figures_of(run, path);
    bytes name = {NULL, 0};
    if (path->type)
        name = t->corrected.t.exception_types[path->type - 1];
    uint32_t type = type_of(e, name), at = 0;
    if (type == MAP_NONE)
        return false;
    exception_figures first = figures; /* one that was thrown again is counted already, its time is not */
    if (profile_is_thrown_again(path->outcome))
        first.count = 0;
    exceptions_add_figures(&e->nodes[0].figures, &first);
    if (!add_step(e, &at, (exception_node){.kind = EXCEPTION_TYPE, .value = type, .function = NO_FUNCTION}, &first))
        return false;
    uint32_t catcher = t->nodes[path->catcher].function;
    if (catcher >= FUNCTION_FOLDED) /* the root, or what stands for folded calls */
        catcher = NO_FUNCTION;
    way w = {.gap = 0};
    uint32_t keep = e->node_count < MANY_NODES ? KEPT_FRAMES : 1;
    find_way(e, &w, keep, t, path);
    exception_node end = {.kind = EXCEPTION_END, .value = path->outcome, .function = catcher};
    exception_node gap = {.kind = EXCEPTION_GAP, .function = NO_FUNCTION, .least = w.gap, .most = w.gap};
    return add_step(e, &at, end, &figures) && add_frames(e, &at, w.outer, w.outer_count, keep, &figures) &&
           (w.gap == 0 || add_step(e, &at, gap, &figures)) &&
           add_frames(e, &at, w.inner, w.inner_count, keep, &figures) &&
           add_step(e, &at, (exception_node){.kind = EXCEPTION_THROWN, .function = NO_FUNCTION}, &figures) &&
           add_messages(e, at, path);
}

bool exceptions_add(exceptions *e, const profile_run *run, const matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    if (e->node_count == 0 && of->path_count > 0) {
        if (!list_grow((void **)&e->nodes, 0, &e->node_capacity, sizeof *e->nodes))
            return false;
        e->nodes[e->node_count++] = (exception_node){.kind = EXCEPTION_ROOT, .function = NO_FUNCTION};
    }
    bool done = true;
    for (uint32_t i = 0; i < of->path_count && done; i++)
        done = add_path(e, run, t, &of->paths[i]);
    return done;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

typedef struct child_key {
    uint64_t count, ns, rank;
    bytes name;
    uint32_t node;
} child_key;

static int by_count(const void *left, const void *right) {
    const child_key *a = left, *b = right;
    int order = list_compare(b->count, a->count);
    if (order == 0)
        order = list_compare(b->ns, a->ns);
    if (order == 0)
        order = list_compare(a->rank, b->rank);
    return order ? order : bytes_compare(a->name, b->name);
}

/* An exception is held before it is thrown again. */
static uint32_t rank_of_end(uint32_t outcome) {
    return outcome == PROFILE_HELD ? PROFILE_STORED_AGAIN : outcome + (outcome >= PROFILE_STORED_AGAIN);
}

static child_key key_of_child(const exceptions *e, uint32_t child, const report_function *functions) {
    const exception_node *n = &e->nodes[child];
    child_key key = {.count = n->figures.count, .ns = n->figures.ns, .node = child};
    key.rank = (uint64_t)n->kind << 40 | (uint64_t)(n->kind == EXCEPTION_END ? rank_of_end(n->value) : 0) << 32 |
               (n->function == NO_FUNCTION ? 0 : functions[n->function].rank + 1);
    if (n->kind == EXCEPTION_TYPE)
        key.name = e->types[n->value].name;
    return key;
}

bool exceptions_finish(exceptions *e, const report_function *functions) {
    child_key *keys = calloc((size_t)e->node_count + 1, sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t parent = 0; parent < e->node_count; parent++) {
        size_t count = 0;
        for (uint32_t child = e->nodes[parent].first_child; child != 0; child = e->nodes[child].next_sibling)
            keys[count++] = key_of_child(e, child, functions);
        if (count < 2)
            continue;
        qsort(keys, count, sizeof *keys, by_count);
        e->nodes[parent].first_child = keys[0].node;
        for (size_t i = 0; i < count; i++)
            e->nodes[keys[i].node].next_sibling = i + 1 < count ? keys[i + 1].node : 0;
    }
    free(keys);
    return true;
}

void exceptions_clear(exceptions *e) {
    free(e->nodes);
    free(e->types);
    free(e->messages);
    map_clear(&e->node_map);
    map_clear(&e->type_map);
    arena_clear(&e->memory);
    *e = (exceptions){0};
}
