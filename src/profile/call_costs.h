/* call_costs.h - what a call has cost, by a run's calibrations, in picoseconds. */
#ifndef ILINJECT_PROFILE_CALL_COSTS_H
#define ILINJECT_PROFILE_CALL_COSTS_H

#include "profile/correct.h"
#include "profile/folds.h"

/* The cost of a call of this run: on average, and between what bounds. */
typedef struct call_costs {
    profile_costs mean;
    correct_range inside, outside;
    uint64_t beside_ps;     /* where ticks see the probes: of a call, within its frame, beside them */
    uint64_t beside_out_ps; /* and in its caller's */
    uint64_t inlined_ps;    /* own time of a call that a compiler may save by inlining the method */
    uint64_t small_ps;      /* of one of a method that it may inline */
    uint64_t lost_ps; /* by inlining: what a call costs each of the two, as they keep less in registers; 0: beside_ps
                         has it */
} call_costs;

/* With a margin, as it is taken off. */
call_costs call_costs_of(const profile_run *run);

/* Reading the clock, as some calls do twice while another one ticks: once within the frame's own time, once in its
 * caller's. */
fold_cost call_costs_reading(const profile_run *run);

#endif
