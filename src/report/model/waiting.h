/* waiting.h - the low ends of times where threads waited for a processor.
 *
 * Probes' costs, and so times, are those of threads that waited evenly. But a thread that waits does so at one place,
 * for some milliseconds: of two methods of the same work one had more of that. How far a time may be off follows from
 * how many waits fell into it, of which the run's mean distance tells: of n waits by three standard deviations,
 * 3 / sqrt(n) of the waiting, by all of it where n is 9 or less, by nothing where the profile does not tell. The low
 * end becomes what is left when the time had that much more than its share. The high end stays: no more than that has
 * passed.
 *
 * Threads that run for less than a millisecond at a time (correct_waits_apart) wait where they are woken up: some
 * methods have all of the waiting, others none. There the low end is without any waiting. */
#ifndef ILINJECT_REPORT_MODEL_WAITING_H
#define ILINJECT_REPORT_MODEL_WAITING_H

#include "report/model/aggregate.h"

/* Lowers the low ends of all functions and nodes. Among several runs, merged ones as far as they are listed, the one
 * that waited most counts, one that waited apart before all others. Runs that waited for less than a tenth of their
 * time, and uncalibrated ones, change nothing. Between the last aggregate_profile and aggregate_finish. */
void waiting_widen(aggregate *a, const profile *profiles, size_t count);

#endif
