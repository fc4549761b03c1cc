/* corrected.h - a thread whose times are without the probes' cost (correct.h). */
#ifndef ILINJECT_PROFILE_CORRECTED_H
#define ILINJECT_PROFILE_CORRECTED_H

#include "profile/timings.h"

/* Times as recorded, in nanoseconds; by ticks also what own times are below 0. */
typedef struct recorded_times {
    uint64_t inclusive_ns, exclusive_ns, over_ns;
} recorded_times;

/* The inclusive times of a method's folded calls: of all of them, and of those in no other call of the method. Their
 * nodes have own time alone. */
typedef struct corrected_fold {
    uint32_t node;
    uint64_t recorded_ns, recorded_outer_ns;
    profile_times all, outer;
} corrected_fold;

/* A thread as reports and merging take it. The profile it is of is not written to, and has to be there as long as it.
 *
 * CORRECTED_INIT, correct_thread or correct_thread_both, splice_thread (splice.h), use, corrected_clear. */
typedef struct corrected_thread {
    profile_thread t;      /* as recorded, but for the calls that splice_thread has taken out */
    bool spliced;          /* it has taken some: the nodes are this thread's own */
    columns timings;       /* of each node: timings.h, and from correct_thread_both the columns below */
    bool has_recorded;     /* from correct_thread_both */
    corrected_fold *folds; /* of each method that was folded, by its node; none where the profile does not tell */
    uint32_t fold_count;
    uint64_t spliced_ns; /* what probes have cost of calls that were taken out */
    arena memory;        /* of all that is not the profile's */
} corrected_thread;

#define CORRECTED_INIT ((corrected_thread){.folds = NULL})

/* The columns of times as recorded. */
enum { RECORDED_INCLUSIVE = TIMINGS, RECORDED_EXCLUSIVE, RECORDED_OVER, RECORDED_END };

static inline recorded_times recorded_at(const corrected_thread *c, uint32_t node) {
    return (recorded_times){columns_at(&c->timings, RECORDED_INCLUSIVE, node),
                            columns_at(&c->timings, RECORDED_EXCLUSIVE, node),
                            columns_at(&c->timings, RECORDED_OVER, node)};
}
static inline void recorded_set(corrected_thread *c, uint32_t node, recorded_times of) {
    columns_set(&c->timings, RECORDED_INCLUSIVE, node, of.inclusive_ns);
    columns_set(&c->timings, RECORDED_EXCLUSIVE, node, of.exclusive_ns);
    columns_set(&c->timings, RECORDED_OVER, node, of.over_ns);
}

#endif
