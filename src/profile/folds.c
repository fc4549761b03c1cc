#include "profile/folds.h"

#include "profile/waited.h"

typedef unsigned __int128 wide;

static uint64_t stopped(wide value) {
    return value > PROFILE_MAX ? PROFILE_MAX : (uint64_t)value;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* One measurement stands for calls whose surroundings differ: it may be off by half. Where there is none, the slow way
 * is taken to cost at most four times the other. */
static fold_cost cost_of(const profile_run *run, uint64_t measured_ps, uint64_t other_ps) {
    enum { SLOWER = 4, WHOLE = 1000 };
    uint64_t waiting = correct_waiting(run);
    if (measured_ps == 0)
        return (fold_cost){other_ps, other_ps / 2, stopped((wide)other_ps * SLOWER)};
    uint64_t mean = stopped((wide)measured_ps * waiting / WHOLE);
    return (fold_cost){mean, measured_ps / 2, stopped((wide)mean * 3 / 2)};
}

fold_costs folds_costs(const profile_run *run, const profile_costs *others) {
    fold_costs c = {cost_of(run, run->inside_folded_ps, others->inside_empty_ps),
                    cost_of(run, run->outside_folded_ps, others->outside_empty_ps), .taken_back = {0}};
    c.taken_back = cost_of(run, run->taken_back_ps, profile_add(c.inside.mean, c.outside.mean));
    c.skipped = cost_of(run, run->skipped_ps, others->outside_empty_ps / 2);
    if (run->skipped_ps == 0)
        c.skipped.least = 0;
    return c;
}

static void add(fold_cost *sum, uint64_t calls, const fold_cost *each) {
    sum->mean = profile_add(sum->mean, stopped((wide)calls * each->mean));
    sum->least = profile_add(sum->least, stopped((wide)calls * each->least));
    sum->most = profile_add(sum->most, stopped((wide)calls * each->most));
}

fold_cost folds_own(const fold_costs *costs, const profile_fold *f) {
    fold_cost sum = {0};
    if (!f)
        return sum;
    add(&sum, f->calls, &costs->outside);
    add(&sum, f->taken_back, &costs->taken_back);
    add(&sum, f->skipped, &costs->skipped);
    return sum;
}

fold_cost folds_away(const fold_costs *costs, const profile_fold *f) {
    fold_cost sum = {0};
    if (!f)
        return sum;
    add(&sum, f->all, &costs->inside);
    add(&sum, f->all > f->calls ? f->all - f->calls : 0, &costs->outside);
    return sum;
}

static uint64_t without(uint64_t ns, uint64_t cost_ps) {
    return ns - (cost_ps / 1000 < ns ? cost_ps / 1000 : ns);
}

/* The inclusive time of that many frames with that many folded calls below them. */
static profile_times times_of(uint64_t ns, uint64_t frames, uint64_t below, const fold_costs *costs) {
    profile_times t = {.inclusive_ns = ns, .inclusive_low_ns = ns, .inclusive_high_ns = ns};
    if (!costs)
        return t;
    fold_cost sum = {0};
    add(&sum, profile_add(frames, below), &costs->inside);
    add(&sum, below, &costs->outside);
    t.inclusive_ns = without(ns, sum.mean);
    t.inclusive_low_ns = without(ns, sum.most);
    t.inclusive_high_ns = without(ns, sum.least);
    return t;
}

bool folds_correct(corrected_thread *c, const profile_run *run, const fold_costs *costs) {
    const profile_thread *t = &c->t;
    if (t->fold_count == 0)
        return true;
    c->folds = arena_alloc_array(&c->memory, t->fold_count, sizeof *c->folds);
    if (!c->folds)
        return false;
    for (uint32_t i = 0; i < t->fold_count; i++) {
        const profile_fold *f = &t->folds[i];
        const profile_times own = times_at(&c->timings, f->node);
        const uint64_t calls = profile_number(t, PROFILE_CALLS, f->node);
        if (t->ids[t->parents[f->node]] != PROFILE_ID_FOLDED)
            continue;
        uint64_t all = profile_ns(run, f->ticks), outer = profile_ns(run, f->outer_ticks);
        corrected_fold *of = &c->folds[c->fold_count++];
        *of = (corrected_fold){f->node, all, outer, times_of(all, calls, f->all, t->merged ? NULL : costs),
                               times_of(outer, f->outer_frames, f->outer_below, t->merged ? NULL : costs)};
        if (t->merged && costs) {
            of->all = f->times;
            of->outer = f->outer;
        }
        of->all.inclusive_ns = most(of->all.inclusive_ns, own.exclusive_ns);
        of->all.inclusive_low_ns = most(of->all.inclusive_low_ns, own.exclusive_low_ns);
        of->all.inclusive_high_ns = most(of->all.inclusive_high_ns, own.exclusive_high_ns);
    }
    return true;
}
