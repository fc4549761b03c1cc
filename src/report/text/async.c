#include <stdio.h>

#include "report/print/table.h"
#include "report/text/text.h"
#include "report/view/async.h"
#include "util/unicode.h"

/* The text report's section of async methods. */

enum { LEAST_NAME = 16, ROOM_FOR_NAMES = 20, MOST_CHILDREN = 8 };

/* A time that is 0 because nothing is known. */
static figure time_of(uint64_t ns, bool known) {
    return ns == 0 && !known ? (figure){"?", 1} : format_time(ns);
}

static table_row row_of(const view_async *of) {
    return (table_row){{
        format_count(of->calls),
        format_count(of->suspensions),
        format_time(of->running_ns),
        time_of(of->awaiting_ns, of->awaiting_sure),
        time_of(of->wall_ns, of->all_sure),
        of->has_average ? time_of(of->average_ns, of->all_sure) : (figure){"?", 1},
    }};
}

static table made_table(void) {
    return (table){.titles = {"Calls", "Suspended", "Running", "Awaiting", "Wall", "Average"},
                   .least_name = LEAST_NAME};
}

static void fit(table *t, const report *r) {
    table_fit(t, (const int[]){5, 1, -1}, ROOM_FOR_NAMES, r->options->width);
}

/* How the calls ended, in words; returns the columns, 0 when all completed. */
static size_t describe_ends(char text[256], const view_async *of) {
    const struct {
        uint64_t count;
        const char *what;
    } ends[] = {{of->completed, "completed"},
                {of->failed, "failed"},
                {of->cancelled, "cancelled"},
                {of->open, of->sums ? "open" : "with an unknown end"},
                {of->unlinked, of->unlinked == 1 ? "unlinked slice" : "unlinked slices"}};
    size_t size = 0;
    if (of->completed == of->calls && of->failed == 0 && of->cancelled == 0 && of->unlinked == 0)
        return 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i].count != 0)
            size += (size_t)snprintf(text + size, 256 - size, "%s%s %s", size ? ", " : "",
                                     format_count(ends[i].count).text, ends[i].what);
    return size;
}

/* The ends follow the name, or stand in a row of their own: below the name, or as far left of that as needed. */
static void print_row(const table *t, printer *out, const report *r, const view_async *of) {
    const report_function *f = &r->sum->list.functions[of->function];
    const uint32_t depth = of->depth;
    char ends[256] = "";
    size_t size = describe_ends(ends, of);
    table_row row = row_of(of);
    table_figures(t, out, &row);
    /* All others are async. */
    bytes shown = f->leaf ? f->name : function_plain_name(f);
    size_t room = table_indent(t, out, depth), name = unicode_width(shown);
    print_name(out, shown, f->parts.parameters, f->parts.suffix, room);
    if (size > 0 && (room < size + 2 || room - size - 2 < name)) {
        print_string(out, "\n");
        if (size <= table_room(t, depth + 1)) {
            table_figures(t, out, NULL);
            table_indent(t, out, depth + 1);
        } else {
            print_spaces(out, t->width > size ? t->width - size : 0);
        }
    } else if (size > 0) {
        print_string(out, "  ");
    }
    if (size > 0) {
        print_set_style(out, PRINT_DIM);
        print_string(out, ends);
        print_set_style(out, PRINT_PLAIN);
    }
    print_string(out, "\n");
}

static void print_more(const table *t, printer *out, const view_async *of) {
    print_set_style(out, PRINT_DIM);
    table_figures(t, out, NULL);
    table_indent(t, out, of->depth);
    print_format(out, "\u2026 %s more, ", format_count(of->more).text);
    print_format(out, "%s call%s\n", format_count(of->calls).text, of->calls == 1 ? "" : "s");
    print_set_style(out, PRINT_PLAIN);
}

void async_write_tree(printer *out, const report *r) {
    view_async of;
    table t = made_table();
    bool all = r->options->top == 0 || r->options->format == ILJ_REPORT_CALLTREE;
    if (view_async_count(r) == 0)
        return;
    for (view_async_walk walk = {.r = r}; view_next_async(&walk, &of);) {
        table_row row = row_of(&of);
        table_measure(&t, &row);
    }
    print_string(out, "\n");
    fit(&t, r);
    table_head(&t, out, "Async call tree", r->options->width);
    view_async_walk walk = {.r = r, .top = all ? 0 : r->options->top, .below = all ? 0 : MOST_CHILDREN};
    while (view_next_async(&walk, &of))
        if (of.more > 0)
            print_more(&t, out, &of);
        else
            print_row(&t, out, r, &of);
}

void async_write(printer *out, const report *r) {
    const uint32_t count = view_async_count(r), top = r->options->top;
    if (count == 0)
        return;
    uint32_t shown = top == 0 || top > count ? count : top;
    table t = made_table();
    for (uint32_t i = 0; i < shown; i++) {
        const view_async of = view_async_method(r, i);
        table_row row = row_of(&of);
        table_measure(&t, &row);
    }
    print_string(out, "\n");
    fit(&t, r);
    table_head(&t, out, "Async methods", r->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        const view_async of = view_async_method(r, i);
        print_row(&t, out, r, &of);
    }
    if (shown < count) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "\u2026 %s more async method%s\n", format_count(count - shown).text,
                     count - shown == 1 ? "" : "s");
        print_set_style(out, PRINT_PLAIN);
    }
    if (r->sum->totals.folded_async > 0) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "%s calls are counted as if no async method had made them: there were too many\n",
                     format_count(r->sum->totals.folded_async).text);
        print_set_style(out, PRINT_PLAIN);
    }
    if (r->options->async)
        async_write_tree(out, r);
}
