/* where.h - which profiles of a report are of runs with the labels that are asked for. */
#ifndef ILINJECT_REPORT_WHERE_H
#define ILINJECT_REPORT_WHERE_H

#include "ilinject.h"
#include "report/input.h"

/* Keeps those of `inputs` where all runs have every label, "NAME=VALUE" each; of each file what is known of its run
 * alone is read. Reports LABELS_MIXED for a merged profile that has such runs among others. Returns ECMA_OK,
 * ECMA_CONFIG (LABEL_WANTED), ECMA_IO (NO_PROFILE: none is left), and as profile_read. */
ecma_status where_keep(report_input *inputs, size_t *count, const char *const *wanted, size_t wanted_count);

#endif
