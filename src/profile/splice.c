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

static void add_to(columns *t, unsigned column, uint32_t row, uint64_t more) {
    columns_set(t, column, row, profile_add(columns_at(t, column, row), more));
}

static void take_from(columns *t, unsigned column, uint32_t row, uint64_t less) {
    uint64_t sum = columns_at(t, column, row);
    take_off(&sum, less);
    columns_set(t, column, row, sum);
}

/* From the root's sums, which hold those of no method. */
static void take_time(corrected_thread *c, uint32_t node, const profile_timing *of) {
    uint64_t waits = c->has_recorded ? 0 : of->blocked_ns; /* where they stand apart from the own time */
    for (unsigned kind = 0; kind < FIGURES; kind++)
        take_from(&c->t.nodes, PROFILE_ALL_FIGURE + kind, 0, profile_number(&c->t, PROFILE_FIGURE + kind, node));
    take_from(&c->t.nodes, PROFILE_TICKS, 0, profile_number(&c->t, PROFILE_OWN, node));
    if (c->has_recorded)
        take_from(&c->timings, RECORDED_INCLUSIVE, 0, columns_at(&c->timings, RECORDED_EXCLUSIVE, node));
    profile_times root = times_at(&c->timings, 0);
    take_off(&root.inclusive_ns, profile_add(of->times.exclusive_ns, waits));
    take_off(&root.inclusive_low_ns, profile_add(of->times.exclusive_low_ns, waits));
    take_off(&root.inclusive_high_ns, profile_add(of->times.exclusive_high_ns, waits));
    take_off(&root.inclusive_offset_ns, of->times.exclusive_offset_ns);
    times_set_inclusive(&c->timings, 0, &root);
}

/* The node's own time goes to its caller, or from the root's sum where that is no method. */
static void give_time(corrected_thread *c, uint32_t node) {
    profile_thread *t = &c->t;
    const uint32_t caller = t->parents[node];
    const profile_timing of = timing_at(&c->timings, node);
    if (t->ids[caller] == PROFILE_ID_FOLDED) /* the callers have that time already */
        return;
    if (t->ids[caller] == PROFILE_ID_ROOT) {
        take_time(c, node, &of);
        return;
    }
    add_to(&t->nodes, PROFILE_OWN, caller, profile_number(t, PROFILE_OWN, node));
    add_to(&t->nodes, PROFILE_FOLDED_TICKS, caller, profile_number(t, PROFILE_FOLDED_TICKS, node));
    for (unsigned k = PROFILE_FIGURE; k < PROFILE_ALL_FIGURE; k++)
        add_to(&t->nodes, k, caller, profile_number(t, k, node));
    if (c->has_recorded)
        add_to(&c->timings, RECORDED_EXCLUSIVE, caller, columns_at(&c->timings, RECORDED_EXCLUSIVE, node));
    profile_timing sum = timing_at(&c->timings, caller);
    add(&sum.times.exclusive_ns, of.times.exclusive_ns);
    add(&sum.times.exclusive_low_ns, of.times.exclusive_low_ns);
    add(&sum.times.exclusive_high_ns, of.times.exclusive_high_ns);
    add(&sum.times.exclusive_offset_ns, of.times.exclusive_offset_ns);
    add(&sum.blocked_ns, of.blocked_ns);
    timing_set(&c->timings, caller, &sum);
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
        !copy(c, &t->samples, t->sampled_count, sizeof *t->samples) ||
        !copy(c, &t->below, t->below_count, sizeof *t->below) || !copy(c, &t->paths, t->path_count, sizeof *t->paths))
        return false;
    drop_histograms(c, p);
    for (uint32_t i = 0; i < t->stream_count; i++)
        if (!move_events(c, &t->streams[i], taken, at))
            return false;
    for (uint32_t i = 0; i < t->sampled_count; i++)
        if (!move_events(c, &t->samples[i], taken, at))
            return false;
    for (uint32_t i = 0; i < t->below_count; i++)
        t->below[i].node = at[t->below[i].node];
    for (uint32_t i = 0; i < t->path_count; i++) {
        t->paths[i].thrower = at[t->paths[i].thrower];
        t->paths[i].catcher = at[t->paths[i].catcher];
    }
    return true;
}

static void move_row(columns *t, uint32_t to, uint32_t from) {
    for (unsigned k = 0; k < COLUMNS_MOST; k++)
        columns_set(t, k, to, columns_at(t, k, from));
}

/* For a node that is taken out, `at` is that of its caller. */
static void close_up(corrected_thread *c, const bool *taken, uint32_t *at) {
    profile_thread *t = &c->t;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint32_t parent = at[t->parents[i]];
        at[i] = taken[i] ? parent : kept;
        if (taken[i])
            continue;
        t->parents[kept] = parent;
        t->ids[kept] = t->ids[i];
        if (t->depths)
            t->depths[kept] = t->depths[parent] + 1;
        move_row(&t->nodes, kept, i);
        move_row(&c->timings, kept++, i);
    }
    columns_cut(&t->nodes, kept);
    columns_cut(&c->timings, kept);
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
        any |= taken[i] = splice_takes(p, t->ids[i]);
    if (!any)
        return true;
    const columns recorded = t->nodes;
    c->spliced = true;
    if (!columns_copy(&t->nodes, &recorded) || !copy(c, &t->parents, t->node_count, sizeof *t->parents) ||
        !copy(c, &t->ids, t->node_count, sizeof *t->ids) ||
        (t->depths && !copy(c, &t->depths, t->node_count, sizeof *t->depths)))
        return false;
    for (uint32_t i = t->node_count; i-- > 1;) {
        if (!taken[i])
            continue;
        give_time(c, i);
        add(&c->spliced_ns, columns_at(&c->timings, TIMING_PROBE, i));
    }
    close_up(c, taken, at);
    return !t->nodes.failed && !c->timings.failed && move_extras(c, p, taken, at);
}

/* The ways of async calls lead along the tree of calls. False when memory ran out. */
static bool take_off_ways(corrected_thread *c, const profile *p) {
    profile_thread *t = &c->t;
    bool own = false;
    for (uint32_t i = 1; i < t->async_count; i++) {
        const profile_async *n = &t->async[i];
        if (n->calls > 0 || n->suspensions > 0 || n->completed > 0 || n->failed > 0 || n->cancelled > 0 ||
            n->unlinked > 0 || !splice_takes(p, n->id))
            continue;
        if (!own && !copy(c, &t->async, t->async_count, sizeof *t->async))
            return false;
        own = true;
        t->async[i].taken = true;
    }
    return true;
}

bool splice_thread(corrected_thread *c, const profile *p) {
    if (p->switch_count == 0 || p->run.merged)
        return true;
    bool *taken = calloc(c->t.node_count, sizeof *taken);
    uint32_t *at = calloc(c->t.node_count, sizeof *at);
    bool done = taken && at && take_out(c, p, taken, at) && take_off_ways(c, p);
    free(taken);
    free(at);
    return done;
}
