/* ticks.h - the ends of times that were taken by a clock which a thread ticks.
 *
 * A time is the number of ticks that fell into its calls, times the pause between two (clock_step_ns). Ticks come
 * independently of what the program does, so their number is off by its own square root: 95 of 100 times by less than
 * two of them. The time from its first tick to its last is known, so n calls are off by no more than 2 n ends, each by
 * less than a pause: few long calls are as sure as by any clock. */
#ifndef ILINJECT_REPORT_MODEL_TICKS_H
#define ILINJECT_REPORT_MODEL_TICKS_H

#include "report/model/aggregate.h"

/* Widens the ranges of all functions and nodes, once slices have their places (logical.h): the end of a sum is no sum
 * of ends. Among several runs, merged ones as far as they are listed, the longest
 * pause counts; runs by other clocks change nothing. Between the last aggregate_profile and aggregate_finish. False
 * when memory ran out. */
bool ticks_widen(aggregate *a, const profile *profiles, size_t count);

/* Adds to a sum what of a function's own time is by ticks. */
void ticks_add(const aggregate *a, ticked_own *sum, uint32_t function);

/* Of a sum of own times, each with its own ends: makes its ends those of its number of ticks. Nothing where no time is
 * by ticks. */
void ticks_settle(const aggregate *a, const ticked_own *sum, uint64_t ns, uint64_t *low_ns, uint64_t *high_ns);

#endif
