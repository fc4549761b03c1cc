/* write.h - a comparison as text, Markdown or JSON. */
#ifndef ILINJECT_REPORT_DIFF_WRITE_H
#define ILINJECT_REPORT_DIFF_WRITE_H

#include "report/diff/gate.h"
#include "report/diff/story.h"
#include "report/print/format.h"
#include "report/print/print.h"

/* One side as it was given. */
typedef struct diff_side {
    const char *const *files;
    uint64_t runs; /* all that the files hold */
} diff_side;

/* What the head of a comparison counts. */
typedef enum diff_group_kind {
    DIFF_SLOWER,
    DIFF_FASTER,
    DIFF_ADDED,
    DIFF_REMOVED,
    DIFF_OTHERWISE, /* the judged time is as before; another one, calls or a figure is not */
    DIFF_GROUPS,
} diff_group_kind;

/* A line of the table. */
typedef struct diff_row {
    uint32_t entry;
    uint32_t depth; /* from 1; deeper: below the line of its caller */
} diff_row;

typedef struct diff_view {
    const diff *d;
    const diff_table *table; /* methods, or paths */
    const ilj_diff_options *options;
    diff_metric metric; /* the time that makes a method slower or faster */
    diff_side sides[2];
    const diff_gate *gates;
    size_t gate_count;
    diff_story story;
    uint32_t groups[DIFF_GROUPS]; /* how many entries there are of each */
    uint32_t same;                /* how many are as before, or changed by noise alone */
    diff_row *rows;               /* what has changed the program most first */
    uint32_t row_count;
    uint32_t left_out; /* entries that have no row, though they have changed */
    buffer scratch;    /* a path that is being written */
} diff_view;

/* Finds the story and the rows; diff_view_clear frees them. False when memory ran out. */
bool diff_view_make(diff_view *v);
void diff_view_clear(diff_view *v);

void diff_write_text(printer *out, diff_view *v);
void diff_write_markdown(printer *out, diff_view *v);
void diff_write_json(printer *out, diff_view *v);
/* Appends what a condition says of a method for which it holds: "Load(): 1 -> 2 (2.0x): Load: calls > +0". */
void diff_gate_words(buffer *b, const diff_gate *g, const diff *d, uint32_t method);

/* The conditions that held, as findings for forges. False when memory ran out. */
bool diff_write_findings(printer *out, diff_view *v);

/* What text and Markdown share (parts.c). diff_path_above: the path of an entry, from its outermost call on, with
 * arrows between, without its own name; in the scratch buffer. */
void diff_print_noise(printer *out, const diff_view *v);
void diff_print_switched(printer *out, const diff_view *v);
/* Where new or gone methods may have been left out for a price on the other side: that, with the text before it. */
bool diff_print_priced(printer *out, const diff_view *v, const char *before);
void diff_print_gate(printer *out, const diff_gate *g, bool allow_missing);
void diff_print_same(printer *out, const diff_view *v, const char *before);
bytes diff_path_above(diff_view *v, uint32_t entry);
void diff_totals(const diff_view *v, double sums[2], diff_metric metric);
bool diff_figure_is_shown(const diff_view *v, profile_figure kind);

/* "+12.5 %", "-3 %", "2.1x"; empty when there was nothing before. */
figure diff_format_change(const diff_change *c);
/* The same, or "new" or "gone". */
figure diff_format_verdict(const diff_change *c);
/* A mean of counts: 12 or 12.3. */
figure diff_format_count(double count);

static inline uint64_t diff_ns(double ns) {
    return ns <= 0 ? 0 : ns >= (double)PROFILE_MAX ? PROFILE_MAX : (uint64_t)(ns + 0.5);
}

#endif
