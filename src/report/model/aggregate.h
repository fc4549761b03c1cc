/* aggregate.h - profiles merged into one: functions with totals, one call tree over all threads or one of each, what
 * exceptions did, and who started which async method.
 *
 * AGGREGATE_INIT, aggregate_profile for each, aggregate_finish once, use, aggregate_clear. Functions are matched by the
 * input module's MVID and the MethodDef row, trees by path. MoveNext of an iterator or async method counts for the
 * method that the user wrote, unless raw names are asked for. Times are in nanoseconds; sums stop at PROFILE_MAX.
 *
 * Times are without the probes' cost, each profile's by its own calibration (correct.h); the low and high ones say how
 * sure that is. For profiles without calibration, or when nothing is to be taken off, they are the recorded ones. */
#ifndef ILINJECT_REPORT_MODEL_AGGREGATE_H
#define ILINJECT_REPORT_MODEL_AGGREGATE_H

#include "ilinject.h"
#include "report/model/async.h"
#include "report/model/call_tree.h"
#include "report/model/exceptions.h"
#include "report/model/match.h"
#include "report/model/sites.h"

/* The folded calls of a function, which have no place in the tree: their inclusive time where no other call of the
 * function was below them, and for its average. */
typedef struct report_own_folded {
    profile_times times, averaged; /* the inclusive ones alone */
    uint64_t calls;
} report_own_folded;

/* A method of one profile that was switched off while the program ran. It has no figures as a function here. */
typedef struct report_switch {
    report_function function;
    uint32_t run; /* position of the profile */
    profile_switch of;
} report_switch;

/* Why times lie between two ends. */
typedef enum range_cause { RANGE_BY_RECORDING, RANGE_BY_WAITING, RANGE_BY_TICKS, RANGE_CAUSES } range_cause;

typedef struct report_totals {
    uint64_t enters; /* steps too */
    uint64_t steps;
    uint64_t leaves; /* normal ones */
    uint64_t by_exception, resynchronised, open, folded, folded_async, dropped;
    uint64_t ended; /* frames of async calls that had ended, which were still on the stack: among the leaves */
    uint64_t threads;
    uint64_t exclusive_ns;
    uint64_t recorded_over_ns;            /* to be taken off recorded_ns (profile_times), as ticks_widen does */
    profile_figures figures;              /* of the functions' own code */
    uint64_t waiting_ns;                  /* in which threads were blocked in the functions' own code */
    uint64_t recorded_ns;                 /* the same with what probes have cost */
    uint64_t probe_ns;                    /* of all calls */
    uint64_t switched_probe_ns;           /* of those of methods that the governor switched off */
    uint64_t probe_low_ns, probe_high_ns; /* where each call cost the least, or the most, that was measured */
    uint64_t open_ns[RANGE_CAUSES];       /* between the ends of all functions' own times, by cause. From bounds_set */
    uint64_t wall_ns;                     /* of all profiles; 0: not known */
    uint64_t low_ns, high_ns;             /* the ends of all functions' own times. From aggregate_finish */
} report_totals;

/* What of an own time is by ticks, in how many pieces, and how far that moves its ends (ticks.h). */
typedef struct ticked_own {
    uint64_t ns, pieces;
    uint64_t down_ns, up_ns;
} ticked_own;

/* The tests that a report is about: those that have one of the texts in their names, or that a pattern names. */
typedef struct kept_tests {
    const char *const *texts;
    size_t text_count; /* 0: it is about all code */
    filter patterns;   /* of the texts that have a wildcard */
} kept_tests;

typedef struct aggregate {
    bool physical;      /* option: slices stay where they ran, below what completed their awaits (logical.h) */
    ilj_offset offset;  /* option */
    kept_tests kept;    /* option */
    uint64_t pause_ns;  /* between two ticks, where some times are by them */
    ticked_own *ticked; /* of each function, where some times are by ticks; NULL: none is. From ticks_widen */
    function_list list;
    call_tree tree;
    report_switch *switches; /* in the order of the profiles, and of ids */
    uint32_t switch_count, switch_capacity;
    report_own_folded *own_folded; /* of the first that many functions */
    uint32_t own_folded_count, own_folded_capacity;
    report_totals totals;
    struct {
        uint64_t calls, counted; /* of the same methods in this run, and in the one that counted (report/work.h) */
    } work;
    profile_figures counted; /* as of profile_run */
    uint64_t bytes_missing, late;
    report_sites sites;
    uint64_t runs, only_counts; /* how many there are, and how many of them have no times: calls were only counted */
    exceptions exceptions;
    async_tree async;
} aggregate;

#define AGGREGATE_INIT ((aggregate){0})

/* Are there no times and no tree, as calls were only counted in all runs? */
static inline bool aggregate_only_counts(const aggregate *a) {
    return a->only_counts > 0 && a->only_counts >= a->runs;
}

/* Adds one profile, the `run`th. Tells PROFILE_NAMES for each module whose names are missing or damaged. Nothing of the
 * profile or its bytes is kept, but in *matched what match.h says, to be cleared in any case; NULL: it is not wanted.
 * Returns ECMA_OK, ECMA_NO_MEMORY (also for more than 2^32 - 2 nodes or 2^28 - 2 functions or threads). */
ecma_status aggregate_profile(aggregate *a, profile *p, uint32_t run, matched_profile *matched, diag *d);

/* Ranks the functions and orders each node's children: most inclusive time first as it is estimated, then calls, then
 * name; or as_called. */
ecma_status aggregate_finish(aggregate *a, diag *d);

void aggregate_clear(aggregate *a);

#endif
