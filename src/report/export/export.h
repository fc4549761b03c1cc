/* export.h - the formats for other programs. */
#ifndef ILINJECT_REPORT_EXPORT_EXPORT_H
#define ILINJECT_REPORT_EXPORT_EXPORT_H

#include "report/model/model.h"
#include "report/model/walk.h"
#include "report/print/print.h"
#include "report/view/frames.h"
#include "report/view/names.h"
#include "report/view/notes.h"
#include "report/view/runs.h"
#include "report/view/source.h"
#include "report/view/timeline.h"

bool speedscope_write(printer *out, const report *r);
bool chrome_write(printer *out, const report *r);
bool collapsed_write(printer *out, const report *r);
bool callgrind_write(printer *out, const report *r);
bool pprof_write(printer *out, const report *r);
bool otlp_write(printer *out, const report *r);
bool cpuprofile_write(printer *out, const report *r);
bool cobertura_write(printer *out, const report *r);
bool lcov_write(printer *out, const report *r);
bool csv_write(printer *out, const report *r);
bool prometheus_write(printer *out, const report *r);
bool tree_write(printer *out, const report *r);
bool calllog_write(printer *out, const report *r);

#endif
