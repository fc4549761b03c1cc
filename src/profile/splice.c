#include "profile/splice.h"

#include <stdlib.h>

bool splice_takes(const profile *p, uint32_t id) {
    uint32_t low = 0, high = p->run.merged ? 0 : p->switch_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->switches[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return !p->run.merged && low < p->switch_count && p->switches[low].id == id &&
           (p->switches[low].reasons & PROFILE_BY_GOVERNOR);
}

static void add(uint64_t *sum, uint64_t more) {
    *sum = profile_add(*sum, more);
}

static void take_off(uint64_t *sum, uint64_t less) {
    *sum -= *sum < less ? *sum : less;
}

/* The node's own time goes to its caller, or from the root's sum where that is no method. */
static void give_time(corrected_thread *c, uint32_t node) {
    const profile_node *n = &c->t.nodes[node];
    profile_node *caller = &c->t.nodes[n->link.parent];
    const profile_timing *of = &c->timings[node];
    profile_timing *callers = &c->timings[n->link.parent];
    uint64_t waits = c->recorded ? 0 : of->blocked_ns; /* where they stand apart from the own time */
    if (caller->id == PROFILE_ID_FOLDED)               /* the callers have that time already */
        return;
    if (caller->id == PROFILE_ID_ROOT) {
        for (int kind = 0; kind < FIGURES; kind++)
            take_off(&caller->all_figures.all[kind], n->figures.all[kind]);
        take_off(&caller->ticks, n->own);
        if (c->recorded)
            take_off(&c->recorded[n->link.parent].inclusive_ns, c->recorded[node].exclusive_ns);
        take_off(&callers->times.inclusive_ns, profile_add(of->times.exclusive_ns, waits));
        take_off(&callers->times.inclusive_low_ns, profile_add(of->times.exclusive_low_ns, waits));
        take_off(&callers->times.inclusive_high_ns, profile_add(of->times.exclusive_high_ns, waits));
        take_off(&callers->times.inclusive_offset_ns, of->times.exclusive_offset_ns);
        return;
    }
    add(&caller->own, n->own);
    profile_add_figures(caller->figures.all, n->figures.all);
    profile_add_figures(caller->folded_figures.all, n->folded_figures.all);
    add(&caller->folded_ticks, n->folded_ticks);
    if (c->recorded)
        add(&c->recorded[n->link.parent].exclusive_ns, c->recorded[node].exclusive_ns);
    add(&callers->times.exclusive_ns, of->times.exclusive_ns);
    add(&callers->times.exclusive_low_ns, of->times.exclusive_low_ns);
    add(&callers->times.exclusive_high_ns, of->times.exclusive_high_ns);
    add(&callers->times.exclusive_offset_ns, of->times.exclusive_offset_ns);
    add(&callers->blocked_ns, of->blocked_ns);
}

/* Puts a copy in the thread's own memory in the place of the elements that `elements` points to; false when memory ran
 * out. */
static bool copy(corrected_thread *c, void *elements, size_t count, size_t size) {
    void **of = elements;
    if (count == 0)
        return true;
    void *made = arena_alloc_array(&c->memory, count, size);
    if (made)
        *of = memcpy(made, *of, count * size);
    return made != NULL;
}

static void drop_histograms(corrected_thread *c, const profile *p) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->t.histogram_count; i++)
        if (!splice_takes(p, c->t.histograms[i].id))
            c->t.histograms[kept++] = c->t.histograms[i];
    c->t.histogram_count = kept;
}

/* `taken` of the nodes where they were, `at` where they are now. */
static uint32_t keep_events(profile_event *events, uint32_t count, const bool *taken, const uint32_t *at) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (taken[events[i].node])
            continue;
        events[kept] = events[i];
        events[kept++].node = at[events[i].node];
    }
    return kept;
}

/* False when memory ran out. */
static bool move_events(corrected_thread *c, profile_stream *s, const bool *taken, const uint32_t *at) {
    if (!copy(c, &s->events, s->event_count, sizeof *s->events) || !copy(c, &s->open, s->open_count, sizeof *s->open))
        return false;
    s->event_count = keep_events(s->events, s->event_count, taken, at);
    s->open_count = keep_events(s->open, s->open_count, taken, at);
    return true;
}

/* False when memory ran out. */
static bool move_extras(corrected_thread *c, const profile *p, const bool *taken, const uint32_t *at) {
    profile_thread *t = &c->t;
    if (!copy(c, &t->histograms, t->histogram_count, sizeof *t->histograms) ||
        !copy(c, &t->streams, t->stream_count, sizeof *t->streams) ||
        !copy(c, &t->paths, t->path_count, sizeof *t->paths))
        return false;
    drop_histograms(c, p);
    for (uint32_t i = 0; i < t->stream_count; i++)
        if (!move_events(c, &t->streams[i], taken, at))
            return false;
    for (uint32_t i = 0; i < t->path_count; i++) {
        t->paths[i].thrower = at[t->paths[i].thrower];
        t->paths[i].catcher = at[t->paths[i].catcher];
    }
    return true;
}

/* For a node that is taken out, `at` is that of its caller. */
static void close_up(corrected_thread *c, const bool *taken, uint32_t *at) {
    profile_thread *t = &c->t;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_node n = t->nodes[i];
        n.link.parent = at[n.link.parent];
        at[i] = taken[i] ? n.link.parent : kept;
        if (taken[i])
            continue;
        n.depth = t->nodes[n.link.parent].depth + 1;
        c->timings[kept] = c->timings[i];
        if (c->recorded)
            c->recorded[kept] = c->recorded[i];
        t->nodes[kept++] = n;
    }
    t->node_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < c->fold_count; i++) {
        if (taken[c->folds[i].node])
            continue;
        c->folds[kept] = c->folds[i];
        c->folds[kept].node = at[c->folds[kept].node];
        kept++;
    }
    c->fold_count = kept;
}

/* `taken` and `at` have a place for each node. False when memory ran out. */
static bool take_out(corrected_thread *c, const profile *p, bool *taken, uint32_t *at) {
    profile_thread *t = &c->t;
    bool any = false;
    for (uint32_t i = 1; i < t->node_count; i++)
        any |= taken[i] = splice_takes(p, t->nodes[i].id);
    if (!any)
        return true;
    if (!copy(c, &t->nodes, t->node_count, sizeof *t->nodes))
        return false;
    for (uint32_t i = t->node_count; i-- > 1;) {
        if (!taken[i])
            continue;
        give_time(c, i);
        add(&c->spliced_ns, c->timings[i].probe_ns);
    }
    close_up(c, taken, at);
    return move_extras(c, p, taken, at);
}

bool splice_thread(corrected_thread *c, const profile *p) {
    if (p->switch_count == 0 || p->run.merged)
        return true;
    bool *taken = calloc(c->t.node_count, sizeof *taken);
    uint32_t *at = calloc(c->t.node_count, sizeof *at);
    bool done = taken && at && take_out(c, p, taken, at);
    free(taken);
    free(at);
    return done;
}
