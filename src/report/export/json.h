/* json.h - the report as JSON: all there is (docs/profile-format.md). */
#ifndef ILINJECT_REPORT_EXPORT_JSON_H
#define ILINJECT_REPORT_EXPORT_JSON_H

#include "report/model/model.h"
#include "report/print/print.h"

bool json_write(printer *out, const report *r);

/* In JSON: a member, absent when no profile has such calls. `positions`: those of the functions. */
void json_write_calls(printer *out, const report *r, const uint32_t *positions);

#endif
