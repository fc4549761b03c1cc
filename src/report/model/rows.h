/* rows.h - the rows of a table: functions, or what they are parts of, or threads.
 *
 * ROWS_INIT, rows_make, use, rows_clear. Inclusive times count a call once in a row, also when calls of the same row
 * stand above it. */
#ifndef ILINJECT_REPORT_MODEL_ROWS_H
#define ILINJECT_REPORT_MODEL_ROWS_H

#include "report/model/model.h"
#include "report/model/row.h"

typedef struct report_rows {
    report_row *rows;
    uint32_t count;
    report_row helpers; /* the sum of those that are left out because compilers made them */
    report_row idle;    /* the same of those that only wait (idle.h); `function`: the one that waited most */
    uint64_t loops_ns;  /* left out of rows: what their functions waited while others worked (idle.h) */
    uint64_t loop_ns;   /* of these, what one waited most */
    const report_function *loop;
    arena memory;
} report_rows;

#define ROWS_INIT ((report_rows){0})

/* Sorted as the options ask, times as they are estimated, equal ones by name. False when memory ran out. */
bool rows_make(report_rows *rows, const report *r);
void rows_clear(report_rows *rows);

#endif
