/* row.h - a row of a table, and its figures. */
#ifndef ILINJECT_REPORT_MODEL_ROW_H
#define ILINJECT_REPORT_MODEL_ROW_H

#include "report/model/figures.h"

typedef struct report_row {
    bytes name;
    uint32_t parameters, suffix;     /* as of a function's name */
    uint32_t rank;                   /* position by name */
    const report_function *function; /* that it is; NULL: it has several, or is a thread */
    uint64_t sums[ROW_FIGURES];      /* by figure, of those that are sums */
    uint64_t figures[FIGURES], all_figures[FIGURES];
    profile_times times;
    int64_t key; /* what it is sorted by */
} report_row;

/* The row that a function is. */
void row_of_function(report_row *row, const report_function *f);

static inline row_value figure_value(const aggregate *a, const report_row *row, report_figure id) {
    const figure_row *f = &figure_rows[id];
    if (f->source == SOURCE_VALUE)
        return f->value(a, row);
    if (f->source == SOURCE_OWN_COUNTED)
        return figure_certain(a->counted.all[f->counted] > 0, row->figures[f->counted]);
    if (f->source == SOURCE_ALL_COUNTED)
        return figure_certain(a->counted.all[f->counted] > 0, row->all_figures[f->counted]);
    return figure_certain(f->form < FORM_TIME || !aggregate_only_counts(a), row->sums[id]);
}

/* What rows are sorted by, most first: a time as it is estimated, -1 where it is not known. */
static inline int64_t figure_key(const aggregate *a, const report_row *row, report_figure id) {
    row_value v = figure_value(a, row, id);
    return v.known || figure_is_counted(id) ? v.value : -1;
}

#endif
