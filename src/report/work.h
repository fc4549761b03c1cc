/* work.h - whether a run has done the work of the run that chose its methods by counting (`run --overhead`): a program
 * that formats files, or fills a cache, finds nothing to do the second time. */
#ifndef ILINJECT_REPORT_WORK_H
#define ILINJECT_REPORT_WORK_H

#include "report/input.h"
#include "report/model/aggregate.h"

/* Sets a->work to how often the methods that ran were called in the inputs, and in the profiles at options->counted;
 * all methods but those that the governor switched off or that have their outermost calls alone. Returns ECMA_OK and
 * what counts_add_file returns. */
ecma_status work_compare(aggregate *a, const report_input *inputs, size_t count, const ilj_report_options *options);

#endif
