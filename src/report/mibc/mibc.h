/* mibc.h - the report as a startup profile for compilers that compile ahead of time. */
#ifndef ILINJECT_REPORT_MIBC_MIBC_H
#define ILINJECT_REPORT_MIBC_MIBC_H

#include "report/model/model.h"
#include "report/print/print.h"

/* Writes the file (file.h) of all methods that were called, which the report has by their raw names: in the order of
 * the tree's nodes, or by module and row where profiles were merged before, since those have no order. Weights are
 * calls, so that runs that call the same give the same bytes. Returns what sources_open and mibc_file_make do;
 * ECMA_UNSUPPORTED where no method was called. */
ecma_status mibc_write(printer *out, const report *r, diag *d);

#endif
