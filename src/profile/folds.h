/* folds.h - the cost of calls without nodes: those that were folded, taken back, or not recorded (section FOLD). They
 * go a slow way, whose cost a run measures by itself. For correct.c alone. */
#ifndef ILINJECT_PROFILE_FOLDS_H
#define ILINJECT_PROFILE_FOLDS_H

#include "profile/corrected.h"

/* Picoseconds: on average, and between what bounds. */
typedef struct fold_cost {
    uint64_t mean, least, most;
} fold_cost;

typedef struct fold_costs {
    fold_cost inside, outside, taken_back, skipped;
} fold_costs;

/* Where the run does not tell, by the cost of other calls on average. */
fold_costs folds_costs(const profile_run *run, const profile_costs *others);

/* The cost to the own time of the node that made the calls, and to the time of its callees that were folded. `f` may be
 * NULL: it made none. */
fold_cost folds_own(const fold_costs *costs, const profile_fold *f);
fold_cost folds_away(const fold_costs *costs, const profile_fold *f);

/* Makes c->folds; `costs`: NULL when nothing is to be taken off. False when memory ran out. */
bool folds_correct(corrected_thread *c, const profile_run *run, const fold_costs *costs);

#endif
