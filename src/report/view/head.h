/* head.h - the head of a report for people: its runs, what they called, what the times are and how far they
 * hold. Lines in their order; a fact that has nothing to say has none. */
#ifndef ILINJECT_REPORT_VIEW_HEAD_H
#define ILINJECT_REPORT_VIEW_HEAD_H

#include "base/buffer.h"
#include "report/model/model.h"

typedef enum view_line_kind {
    VIEW_LINE,          /* goes on in the next line where the report is narrow */
    VIEW_LINE_WHOLE,    /* stays one line */
    VIEW_LINE_FUNCTION, /* the same, with a function's name in the columns that are left */
} view_line_kind;

typedef struct view_line {
    view_line_kind kind;
    size_t start, size;              /* in the head's text, from the title on */
    const report_function *function; /* its name stands between this text and `after` */
    size_t after_size;               /* that text follows */
    size_t taken, least;             /* columns: of all but the name, and the fewest for the name */
} view_line;

typedef struct view_head {
    buffer text;
    view_line *lines;
    uint32_t count, capacity;
    bool failed; /* memory ran out */
} view_head;

/* The whole head, or its five lines: the program, its time, its calls, the price of recording, and how far times can be
 * trusted. False when memory ran out. view_head_clear in any case. */
bool view_head_make(view_head *h, const report *r);
bool view_head_make_brief(view_head *h, const report *r);
void view_head_clear(view_head *h);

static inline bytes view_line_text(const view_head *h, const view_line *l) {
    return (bytes){h->text.data + l->start, l->size};
}
static inline bytes view_line_after(const view_head *h, const view_line *l) {
    return (bytes){h->text.data + l->start + l->size, l->after_size};
}

/* What the times are: the line's text after its title. */
void view_describe_times(buffer *out, const report *r);

/* The longest step of a clock; 0: all go evenly, as far as is known. */
uint64_t view_clock_step(const report *r);

/* True if the times of a run are by ticks (model/ticks.h). */
bool view_clock_ticks(const report *r);

/* Did threads wait for more than a hundredth of the time? */
bool view_has_waits(const report *r);

#endif
