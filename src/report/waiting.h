/* waiting.h - the low ends of times where threads waited in some methods more than in others. */
#ifndef ILINJECT_REPORT_WAITING_H
#define ILINJECT_REPORT_WAITING_H

#include "report/aggregate.h"

/* The low end of each time becomes what is left when all of the waiting was in it: of the runs in which threads waited
 * apart (correct_waits_apart), merged ones as far as they are listed, the largest waiting counts. Other runs, and
 * uncalibrated ones, change nothing. Between the last aggregate_profile and aggregate_finish. */
void waiting_take_off(aggregate *a, const profile *profiles, size_t count);

#endif
