#include "profile/correct.h"

#include "profile/call_costs.h"
#include "profile/folds.h"
#include "profile/waited.h"
#include "util/root.h"

#include <stdlib.h>

enum { NS_PER_SECOND = 1000000000, PS_PER_NS = 1000, AVERAGES_PER_CALL = 2 };

typedef unsigned __int128 wide;

static uint64_t stopped(wide value) {
    return value > PROFILE_MAX ? PROFILE_MAX : (uint64_t)value;
}

/* Nearly all figures are of 64 bits, which a processor divides by itself. */
static inline wide divided(wide value, wide by) {
    return (value | by) >> 64 ? value / by : (uint64_t)value / (uint64_t)by;
}

/* The cost of that many half calls, in picoseconds. */
static uint64_t cost_of(uint64_t halves, uint64_t call_ps) {
    return stopped((wide)halves * call_ps / 2);
}

static wide ps_of(const profile_run *run, uint64_t ticks) {
    return divided((wide)ticks * 1000000000000u, run->ticks_per_second);
}

/* The nanoseconds that are left of a time without a cost, rounded down. */
static uint64_t ns_without(wide ps, uint64_t cost_ps) {
    return ps > cost_ps ? stopped(divided(ps - cost_ps, PS_PER_NS)) : 0;
}

static uint64_t half_calls(const profile_node *n) {
    uint64_t unclosed = profile_add(n->resynchronised, n->open);
    wide twice = (wide)n->calls * 2;
    return twice > unclosed ? stopped(twice - unclosed) : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
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

/* What a node's callees have more than it, by ticks. */
static uint64_t over_of(const profile_thread *t, const profile_run *run, uint32_t node) {
    return !t->has_ticks || node == 0 ? 0 : t->merged ? t->nodes[node].over : profile_ns(run, t->nodes[node].over);
}

/* ---- As recorded ------------------------------------------------------------------------------------------------ */

/* Nanoseconds that add up: own times, and what was folded away, are laid one after another and cut where each ends,
 * rounded down. So each is off by less than one, and so is the sum of any subtree; inclusive times are such sums. */
static void keep_recorded(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    wide ticks = 0, ns = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        const profile_node *n = &t->nodes[i];
        const uint64_t parts[] = {i == 0 ? 0 : n->own, i == 0 ? 0 : n->folded_ticks};
        c->timings[i].times.exclusive_over_ns = over_of(t, run, i);
        uint64_t cut[2];
        for (int k = 0; k < 2; k++) {
            ticks += parts[k];
            wide end = run->ticks_per_second == NS_PER_SECOND
                           ? ticks /* the usual, without a long division */
                           : ticks / run->ticks_per_second * NS_PER_SECOND +
                                 ticks % run->ticks_per_second * NS_PER_SECOND / run->ticks_per_second;
            cut[k] = stopped(end - ns);
            ns = end;
        }
        c->timings[i].times.exclusive_ns = cut[0];
        c->timings[i].times.inclusive_ns = profile_add(cut[0], cut[1]);
    }
    for (uint32_t i = t->node_count; i-- > 1;) {
        profile_timing *caller = &c->timings[t->nodes[i].link.parent];
        if (t->nodes[i].over > 0 && t->has_ticks)
            c->timings[i].times.inclusive_ns = profile_ns(run, t->nodes[i].ticks);
        if (t->nodes[i].id != PROFILE_ID_FOLDED) /* the callers have that time already */
            caller->times.inclusive_ns = profile_add(caller->times.inclusive_ns, c->timings[i].times.inclusive_ns);
    }
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_timing *of = &c->timings[i];
        of->times.exclusive_low_ns = of->times.exclusive_high_ns = of->times.exclusive_ns;
        of->times.inclusive_low_ns = of->times.inclusive_high_ns = of->times.inclusive_ns;
    }
}

/* Between two steps a clock stands still: a call's time is wrong by less than a step. Many calls are wrong in both
 * directions, by chance: by three times their standard deviation at most, which is half a step for one. */
static uint64_t step_error(uint64_t calls, uint64_t step_ns) {
    enum { SQUARE = 9, OF = 4 }; /* of three halves */
    return stopped((wide)least(calls, root_of((wide)calls * SQUARE / OF)) * step_ns);
}

/* Ticks are counted once all runs are added up (report/model/ticks.h). */
static bool goes_in_steps(const profile_run *run) {
    return run->clock_step_ns > 0 && run->clock_ticks == 0;
}

/* An own time ends where callees begin, too. False when memory ran out. */
static bool widen_by_step(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    uint64_t *ends = arena_alloc_array(&c->memory, t->node_count, sizeof *ends);
    if (!ends)
        return false;
    for (uint32_t i = 0; i < t->node_count; i++)
        ends[i] = t->nodes[i].calls;
    for (uint32_t i = t->node_count; i-- > 1;)
        ends[t->nodes[i].link.parent] = profile_add(ends[t->nodes[i].link.parent], t->nodes[i].calls);
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_timing *of = &c->timings[i];
        uint64_t whole = step_error(t->nodes[i].calls, run->clock_step_ns),
                 own = step_error(ends[i], run->clock_step_ns);
        of->times.inclusive_high_ns = profile_add(of->times.inclusive_ns, whole);
        of->times.exclusive_high_ns = least(profile_add(of->times.exclusive_ns, own), of->times.inclusive_high_ns);
        of->times.exclusive_low_ns = of->times.exclusive_ns - least(of->times.exclusive_ns, own);
        of->times.inclusive_low_ns =
            most(of->times.inclusive_ns - least(of->times.inclusive_ns, whole), of->times.exclusive_low_ns);
    }
    return true;
}

/* Calls below a node: of its own callees, and of all. */
typedef struct calls_below {
    uint64_t own, all;
} calls_below;

/* Two average readings for each call below, of its own callees and of all. False when memory ran out. */
static bool offset_by_article(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    uint64_t call_ps = stopped((wide)run->clock_read_ps * AVERAGES_PER_CALL);
    calls_below *below = calloc(t->node_count, sizeof *below);
    if (!below)
        return false;
    profile_timing *root = &c->timings[0];
    uint32_t folds = t->fold_count;
    for (uint32_t i = t->node_count; i-- > 1;) {
        const profile_node *n = &t->nodes[i];
        calls_below *callers = &below[n->link.parent];
        callers->own = profile_add(callers->own, n->calls);
        if (folds > 0 && t->folds[folds - 1].node == i) {
            folds--;
            below[i].own = profile_add(below[i].own, t->folds[folds].calls);
            below[i].all = profile_add(below[i].all, t->folds[folds].all);
        }
        callers->all = profile_add(callers->all, profile_add(n->calls, below[i].all));
        c->timings[i].times.exclusive_offset_ns = stopped(divided((wide)below[i].own * call_ps, PS_PER_NS));
        c->timings[i].times.inclusive_offset_ns = stopped(divided((wide)below[i].all * call_ps, PS_PER_NS));
    }
    for (uint32_t i = 1; i < t->node_count; i++)
        if (t->nodes[i].link.parent == 0)
            root->times.inclusive_offset_ns =
                profile_add(root->times.inclusive_offset_ns, c->timings[i].times.inclusive_offset_ns);
    free(below);
    return true;
}

/* ---- Calibrated ------------------------------------------------------------------------------------------------- */

/* Time of folded calls as recorded, and what is left of it. They are the last nodes, so they are corrected first. */
typedef struct folded_time {
    uint64_t halves, recorded_ns, ns, low_ns, high_ns;
} folded_time;

static uint64_t share_of(uint64_t ns, uint64_t part, uint64_t whole) {
    return whole == 0 ? ns : stopped(divided((wide)ns * part, whole));
}

static uint64_t span_of(const profile_run *run, uint64_t ticks, wide halves) {
    return halves == 0 ? 0 : stopped(divided(divided((wide)ticks * 2000000000000u, run->ticks_per_second), halves));
}

/* The cost of a call within the frame. Work of up to the gap is done beside the probe, so that the first half of the
 * gap above `empty` stands for one and a half of it. */
static uint64_t inside_of(const profile_run *run, const profile_costs *c, const profile_node *n) {
    uint64_t empty = c->inside_empty_ps, work = c->inside_work_ps;
    return cost_within(empty, work, span_of(run, n->ticks, (wide)n->calls * 2), gap(empty, work) / 2);
}

/* The cost of a call to the caller of that many half calls. A caller that works has one call in each of its own that
 * may be the first or the last thing it does, as 4 in 5 are taken to be. For a caller that may work, or not, it is
 * rather what a call costs one that does not. */
static uint64_t outside_of(const profile_run *run, const profile_costs *c, const profile_node *n, uint64_t halves,
                           uint64_t below) {
    enum { LAST = 4, OF = 5, CAUTION = 2 };
    uint64_t empty = c->outside_empty_ps, between = c->outside_work_ps, last = c->outside_last_ps;
    uint64_t part =
        below == 0 ? 0 : stopped(divided((wide)(gap(between, last) / OF) * LAST * least(halves, below), below));
    uint64_t work = between < last ? between + part : between - part;
    return cost_within(empty, work, span_of(run, n->own, below), stopped((wide)gap(empty, work) * CAUTION));
}

/* The callees of a node: how many half calls they were, how many of these a compiler may inline; and what a
 * call costs the node that makes it. */
typedef struct callees {
    uint64_t halves, small;
    uint64_t timed;   /* half calls that the Stopwatch times while a clock ticks */
    uint64_t over_ns; /* by ticks: what the inclusive times of some are below 0 */
    uint32_t outside_ps;
} callees;

typedef struct correction {
    const profile_run *run;
    const call_costs *costs;
    const fold_costs *slow; /* of calls without nodes */
    fold_cost reading;      /* where a clock ticks: of calls that the Stopwatch times */
    uint32_t folds;         /* the first that many are still to come */
    const profile_thread *t;
    profile_timing *timings;
    callees *callees; /* of each node */
    folded_time folded;
} correction;

typedef struct correct_time {
    uint64_t ns, low_ns, high_ns;
} correct_time;

/* The time of a node's folded callees. Where it is not reported how many there were, it shrinks as all of them do. */
static correct_time away_of(const correction *c, const profile_node *n, const fold_cost *cost) {
    const folded_time *f = &c->folded;
    uint64_t ns = profile_ns(c->run, n->folded_ticks);
    wide ps = ps_of(c->run, n->folded_ticks);
    if (c->t->folds)
        return (correct_time){ns_without(ps, cost->mean), ns_without(ps, cost->most), ns_without(ps, cost->least)};
    return (correct_time){share_of(ns, f->ns, f->recorded_ns), share_of(ns, f->low_ns, f->recorded_ns),
                          share_of(ns, f->high_ns, f->recorded_ns)};
}

/* By ticks an own time is below 0 as often as it is too long. A sum of many nodes is right when both count. */
static void take_over(correction *c, uint32_t i, uint64_t cost_ns) {
    uint64_t own_ns = profile_ns(c->run, c->t->nodes[i].own), least_ns = profile_add(over_of(c->t, c->run, i), cost_ns);
    c->timings[i].times.exclusive_over_ns = least_ns > own_ns ? least_ns - own_ns : 0;
}

/* An inclusive time is less than its callees' by what ticks have too much, not where a call is taken to cost more than
 * there was. What is missing at one node is missing at its caller's. */
static void settle_over(correction *c, uint32_t i) {
    profile_times *of = &c->timings[i].times;
    uint64_t over = profile_add(over_of(c->t, c->run, i), c->callees[i].over_ns), taken = least(over, of->inclusive_ns);
    of->inclusive_ns -= taken;
    of->inclusive_low_ns = least(of->inclusive_low_ns - least(of->inclusive_low_ns, over), of->inclusive_ns);
    of->inclusive_high_ns = most(of->inclusive_high_ns - least(of->inclusive_high_ns, over), of->inclusive_ns);
    callees *callers = &c->callees[c->t->nodes[i].link.parent];
    callers->over_ns = profile_add(callers->over_ns, over - taken);
}

/* What readings of the Stopwatch cost the node's own time while a clock ticks: of its calls, and of its callees'. */
static void add_readings(correction *c, uint32_t i, uint64_t halves, fold_cost *sum) {
    const profile_node *n = &c->t->nodes[i];
    uint64_t all = c->callees[i].timed;
    if (c->t->has_ticks && n->ticked_calls == 0 && c->t->nodes[n->link.parent].id != PROFILE_ID_FOLDED) {
        all = profile_add(all, halves);
        c->callees[n->link.parent].timed = profile_add(c->callees[n->link.parent].timed, halves);
        c->timings[i].probe_ns = cost_of(halves, c->reading.mean * 2) / PS_PER_NS;
    }
    sum->mean = profile_add(sum->mean, cost_of(all, c->reading.mean));
    sum->least = profile_add(sum->least, cost_of(all, c->reading.least));
    sum->most = profile_add(sum->most, cost_of(all, c->reading.most));
}

/* A node whose callees have had their turn: its inclusive times hold the sum of theirs. */
static void correct_node(correction *c, uint32_t i) {
    const profile_run *run = c->run;
    const call_costs *costs = c->costs;
    folded_time *folded = &c->folded;
    const profile_node *n = &c->t->nodes[i];
    profile_timing *of = &c->timings[i], *caller = &c->timings[n->link.parent];
    bool is_folded = c->t->nodes[n->link.parent].id == PROFILE_ID_FOLDED, known = c->t->folds != NULL;
    uint64_t halves = half_calls(n), below = c->callees[i].halves, small_below = c->callees[i].small;
    const profile_fold *fold = c->folds > 0 && c->t->folds[c->folds - 1].node == i ? &c->t->folds[--c->folds] : NULL;
    fold_cost slow = folds_own(c->slow, fold), slow_away = folds_away(c->slow, fold);
    add_readings(c, i, halves, &slow);
    /* Where the profile does not tell, the caller of a folded call is not known; most often another one. */
    if (is_folded && !known)
        below = profile_add(below, halves);
    else if (!is_folded)
        c->callees[n->link.parent].halves = profile_add(c->callees[n->link.parent].halves, halves);
    if (!known && n->folded_ticks > 0)
        slow.most = cost_of(folded->halves, c->slow->outside.most);

    uint64_t inside_ps = inside_of(run, &costs->mean, n);
    uint64_t outside_ps = outside_of(run, &costs->mean, n, halves, below);
    correct_range inside = costs->inside, outside = costs->outside;
    wide own_ps = ps_of(run, n->own);
    if (is_folded && known) {
        inside_ps = c->slow->inside.mean;
        inside = (correct_range){c->slow->inside.least, c->slow->inside.most};
    }

    if (c->t->has_ticks)
        slow.mean = profile_add(slow.mean, cost_of(small_below, costs->lost_ps));
    c->callees[i].outside_ps = (uint32_t)least(outside_ps, UINT32_MAX);
    of->probe_ns = profile_add(of->probe_ns, cost_of(halves, inside_ps) / PS_PER_NS);
    const uint64_t mean_ps =
        profile_add(slow.mean, profile_add(cost_of(halves, inside_ps), cost_of(below, outside_ps)));
    of->times.exclusive_ns = ns_without(own_ps, mean_ps);
    bool inlined = (wide)of->times.exclusive_ns * PS_PER_NS < cost_of(halves, costs->inlined_ps);
    uint64_t most_ps = profile_add(slow.most, profile_add(cost_of(halves, inside.most), cost_of(below, outside.most)));
    bool small = (wide)of->times.exclusive_ns * PS_PER_NS < cost_of(halves, costs->small_ps);
    most_ps = profile_add(most_ps, cost_of(profile_add(small_below, small ? halves : 0), costs->lost_ps));
    of->times.exclusive_low_ns = inlined ? 0 : ns_without(own_ps, most_ps);
    if (small && !is_folded)
        c->callees[n->link.parent].small = profile_add(c->callees[n->link.parent].small, halves);
    of->times.exclusive_high_ns =
        ns_without(own_ps, profile_add(slow.least, profile_add(cost_of(halves, inside.least),
                                                               is_folded ? 0 : cost_of(below, outside.least))));
    if (is_folded) {
        folded->halves = profile_add(folded->halves, halves);
        folded->recorded_ns = profile_add(folded->recorded_ns, profile_ns(run, n->own));
        folded->ns = profile_add(folded->ns, of->times.exclusive_ns);
        folded->low_ns = profile_add(folded->low_ns, of->times.exclusive_low_ns);
        folded->high_ns = profile_add(folded->high_ns, of->times.exclusive_high_ns);
    }
    if (c->t->has_ticks && !is_folded)
        take_over(c, i, mean_ps / PS_PER_NS);
    const correct_time away = away_of(c, n, &slow_away);
    of->times.inclusive_ns = profile_add(profile_add(of->times.inclusive_ns, of->times.exclusive_ns), away.ns);
    of->times.inclusive_low_ns =
        profile_add(profile_add(of->times.inclusive_low_ns, of->times.exclusive_low_ns), away.low_ns);
    of->times.inclusive_high_ns =
        profile_add(profile_add(of->times.inclusive_high_ns, of->times.exclusive_high_ns), away.high_ns);
    if (n->id == PROFILE_ID_FOLDED) /* its sum is not the root's: the callers have this time already */
        return;
    if (c->t->has_ticks)
        settle_over(c, i);
    caller->times.inclusive_ns = profile_add(caller->times.inclusive_ns, of->times.inclusive_ns);
    caller->times.inclusive_low_ns = profile_add(caller->times.inclusive_low_ns, of->times.inclusive_low_ns);
    caller->times.inclusive_high_ns = profile_add(caller->times.inclusive_high_ns, of->times.inclusive_high_ns);
}

/* False when memory ran out. */
static bool correct_by_calibration(corrected_thread *made, const profile_run *run) {
    const profile_thread *t = &made->t;
    const call_costs costs = call_costs_of(run);
    const fold_costs slow = folds_costs(run, &costs.mean);
    correction c = {.run = run,
                    .costs = &costs,
                    .reading = call_costs_reading(run),
                    .slow = &slow,
                    .folds = t->fold_count,
                    .t = t,
                    .timings = made->timings,
                    .callees = calloc(t->node_count, sizeof *c.callees)};
    if (!c.callees)
        return false;
    for (uint32_t i = t->node_count; i-- > 1;)
        correct_node(&c, i);
    /* The root is no method: what calls cost outside of all frames is nobody's. */
    c.callees[0].outside_ps = (uint32_t)least(costs.mean.outside_empty_ps, UINT32_MAX);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const profile_node *n = &t->nodes[i];
        bool is_folded = t->nodes[n->link.parent].id == PROFILE_ID_FOLDED;
        uint64_t outside_ps =
            is_folded && t->folds ? slow.outside.mean : c.callees[is_folded ? i : n->link.parent].outside_ps;
        made->timings[i].probe_ns =
            profile_add(made->timings[i].probe_ns, cost_of(half_calls(n), outside_ps) / PS_PER_NS);
    }
    free(c.callees);
    return true;
}

static correct_range probes_of(const profile_run *run, const profile_thread *t) {
    correct_range ns = {0, 0};
    uint64_t halves = 0, estimated = 0;
    if (t->merged ? !t->timings : !profile_is_calibrated(run))
        return ns;
    for (uint32_t i = 1; i < t->node_count; i++) {
        const profile_node *n = &t->nodes[i];
        halves = profile_add(halves, half_calls(n));
        if (!t->merged)
            continue;
        const profile_timing *of = &t->timings[i];
        ns.least =
            profile_add(ns.least, n->own > of->times.exclusive_high_ns ? n->own - of->times.exclusive_high_ns : 0);
        ns.most = profile_add(ns.most, n->own > of->times.exclusive_low_ns ? n->own - of->times.exclusive_low_ns : 0);
        estimated = profile_add(estimated, of->probe_ns);
    }
    if (t->merged) /* each run by itself: what it has taken off is known, what it cost nobody's frame is estimated */
        return (correct_range){least(ns.least, estimated), most(ns.most, estimated)};
    const call_costs costs = call_costs_of(run);
    return (correct_range){cost_of(halves, profile_add(costs.inside.least, costs.outside.least)) / PS_PER_NS,
                           cost_of(halves, profile_add(costs.inside.most, costs.outside.most)) / PS_PER_NS};
}

correct_range correct_probes(const profile *p) {
    if (p->run.probes_most_ns > 0)
        return (correct_range){p->run.probes_least_ns, p->run.probes_most_ns};
    correct_range sum = {0, 0};
    for (size_t i = 0; i < p->thread_count; i++) {
        correct_range of = probes_of(&p->run, &p->threads[i]);
        sum = (correct_range){profile_add(sum.least, of.least), profile_add(sum.most, of.most)};
    }
    return sum;
}

/* ---- Merged ----------------------------------------------------------------------------------------------------- */

static void keep_merged(profile_timing *of, const profile_node *n) {
    of->times.exclusive_ns = of->times.exclusive_low_ns = of->times.exclusive_high_ns = n->own;
    of->times.inclusive_ns = of->times.inclusive_low_ns = of->times.inclusive_high_ns = n->ticks;
}

static void keep_over(corrected_thread *c, const profile_run *run) {
    for (uint32_t i = 0; i < c->t.node_count && c->t.has_ticks; i++)
        c->timings[i].times.exclusive_over_ns = over_of(&c->t, run, i);
}

/* The times that the nodes bring, or the recorded ones. */
static void choose(corrected_thread *c, bool calibrated) {
    const profile_thread *t = &c->t;
    for (uint32_t i = 0; i < t->node_count && t->timings; i++)
        c->timings[i] = t->timings[i];
    for (uint32_t i = 0; i < t->node_count && (!t->timings || !calibrated); i++)
        keep_merged(&c->timings[i], &t->nodes[i]);
}

profile_span correct_span(const corrected_thread *c, const profile_run *run, uint32_t node) {
    const profile_node *n = &c->t.nodes[node];
    const profile_timing *of = &c->timings[node];
    if (c->t.spans)
        return c->t.spans[node];
    if (n->min_ticks > n->max_ticks)
        return PROFILE_NO_SPAN;
    const bool folded = c->t.nodes[n->link.parent].id == PROFILE_ID_FOLDED;
    const corrected_fold *fold = folded ? correct_fold_at(c, node) : NULL;
    uint64_t recorded = fold ? fold->recorded_ns : profile_ns(run, n->ticks);
    uint64_t whole = fold ? fold->all.inclusive_ns : of->times.inclusive_ns;
    uint64_t probes = n->calls && recorded > whole ? (recorded - whole) / n->calls : 0;
    uint64_t min = profile_ns(run, n->min_ticks), max = profile_ns(run, n->max_ticks);
    max -= least(max, probes);
    if (!folded || fold) /* an earlier version tells of folded calls their own time alone */
        max = least(max, whole);
    return (profile_span){least(min - least(min, probes), max), max};
}

/* ---- A thread --------------------------------------------------------------------------------------------------- */

static bool start(corrected_thread *c, const profile_thread *t) {
    c->t = *t;
    c->timings = arena_alloc_array(&c->memory, t->node_count, sizeof *c->timings);
    return c->timings != NULL;
}

/* How long threads were blocked: at most the own time, since both were read while the thread ran on. An own time lasted
 * as long as that at least. */
static void keep_waits(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    for (uint32_t i = 0; i < t->node_count && t->has_waits; i++) {
        profile_timing *of = &c->timings[i];
        of->blocked_ns = least(profile_ns(run, t->nodes[i].blocked_ticks), of->times.exclusive_ns);
        of->times.exclusive_low_ns = most(of->times.exclusive_low_ns, of->blocked_ns);
        of->times.inclusive_low_ns =
            least(most(of->times.inclusive_low_ns, of->times.exclusive_low_ns), of->times.inclusive_ns);
    }
}

/* Own time is what is left without the waits. */
static void set_waits_apart(corrected_thread *c) {
    for (uint32_t i = 0; i < c->t.node_count && c->t.has_waits; i++) {
        profile_timing *of = &c->timings[i];
        of->times.exclusive_ns -= of->blocked_ns;
        of->times.exclusive_low_ns -= of->blocked_ns;
        of->times.exclusive_high_ns -= of->blocked_ns;
    }
}

static bool correct(corrected_thread *c, const profile_run *run, ilj_offset offset) {
    bool calibrated = profile_is_calibrated(run);
    if (c->t.merged) {
        choose(c, offset == ILJ_OFFSET_CALIBRATED);
        if (offset != ILJ_OFFSET_CALIBRATED)
            c->t.spans = NULL;
        if (offset != ILJ_OFFSET_CALIBRATED || !c->t.timings) /* the others bring theirs */
            keep_over(c, run);
        keep_waits(c, run);
        for (uint32_t i = 0; i < c->t.node_count && offset != ILJ_OFFSET_ARTICLE; i++)
            c->timings[i].times.inclusive_offset_ns = c->timings[i].times.exclusive_offset_ns = 0;
        return true;
    }
    if (calibrated && !correct_by_calibration(c, run)) /* also for what the probes have cost */
        return false;
    if (calibrated) /* as merging has them, whatever is asked for */
        keep_waits(c, run);
    if (offset != ILJ_OFFSET_CALIBRATED || !calibrated)
        keep_recorded(c, run);
    if (!calibrated && goes_in_steps(run) && !widen_by_step(c, run))
        return false;
    if (!calibrated)
        keep_waits(c, run);
    return offset != ILJ_OFFSET_ARTICLE || offset_by_article(c, run);
}

/* The times of folded calls, without the probes' cost or as recorded. */
static bool correct_folds(corrected_thread *c, const profile_run *run, bool calibrated) {
    if (!calibrated || c->t.fold_count == 0 || !(c->t.merged || profile_is_calibrated(run)))
        return folds_correct(c, run, NULL);
    const profile_costs mean = c->t.merged ? run->quiet : call_costs_of(run).mean;
    const fold_costs slow = folds_costs(run, &mean);
    return folds_correct(c, run, &slow);
}

bool correct_thread(corrected_thread *c, const profile_run *run, const profile_thread *t, ilj_offset offset) {
    if (!start(c, t) || !correct(c, run, offset) || !correct_folds(c, run, offset == ILJ_OFFSET_CALIBRATED))
        return false;
    set_waits_apart(c);
    return true;
}

/* Merged profiles have theirs in the nodes. */
static void note_recorded(corrected_thread *c) {
    const bool merged = c->t.merged;
    for (uint32_t i = 0; i < c->t.node_count && merged; i++)
        c->recorded[i] = (recorded_times){c->t.nodes[i].ticks, c->t.nodes[i].own};
    for (uint32_t i = 0; i < c->t.node_count && !merged; i++)
        c->recorded[i] = (recorded_times){c->timings[i].times.inclusive_ns, c->timings[i].times.exclusive_ns};
}

bool correct_thread_both(corrected_thread *c, const profile_run *run, const profile_thread *t) {
    if (!start(c, t))
        return false;
    c->recorded = arena_alloc_array(&c->memory, t->node_count, sizeof *c->recorded);
    if (!c->recorded)
        return false;
    if (t->merged) {
        choose(c, true);
        keep_waits(c, run);
        note_recorded(c);
        return correct_folds(c, run, true);
    }
    keep_recorded(c, run);
    note_recorded(c);
    if (profile_is_calibrated(run)) {
        for (uint32_t i = 0; i < t->node_count; i++)
            c->timings[i].times = (profile_times){0};
        if (!correct_by_calibration(c, run))
            return false;
    } else if (goes_in_steps(run) && !widen_by_step(c, run)) {
        return false;
    }
    keep_waits(c, run);
    return correct_folds(c, run, true) && offset_by_article(c, run);
}

void corrected_clear(corrected_thread *c) {
    arena_clear(&c->memory);
    *c = CORRECTED_INIT;
}

const corrected_fold *correct_fold_at(const corrected_thread *c, uint32_t node) {
    uint32_t low = 0, high = c->fold_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->folds[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->fold_count && c->folds[low].node == node ? &c->folds[low] : NULL;
}
