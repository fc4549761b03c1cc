/* overhead.h - the format that is a configuration file: it leaves out the methods whose probes cost most. */
#ifndef ILINJECT_REPORT_TEXT_OVERHEAD_H
#define ILINJECT_REPORT_TEXT_OVERHEAD_H

#include "report/model/model.h"
#include "report/print/print.h"

/* The rule that leaves out what the pattern names, or, without one, the words that there is none; no end of line. */
void overhead_print_exclude(printer *out, bytes pattern);

/* A configuration file that leaves them out, as `--config` reads it. False when memory ran out. */
bool suggestions_write(printer *out, const report *r);

#endif
