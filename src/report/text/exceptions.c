#include <stdio.h>

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/view/exceptions.h"
#include "report/view/source.h"
#include "util/unicode.h"

/* The text report's section of exceptions. */

enum {
    LEAST_NAME = 16,
    LEAST_IN_PHRASE = 10,
    MOST_TYPES = 20,
    MOST_WAYS = 8, /* below one node */
};

typedef struct exception_view {
    const report *r;
    table table;
} exception_view;

static table_row row_of(const view_exception *of) {
    return (table_row){{format_count(of->count), format_time(of->ns), format_time(of->average_ns)}};
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* A function's name between two phrases, in the columns that are left, and where it stands. */
static void print_phrase(printer *out, const report *r, const char *before, const report_function *f, const char *after,
                         size_t room) {
    buffer place = BUFFER_INIT;
    size_t taken = strlen(before) + unicode_width(bytes_of(after, strlen(after)));
    if (r->options->lines || has_wide_lines(r))
        view_place(&place, r, f);
    size_t whole = place.size ? taken + unicode_width(function_plain_name(f)) : 0;
    taken += place_columns(&place, r, has_wide_lines(r), whole, taken + LEAST_NAME, room);
    print_string(out, before);
    print_name(out, function_plain_name(f), f->parts.parameters, f->parts.suffix,
               room > taken + LEAST_IN_PHRASE ? room - taken : LEAST_IN_PHRASE);
    print_string(out, after);
    print_place(out, &place);
}

static void print_end(printer *out, const report *r, const view_exception *of, size_t room) {
    static const struct {
        const char *without_catcher, *before, *after;
    } words[] = {
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) [value] = {alone, before, after},
#include "facts/outcomes.def"
#undef OUTCOME
        [PROFILE_OUTCOMES] = {"ended in an unknown way", "ended in an unknown way in ", ""},
    };
    if (!of->function)
        print_string(out, words[of->outcome].without_catcher);
    else
        print_phrase(out, r, words[of->outcome].before, of->function, words[of->outcome].after, room);
}

static const char *range(char text[96], const char *before, uint32_t least, uint32_t most) {
    if (least == most)
        snprintf(text, 96, "%s%s", before, format_count(least).text);
    else
        snprintf(text, 96, "%s%s to %s", before, format_count(least).text, format_count(most).text);
    return text;
}

static void print_label(printer *out, const report *r, const view_exception *of, size_t room) {
    char times[96] = "";
    switch (of->kind) {
    case EXCEPTION_TYPE:
        if (of->type.size == 0)
            print_string(out, "(type not known)");
        else
            print_name(out, of->type, of->type.size, of->type.size, room);
        break;
    case EXCEPTION_END:
        print_end(out, r, of, room);
        break;
    case EXCEPTION_FRAME:
        if (of->most > 1)
            range(times, " \u00d7 ", of->least, of->most);
        print_phrase(out, r,
                     !of->thrower ? "through "
                     : of->again  ? "thrown again in "
                                  : "thrown in ",
                     of->function, times, room);
        break;
    case EXCEPTION_GAP:
        print_string(out, range(times, "through ", of->least, of->most));
        print_string(out, " more frames");
        break;
    case EXCEPTION_THROWN:
    case EXCEPTION_ROOT:
        print_string(out, of->again ? "thrown again here" : "first seen here");
        break;
    }
}

static void print_messages(const exception_view *v, printer *out, const view_exception *of) {
    for (uint32_t i = 0; i < of->message_count; i++) {
        print_set_style(out, PRINT_DIM);
        table_figures(&v->table, out, NULL);
        size_t room = table_indent(&v->table, out, of->depth + 1);
        print_string(out, "\"");
        print_line(out, of->messages[i], room > LEAST_NAME ? room - 2 : LEAST_NAME);
        print_string(out, "\"\n");
        print_set_style(out, PRINT_PLAIN);
    }
}

/* The addition of --exceptions=full to an end. */
static void print_passes(const exception_view *v, printer *out, const view_exception *of) {
    if (of->search_ns == 0 && of->searched == 0)
        return;
    figure passed = format_time(of->search_ns);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, NULL);
    table_indent(&v->table, out, of->depth + 1);
    print_format(out, "first pass %s, ", format_trimmed(&passed));
    print_format(out, "%s frame%s searched, ", format_count(of->searched).text, of->searched == 1 ? "" : "s");
    print_format(out, "%s unwound\n", format_count(of->unwound).text);
    print_set_style(out, PRINT_PLAIN);
}

static void print_more(const exception_view *v, printer *out, const view_exception *of) {
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, NULL);
    table_indent(&v->table, out, of->depth);
    print_format(out, "\u2026 %s more, ", format_count(of->more).text);
    print_format(out, "%s time%s\n", format_count(of->count).text, of->count == 1 ? "" : "s");
    print_set_style(out, PRINT_PLAIN);
}

static void print_row(const exception_view *v, printer *out, const view_exception *of) {
    table_row row = row_of(of);
    if (of->kind == EXCEPTION_TYPE)
        print_set_style(out, PRINT_BOLD);
    table_figures(&v->table, out, of->has_figures ? &row : NULL);
    size_t room = table_indent(&v->table, out, of->depth);
    print_label(out, v->r, of, room);
    if (of->kind == EXCEPTION_TYPE)
        print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
    if (of->kind == EXCEPTION_END)
        print_passes(v, out, of);
    print_messages(v, out, of);
}

static view_exceptions walk_of(const report *r) {
    bool all = r->options->top == 0;
    return (view_exceptions){.r = r, .folds = true, .top = all ? 0 : MOST_TYPES, .below = all ? 0 : MOST_WAYS};
}

void exceptions_write(printer *out, const report *r) {
    exception_view v = {.r = r, .table = {.titles = {"Count", "Total", "Average"}, .least_name = LEAST_NAME}};
    view_exception of;
    if (!view_has_exceptions(r))
        return;
    print_string(out, "\n");
    for (view_exceptions walk = walk_of(r); view_next_exception(&walk, &of);) {
        table_row row = row_of(&of);
        if (of.more == 0)
            table_measure(&v.table, &row);
    }
    table_head(&v.table, out, "Exceptions, down to where they were thrown", r->options->width);
    for (view_exceptions walk = walk_of(r); view_next_exception(&walk, &of);)
        if (of.more > 0)
            print_more(&v, out, &of);
        else
            print_row(&v, out, &of);
}
