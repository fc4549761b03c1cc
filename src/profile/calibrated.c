#include "profile/calibrated.h"

#include "profile/amounts.h"
#include "profile/call_costs.h"
#include "profile/folds.h"
#include "util/large.h"
#include "util/list.h"

static wide ps_of(const profile_run *run, uint64_t ticks) {
    if (run->ticks_per_second == NS_PER_SECOND) /* the usual, without a long division */
        return (wide)ticks * PS_PER_NS;
    return divided((wide)ticks * 1000000000000u, run->ticks_per_second);
}

/* The nanoseconds that are left of a time without a cost, rounded down. */
static uint64_t ns_without(wide ps, uint64_t cost_ps) {
    return ps > cost_ps ? stopped(divided(ps - cost_ps, PS_PER_NS)) : 0;
}

static uint64_t gap(uint64_t a, uint64_t b) {
    return a < b ? b - a : a - b;
}

/* The cost where `span_ps` is what was recorded: `empty` when that is all, `work` from `range_ps` more on. */
static uint64_t cost_within(uint64_t empty, uint64_t work, uint64_t span_ps, uint64_t range_ps) {
    if (span_ps <= empty)
        return empty;
    if (span_ps - empty >= range_ps)
        return work;
    uint64_t part = (uint64_t)divided((wide)gap(empty, work) * (span_ps - empty), range_ps);
    return empty < work ? empty + part : empty - part;
}

/* Time of folded calls as recorded, and what is left of it. They are the last nodes, so they are corrected first. */
typedef struct folded_time {
    uint64_t halves, recorded_ns, ns, low_ns, high_ns;
} folded_time;

static uint64_t share_of(uint64_t ns, uint64_t part, uint64_t whole) {
    return whole == 0 ? ns : stopped(divided((wide)ns * part, whole));
}

static uint64_t span_of(const profile_run *run, uint64_t ticks, wide halves) {
    if (halves == 0)
        return 0;
    return stopped(divided(run->ticks_per_second == NS_PER_SECOND
                               ? (wide)ticks * 2 * PS_PER_NS
                               : divided((wide)ticks * 2000000000000u, run->ticks_per_second),
                           halves));
}

/* The cost of a call within the frame. Work of up to the gap is done beside the probe, so that the first half of the
 * gap above `empty` stands for one and a half of it. */
static uint64_t inside_of(const profile_run *run, const profile_costs *c, uint64_t ticks, uint64_t calls) {
    uint64_t empty = c->inside_empty_ps, work = c->inside_work_ps;
    return cost_within(empty, work, span_of(run, ticks, (wide)calls * 2), gap(empty, work) / 2);
}

/* The cost of a call to the caller of that many half calls. A caller that works has one call in each of its own that
 * may be the first or the last thing it does, as 4 in 5 are taken to be. For a caller that may work, or not, it is
 * rather what a call costs one that does not. */
static uint64_t outside_of(const profile_run *run, const profile_costs *c, uint64_t own, uint64_t halves,
                           uint64_t below) {
    enum { LAST = 4, OF = 5, CAUTION = 2 };
    uint64_t empty = c->outside_empty_ps, between = c->outside_work_ps, last = c->outside_last_ps;
    uint64_t part = below == 0 ? 0 : stopped((wide)(gap(between, last) / OF) * LAST);
    if (part > 0 && halves < below)
        part = stopped(divided((wide)(gap(between, last) / OF) * LAST * halves, below));
    uint64_t work = between < last ? between + part : between - part, range = gap(empty, work);
    return cost_within(empty, work, span_of(run, own, below),
                       range > PROFILE_MAX / CAUTION ? PROFILE_MAX : range * CAUTION);
}

/* The callees of a node: how many half calls they were, how many of these a compiler may inline, and their times. */
typedef struct callees {
    uint32_t caller;
    uint64_t halves, small;
    uint64_t timed;   /* half calls that the Stopwatch times while a clock ticks */
    uint64_t over_ns; /* by ticks: what the inclusive times of some are below 0 */
    uint64_t ns, low_ns, high_ns;
} callees;

typedef struct correction {
    const profile_run *run;
    const call_costs *costs;
    const fold_costs *slow; /* of calls without nodes */
    fold_cost reading;      /* where a clock ticks: of calls that the Stopwatch times */
    uint32_t folds;         /* the first that many are still to come */
    const profile_thread *t;
    columns *timings;
    callees *path; /* of the nodes from the root down that some callees have been corrected of */
    uint32_t path_count, path_capacity;
    uint32_t *outside_ps; /* of each node: what a call costs the node that makes it */
    folded_time folded;
} correction;

/* Those of a node when its turn has come: no more of them follow. */
static callees take_callees(correction *c, uint32_t node) {
    return c->path_count > 0 && c->path[c->path_count - 1].caller == node ? c->path[--c->path_count]
                                                                          : (callees){.caller = node};
}

/* Those of a node that more come of; NULL when memory ran out. */
static callees *callees_of(correction *c, uint32_t node) {
    if (c->path_count > 0 && c->path[c->path_count - 1].caller == node)
        return &c->path[c->path_count - 1];
    if (!list_grow((void **)&c->path, c->path_count, &c->path_capacity, sizeof *c->path))
        return NULL;
    c->path[c->path_count] = (callees){.caller = node};
    return &c->path[c->path_count++];
}

typedef struct correct_time {
    uint64_t ns, low_ns, high_ns;
} correct_time;

/* The time of a node's folded callees. Where it is not reported how many there were, it shrinks as all of them do. */
static correct_time away_of(const correction *c, uint64_t folded_ticks, const fold_cost *cost) {
    const folded_time *f = &c->folded;
    if (folded_ticks == 0)
        return (correct_time){0, 0, 0};
    uint64_t ns = profile_ns(c->run, folded_ticks);
    wide ps = ps_of(c->run, folded_ticks);
    if (c->t->folds)
        return (correct_time){ns_without(ps, cost->mean), ns_without(ps, cost->most), ns_without(ps, cost->least)};
    return (correct_time){share_of(ns, f->ns, f->recorded_ns), share_of(ns, f->low_ns, f->recorded_ns),
                          share_of(ns, f->high_ns, f->recorded_ns)};
}

/* By ticks an own time is below 0 as often as it is too long. A sum of many nodes is right when both count. */
static uint64_t over_with(const correction *c, uint32_t i, uint64_t cost_ns) {
    uint64_t own_ns = profile_ns(c->run, profile_number(c->t, PROFILE_OWN, i)),
             least_ns = profile_add(over_of(c->t, c->run, i), cost_ns);
    return least_ns > own_ns ? least_ns - own_ns : 0;
}

/* An inclusive time is less than its callees' by what ticks have too much, not where a call is taken to cost more than
 * there was. What is missing at one node is missing at its caller's. */
static void settle_over(const correction *c, uint32_t i, profile_times *of, const callees *below, callees *callers) {
    uint64_t over = profile_add(over_of(c->t, c->run, i), below->over_ns), taken = least(over, of->inclusive_ns);
    of->inclusive_ns -= taken;
    of->inclusive_low_ns = least(of->inclusive_low_ns - least(of->inclusive_low_ns, over), of->inclusive_ns);
    of->inclusive_high_ns = most(of->inclusive_high_ns - least(of->inclusive_high_ns, over), of->inclusive_ns);
    callers->over_ns = profile_add(callers->over_ns, over - taken);
}

/* What readings of the Stopwatch cost the node's own time while a clock ticks: of its calls, and of its callees',
 * unless ticks have seen those. The result: of its calls alone, in nanoseconds. */
static uint64_t add_readings(correction *c, uint32_t i, uint64_t halves, uint64_t timed, callees *callers,
                             fold_cost *sum) {
    uint64_t own_ns = 0;
    if (!c->t->has_ticks)
        return 0;
    if (c->t->has_probed)
        timed = 0;
    if (profile_number(c->t, PROFILE_TICKED_CALLS, i) == 0 && c->t->ids[c->t->parents[i]] != PROFILE_ID_FOLDED) {
        timed = profile_add(timed, halves);
        callers->timed = profile_add(callers->timed, halves);
        own_ns = cost_of(halves, c->reading.mean * 2) / PS_PER_NS;
    }
    sum->mean = profile_add(sum->mean, cost_of(timed, c->reading.mean));
    sum->least = profile_add(sum->least, cost_of(timed, c->reading.least));
    sum->most = profile_add(sum->most, cost_of(timed, c->reading.most));
    return own_ns;
}

static void add_cost(fold_cost *sum, uint64_t ps) {
    *sum = (fold_cost){profile_add(sum->mean, ps), profile_add(sum->least, ps), profile_add(sum->most, ps)};
}

static void add_folded(folded_time *f, uint64_t halves, uint64_t recorded_ns, const profile_times *of) {
    f->halves = profile_add(f->halves, halves);
    f->recorded_ns = profile_add(f->recorded_ns, recorded_ns);
    f->ns = profile_add(f->ns, of->exclusive_ns);
    f->low_ns = profile_add(f->low_ns, of->exclusive_low_ns);
    f->high_ns = profile_add(f->high_ns, of->exclusive_high_ns);
}

/* The inclusive times, once the exclusive ones are there. */
static void add_below(correction *c, uint32_t i, profile_times *of, const callees *below, callees *callers,
                      const correct_time *away) {
    of->inclusive_ns = profile_add(profile_add(below->ns, of->exclusive_ns), away->ns);
    of->inclusive_low_ns = profile_add(profile_add(below->low_ns, of->exclusive_low_ns), away->low_ns);
    of->inclusive_high_ns = profile_add(profile_add(below->high_ns, of->exclusive_high_ns), away->high_ns);
    if (c->t->ids[i] == PROFILE_ID_FOLDED) /* its sum is not the root's: the callers have this time already */
        return;
    if (c->t->has_ticks)
        settle_over(c, i, of, below, callers);
    callers->ns = profile_add(callers->ns, of->inclusive_ns);
    callers->low_ns = profile_add(callers->low_ns, of->inclusive_low_ns);
    callers->high_ns = profile_add(callers->high_ns, of->inclusive_high_ns);
}

/* Sets what is not 0 there: nothing is blocked yet, and no offset known. */
static void set_timing(const correction *c, uint32_t i, const profile_timing *of) {
    times_set_range(c->timings, TIMES_INCLUSIVE, i, of->times.inclusive_low_ns, of->times.inclusive_ns,
                    of->times.inclusive_high_ns);
    times_set_range(c->timings, TIMES_EXCLUSIVE, i, of->times.exclusive_low_ns, of->times.exclusive_ns,
                    of->times.exclusive_high_ns);
    if (c->t->has_ticks)
        columns_set(c->timings, TIMES_OVER, i, of->times.exclusive_over_ns);
    columns_set(c->timings, TIMING_PROBE, i, of->probe_ns);
}

/* The cost of a call of that many half calls, in picoseconds: what ticks saw of their probes, and what they don't see.
 * Few ticks say nothing of single methods: then `usual_ps`. */
static uint64_t probe_of_call(const correction *c, wide probed_ps, uint64_t halves, uint64_t usual_ps) {
    enum { FEW_TICKS = 10 };
    if (halves == 0 || probed_ps < (wide)c->run->clock_step_ns * PS_PER_NS * FEW_TICKS)
        return usual_ps;
    return profile_add(c->costs->beside_out_ps, stopped(divided(probed_ps * 2, halves)));
}

/* A node whose callees have had their turn. False when memory ran out. */
static bool correct_node(correction *c, uint32_t i) {
    const profile_run *run = c->run;
    const call_costs *costs = c->costs;
    const uint32_t parent = c->t->parents[i];
    const bool is_folded = c->t->ids[parent] == PROFILE_ID_FOLDED, known = c->t->folds != NULL;
    const callees mine = take_callees(c, i);
    callees *callers = callees_of(c, parent);
    if (!callers)
        return false;
    const uint64_t own_ticks = profile_number(c->t, PROFILE_OWN, i),
                   folded_ticks = profile_number(c->t, PROFILE_FOLDED_TICKS, i);
    profile_timing of = {.blocked_ns = 0};
    uint64_t halves = half_calls(c->t, i), below = mine.halves;
    const profile_fold *fold = c->folds > 0 && c->t->folds[c->folds - 1].node == i ? &c->t->folds[--c->folds] : NULL;
    fold_cost slow = {0}, slow_away = {0};
    if (fold) {
        slow = folds_own(c->slow, fold);
        slow_away = folds_away(c->slow, fold);
    }
    const uint64_t reading_ns = add_readings(c, i, halves, mine.timed, callers, &slow);
    const wide probed_ps = c->t->has_probed ? ps_of(run, profile_number(c->t, PROFILE_PROBED, i)) : 0;
    if (probed_ps > 0)
        add_cost(&slow, stopped(probed_ps));
    /* Where the profile does not tell, the caller of a folded call is not known; most often another one. */
    if (is_folded && !known)
        below = profile_add(below, halves);
    else if (!is_folded)
        callers->halves = profile_add(callers->halves, halves);
    if (!known && folded_ticks > 0)
        slow.most = profile_add(slow.most, cost_of(c->folded.halves, c->slow->outside.most));

    uint64_t inside_ps =
        inside_of(run, &costs->mean, profile_number(c->t, PROFILE_TICKS, i), profile_number(c->t, PROFILE_CALLS, i));
    uint64_t outside_ps = outside_of(run, &costs->mean, own_ticks, halves, below);
    uint64_t of_call_ps = outside_ps;
    if (c->t->has_probed) {
        of_call_ps = probe_of_call(c, probed_ps, mine.halves, profile_add(inside_ps, outside_ps));
        inside_ps = costs->beside_ps;
        outside_ps = costs->beside_out_ps;
    }
    correct_range inside = costs->inside, outside = costs->outside;
    wide own_ps = ps_of(run, own_ticks);
    if (is_folded && known) {
        inside_ps = c->slow->inside.mean;
        inside = (correct_range){c->slow->inside.least, c->slow->inside.most};
    }

    if (c->t->has_ticks)
        slow.mean = profile_add(slow.mean, cost_of(mine.small, costs->lost_ps));
    c->outside_ps[i] = (uint32_t)least(of_call_ps, UINT32_MAX);
    of.probe_ns = profile_add(reading_ns, cost_of(halves, inside_ps) / PS_PER_NS);
    const uint64_t mean_ps =
        profile_add(slow.mean, profile_add(cost_of(halves, inside_ps), cost_of(below, outside_ps)));
    of.times.exclusive_ns = ns_without(own_ps, mean_ps);
    bool inlined = (wide)of.times.exclusive_ns * PS_PER_NS < cost_of(halves, costs->inlined_ps);
    uint64_t most_ps = profile_add(slow.most, profile_add(cost_of(halves, inside.most), cost_of(below, outside.most)));
    bool small = (wide)of.times.exclusive_ns * PS_PER_NS < cost_of(halves, costs->small_ps);
    most_ps = profile_add(most_ps, cost_of(profile_add(mine.small, small ? halves : 0), costs->lost_ps));
    of.times.exclusive_low_ns = inlined ? 0 : ns_without(own_ps, most_ps);
    if (small && !is_folded)
        callers->small = profile_add(callers->small, halves);
    of.times.exclusive_high_ns =
        ns_without(own_ps, profile_add(slow.least, profile_add(cost_of(halves, inside.least),
                                                               is_folded ? 0 : cost_of(below, outside.least))));
    if (is_folded)
        add_folded(&c->folded, halves, profile_ns(run, own_ticks), &of.times);
    if (c->t->has_ticks && !is_folded)
        of.times.exclusive_over_ns = over_with(c, i, mean_ps / PS_PER_NS);
    const correct_time away = away_of(c, folded_ticks, &slow_away);
    add_below(c, i, &of.times, &mine, callers, &away);
    set_timing(c, i, &of);
    return true;
}

/* What calls have cost their callers. The root is no method: no node has what calls cost outside of all frames. */
static void add_outside(correction *c) {
    const profile_thread *t = c->t;
    c->outside_ps[0] = (uint32_t)least(c->costs->mean.outside_empty_ps, UINT32_MAX);
    for (uint32_t i = 1; i < t->node_count; i++) {
        bool is_folded = t->ids[t->parents[i]] == PROFILE_ID_FOLDED;
        uint64_t outside_ps =
            is_folded && t->folds ? c->slow->outside.mean : c->outside_ps[is_folded ? i : t->parents[i]];
        columns_set(
            c->timings, TIMING_PROBE, i,
            profile_add(columns_at(c->timings, TIMING_PROBE, i), cost_of(half_calls(t, i), outside_ps) / PS_PER_NS));
    }
}

bool correct_by_calibration(corrected_thread *made, const profile_run *run) {
    const profile_thread *t = &made->t;
    const call_costs costs = call_costs_of(run);
    const fold_costs slow = folds_costs(run, &costs.mean);
    correction c = {.run = run,
                    .costs = &costs,
                    .reading = call_costs_reading(run),
                    .slow = &slow,
                    .folds = t->fold_count,
                    .t = t,
                    .timings = &made->timings,
                    .outside_ps = large_alloc(t->node_count, sizeof *c.outside_ps)};
    bool done = c.outside_ps != NULL;
    for (uint32_t i = t->node_count; i-- > 1 && done;)
        done = correct_node(&c, i);
    if (done) {
        const callees all = take_callees(&c, 0);
        const profile_times of_root = {
            .inclusive_ns = all.ns, .inclusive_low_ns = all.low_ns, .inclusive_high_ns = all.high_ns};
        times_set(&made->timings, 0, &of_root);
        add_outside(&c);
    }
    free(c.path);
    free(c.outside_ps);
    return done;
}
