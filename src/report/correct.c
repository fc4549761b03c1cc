#include "report/correct.h"

#include <stdlib.h>

enum { PS_PER_NS = 1000, AVERAGES_PER_CALL = 2 };

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

/* The cost of a call whose frame was open for `span_ps`: `empty` at `from_ps`, `work` from `to_ps` on. */
static uint64_t between(uint64_t empty, uint64_t work, uint64_t from_ps, uint64_t to_ps, uint64_t span_ps) {
    if (span_ps >= to_ps)
        return work;
    if (span_ps <= from_ps)
        return empty;
    uint64_t step = empty < work ? work - empty : empty - work;
    uint64_t part = (uint64_t)((wide)step * (span_ps - from_ps) / (to_ps - from_ps));
    return empty < work ? empty + part : empty - part;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
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
            wide end = ticks / run->ticks_per_second * 1000000000u +
                       ticks % run->ticks_per_second * 1000000000u / run->ticks_per_second;
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

/* A node whose callees have had their turn: its times hold what they have left here, the exclusive ones the
 * picoseconds that they cost it, the inclusive ones the sum of theirs. */
static void correct_node(const profile_run *run, profile_thread *t, uint32_t i, folded_time *folded) {
    profile_node *n = &t->nodes[i], *caller = &t->nodes[n->parent];
    bool is_folded = caller->id == PROFILE_ID_FOLDED;
    uint64_t halves = half_calls(n);
    uint64_t span_ps = n->calls == 0 ? 0 : stopped((wide)n->ticks * 1000000000000u / run->ticks_per_second / n->calls);
    uint64_t to_ps = profile_add(run->inside_work_ps, CORRECT_WORK_PS);
    uint64_t inside_ps = between(run->inside_empty_ps, run->inside_work_ps, run->inside_empty_ps, to_ps, span_ps);
    uint64_t outside_ps = between(run->outside_empty_ps, run->outside_work_ps, run->inside_empty_ps, to_ps, span_ps);
    uint64_t most_inside = most(run->inside_empty_ps, run->inside_work_ps);
    uint64_t least_inside = least(run->inside_empty_ps, run->inside_work_ps);
    uint64_t most_outside = most(run->outside_empty_ps, run->outside_work_ps);
    uint64_t least_outside = least(run->outside_empty_ps, run->outside_work_ps);

    /* Who has called a folded call is not known; most often another one. */
    profile_node *payer = is_folded ? n : caller;
    payer->exclusive_ns = profile_add(payer->exclusive_ns, cost_of(halves, outside_ps));
    payer->exclusive_low_ns = profile_add(payer->exclusive_low_ns, cost_of(halves, most_outside));
    if (!is_folded)
        payer->exclusive_high_ns = profile_add(payer->exclusive_high_ns, cost_of(halves, least_outside));

    n->probe_ns = cost_of(halves, profile_add(inside_ps, outside_ps)) / PS_PER_NS;
    n->exclusive_ns = ns_without(run, n->own, profile_add(n->exclusive_ns, cost_of(halves, inside_ps)));
    n->exclusive_low_ns = ns_without(run, n->own, profile_add(n->exclusive_low_ns, cost_of(halves, most_inside)));
    n->exclusive_high_ns = ns_without(run, n->own, profile_add(n->exclusive_high_ns, cost_of(halves, least_inside)));
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
