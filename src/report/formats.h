/* formats.h - the formats of a report: who writes each, and what it needs. */
#ifndef ILINJECT_REPORT_FORMATS_H
#define ILINJECT_REPORT_FORMATS_H

#include "report/model/model.h"
#include "report/print/print.h"

/* How a format is written. */
typedef struct report_format {
    bool (*write)(printer *out, const report *r); /* false: memory ran out; refused writes stay in the printer */
    /* In its place, of a format that can fail otherwise: reports it. */
    ecma_status (*make)(printer *out, const report *r, diag *d);
    bool alone;     /* each profile has a report of its own: report_run writes them */
    bool profiles;  /* it reads the profiles' own trees, matched */
    bool calls;     /* it reads their calls that were seen with their values */
    bool threads;   /* it always has the threads apart */
    bool raw_names; /* methods as the metadata has them, MoveNext apart */
    bool as_called; /* children in the order of their first calls */
    bool timeline;  /* it is made of one: some profile has to have it */
    bool lines;     /* it is made of methods' lines: some module has to have them */
    bool trend;     /* of several profiles it reads what each alone comes to: trend.h */
    bool cut;       /* each line or stack takes its depth: see cut.h */
} report_format;

extern const report_format report_formats[ILJ_REPORT_FORMAT_COUNT]; /* by ilj_report_format */

#endif
