#include "report/splice.h"

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
static void give_time(const profile_thread *t, profile_node *n) {
    profile_node *caller = &t->nodes[n->parent];
    if (caller->id == PROFILE_ID_FOLDED) /* the callers have that time already */
        return;
    if (caller->id == PROFILE_ID_ROOT) {
        take_off(&caller->ticks, n->own);
        take_off(&caller->inclusive_ns, n->exclusive_ns);
        take_off(&caller->inclusive_low_ns, n->exclusive_low_ns);
        take_off(&caller->inclusive_high_ns, n->exclusive_high_ns);
        take_off(&caller->inclusive_offset_ns, n->exclusive_offset_ns);
        return;
    }
    add(&caller->own, n->own);
    add(&caller->folded_ticks, n->folded_ticks);
    add(&caller->exclusive_ns, n->exclusive_ns);
    add(&caller->exclusive_low_ns, n->exclusive_low_ns);
    add(&caller->exclusive_high_ns, n->exclusive_high_ns);
    add(&caller->exclusive_offset_ns, n->exclusive_offset_ns);
}

static void drop_histograms(const profile *p, profile_thread *t) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->histogram_count; i++)
        if (!splice_takes(p, t->histograms[i].id))
            t->histograms[kept++] = t->histograms[i];
    t->histogram_count = kept;
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

static void move_extras(const profile *p, profile_thread *t, const bool *taken, const uint32_t *at) {
    drop_histograms(p, t);
    for (uint32_t i = 0; i < t->stream_count; i++) {
        profile_stream *s = &t->streams[i];
        s->event_count = keep_events(s->events, s->event_count, taken, at);
        s->open_count = keep_events(s->open, s->open_count, taken, at);
    }
    for (uint32_t i = 0; i < t->path_count; i++) {
        t->paths[i].thrower = at[t->paths[i].thrower];
        t->paths[i].catcher = at[t->paths[i].catcher];
    }
}

/* Of a node that is taken out `at` is that of its caller. */
static void close_up(profile_thread *t, const bool *taken, uint32_t *at) {
    uint32_t kept = 1;
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_node n = t->nodes[i];
        n.parent = at[n.parent];
        at[i] = taken[i] ? n.parent : kept;
        if (taken[i])
            continue;
        n.depth = t->nodes[n.parent].depth + 1;
        t->nodes[kept++] = n;
    }
    t->node_count = kept;
}

bool splice_thread(const profile *p, profile_thread *t) {
    bool any = false;
    if (p->switch_count == 0 || p->run.merged)
        return true;
    bool *taken = calloc(t->node_count, sizeof *taken);
    uint32_t *at = calloc(t->node_count, sizeof *at);
    if (!taken || !at) {
        free(taken);
        free(at);
        return false;
    }
    for (uint32_t i = t->node_count; i-- > 1;) {
        taken[i] = splice_takes(p, t->nodes[i].id);
        any |= taken[i];
        if (!taken[i])
            continue;
        give_time(t, &t->nodes[i]);
        add(&t->spliced_probe_ns, t->nodes[i].probe_ns);
    }
    if (any) {
        close_up(t, taken, at);
        move_extras(p, t, taken, at);
    }
    free(taken);
    free(at);
    return true;
}
