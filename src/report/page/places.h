/* places.h - where the functions of a page stand in their sources. */
#ifndef ILINJECT_REPORT_PAGE_PLACES_H
#define ILINJECT_REPORT_PAGE_PLACES_H

#include "report/model/model.h"
#include "report/print/print.h"

/* Writes the fields `files` (paths as the report has them), `links` (of each its page on the web, with `{line}`; empty:
 * none is known), `file` and `line` (of each function; -1 and 0: not known) after a comma; nothing where no function
 * has a line; with_source: `sources`, too (listing.h), of each file. False: memory ran out. */
bool page_places_write(printer *out, const report *r, const report_function *const *functions, uint32_t count,
                       bool with_source);

#endif
