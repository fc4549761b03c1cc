/* timeline.h - a page's timeline: the calls of recorded timelines, as far as there is room. */
#ifndef ILINJECT_REPORT_PAGE_TIMELINE_H
#define ILINJECT_REPORT_PAGE_TIMELINE_H

#include "report/model/model.h"
#include "report/print/print.h"

enum { PAGE_MAX_EVENTS = 60000 }; /* calls in a page: 20 bytes each */

/* True if the report's profiles have calls for a timeline, or samples, and all of them are asked for. */
bool page_has_timeline(const report *r);

/* Writes the field `timeline` after a comma: `left_out` (calls that are not in the page, all shorter than `least` ns or
 * as long), `overwritten` (calls that the program did not keep), `end` (ns) and `lanes`, one for each thread of a
 * profile: `run`, `name`, and of each call, callers first, its function's position in the page (-1: none), `start` (ns
 * after that of the call before), `ns`, `depth`. Times are as recorded, from the start of the first run. `position`:
 * by function, UINT32_MAX: not in the page. `sampled`: some
 * are by what ran at each tick of the clock, not by single calls. Nothing without a timeline. False: memory ran out. */
bool page_timeline_write(printer *out, const report *r, const uint32_t *position, buffer *text);

#endif
