/* table_rows.h - rows for databases: the runs, the methods, the paths of calls and the nodes of profiles, one profile
 * after another. Methods and paths that an earlier profile has had are not repeated.
 *
 * Ids are the same wherever they are made (docs/fleet/rows.md). */
#ifndef ILINJECT_REPORT_EXPORT_TABLE_ROWS_H
#define ILINJECT_REPORT_EXPORT_TABLE_ROWS_H

#include "report/model/model.h"
#include "report/print/print.h"
#include "util/map.h"

typedef struct table_rows {
    printer *out;
    bool csv;                    /* else a JSON object a line */
    map methods, paths, modules; /* by id, of modules of a hash of their own: those that were written */
} table_rows;

/* Begins with the head that CSV has. `out` is borrowed. */
void table_rows_start(table_rows *s, printer *out, bool csv);

/* Adds the report of one profile, of one tree for all threads. False when memory ran out; what a write was refused
 * stays in the printer. */
bool table_rows_add(table_rows *s, const report *r);

void table_rows_clear(table_rows *s);

#endif
