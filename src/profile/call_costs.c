#include "profile/call_costs.h"

#include "profile/correct.h"
#include "profile/waited.h"

typedef unsigned __int128 wide;

static uint64_t stopped(wide value) {
    return value > PROFILE_MAX ? PROFILE_MAX : (uint64_t)value;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* As long as it takes a thread that has to wait for its processor now and then. */
static profile_costs with_waiting(const profile_run *run, const profile_costs *c) {
    uint64_t permille = correct_waiting(run), last = c->outside_last_ps;
    return (profile_costs){.inside_empty_ps = stopped((wide)c->inside_empty_ps * permille / 1000),
                           .outside_empty_ps = stopped((wide)c->outside_empty_ps * permille / 1000),
                           .inside_work_ps = stopped((wide)c->inside_work_ps * permille / 1000),
                           .outside_work_ps = stopped((wide)c->outside_work_ps * permille / 1000),
                           .outside_last_ps = stopped((wide)(last ? last : c->outside_work_ps) * permille / 1000)};
}

static correct_range widened(correct_range r, uint64_t a, uint64_t b) {
    return (correct_range){least(r.least, least(a, b)), most(r.most, most(a, b))};
}

/* Without the margin. Quiet moments bound the cost from below, the worse ones and all waiting from above. */
static call_costs costs_of(const profile_run *run) {
    profile_costs quiet = run->quiet;
    if (quiet.outside_last_ps == 0)
        quiet.outside_last_ps = quiet.outside_work_ps;
    const profile_costs *mean = profile_costs_known(&run->mean) ? &run->mean : &quiet;
    const profile_costs *high = profile_costs_known(&run->high) ? &run->high : mean;
    const profile_costs of[] = {quiet, with_waiting(run, mean), with_waiting(run, high)};
    call_costs c = {.mean = of[1], .inside = {UINT64_MAX, 0}, .outside = {UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        c.inside = widened(c.inside, of[i].inside_empty_ps, of[i].inside_work_ps);
        c.outside = widened(c.outside, of[i].outside_empty_ps, of[i].outside_work_ps);
        c.outside = widened(c.outside, of[i].outside_last_ps, of[i].outside_last_ps);
    }
    return c;
}

correct_range correct_inside(const profile_run *run) {
    return costs_of(run).inside;
}

correct_range correct_outside(const profile_run *run) {
    return costs_of(run).outside;
}

/* Calibrations of one run differ by that much. A call that reads no clock costs more in a program, which has not one
 * method alone in its caches, and less where a caller waits for other things. */
static correct_range with_margin(correct_range r, const profile_run *run) {
    enum { MARGIN = 16, DOWN_BY_TICKS = 4, UP_BY_TICKS = 2 }; /* one part in that many */
    const bool ticks = run->clock_ticks > 0;
    return (correct_range){r.least - r.least / (ticks ? DOWN_BY_TICKS : MARGIN),
                           profile_add(r.most, r.most / (ticks ? UP_BY_TICKS : MARGIN))};
}

/* Half less, or half more. */
static correct_range around(uint64_t ps) {
    return (correct_range){ps / 2, profile_add(ps, ps / 2)};
}

/* What small methods of the program show, unless they all do too much for that: then it is far above what calibration
 * has. Their callers have three quarters as much. */
static void by_leaves(call_costs *c, uint64_t leaf_ps) {
    enum { MOST_TIMES = 4, PART = 3, OF = 4 };
    if (c->beside_ps == 0 || leaf_ps == 0 || leaf_ps / MOST_TIMES > c->beside_ps)
        return;
    c->beside_ps = most(leaf_ps, c->beside_ps / 2);
    c->beside_out_ps = c->beside_ps / OF * PART;
    c->inside = around(c->beside_ps);
    c->outside = around(c->beside_out_ps);
    c->lost_ps = 0;
}

/* A method is small when its own time is within what calibration leaves open at best. */
call_costs call_costs_of(const profile_run *run) {
    enum { LEAST_INLINED_PS = 5000, SMALL_PS = 20000, LOST_INLINING_PS = 2000, WHOLE = 1000 };
    call_costs c = costs_of(run);
    c.inside = with_margin(c.inside, run);
    c.outside = with_margin(c.outside, run);
    if (run->beside_probes_ps > 0) {
        c.beside_ps = c.beside_out_ps = stopped((wide)(run->beside_probes_ps / 2) * correct_waiting(run) / WHOLE);
        c.inside = c.outside = (correct_range){0, profile_add(c.beside_ps, c.beside_ps)};
    }
    correct_range quiet = with_margin((correct_range){least(run->quiet.inside_empty_ps, run->quiet.inside_work_ps),
                                                      most(run->quiet.inside_empty_ps, run->quiet.inside_work_ps)},
                                      run);
    c.inlined_ps = most(quiet.most - quiet.least, LEAST_INLINED_PS);
    c.small_ps = most(c.inlined_ps, SMALL_PS);
    c.lost_ps = LOST_INLINING_PS * correct_waiting(run) / WHOLE;
    by_leaves(&c, run->leaf_ps);
    return c;
}

fold_cost call_costs_reading(const profile_run *run) {
    enum { MARGIN = 4 }; /* one part in that many */
    const uint64_t read = run->clock_read_ps;
    return (fold_cost){read, read - read / MARGIN, stopped((wide)(read + read / MARGIN) * correct_waiting(run) / 1000)};
}
