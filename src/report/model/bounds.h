/* bounds.h - the ends of times, once all profiles are added up. */
#ifndef ILINJECT_REPORT_MODEL_BOUNDS_H
#define ILINJECT_REPORT_MODEL_BOUNDS_H

#include "report/model/aggregate.h"

/* Lets slices find their places (logical.h), widens the ranges by waiting (waiting.h) and by ticks (ticks.h), notes how
 * much of them is due to what, and cuts what lies above the wall time on each thread. Between the last
 * aggregate_profile and aggregate_finish. False when memory ran out. */
bool bounds_set(aggregate *a, const profile *profiles, size_t count);

#endif
