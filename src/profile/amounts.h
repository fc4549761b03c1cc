/* amounts.h - arithmetic of times and costs, for the files that correct times. */
#ifndef ILINJECT_PROFILE_AMOUNTS_H
#define ILINJECT_PROFILE_AMOUNTS_H

#include "profile/profile.h"

enum { NS_PER_SECOND = 1000000000, PS_PER_NS = 1000, AVERAGES_PER_CALL = 2 };

typedef unsigned __int128 wide;

static inline uint64_t stopped(wide value) {
    return value > PROFILE_MAX ? PROFILE_MAX : (uint64_t)value;
}

/* Nearly all figures are of 64 bits, which a processor divides by itself. */
static inline wide divided(wide value, wide by) {
    return (value | by) >> 64 ? value / by : (uint64_t)value / (uint64_t)by;
}

/* The cost of that many half calls, in picoseconds. */
static inline uint64_t cost_of(uint64_t halves, uint64_t call_ps) {
    if ((halves | call_ps) >> 32 == 0) /* the usual */
        return halves * call_ps / 2;
    return stopped((wide)halves * call_ps / 2);
}

static inline uint64_t half_calls(const profile_thread *t, uint32_t node) {
    const uint64_t calls = profile_number(t, PROFILE_CALLS, node);
    if (calls < UINT32_MAX && columns_is_empty(&t->nodes, PROFILE_RESYNCHRONISED) &&
        columns_is_empty(&t->nodes, PROFILE_OPEN)) /* the usual */
        return calls * 2;
    uint64_t unclosed =
        profile_add(profile_number(t, PROFILE_RESYNCHRONISED, node), profile_number(t, PROFILE_OPEN, node));
    wide twice = (wide)calls * 2;
    return twice > unclosed ? stopped(twice - unclosed) : 0;
}

static inline uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* What a node's callees have more than it, by ticks. */
static inline uint64_t over_of(const profile_thread *t, const profile_run *run, uint32_t node) {
    uint64_t over = !t->has_ticks || node == 0 ? 0 : profile_number(t, PROFILE_OVER, node);
    return t->merged ? over : profile_ns(run, over);
}

#endif
