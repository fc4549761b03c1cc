#include "report/model/ticks.h"

#include <stdlib.h>

#include "report/model/logical.h"
#include "report/model/times.h"
#include "util/root.h"

static uint64_t longer(uint64_t pause, const profile_run *run) {
    return run->clock_ticks > 0 && run->clock_step_ns > pause ? run->clock_step_ns : pause;
}

static uint64_t longest_pause(const profile *profiles, size_t count) {
    uint64_t pause = 0;
    for (size_t i = 0; i < count; i++) {
        pause = longer(pause, &profiles[i].run);
        for (size_t k = 0; profiles[i].run.merged && k < profiles[i].runs.count; k++)
            pause = longer(pause, &profiles[i].runs.listed[k]);
    }
    return pause;
}

/* A time by ticks: how long it was, in how many pieces. */
typedef struct ticked {
    uint64_t ns, pieces;
} ticked;

static uint64_t less(uint64_t ns, uint64_t part) {
    return ns - (part < ns ? part : ns);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static ticked ticked_sum(ticked a, ticked b) {
    return (ticked){profile_add(a.ns, b.ns), profile_add(a.pieces, b.pieces)};
}

/* How far such a time may be off: by two standard deviations, of ticks that come by chance or of two ends for each
 * piece, whichever is less. */
static uint64_t error_of(ticked t, uint64_t pause) {
    unsigned __int128 by_chance = (unsigned __int128)t.ns * pause * 4;
    unsigned __int128 by_ends = (unsigned __int128)pause * pause * (t.pieces < PROFILE_MAX ? t.pieces : PROFILE_MAX);
    uint64_t error = root_of(by_chance < by_ends ? by_chance : by_ends);
    return error > PROFILE_MAX ? PROFILE_MAX : error;
}

/* A time that saw no tick may have had up to three. */
static uint64_t above(ticked t, uint64_t pause) {
    return profile_add(pause, error_of((ticked){profile_add(t.ns, pause), t.pieces}, pause));
}

static void widen(uint64_t *low, uint64_t *high, ticked t, uint64_t pause) {
    if (t.pieces == 0)
        return;
    *low = less(*low, error_of(t, pause));
    *high = profile_add(*high, above(t, pause));
}

static void widen_times(profile_times *t, ticked own, ticked all, uint64_t pause) {
    widen(&t->exclusive_low_ns, &t->exclusive_high_ns, own, pause);
    widen(&t->inclusive_low_ns, &t->inclusive_high_ns, all, pause);
    if (all.pieces == 0 && t->exclusive_high_ns > t->inclusive_high_ns)
        t->exclusive_high_ns = t->exclusive_ns > t->inclusive_high_ns
                                   ? t->exclusive_ns
                                   : t->inclusive_high_ns; /* a part of what is timed */
    if (t->inclusive_high_ns < t->exclusive_high_ns)
        t->inclusive_high_ns = t->exclusive_high_ns;
    if (t->inclusive_low_ns < t->exclusive_low_ns)
        t->inclusive_low_ns = t->exclusive_low_ns;
}

/* Of nodes or functions: what of their own and inclusive times is by ticks. Of nodes, what in that of their callees is
 * not, and whether slices stand below them that ran in other frames: then their time is that of many pieces. */
typedef struct parts {
    ticked own, all;
    uint64_t timed_ns;
    bool apart;
} parts;

static bool has_slices(const aggregate *a, const report_node *n) {
    return n->kind == NODE_RESUMED ||
           (node_is_call(n) && n->steps > 0 && a->list.functions[n->function].machine != PROFILE_ITERATOR);
}

/* Children stand after their parent. Where a node is timed as a whole, its own time is what its callees leave. */
static void find_parts(parts *nodes, parts *functions, const aggregate *a) {
    for (uint32_t i = a->tree.node_count; i-- > 0;) {
        const report_node of = call_tree_node(&a->tree, i), *n = &of;
        const ticked below = nodes[i].all;
        nodes[i].apart |= has_slices(a, n);
        if (n->ticked_calls > 0) {
            const uint64_t calls = profile_add(n->calls, n->steps), pieces = profile_add(calls, below.pieces);
            nodes[i].own = (ticked){n->times.exclusive_ns, pieces};
            nodes[i].all = (ticked){less(n->times.inclusive_ns, nodes[i].timed_ns),
                                    nodes[i].apart ? pieces : calls}; /* with folded calls */
        } else if (node_is_call(n)) {
            nodes[i].own = below;
            nodes[i].all = (ticked){0, 0};
        }
        if (i > 0) {
            parts *caller = &nodes[n->parent];
            caller->apart |= nodes[i].apart;
            caller->all = ticked_sum(caller->all, nodes[i].all);
            caller->timed_ns = profile_add(caller->timed_ns, less(n->times.inclusive_ns, nodes[i].all.ns));
        }
        if (node_is_call(n)) {
            parts *f = &functions[n->function];
            f->own = ticked_sum(f->own, nodes[i].own);
            f->all = ticked_sum(f->all, nodes[i].all);
        }
    }
}

/* Functions are sums of many nodes. A node of the tree keeps what each of its threads has, so that merging changes
 * nothing. */
static void settle(aggregate *a) {
    report_totals *t = &a->totals;
    t->exclusive_ns = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        times_settle(&a->list.functions[i].times);
        t->exclusive_ns = profile_add(t->exclusive_ns, a->list.functions[i].times.exclusive_ns);
    }
    t->recorded_ns -= t->recorded_ns < t->recorded_over_ns ? t->recorded_ns : t->recorded_over_ns;
}

static ticked_own widen_function(report_function *f, const parts *of, uint64_t pause) {
    const profile_times before = f->times;
    widen_times(&f->times, of->own, of->all, pause);
    return (ticked_own){of->own.ns, of->own.pieces, less(before.exclusive_low_ns, f->times.exclusive_low_ns),
                        less(f->times.exclusive_high_ns, before.exclusive_high_ns)};
}

void ticks_add(const aggregate *a, ticked_own *sum, uint32_t function) {
    if (!a->ticked)
        return;
    const ticked_own *more = &a->ticked[function];
    sum->ns = profile_add(sum->ns, more->ns);
    sum->pieces = profile_add(sum->pieces, more->pieces);
    sum->down_ns = profile_add(sum->down_ns, more->down_ns);
    sum->up_ns = profile_add(sum->up_ns, more->up_ns);
}

void ticks_settle(const aggregate *a, const ticked_own *sum, uint64_t ns, uint64_t *low_ns, uint64_t *high_ns) {
    const ticked t = {sum->ns, sum->pieces};
    if (sum->pieces == 0)
        return;
    *low_ns = least(ns, profile_add(*low_ns, less(sum->down_ns, error_of(t, a->pause_ns))));
    *high_ns = most(ns, less(*high_ns, less(sum->up_ns, above(t, a->pause_ns))));
}

bool ticks_widen(aggregate *a, const profile *profiles, size_t count) {
    const uint64_t pause = longest_pause(profiles, count);
    if (pause == 0)
        return true;
    if (!logical_place(&a->tree, &a->async, &a->list))
        return false;
    a->pause_ns = pause;
    settle(a);
    parts *nodes = calloc(a->tree.node_count, sizeof *nodes);
    parts *functions = calloc((size_t)a->list.function_count + 1, sizeof *functions);
    a->ticked = calloc((size_t)a->list.function_count + 1, sizeof *a->ticked);
    const bool ready = nodes && functions && a->ticked;
    if (ready)
        find_parts(nodes, functions, a);
    for (uint32_t i = 0; i < a->tree.node_count && ready; i++) {
        profile_times of = node_times(&a->tree, i);
        widen_times(&of, nodes[i].own, nodes[i].all, pause);
        times_set(&a->tree.figures, i, &of);
    }
    for (uint32_t i = 0; i < a->list.function_count && ready; i++) {
        report_function *f = &a->list.functions[i];
        if (functions[i].all.ns > f->times.inclusive_ns) /* of calls below others of their own */
            functions[i].all.ns = f->times.inclusive_ns;
        f->by_ticks = functions[i].all.pieces > 0 && functions[i].all.ns >= f->times.inclusive_ns / 2;
        a->ticked[i] = widen_function(f, &functions[i], pause);
        if (functions[i].all.pieces == 0)
            continue;
        f->durations.span = PROFILE_NO_SPAN;
        widen(&f->averaged.inclusive_low_ns, &f->averaged.inclusive_high_ns,
              (ticked){f->averaged.inclusive_ns, f->displaced ? functions[i].all.pieces : f->averaged_calls}, pause);
    }
    for (uint32_t i = 0; i < a->own_folded_count && ready; i++) {
        report_own_folded *f = &a->own_folded[i];
        widen(&f->times.inclusive_low_ns, &f->times.inclusive_high_ns, (ticked){f->times.inclusive_ns, f->calls},
              pause);
        widen(&f->averaged.inclusive_low_ns, &f->averaged.inclusive_high_ns,
              (ticked){f->averaged.inclusive_ns, f->calls}, pause);
    }
    free(nodes);
    free(functions);
    return ready;
}
