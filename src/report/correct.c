#include "report/correct.h"

#include <stdlib.h>

enum { NS_PER_SECOND = 1000000000, PS_PER_NS = 1000, AVERAGES_PER_CALL = 2 };

typedef unsigned __int128 wide;

static uint64_t stopped(wide value) {
    return value > PROFILE_MAX ? PROFILE_MAX : (uint64_t)value;
}

/* What so many half calls cost, in picoseconds. */
static uint64_t cost_of(uint64_t halves, uint64_t call_ps) {
    return stopped((wide)halves * call_ps / 2);
}

/* The time without a cost, rounded down. */
static uint64_t ns_without(const profile_run *run, uint64_t ticks, uint64_t cost_ps) {
    wide ps = (wide)ticks * 1000000000000u / run->ticks_per_second;
    return ps > cost_ps ? stopped((ps - cost_ps) / PS_PER_NS) : 0;
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
    uint64_t part = (uint64_t)((wide)gap(empty, work) * (span_ps - empty) / range_ps);
    return empty < work ? empty + part : empty - part;
}

/* ---- As recorded ------------------------------------------------------------------------------------------------ */

/* Nanoseconds that add up: own times, and what was folded away, are laid one behind another and cut where each ends,
 * rounded down. So each is off by less than one, and so is the sum of any subtree; inclusive times are such sums. */
static void keep_recorded(const profile_run *run, profile_thread *t) {
    wide ticks = 0, ns = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i];
        const uint64_t parts[] = {i == 0 ? 0 : n->own, i == 0 ? 0 : n->folded_ticks};
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
        n->exclusive_ns = cut[0];
        n->inclusive_ns = profile_add(cut[0], cut[1]);
    }
    for (uint32_t i = t->node_count; i-- > 1;) {
        profile_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];
        if (n->id != PROFILE_ID_FOLDED) /* the callers have that time already */
            caller->inclusive_ns = profile_add(caller->inclusive_ns, n->inclusive_ns);
    }
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i];
        n->exclusive_low_ns = n->exclusive_high_ns = n->exclusive_ns;
        n->inclusive_low_ns = n->inclusive_high_ns = n->inclusive_ns;
    }
}

/* Two average readings for each call below, of its own callees and of all. Calls that were folded are not known. */
static void offset_by_article(const profile_run *run, profile_thread *t) {
    uint64_t call_ps = stopped((wide)run->clock_read_ps * AVERAGES_PER_CALL);
    for (uint32_t i = t->node_count; i-- > 1;) { /* the offsets count calls until their node's turn comes */
        profile_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];
        caller->exclusive_offset_ns = profile_add(caller->exclusive_offset_ns, n->calls);
        caller->inclusive_offset_ns =
            profile_add(caller->inclusive_offset_ns, profile_add(n->calls, n->inclusive_offset_ns));
        n->exclusive_offset_ns = stopped((wide)n->exclusive_offset_ns * call_ps / PS_PER_NS);
        n->inclusive_offset_ns = stopped((wide)n->inclusive_offset_ns * call_ps / PS_PER_NS);
    }
    profile_node *root = &t->nodes[0];
    root->inclusive_offset_ns = t->nodes[0].exclusive_offset_ns = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        if (t->nodes[i].parent == 0)
            root->inclusive_offset_ns = profile_add(root->inclusive_offset_ns, t->nodes[i].inclusive_offset_ns);
}

/* ---- Calibrated ------------------------------------------------------------------------------------------------- */

/* Time of folded calls as recorded, and what is left of it. They are the last nodes, so they are corrected first. */
typedef struct folded_time {
    uint64_t recorded_ns, ns, low_ns, high_ns;
} folded_time;

static uint64_t share_of(uint64_t ns, uint64_t part, uint64_t whole) {
    return whole == 0 ? ns : stopped((wide)ns * part / whole);
}

static uint64_t span_of(const profile_run *run, uint64_t ticks, wide halves) {
    return halves == 0 ? 0 : stopped((wide)ticks * 2000000000000u / run->ticks_per_second / halves);
}

/* What a call costs within the frame. Work of up to the gap is done beside the probe, so that the first half of the gap
 * above `empty` stands for one and a half of it. */
static uint64_t inside_of(const profile_run *run, const profile_node *n) {
    uint64_t empty = run->inside_empty_ps, work = run->inside_work_ps;
    return cost_within(empty, work, span_of(run, n->ticks, (wide)n->calls * 2), gap(empty, work) / 2);
}

/* What a call costs the caller of so many half calls. A caller that works has one call in each of its own that may be
 * the first or the last thing it does, as 4 in 5 are taken to be. For a caller that may work, or not, it is rather what
 * a call costs one that does not. */
static uint64_t outside_of(const profile_run *run, const profile_node *n, uint64_t halves, uint64_t below) {
    enum { LAST = 4, OF = 5, CAUTION = 2 };
    uint64_t empty = run->outside_empty_ps, between = run->outside_work_ps;
    uint64_t last = run->outside_last_ps ? run->outside_last_ps : between;
    uint64_t part = below == 0 ? 0 : stopped((wide)gap(between, last) / OF * LAST * least(halves, below) / below);
    uint64_t work = between < last ? between + part : between - part;
    return cost_within(empty, work, span_of(run, n->own, below), stopped((wide)gap(empty, work) * CAUTION));
}

correct_range correct_inside(const profile_run *run) {
    uint64_t empty = run->inside_empty_ps, work = run->inside_work_ps;
    return (correct_range){least(empty, work), most(empty, work)};
}

correct_range correct_outside(const profile_run *run) {
    uint64_t empty = run->outside_empty_ps, work = run->outside_work_ps;
    uint64_t last = run->outside_last_ps ? run->outside_last_ps : work;
    return (correct_range){least(empty, least(work, last)), most(empty, most(work, last))};
}

/* Calibrations of one run differ by so much. */
static correct_range with_margin(correct_range r) {
    enum { MARGIN = 16 }; /* one part in so many */
    return (correct_range){r.least - r.least / MARGIN, profile_add(r.most, r.most / MARGIN)};
}

/* A node whose callees have had their turn: its times hold what they have left here, the exclusive one how many half
 * calls they were, the inclusive ones the sum of theirs. */
static void correct_node(const profile_run *run, profile_thread *t, uint32_t i, folded_time *folded) {
    profile_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];
    bool is_folded = caller->id == PROFILE_ID_FOLDED;
    uint64_t halves = half_calls(n), below = n->exclusive_ns;
    /* Who has called a folded call is not known; most often another one. */
    if (is_folded)
        below = profile_add(below, halves);
    else
        caller->exclusive_ns = profile_add(caller->exclusive_ns, halves);

    uint64_t inside_ps = inside_of(run, n), outside_ps = outside_of(run, n, halves, below);
    correct_range inside = with_margin(correct_inside(run)), outside = with_margin(correct_outside(run));

    n->pending = (uint32_t)least(outside_ps, UINT32_MAX);
    n->probe_ns = cost_of(halves, inside_ps) / PS_PER_NS;
    n->exclusive_ns = ns_without(run, n->own, profile_add(cost_of(halves, inside_ps), cost_of(below, outside_ps)));
    n->exclusive_low_ns =
        ns_without(run, n->own, profile_add(cost_of(halves, inside.most), cost_of(below, outside.most)));
    n->exclusive_high_ns = ns_without(
        run, n->own, profile_add(cost_of(halves, inside.least), is_folded ? 0 : cost_of(below, outside.least)));
    if (is_folded) {
        folded->recorded_ns = profile_add(folded->recorded_ns, profile_ns(run, n->own));
        folded->ns = profile_add(folded->ns, n->exclusive_ns);
        folded->low_ns = profile_add(folded->low_ns, n->exclusive_low_ns);
        folded->high_ns = profile_add(folded->high_ns, n->exclusive_high_ns);
    }
    uint64_t away = profile_ns(run, n->folded_ticks);
    n->inclusive_ns =
        profile_add(profile_add(n->inclusive_ns, n->exclusive_ns), share_of(away, folded->ns, folded->recorded_ns));
    n->inclusive_low_ns = profile_add(profile_add(n->inclusive_low_ns, n->exclusive_low_ns),
                                      share_of(away, folded->low_ns, folded->recorded_ns));
    n->inclusive_high_ns = profile_add(profile_add(n->inclusive_high_ns, n->exclusive_high_ns),
                                       share_of(away, folded->high_ns, folded->recorded_ns));
    if (n->id == PROFILE_ID_FOLDED) /* its sum is not the root's: the callers have this time already */
        return;
    caller->inclusive_ns = profile_add(caller->inclusive_ns, n->inclusive_ns);
    caller->inclusive_low_ns = profile_add(caller->inclusive_low_ns, n->inclusive_low_ns);
    caller->inclusive_high_ns = profile_add(caller->inclusive_high_ns, n->inclusive_high_ns);
}

static void correct_by_calibration(const profile_run *run, profile_thread *t) {
    folded_time folded = {0};
    for (uint32_t i = t->node_count; i-- > 1;)
        correct_node(run, t, i, &folded);
    profile_node *root = &t->nodes[0]; /* no method: what calls cost outside of all frames is nobody's */
    root->exclusive_ns = root->exclusive_low_ns = root->exclusive_high_ns = 0;
    root->pending = (uint32_t)least(run->outside_empty_ps, UINT32_MAX);
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];
        uint32_t outside_ps = caller->id == PROFILE_ID_FOLDED ? n->pending : caller->pending;
        n->probe_ns = profile_add(n->probe_ns, cost_of(half_calls(n), outside_ps) / PS_PER_NS);
    }
}

/* ---- Merged ----------------------------------------------------------------------------------------------------- */

static void keep_merged(profile_node *n) {
    n->exclusive_ns = n->exclusive_low_ns = n->exclusive_high_ns = n->own;
    n->inclusive_ns = n->inclusive_low_ns = n->inclusive_high_ns = n->ticks;
}

static void choose(profile_thread *t, ilj_offset offset) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i];
        if (!t->corrected || offset != ILJ_OFFSET_CALIBRATED)
            keep_merged(n);
        if (offset != ILJ_OFFSET_ARTICLE)
            n->inclusive_offset_ns = n->exclusive_offset_ns = 0;
    }
}

void correct_thread(const profile_run *run, profile_thread *t, ilj_offset offset) {
    if (t->merged) {
        choose(t, offset);
        return;
    }
    if (profile_is_calibrated(run))
        correct_by_calibration(run, t); /* also for what the probes have cost */
    if (offset != ILJ_OFFSET_CALIBRATED || !profile_is_calibrated(run))
        keep_recorded(run, t);
    if (offset == ILJ_OFFSET_ARTICLE)
        offset_by_article(run, t);
}

bool correct_thread_both(const profile_run *run, profile_thread *t) {
    if (t->merged) {
        if (!t->corrected)
            choose(t, ILJ_OFFSET_NONE);
        return true;
    }
    uint64_t(*recorded)[2] = calloc(t->node_count, sizeof *recorded);
    if (!recorded)
        return false;
    keep_recorded(run, t);
    for (uint32_t i = 0; i < t->node_count; i++) {
        recorded[i][0] = t->nodes[i].inclusive_ns;
        recorded[i][1] = t->nodes[i].exclusive_ns;
    }
    if (profile_is_calibrated(run)) {
        for (uint32_t i = 0; i < t->node_count; i++)
            t->nodes[i].times = (profile_times){0};
        correct_by_calibration(run, t);
    }
    offset_by_article(run, t);
    for (uint32_t i = 0; i < t->node_count; i++) {
        t->nodes[i].ticks = recorded[i][0];
        t->nodes[i].own = recorded[i][1];
    }
    free(recorded);
    return true;
}
