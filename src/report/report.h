/* report.h - the inside of ilj_report: from the bytes of profiles to a report in one of the formats (formats.h). */
#ifndef ILINJECT_REPORT_REPORT_H
#define ILINJECT_REPORT_REPORT_H

#include "ilinject.h"
#include "report/input.h"

/* Reads all inputs, one after another, says what is wrong with each, and writes nothing unless all are whole. The last
 * options->before_count of them are those to compare with; there is at least one more. Formats that do not show the
 * profiles' own trees take the memory of one profile and of the merged tree. Returns ECMA_OK, ECMA_BAD_FILE,
 * ECMA_UNSUPPORTED, ECMA_IO (the caller's function refused a write), ECMA_NO_MEMORY. */
ecma_status report_run(const report_input *inputs, size_t count, const ilj_report_options *options, ilj_write_fn *write,
                       void *user);

#endif
