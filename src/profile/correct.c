#include "profile/correct.h"

#include "profile/amounts.h"
#include "profile/calibrated.h"
#include "profile/call_costs.h"
#include "profile/folds.h"
#include "profile/waited.h"
#include "util/list.h"
#include "util/root.h"

/* ---- As recorded ------------------------------------------------------------------------------------------------ */

/* A sum over the nodes below one, while nodes are taken from the last to the first: only those on a path have one. */
typedef struct sums {
    struct sum {
        uint32_t node;
        uint64_t ns;
    } * path;
    uint32_t count, capacity;
} sums;

/* What the nodes below have come to. */
static uint64_t take_sum(sums *s, uint32_t node) {
    return s->count > 0 && s->path[s->count - 1].node == node ? s->path[--s->count].ns : 0;
}

/* False when memory ran out. */
static bool add_sum(sums *s, uint32_t node, uint64_t ns) {
    if (s->count == 0 || s->path[s->count - 1].node != node) {
        if (!list_grow((void **)&s->path, s->count, &s->capacity, sizeof *s->path))
            return false;
        s->path[s->count++] = (struct sum){node, 0};
    }
    s->path[s->count - 1].ns = profile_add(s->path[s->count - 1].ns, ns);
    return true;
}

/* Ticks, from the first on, as nanoseconds from the first on. */
typedef struct ruler {
    wide ticks, ns;
} ruler;

static uint64_t next_cut(ruler *r, const profile_run *run, uint64_t ticks) {
    r->ticks += ticks;
    wide end = run->ticks_per_second == NS_PER_SECOND
                   ? r->ticks /* the usual, without a long division */
                   : r->ticks / run->ticks_per_second * NS_PER_SECOND +
                         r->ticks % run->ticks_per_second * NS_PER_SECOND / run->ticks_per_second;
    uint64_t ns = stopped(end - r->ns);
    r->ns = end;
    return ns;
}

/* Nanoseconds that add up: own times, and what was folded away, are laid one after another and cut where each ends,
 * rounded down. So each is off by less than one, and so is the sum of any subtree; inclusive times are such sums. False
 * when memory ran out. */
static bool keep_recorded(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    ruler r = {0, 0};
    sums below = {0};
    bool done = true;
    for (uint32_t i = 0; i < t->node_count; i++) {
        uint64_t own = next_cut(&r, run, i == 0 ? 0 : profile_number(t, PROFILE_OWN, i));
        uint64_t away = next_cut(&r, run, i == 0 ? 0 : profile_number(t, PROFILE_FOLDED_TICKS, i));
        const profile_times of = {.exclusive_ns = own,
                                  .exclusive_low_ns = own,
                                  .exclusive_high_ns = own,
                                  .exclusive_over_ns = over_of(t, run, i)};
        times_set_exclusive(&c->timings, i, &of);
        columns_set(&c->timings, TIMES_INCLUSIVE, i, profile_add(own, away));
    }
    for (uint32_t i = t->node_count; i-- > 0 && done;) {
        uint64_t ns = profile_add(columns_at(&c->timings, TIMES_INCLUSIVE, i), take_sum(&below, i));
        if (i > 0 && t->has_ticks && profile_number(t, PROFILE_OVER, i) > 0)
            ns = profile_ns(run, profile_number(t, PROFILE_TICKS, i));
        const profile_times of = {.inclusive_ns = ns, .inclusive_low_ns = ns, .inclusive_high_ns = ns};
        times_set_inclusive(&c->timings, i, &of);
        if (i > 0 && t->ids[i] != PROFILE_ID_FOLDED) /* the callers have that time already */
            done = add_sum(&below, t->parents[i], ns);
    }
    free(below.path);
    return done;
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
        ends[i] = profile_number(t, PROFILE_CALLS, i);
    for (uint32_t i = t->node_count; i-- > 1;)
        ends[t->parents[i]] = profile_add(ends[t->parents[i]], profile_number(t, PROFILE_CALLS, i));
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_times of = times_at(&c->timings, i);
        uint64_t whole = step_error(profile_number(t, PROFILE_CALLS, i), run->clock_step_ns),
                 own = step_error(ends[i], run->clock_step_ns);
        of.inclusive_high_ns = profile_add(of.inclusive_ns, whole);
        of.exclusive_high_ns = least(profile_add(of.exclusive_ns, own), of.inclusive_high_ns);
        of.exclusive_low_ns = of.exclusive_ns - least(of.exclusive_ns, own);
        of.inclusive_low_ns = most(of.inclusive_ns - least(of.inclusive_ns, whole), of.exclusive_low_ns);
        times_set(&c->timings, i, &of);
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
    uint64_t of_root = columns_at(&c->timings, TIMES_INCLUSIVE_OFFSET, 0);
    uint32_t folds = t->fold_count;
    for (uint32_t i = t->node_count; i-- > 1;) {
        const uint64_t calls = profile_number(t, PROFILE_CALLS, i);
        calls_below *callers = &below[t->parents[i]];
        callers->own = profile_add(callers->own, calls);
        if (folds > 0 && t->folds[folds - 1].node == i) {
            folds--;
            below[i].own = profile_add(below[i].own, t->folds[folds].calls);
            below[i].all = profile_add(below[i].all, t->folds[folds].all);
        }
        callers->all = profile_add(callers->all, profile_add(calls, below[i].all));
        const uint64_t whole = stopped(divided((wide)below[i].all * call_ps, PS_PER_NS));
        columns_set(&c->timings, TIMES_EXCLUSIVE_OFFSET, i, stopped(divided((wide)below[i].own * call_ps, PS_PER_NS)));
        columns_set(&c->timings, TIMES_INCLUSIVE_OFFSET, i, whole);
        of_root = profile_add(of_root, t->parents[i] == 0 ? whole : 0);
    }
    columns_set(&c->timings, TIMES_INCLUSIVE_OFFSET, 0, of_root);
    free(below);
    return true;
}

/* ---- Probes --------------------------------------------------------------------------------------------------------
 */

static correct_range probes_of(const profile_run *run, const profile_thread *t) {
    correct_range ns = {0, 0};
    uint64_t halves = 0, folded = 0, estimated = 0, probed = 0;
    if (t->merged ? !t->has_costs : !profile_is_calibrated(run))
        return ns;
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint64_t *sum = t->has_probed && t->ids[t->parents[i]] == PROFILE_ID_FOLDED ? &folded : &halves;
        *sum = profile_add(*sum, half_calls(t, i));
        if (t->has_probed)
            probed = profile_add(probed, profile_ns(run, profile_number(t, PROFILE_PROBED, i)));
        if (!t->merged)
            continue;
        const profile_timing of = timing_at(&t->timings, i);
        const uint64_t own = profile_number(t, PROFILE_OWN, i);
        ns.least = profile_add(ns.least, own - least(own, of.times.exclusive_high_ns));
        ns.most = profile_add(ns.most, own - least(own, of.times.exclusive_low_ns));
        estimated = profile_add(estimated, of.probe_ns);
    }
    if (t->merged) /* each run by itself: what it has taken off is known, what it cost nobody's frame is estimated */
        return (correct_range){least(ns.least, estimated), most(ns.most, estimated)};
    const call_costs costs = call_costs_of(run);
    const correct_range taken = {cost_of(halves, profile_add(costs.inside.least, costs.outside.least)) / PS_PER_NS,
                                 cost_of(halves, profile_add(costs.inside.most, costs.outside.most)) / PS_PER_NS};
    if (!t->has_probed)
        return taken;
    /* What ticks saw, with folded calls, which they leave out; or what those calls usually cost: ticks may be few. */
    const correct_range inside = correct_inside(run), outside = correct_outside(run),
                        usual = {profile_add(inside.least, outside.least), profile_add(inside.most, outside.most)},
                        away = {cost_of(folded, usual.least) / PS_PER_NS, cost_of(folded, usual.most) / PS_PER_NS};
    return (correct_range){
        profile_add(least(profile_add(taken.least, probed), cost_of(halves, usual.least) / PS_PER_NS), away.least),
        profile_add(most(profile_add(taken.most, probed), cost_of(halves, usual.most) / PS_PER_NS), away.most)};
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

static void keep_over(corrected_thread *c, const profile_run *run) {
    for (uint32_t i = 0; i < c->t.node_count && c->t.has_ticks; i++)
        columns_set(&c->timings, TIMES_OVER, i, over_of(&c->t, run, i));
}

/* The times that the nodes bring, or the recorded ones. */
static void choose(corrected_thread *c, bool calibrated) {
    const profile_thread *t = &c->t;
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_timing of = {.blocked_ns = 0};
        if (t->has_costs)
            of = timing_at(&t->timings, i);
        if (!t->has_costs || !calibrated) {
            of.times.exclusive_ns = of.times.exclusive_low_ns = of.times.exclusive_high_ns =
                profile_number(t, PROFILE_OWN, i);
            of.times.inclusive_ns = of.times.inclusive_low_ns = of.times.inclusive_high_ns =
                profile_number(t, PROFILE_TICKS, i);
        }
        timing_set(&c->timings, i, &of);
    }
}

profile_span correct_span_known(const corrected_thread *c, const profile_run *run, uint32_t node) {
    const profile_thread *t = &c->t;
    if (t->has_corrected_spans)
        return profile_span_at(&t->nodes, PROFILE_CORRECTED_LEAST, node);
    const profile_span span = profile_span_at(&t->nodes, PROFILE_LEAST, node);
    if (span.min_ns > span.max_ns)
        return PROFILE_NO_SPAN;
    const bool folded = t->ids[t->parents[node]] == PROFILE_ID_FOLDED;
    const corrected_fold *fold = folded ? correct_fold_at(c, node) : NULL;
    uint64_t recorded = fold ? fold->recorded_ns : profile_ns(run, profile_number(t, PROFILE_TICKS, node));
    uint64_t whole = fold ? fold->all.inclusive_ns : columns_at(&c->timings, TIMES_INCLUSIVE, node);
    uint64_t calls = profile_number(t, PROFILE_CALLS, node);
    uint64_t probes = calls && recorded > whole ? (recorded - whole) / calls : 0;
    uint64_t min = profile_ns(run, span.min_ns), max = profile_ns(run, span.max_ns);
    max -= least(max, probes);
    if (!folded || fold) /* an earlier version tells of folded calls their own time alone */
        max = least(max, whole);
    return (profile_span){least(min - least(min, probes), max), max};
}

/* ---- A thread --------------------------------------------------------------------------------------------------- */

static bool start(corrected_thread *c, const profile_thread *t) {
    c->t = *t;
    return columns_extend(&c->timings, t->node_count);
}

/* How long threads were blocked: at most the own time, since both were read while the thread ran on. An own time lasted
 * as long as that at least. */
static void keep_waits(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    for (uint32_t i = 0; i < t->node_count && t->has_waits; i++) {
        profile_timing of = timing_at(&c->timings, i);
        of.blocked_ns = least(profile_ns(run, profile_number(t, PROFILE_BLOCKED, i)), of.times.exclusive_ns);
        if (!t->merged) { /* of those each run's ends are so already, and a sum's may not be moved once more */
            of.times.exclusive_low_ns = most(of.times.exclusive_low_ns, of.blocked_ns);
            of.times.inclusive_low_ns =
                least(most(of.times.inclusive_low_ns, of.times.exclusive_low_ns), of.times.inclusive_ns);
        }
        timing_set(&c->timings, i, &of);
    }
}

/* Own time is what is left without the waits. The ends of a time move with it. */
static void set_waits_apart(corrected_thread *c) {
    for (uint32_t i = 0; i < c->t.node_count && c->t.has_waits; i++)
        columns_set(&c->timings, TIMES_EXCLUSIVE, i,
                    columns_at(&c->timings, TIMES_EXCLUSIVE, i) - columns_at(&c->timings, TIMING_BLOCKED, i));
}

static bool correct(corrected_thread *c, const profile_run *run, ilj_offset offset) {
    bool calibrated = profile_is_calibrated(run);
    if (c->t.merged) {
        choose(c, offset == ILJ_OFFSET_CALIBRATED);
        if (offset != ILJ_OFFSET_CALIBRATED)
            c->t.has_corrected_spans = false;
        if (offset != ILJ_OFFSET_CALIBRATED || !c->t.has_costs) /* the others bring theirs */
            keep_over(c, run);
        keep_waits(c, run);
        if (offset != ILJ_OFFSET_ARTICLE) {
            columns_drop(&c->timings, TIMES_INCLUSIVE_OFFSET);
            columns_drop(&c->timings, TIMES_EXCLUSIVE_OFFSET);
        }
        return true;
    }
    if (calibrated && !correct_by_calibration(c, run)) /* also for what the probes have cost */
        return false;
    if (calibrated) /* as merging has them, whatever is asked for */
        keep_waits(c, run);
    if ((offset != ILJ_OFFSET_CALIBRATED || !calibrated) && !keep_recorded(c, run))
        return false;
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
    return !c->timings.failed;
}

/* Merged profiles have theirs in the nodes. */
static void note_recorded(corrected_thread *c, const profile_run *run) {
    const profile_thread *t = &c->t;
    c->has_recorded = true;
    for (uint32_t i = 0; i < t->node_count; i++)
        recorded_set(c, i,
                     t->merged ? (recorded_times){profile_number(t, PROFILE_TICKS, i),
                                                  profile_number(t, PROFILE_OWN, i), over_of(t, run, i)}
                               : (recorded_times){columns_at(&c->timings, TIMES_INCLUSIVE, i),
                                                  columns_at(&c->timings, TIMES_EXCLUSIVE, i),
                                                  columns_at(&c->timings, TIMES_OVER, i)});
}

bool correct_thread_both(corrected_thread *c, const profile_run *run, const profile_thread *t) {
    if (!start(c, t))
        return false;
    if (t->merged) {
        choose(c, true);
        if (!t->has_costs)
            keep_over(c, run);
        keep_waits(c, run);
        note_recorded(c, run);
        return correct_folds(c, run, true) && !c->timings.failed;
    }
    if (!keep_recorded(c, run))
        return false;
    note_recorded(c, run);
    if (profile_is_calibrated(run) ? !correct_by_calibration(c, run) : goes_in_steps(run) && !widen_by_step(c, run))
        return false;
    keep_waits(c, run);
    return correct_folds(c, run, true) && offset_by_article(c, run) && !c->timings.failed;
}

void corrected_clear(corrected_thread *c) {
    columns_clear(&c->timings);
    if (c->spliced)
        columns_clear(&c->t.nodes);
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
