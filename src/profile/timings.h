/* timings.h - the times of nodes in columns.
 *
 * The ends of a time stand as what they are off, so that times without ends have no columns for them. */
#ifndef ILINJECT_PROFILE_TIMINGS_H
#define ILINJECT_PROFILE_TIMINGS_H

#include "profile/profile.h"

/* The first columns, where there are times; TIMINGS are those of a profile_timing. */
enum {
    TIMES_INCLUSIVE,
    TIMES_INCLUSIVE_LOW,
    TIMES_INCLUSIVE_HIGH,
    TIMES_INCLUSIVE_OFFSET,
    TIMES_EXCLUSIVE,
    TIMES_EXCLUSIVE_LOW,
    TIMES_EXCLUSIVE_HIGH,
    TIMES_EXCLUSIVE_OFFSET,
    TIMES_OVER,
    TIMES_COLUMNS,
    TIMING_PROBE = TIMES_COLUMNS,
    TIMING_BLOCKED,
    TIMINGS,
};

static inline uint64_t times_low_at(const columns *t, unsigned column, uint32_t row, uint64_t ns) {
    return ns - (uint64_t)columns_unfolded(columns_at(t, column + 1, row));
}
static inline uint64_t times_high_at(const columns *t, unsigned column, uint32_t row, uint64_t ns) {
    return ns + (uint64_t)columns_unfolded(columns_at(t, column + 2, row));
}

ALWAYS_INLINE profile_times times_at(const columns *t, uint32_t row) {
    const uint64_t all = columns_at(t, TIMES_INCLUSIVE, row), own = columns_at(t, TIMES_EXCLUSIVE, row);
    return (profile_times){
        .inclusive_ns = all,
        .inclusive_low_ns = times_low_at(t, TIMES_INCLUSIVE, row, all),
        .inclusive_high_ns = times_high_at(t, TIMES_INCLUSIVE, row, all),
        .exclusive_ns = own,
        .exclusive_low_ns = times_low_at(t, TIMES_EXCLUSIVE, row, own),
        .exclusive_high_ns = times_high_at(t, TIMES_EXCLUSIVE, row, own),
        .exclusive_over_ns = columns_at(t, TIMES_OVER, row),
        .inclusive_offset_ns = columns_at(t, TIMES_INCLUSIVE_OFFSET, row),
        .exclusive_offset_ns = columns_at(t, TIMES_EXCLUSIVE_OFFSET, row),
    };
}

static inline void times_set_range(columns *t, unsigned column, uint32_t row, uint64_t low, uint64_t ns,
                                   uint64_t high) {
    columns_set(t, column, row, ns);
    columns_set(t, column + 1, row, columns_folded((int64_t)(ns - low)));
    columns_set(t, column + 2, row, columns_folded((int64_t)(high - ns)));
}

static inline void times_set_inclusive(columns *t, uint32_t row, const profile_times *of) {
    times_set_range(t, TIMES_INCLUSIVE, row, of->inclusive_low_ns, of->inclusive_ns, of->inclusive_high_ns);
    columns_set(t, TIMES_INCLUSIVE_OFFSET, row, of->inclusive_offset_ns);
}

static inline void times_set_exclusive(columns *t, uint32_t row, const profile_times *of) {
    times_set_range(t, TIMES_EXCLUSIVE, row, of->exclusive_low_ns, of->exclusive_ns, of->exclusive_high_ns);
    columns_set(t, TIMES_EXCLUSIVE_OFFSET, row, of->exclusive_offset_ns);
    columns_set(t, TIMES_OVER, row, of->exclusive_over_ns);
}

static inline void times_set(columns *t, uint32_t row, const profile_times *of) {
    times_set_inclusive(t, row, of);
    times_set_exclusive(t, row, of);
}

ALWAYS_INLINE profile_timing timing_at(const columns *t, uint32_t row) {
    return (profile_timing){times_at(t, row), columns_at(t, TIMING_PROBE, row), columns_at(t, TIMING_BLOCKED, row)};
}

static inline void timing_set(columns *t, uint32_t row, const profile_timing *of) {
    times_set(t, row, &of->times);
    columns_set(t, TIMING_PROBE, row, of->probe_ns);
    columns_set(t, TIMING_BLOCKED, row, of->blocked_ns);
}

/* May the first `count` columns be added to sums, number by number? No sum stops at PROFILE_MAX as long as the sum of
 * all that is added is below that (*all, 0 at first); and what an end is off adds up where no low end is above its
 * time, and no high one below: such numbers are even. */
static inline bool timings_fit(uint64_t *all, const columns *t, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        const bool end = k == TIMES_INCLUSIVE_LOW || k == TIMES_INCLUSIVE_HIGH || k == TIMES_EXCLUSIVE_LOW ||
                         k == TIMES_EXCLUSIVE_HIGH;
        uint64_t bits, sum = columns_sum(t, k, &bits);
        *all = end && bits & 1 ? PROFILE_MAX : profile_add(*all, sum);
    }
    return *all < PROFILE_MAX;
}

#endif
