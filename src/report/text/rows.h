/* rows.h - the rows of the text's table: functions, or what they are parts of, or threads.
 *
 * ROWS_INIT, rows_make, use, rows_clear. Inclusive times count a call once in a row, also when calls of the same row
 * stand above it. */
#ifndef ILINJECT_REPORT_TEXT_ROWS_H
#define ILINJECT_REPORT_TEXT_ROWS_H

#include "report/model/model.h"

typedef struct report_row {
    bytes name;
    uint32_t parameters, suffix; /* as of a function's name */
    uint32_t rank;               /* position by name */
    uint64_t functions;          /* that were called */
    uint64_t calls, steps, by_exception;
    uint64_t probe_ns, waiting_ns, awaiting_ns; /* awaiting_ns: where rows are parts */
    uint64_t figures[FIGURES], all_figures[FIGURES];
    profile_times times;
    durations durations; /* of functions alone */
    /* Inclusive time per call; of a function as report_average. */
    int64_t average, certain_average;
    uint64_t average_high;
    times_trust average_trust;
    int64_t key; /* what it is sorted by */
} report_row;

typedef struct report_rows {
    report_row *rows;
    uint32_t count;
    report_row helpers; /* the sum of those that are left out because nobody wrote them */
    arena memory;
} report_rows;

#define ROWS_INIT ((report_rows){0})

/* Sorted as the options ask, times as far as they are certain (trust.h), equal ones by name. False when memory ran out.
 */
bool rows_make(report_rows *rows, const report *r);
void rows_clear(report_rows *rows);

/* All time of a row that is a part: on a thread, blocked, and awaited. */
uint64_t row_whole(const report_row *row);

#endif
