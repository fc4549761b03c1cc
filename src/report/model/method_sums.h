/* method_sums.h - what each method of a profile took, without a tree: for comparing profiles with so large trees that
 * comparing their paths takes seconds. */
#ifndef ILINJECT_REPORT_MODEL_METHOD_SUMS_H
#define ILINJECT_REPORT_MODEL_METHOD_SUMS_H

#include "report/model/aggregate.h"

/* Adds a profile as aggregate_profile does, but only what comparing methods takes: of each function calls, steps, ways
 * out by exception, the estimates of exclusive, inclusive and waiting time. Its tree is the root alone. *fits: false
 * where the functions' times depend on the tree (async methods in their logical order), or figures of nodes were
 * counted; the aggregate is then of no more use than to be cleared. To be finished by aggregate_finish. Returns ECMA_OK,
 * ECMA_NO_MEMORY. */
ecma_status method_sums_profile(aggregate *a, const profile *p, bool *fits, diag *d);

#endif
