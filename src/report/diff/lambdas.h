/* lambdas.h - lambdas that have another number than before, since others were written above them.
 *
 * A lambda of the runs before that a run after lacks, and one that it has alone, are one method where no other of
 * either kind has the same name but for the number. It has the name of the runs after from then on. */
#ifndef ILINJECT_REPORT_DIFF_LAMBDAS_H
#define ILINJECT_REPORT_DIFF_LAMBDAS_H

#include "report/diff/diff.h"

/* Of each function of the run that comes, a run after: the entry that it is though its name says otherwise, or
 * MAP_NONE. To be freed. NULL when memory ran out. */
uint32_t *diff_pair_lambdas(diff *d, const aggregate *run);

#endif
