/* times.h - sums of times. */
#ifndef ILINJECT_REPORT_MODEL_TIMES_H
#define ILINJECT_REPORT_MODEL_TIMES_H

#include "profile/profile.h"

/* Adds the inclusive times, or the exclusive ones, alone. */
static inline void times_add_inclusive(profile_times *sum, const profile_times *more) {
    sum->inclusive_ns = profile_add(sum->inclusive_ns, more->inclusive_ns);
    sum->inclusive_low_ns = profile_add(sum->inclusive_low_ns, more->inclusive_low_ns);
    sum->inclusive_high_ns = profile_add(sum->inclusive_high_ns, more->inclusive_high_ns);
    sum->inclusive_offset_ns = profile_add(sum->inclusive_offset_ns, more->inclusive_offset_ns);
}

static inline void times_add_exclusive(profile_times *sum, const profile_times *more) {
    sum->exclusive_ns = profile_add(sum->exclusive_ns, more->exclusive_ns);
    sum->exclusive_low_ns = profile_add(sum->exclusive_low_ns, more->exclusive_low_ns);
    sum->exclusive_high_ns = profile_add(sum->exclusive_high_ns, more->exclusive_high_ns);
    sum->exclusive_over_ns = profile_add(sum->exclusive_over_ns, more->exclusive_over_ns);
    sum->exclusive_offset_ns = profile_add(sum->exclusive_offset_ns, more->exclusive_offset_ns);
}

/* Takes off a sum what some of its own times are below 0. */
static inline void times_settle(profile_times *t) {
    const uint64_t over = t->exclusive_over_ns;
    t->exclusive_ns -= t->exclusive_ns < over ? t->exclusive_ns : over;
    t->exclusive_low_ns -= t->exclusive_low_ns < over ? t->exclusive_low_ns : over;
    t->exclusive_high_ns -= t->exclusive_high_ns < over ? t->exclusive_high_ns : over;
    if (t->exclusive_low_ns > t->exclusive_ns)
        t->exclusive_low_ns = t->exclusive_ns;
    if (t->exclusive_high_ns < t->exclusive_ns)
        t->exclusive_high_ns = t->exclusive_ns;
    t->exclusive_over_ns = 0;
}

/* Adds a time that is sure: one that no probe's cost was taken off. */
static inline void times_add_sure(profile_times *sum, uint64_t ns) {
    const profile_times more = {
        ns, ns, ns, ns, ns, ns, 0, 0, 0,
    };
    times_add_inclusive(sum, &more);
    times_add_exclusive(sum, &more);
}

#endif
