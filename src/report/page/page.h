/* page.h - a report as one HTML page that needs nothing else: no network, no server.
 *
 * The page is the files of page/ in a row, the libraries in page/vendor/ among them, and between them the report as
 * JSON. The page makes the call tree of all threads, or of one, and compares it with that of earlier profiles, whose
 * functions are matched by name. A page has the PAGE_MAX_NODES nodes with the most time and PAGE_MAX_FUNCTIONS
 * functions; what is less is reported as a sum at each node, so that the times of a page are those of the report. Among
 * calls that were seen with their values it has the slowest. */
#ifndef ILINJECT_REPORT_PAGE_PAGE_H
#define ILINJECT_REPORT_PAGE_PAGE_H

#include "report/model/model.h"
#include "report/print/print.h"

enum { PAGE_MAX_NODES = 30000, PAGE_MAX_FUNCTIONS = 20000, PAGE_MAX_EDGES = 60000, PAGE_MAX_CALLS = 20000 };

/* Writes the page, of a report whose tree is by thread and cut. False when memory ran out. */
bool page_write(printer *out, const report *r);

/* Writes one report's part of the page's data, as a JSON object without a `<` in it; its sources
 * unless it is the one that is compared with (`is_now` false). */
bool page_data_write(printer *out, const report *r, bool is_now);

/* Likewise calls that were seen with their values, the slowest first. */
bool page_calls_write(printer *out, const report *r);

#endif
