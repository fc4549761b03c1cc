/* durations.h - how long the calls of a function took: the shortest, the longest, and a histogram that percentiles come
 * from. Inclusive times in nanoseconds, over all nodes, threads and profiles; those of the histogram as recorded.
 *
 * Sums of integers: the order in which profiles are added makes no difference. */
#ifndef ILINJECT_REPORT_MODEL_DURATIONS_H
#define ILINJECT_REPORT_MODEL_DURATIONS_H

#include "base/arena.h"
#include "profile/profile.h"

typedef struct durations {
    union {
        profile_span span;
        struct {
            uint64_t min_ns, max_ns; /* min above max: not known */
        };
    };
    uint64_t *counts; /* of calls, PROFILE_BUCKETS of them as in a profile, but of nanoseconds; NULL: not known */
    uint64_t total;
} durations;

#define DURATIONS_INIT ((durations){.min_ns = UINT64_MAX})

static inline bool durations_has_span(const durations *d) {
    return d->min_ns <= d->max_ns;
}

/* Adds one thread's histogram; `memory` has to live as long as the durations. Returns false when memory ran out. */
bool durations_add(durations *d, arena *memory, const profile_run *run, const profile_histogram *h);

/* The time that `percent` (1 to 100) of the calls did not exceed: right to the bucket, which is at most a quarter of it
 * wide, in which calls are taken to lie evenly; between the shortest and the longest. False without a histogram. */
bool durations_try_percentile(const durations *d, unsigned percent, uint64_t *ns);

#endif
