#include <stdlib.h>

#include "report/model/rows.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "report/view/source.h"
#include "util/unicode.h"

/* The text report's table: a row for each function, or for what functions are parts of. */

enum { LEAST_NAME = 12, ROOM_FOR_NAMES = 24, MOST_FOR_NAMES = 48, ROOM_BESIDE_MORE = 60, HOT_SHARE = 10 };

/* The columns of the table, in order. */
typedef struct choice {
    report_figure list[TABLE_COLUMNS];
    int count;
    bool asked; /* for just these */
} choice;

/* ---- Which columns ---------------------------------------------------------------------------------------------- */

static int column_named(const char *name, size_t size) {
    for (int i = 0; i < ROW_FIGURES; i++) {
        const char *key = figure_rows[i].key;
        if (key && strlen(key) == size && memcmp(key, name, size) == 0)
            return i;
    }
    return -1;
}

static ecma_status unknown(diag *d, const char *name, size_t size) {
    buffer known = BUFFER_INIT;
    for (int i = 0; i < ROW_FIGURES; i++)
        if (figure_rows[i].key)
            buffer_printf(&known, "%s%s", i > 0 ? ", " : "", figure_rows[i].key);
    ecma_status status = known.failed
                             ? diag_no_memory(d)
                             : diag_report(d, DIAG_REPORT_COLUMN, "--columns: '%.*s' is none of %.*s",
                                           (int)(size < 100 ? size : 100), name, (int)known.size, (char *)known.data);
    buffer_clear(&known);
    return status;
}

static ecma_status choose(choice *c, const char *asked, diag *d) {
    *c = (choice){.asked = asked != NULL};
    for (report_figure id = 0; !asked && id < ROW_FIGURES; id++)
        if (figure_rows[id].key)
            c->list[c->count++] = id;
    for (const char *at = asked; at; at = *at ? at + 1 : NULL) {
        size_t size = strcspn(at, ",");
        int found = column_named(at, size);
        if (found < 0 || c->count == TABLE_COLUMNS)
            return unknown(d, at, size);
        c->list[c->count++] = (report_figure)found;
        at += size;
        if (*at == '\0')
            break;
    }
    return ECMA_OK;
}

ecma_status text_check_columns(const char *asked, diag *d) {
    choice c;
    return choose(&c, asked, d);
}

/* ---- Figures ---------------------------------------------------------------------------------------------------- */

static const figure nothing = {"", 0};

/* What all rows took. */
typedef struct sum {
    uint64_t time_ns, waiting_ns; /* the first one with the second */
} sum;

static sum sum_of(const report *r, const report_rows *rows) {
    sum all = {0, rows->helpers.sums[ROW_WAITING]};
    for (uint32_t i = 0; i < rows->count; i++) {
        all.time_ns = profile_add(all.time_ns, figure_value(r->sum, &rows->rows[i], ROW_TIME).raw);
        all.waiting_ns = profile_add(all.waiting_ns, rows->rows[i].sums[ROW_WAITING]);
    }
    return all;
}

static figure figure_of(const report *r, const report_row *row, report_figure id, const sum *all) {
    if (figure_is_timed(id) && aggregate_only_counts(r->sum))
        return nothing;
    row_value v = figure_value(r->sum, row, id);
    switch (figure_rows[id].form) {
    case FORM_COUNT:
        return format_count((uint64_t)v.value);
    case FORM_BYTES:
        return format_bytes((uint64_t)v.value);
    case FORM_TIME:
        return v.known ? times_figure(v.value, v.high, v.trust) : nothing;
    case FORM_TIME_IF_ANY:
        return v.value > 0 ? format_time((uint64_t)v.value) : nothing;
    case FORM_RANGE:
        return v.known ? format_range(v.low, v.high) : nothing;
    case FORM_SHARE:
        return times_share(r, &row->times);
    case FORM_TIME_SHARE:
        return r->options->by == ILJ_BY_PART
                   ? format_percent((uint64_t)v.value, all->time_ns)
                   : times_time_share(r, &row->times, row->sums[ROW_WAITING], all->waiting_ns);
    }
    return nothing;
}

static table_row table_row_of(const report *r, const report_row *row, const choice *c, const sum *all) {
    table_row figures = {0};
    for (int i = 0; i < c->count; i++)
        figures.figures[i] = figure_of(r, row, c->list[i], all);
    return figures;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

/* Has any of the rows that are shown a value that is known? */
static bool is_known(const report *r, const report_rows *rows, uint32_t shown, report_figure id) {
    for (uint32_t i = 0; i < shown; i++)
        if (figure_value(r->sum, &rows->rows[i], id).known)
            return true;
    return false;
}

static bool has_any(const report *r, const report_rows *rows, report_figure id) {
    int64_t any = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        any |= figure_value(r->sum, &rows->rows[i], id).value;
    return any > 0;
}

/* Has the column anything to say? The table of parts is about the whole: own figures, which add up. */
static bool is_worth_it(const report *r, const report_rows *rows, uint32_t shown, report_figure id) {
    const report_totals *t = &r->sum->totals;
    const figure_row *f = &figure_rows[id];
    ilj_report_by by = r->options->by;
    if (by != ILJ_BY_PART && figure_is_timed(id) && aggregate_only_counts(r->sum))
        return false;
    switch (by == ILJ_BY_PART ? f->in_parts : f->shown) {
    case SHOWN_ASKED:
        return false;
    case SHOWN_ALWAYS:
        return true;
    case SHOWN_KNOWN:
        return is_known(r, rows, shown, id);
    case SHOWN_IF_ANY:
        return has_any(r, rows, id);
    case SHOWN_STEPPED:
        return t->steps > 0;
    case SHOWN_THROWN:
        return t->by_exception > 0 && by != ILJ_BY_THREAD;
    case SHOWN_WAITED:
        return view_has_waits(r);
    case SHOWN_WORKED:
        return !view_has_waits(r);
    case SHOWN_COUNTED:
        return r->sum->counted.all[f->counted] > 0;
    case SHOWN_GROUPED:
        return by != ILJ_BY_FUNCTION && by != ILJ_BY_THREAD;
    }
    return false;
}

/* Have many calls of one of the first rows thrown? That may be why it stands there. */
static bool says_why(const report_rows *rows, uint32_t shown, report_figure id) {
    enum { ROWS = 3, MANY = 10 };
    for (uint32_t i = 0; id == ROW_EXCEPTIONS && i < shown && i < ROWS; i++) {
        const uint64_t *sums = rows->rows[i].sums;
        if (sums[ROW_EXCEPTIONS] > 0 && sums[ROW_EXCEPTIONS] >= sums[ROW_CALLS] / MANY)
            return true;
    }
    return false;
}

/* The columns that are hidden first, from `least` to `most`, ended by -1. */
static void hiding(int order[TABLE_COLUMNS + 1], const report *r, const choice *c, unsigned least, unsigned most) {
    int count = 0;
    for (unsigned at = least; at <= most; at++)
        for (int i = 0; i < c->count; i++)
            if (figure_rows[c->list[i]].hides == at && !(r->options->verbose && c->list[i] == ROW_RANGE))
                order[count++] = i;
    order[count] = -1;
}

/* Does a value say more than nothing? Waiting does that is a tenth of the row's time. */
static bool is_news(const report *r, const report_row *row, report_figure id) {
    enum { PART = 10 };
    const int64_t value = figure_value(r->sum, row, id).value;
    return value != 0 &&
           (id != ROW_WAITING || (uint64_t)value >= profile_add(row->times.exclusive_ns, (uint64_t)value) / PART);
}

/* Has a column news in more than a few of the rows that are shown? Waiting that is a large part of the time has it in
 * one row. */
static bool has_news(const report *r, const report_rows *rows, uint32_t shown, report_figure id) {
    enum { FEW = 8, LARGE = 10 }; /* one part in that many */
    const report_totals *t = &r->sum->totals;
    uint32_t news = 0;
    if (id == figure_of_sort_key(r->sum, r->options->sort) || says_why(rows, shown, id) ||
        (id == ROW_WAITING && t->waiting_ns > t->exclusive_ns / LARGE))
        return true;
    for (uint32_t i = 0; i < shown; i++)
        news += is_news(r, &rows->rows[i], id);
    return news > shown / FEW;
}

static void without_news(int order[TABLE_COLUMNS + 1], const report *r, const report_rows *rows, uint32_t shown,
                         const choice *c) {
    int count = 0;
    for (int i = c->count; i-- > 0;)
        if (c->list[i] != ROW_CALLS && c->list[i] != ROW_INCLUSIVE && c->list[i] != ROW_EXCLUSIVE &&
            !has_news(r, rows, shown, c->list[i]))
            order[count++] = i;
    order[count] = -1;
}

/* The columns that the longest name of a row takes, without its parameters; of its type and method alone, if `own`. */
static size_t longest_name(const report_rows *rows, uint32_t shown, bool own) {
    enum { ANY_PARAMETERS = 3 /* (…) */ };
    size_t longest = 0;
    for (uint32_t i = 0; i < shown; i++) {
        const report_row *row = &rows->rows[i];
        size_t from = own && row->function ? function_space(row->function) : 0;
        size_t marks = row->suffix > row->parameters && !own ? ANY_PARAMETERS : 0;
        bytes end = {row->name.data + row->suffix, row->name.size - row->suffix};
        size_t width = unicode_width((bytes){row->name.data + from, row->parameters - from}) + marks +
                       unicode_width(own ? print_without_route(end) : end);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Hides what says nothing, and then, one by one, what leaves no room for names: first what is nothing in nearly all
 * rows, then what is more than most need, then what can be worked out from the others. */
static void fit(table *t, const report *r, const report_rows *rows, uint32_t shown, const choice *c) {
    enum { FIRST = 1, BASIC = 11, LAST = 20 };
    int order[TABLE_COLUMNS + 1];
    if (c->asked)
        return;
    for (int i = 0; i < c->count; i++)
        t->hidden[i] = !is_worth_it(r, rows, shown, c->list[i]);
    size_t whole = longest_name(rows, shown, false), own = longest_name(rows, shown, true);
    without_news(order, r, rows, shown, c);
    table_fit(t, order, whole < ROOM_BESIDE_MORE ? whole : ROOM_BESIDE_MORE, r->options->width);
    hiding(order, r, c, FIRST, BASIC - 1);
    table_fit(t, order, ROOM_BESIDE_MORE, r->options->width);
    hiding(order, r, c, BASIC, LAST);
    own = own > MOST_FOR_NAMES ? MOST_FOR_NAMES : own;
    table_fit(t, order, own > ROOM_FOR_NAMES ? own : ROOM_FOR_NAMES, r->options->width);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static bool print_left_out(printer *out, const report *r, const report_rows *rows, uint32_t shown) {
    static const char *const words[] = {
        [ILJ_BY_FUNCTION] = "functions",  [ILJ_BY_TYPE] = "types",     [ILJ_BY_NAMESPACE] = "namespaces",
        [ILJ_BY_ASSEMBLY] = "assemblies", [ILJ_BY_THREAD] = "threads", [ILJ_BY_PART] = "parts",
    };
    buffer line = BUFFER_INIT;
    bool counts = aggregate_only_counts(r->sum);
    const report_row *most = NULL;
    uint64_t left_ns = 0, open = 0, all = r->sum->totals.exclusive_ns;
    for (uint32_t i = shown; i < rows->count; i++) {
        const profile_times *t = &rows->rows[i].times;
        left_ns = profile_add(left_ns, t->exclusive_ns);
        if (times_exclusive_trust(t, all) == TIMES_AT_MOST) {
            most = !most || t->exclusive_high_ns > most->times.exclusive_high_ns ? &rows->rows[i] : most;
            open++;
        }
    }
    const report_row *helpers = &rows->helpers;
    if (shown == rows->count && helpers->sums[ROW_FUNCTIONS] == 0)
        return true;
    print_set_style(out, PRINT_DIM);
    if (shown < rows->count) {
        uint64_t calls = 0;
        for (uint32_t i = shown; i < rows->count; i++)
            calls = profile_add(calls, rows->rows[i].sums[ROW_CALLS]);
        buffer_printf(&line, "\u2026 %s more %s, ", format_count(rows->count - shown).text, words[r->options->by]);
        if (counts)
            buffer_printf(&line, "%s call%s", format_count(calls).text, calls == 1 ? "" : "s");
        else
            buffer_printf(&line, "%s %% of own time", format_percent(least(left_ns, all), all).text);
        if (open > 0) {
            figure time = format_time(most->times.exclusive_high_ns);
            buffer_printf(&line, "; %s of them took at most %s", format_count(open).text, format_trimmed(&time));
            buffer_string(&line, open > 1 ? " each: " : ": ");
            buffer_append(&line, most->name.data, most->parameters);
            buffer_string(&line, open > 1 ? " and others" : "");
        }
        print_fitted(out, r, &line);
    }
    if (helpers->sums[ROW_FUNCTIONS] > 0) {
        const uint64_t count = helpers->sums[ROW_FUNCTIONS];
        uint64_t calls = profile_add(helpers->sums[ROW_CALLS], helpers->sums[ROW_STEPS]);
        buffer_printf(&line, "\u2026 %s compiler helper%s, ", format_count(count).text, count == 1 ? "" : "s");
        buffer_printf(&line, "%s call%s", format_count(calls).text, calls == 1 ? "" : "s");
        if (!counts)
            buffer_printf(&line, ", %s %% of own time",
                          format_percent(least(helpers->times.exclusive_ns, all), all).text);
        buffer_string(&line, "; --helpers shows them");
        print_fitted(out, r, &line);
    }
    print_set_style(out, PRINT_PLAIN);
    bool done = !line.failed;
    buffer_clear(&line);
    return done;
}

/* "Shop.cs:12" after the name, which has what room is left. */
static void print_function_and_place(printer *out, const report *r, const report_function *f, bool bare, size_t room) {
    buffer place = BUFFER_INIT;
    size_t from = bare ? function_space(f) : 0;
    if (r->options->lines || has_wide_lines(r))
        view_place(&place, r, f);
    size_t whole = place.size ? unicode_width((bytes){f->name.data + from, f->name.size - from}) : 0;
    print_short_function(out, f, bare, room - place_columns(&place, r, has_wide_lines(r), whole, LEAST_NAME, room));
    print_place(out, &place);
}

static bool print_rows(printer *out, const report *r, const report_rows *rows, const choice *c) {
    static const char *const titles[] = {
        [ILJ_BY_FUNCTION] = "Function", [ILJ_BY_TYPE] = "Type",     [ILJ_BY_NAMESPACE] = "Namespace",
        [ILJ_BY_ASSEMBLY] = "Assembly", [ILJ_BY_THREAD] = "Thread", [ILJ_BY_PART] = "Part",
    };
    const sum all = sum_of(r, rows);
    uint32_t top = r->options->top, shown = top == 0 || top > rows->count ? rows->count : top;
    table t = {.least_name = LEAST_NAME};
    times_marks marks = {0};
    for (int i = 0; i < c->count; i++)
        t.titles[i] = figure_rows[c->list[i]].title;
    for (uint32_t i = 0; i < shown; i++) {
        table_row figures = table_row_of(r, &rows->rows[i], c, &all);
        table_measure(&t, &figures);
        times_mark(&marks, times_exclusive_trust(&rows->rows[i].times, r->sum->totals.exclusive_ns));
    }
    fit(&t, r, rows, shown, c);
    table_head(&t, out, titles[r->options->by], r->options->width);
    bool bare = longest_name(rows, shown, false) > table_room(&t, 1);
    for (uint32_t i = 0; i < shown; i++) {
        const report_row *row = &rows->rows[i];
        uint64_t taken = figure_value(r->sum, row, ROW_TIME).raw;
        bool hot = taken > 0 && taken >= all.time_ns / 100 * HOT_SHARE;
        table_row figures = table_row_of(r, row, c, &all);
        if (hot)
            print_set_style(out, PRINT_BOLD);
        table_figures(&t, out, &figures);
        if (row->function)
            print_function_and_place(out, r, row->function, bare, table_room(&t, 1));
        else
            print_name(out, row->name, row->parameters, row->suffix, table_room(&t, 1));
        if (hot)
            print_set_style(out, PRINT_PLAIN);
        print_string(out, "\n");
    }
    bool done = print_left_out(out, r, rows, shown) && idle_write_row(out, r, rows);
    times_explain(out, r, marks);
    return done;
}

bool functions_write(printer *out, const report *r) {
    report_rows rows = ROWS_INIT;
    choice c;
    bool done = choose(&c, r->options->columns, NULL) == ECMA_OK && rows_make(&rows, r);
    if (done && rows.count == 0 && r->options->pattern_count > 0)
        print_string(out, "No function matches --filter.\n");
    else if (done)
        done = print_rows(out, r, &rows, &c);
    rows_clear(&rows);
    return done;
}
