/* figures.h - the figures of a function (src/facts/figures.def), and their values in a row of a report. */
#ifndef ILINJECT_REPORT_MODEL_FIGURES_H
#define ILINJECT_REPORT_MODEL_FIGURES_H

#include "report/model/aggregate.h"
#include "report/model/trust.h"

struct report_row;

/* ROW_BYTES, of the function's own code, and ROW_ALL_BYTES, with callees, are of FIGURE_BYTES, and so on. */
typedef enum report_figure {
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...) ROW_##ID,
#define PLAIN_FIGURE(ID, FORM, SOURCE, of, ...)                       ROW_##ID,
#include "facts/figures.def"
    ROW_FIGURES,
    ROW_NAME = ROW_FIGURES /* of ILJ_SORT_NAME: none */
} report_figure;

typedef enum figure_form {
    FORM_COUNT,
    FORM_BYTES,
    FORM_TIME,
    FORM_TIME_IF_ANY,
    FORM_RANGE,
    FORM_SHARE,
    FORM_TIME_SHARE
} figure_form;

typedef enum figure_shown {
    SHOWN_ASKED,
    SHOWN_KNOWN,
    SHOWN_STEPPED,
    SHOWN_THROWN,
    SHOWN_WAITED,
    SHOWN_WORKED,
    SHOWN_COUNTED,
    SHOWN_GROUPED,
    SHOWN_ALWAYS,
    SHOWN_IF_ANY
} figure_shown;

typedef enum figure_rule {
    RULE_NUMBER,
    RULE_OR_NULL,
    RULE_IF_ANY,
    RULE_IF_COUNTED,
    RULE_BOUNDED,
    RULE_TRUSTED,
    RULE_OR_CALLS,
    RULE_OR_ONE
} figure_rule;

/* Where a format has the figure: 0 is nowhere. */
typedef struct figure_place {
    unsigned order;
    const char *name; /* NULL: its field */
    figure_rule rule;
} figure_place;

typedef struct row_value {
    bool known;
    times_trust trust;
    int64_t value;      /* as reports show it */
    uint64_t raw;       /* of a time, with what is still to be taken off */
    uint64_t low, high; /* its ends */
} row_value;

typedef enum figure_source {
    SOURCE_ROW_SUM,
    SOURCE_SUM,
    SOURCE_FUNCTION_SUM,
    SOURCE_OWN_COUNTED,
    SOURCE_ALL_COUNTED,
    SOURCE_VALUE
} figure_source;

typedef row_value figure_fn(const aggregate *a, const struct report_row *row);

typedef struct figure_row {
    const char *key, *title, *field; /* NULL: it has none */
    figure_form form;
    figure_shown shown, in_parts;
    unsigned hides; /* order; 0: never */
    figure_place csv, json, page;
    figure_source source;
    size_t field_at;        /* of SOURCE_SUM and SOURCE_FUNCTION_SUM: in report_function */
    profile_figure counted; /* where it is */
    figure_fn *value;       /* of SOURCE_VALUE */
} figure_row;

extern const figure_row figure_rows[ROW_FIGURES];

static inline row_value figure_certain(bool known, uint64_t value) {
    return (row_value){.known = known, .value = (int64_t)value, .raw = value, .low = value, .high = value};
}

static inline bool figure_is_counted(report_figure id) {
    return figure_rows[id].source == SOURCE_OWN_COUNTED || figure_rows[id].source == SOURCE_ALL_COUNTED;
}

/* Is it nothing where calls were only counted? */
static inline bool figure_is_timed(report_figure id) {
    return figure_rows[id].form >= FORM_TIME && !figure_is_counted(id);
}

/* The figure of a key; ROW_NAME: none. */
report_figure figure_of_sort_key(const aggregate *a, ilj_sort_key key);

/* The figures that a format has, in its order: offsetof(figure_row, csv), and so on. Those that were not counted are
 * left out. */
typedef struct figure_list {
    report_figure ids[ROW_FIGURES];
    size_t count;
} figure_list;
figure_list figures_of(const aggregate *a, size_t format);

/* The figures that are counted for each node. */
typedef struct figure_kind {
    const char *name;       /* of a gate, and of an event of callgrind: "bytes" */
    const char *field;      /* of JSON and CSV, after exclusive_ and inclusive_: "pause_ns" */
    figure_form form;       /* FORM_COUNT, FORM_BYTES, FORM_TIME_IF_ANY */
    const char *event;      /* callgrind's words for it */
    const char *profile[2]; /* speedscope's name and unit */
    const char *samples[2]; /* pprof's type and unit */
    const char *missing;    /* what a condition says when some run has not counted it */
    bool judged;            /* a comparison shows it of each method */
    report_figure own, all;
} figure_kind;

extern const figure_kind figure_kinds[FIGURES];

#endif
