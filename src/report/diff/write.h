/* write.h - a comparison as text, Markdown or JSON. */
#ifndef ILINJECT_REPORT_DIFF_WRITE_H
#define ILINJECT_REPORT_DIFF_WRITE_H

#include "report/diff/gate.h"
#include "report/print/format.h"
#include "report/print/print.h"

/* One side as it was given. */
typedef struct diff_side {
    const char *const *files;
    uint64_t runs; /* all that the files hold */
} diff_side;

/* Entries of one verdict, in the order in which they are shown: the largest change first. */
typedef struct diff_group {
    uint32_t *entries;
    uint32_t count;
} diff_group;

typedef enum diff_group_kind {
    DIFF_SLOWER,
    DIFF_FASTER,
    DIFF_ADDED,
    DIFF_REMOVED,
    DIFF_COUNTED, /* the time is as before, calls or exceptions are not */
    DIFF_GROUPS,
} diff_group_kind;

typedef struct diff_view {
    const diff *d;
    const diff_table *table; /* methods, or paths */
    const ilj_diff_options *options;
    diff_metric metric; /* the time that is judged */
    diff_side sides[2];
    const diff_gate *gates;
    size_t gate_count;
    diff_group groups[DIFF_GROUPS];
    uint32_t *storage; /* of the groups */
    buffer scratch;    /* a path that is being written */
} diff_view;

/* Sorts the entries into groups; diff_view_clear frees them. False when memory ran out. */
bool diff_view_make(diff_view *v);
void diff_view_clear(diff_view *v);

void diff_write_text(printer *out, diff_view *v);
void diff_write_markdown(printer *out, diff_view *v);
void diff_write_json(printer *out, diff_view *v);

/* "+12.5 %", "-3 %", "x12"; empty when there was nothing before. */
figure diff_format_change(const diff_change *c);
/* A mean of counts: 12 or 12.3. */
figure diff_format_count(double count);

#endif
