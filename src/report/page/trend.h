/* trend.h - in a page of several profiles: what methods took in each. */
#ifndef ILINJECT_REPORT_PAGE_TREND_H
#define ILINJECT_REPORT_PAGE_TREND_H

#include "report/model/model.h"
#include "report/print/print.h"

bool page_has_trend(const report *r);

/* Writes the field `trend` after a comma: `left_out` (earlier profiles that are not in the page), `runs` (of each
 * profile `name`, `file`, `start_ns`, `runs` in it, `before`: it is of those that are compared with, and its `labels`,
 * name and value of each), `name` of each method, and `calls`, `exclusive`, `inclusive`: of the first method in each
 * profile, of the second one, and so on; times where they were measured. Nothing without a trend. False: memory ran
 * out. */
bool page_trend_write(printer *out, const report *r);

#endif
