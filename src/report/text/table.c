#include <stdlib.h>

#include "report/model/figures.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/rows.h"
#include "report/text/text.h"
#include "report/text/times.h"

/* The text report's table: a row for each function, or for what functions are parts of. */

enum { LEAST_NAME = 12, ROOM_FOR_NAMES = 24, ROOM_BESIDE_MORE = 60, HOT_SHARE = 10 };

typedef enum column {
    COLUMN_FUNCTIONS,
    COLUMN_CALLS,
    COLUMN_STEPS,
    COLUMN_EXCEPTIONS,
    COLUMN_ALL_BYTES,
    COLUMN_BYTES,
    COLUMN_ALL_OBJECTS,
    COLUMN_OBJECTS,
    COLUMN_ALL_COLLECTIONS,
    COLUMN_COLLECTIONS,
    COLUMN_ALL_PAUSE,
    COLUMN_PAUSE,
    COLUMN_INCLUSIVE,
    COLUMN_EXCLUSIVE,
    COLUMN_WAITING,
    COLUMN_AWAITING,
    COLUMN_WHOLE,
    COLUMN_RANGE,
    COLUMN_AVERAGE,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_P50,
    COLUMN_P90,
    COLUMN_P99,
    COLUMN_PROBES,
    COLUMN_OWN,
    COLUMNS,
} column;

static const struct {
    const char *key, *title;
} columns[COLUMNS] = {
    [COLUMN_FUNCTIONS] = {"functions", "Functions"},
    [COLUMN_CALLS] = {"calls", "Calls"},
    [COLUMN_STEPS] = {"steps", "Steps"},
    [COLUMN_EXCEPTIONS] = {"exceptions", "Exceptions"},
    [COLUMN_ALL_BYTES] = {"inclusive-bytes", "Incl. bytes"},
    [COLUMN_BYTES] = {"bytes", "Bytes"},
    [COLUMN_ALL_OBJECTS] = {"inclusive-objects", "Incl. objects"},
    [COLUMN_OBJECTS] = {"objects", "Objects"},
    [COLUMN_ALL_COLLECTIONS] = {"inclusive-collections", "Incl. collections"},
    [COLUMN_COLLECTIONS] = {"collections", "Collections"},
    [COLUMN_ALL_PAUSE] = {"inclusive-pause", "Incl. pause"},
    [COLUMN_PAUSE] = {"pause", "Pause"},
    [COLUMN_INCLUSIVE] = {"inclusive", "Inclusive"},
    [COLUMN_EXCLUSIVE] = {"exclusive", "Exclusive"},
    [COLUMN_WAITING] = {"waiting", "Waiting"},
    [COLUMN_AWAITING] = {"awaiting", "Awaiting"},
    [COLUMN_WHOLE] = {"time", "Time %"},
    [COLUMN_RANGE] = {"range", "Range"},
    [COLUMN_AVERAGE] = {"average", "Average"},
    [COLUMN_MIN] = {"min", "Min"},
    [COLUMN_MAX] = {"max", "Max"},
    [COLUMN_P50] = {"p50", "p50"},
    [COLUMN_P90] = {"p90", "p90"},
    [COLUMN_P99] = {"p99", "p99"},
    [COLUMN_PROBES] = {"probes", "Probes"},
    [COLUMN_OWN] = {"own", "Own %"},
};
_Static_assert((int)COLUMNS <= (int)TABLE_COLUMNS, "each column has its place in a table");

/* The columns of the table, in order. */
typedef struct choice {
    column list[TABLE_COLUMNS];
    int count;
    bool asked; /* for just these */
} choice;

/* ---- Which columns ---------------------------------------------------------------------------------------------- */

static int column_named(const char *name, size_t size) {
    for (int i = 0; i < COLUMNS; i++)
        if (strlen(columns[i].key) == size && memcmp(columns[i].key, name, size) == 0)
            return i;
    return -1;
}

static ecma_status unknown(diag *d, const char *name, size_t size) {
    buffer known = BUFFER_INIT;
    for (int i = 0; i < COLUMNS; i++)
        buffer_printf(&known, "%s%s", i > 0 ? ", " : "", columns[i].key);
    ecma_status status = known.failed
                             ? diag_no_memory(d)
                             : diag_report(d, DIAG_REPORT_COLUMN, "--columns: '%.*s' is none of %.*s",
                                           (int)(size < 100 ? size : 100), name, (int)known.size, (char *)known.data);
    buffer_clear(&known);
    return status;
}

static ecma_status choose(choice *c, const char *asked, diag *d) {
    *c = (choice){.asked = asked != NULL};
    for (int i = 0; !asked && i < COLUMNS; i++)
        c->list[c->count++] = (column)i;
    for (const char *at = asked; at; at = *at ? at + 1 : NULL) {
        size_t size = strcspn(at, ",");
        int found = column_named(at, size);
        if (found < 0 || c->count == TABLE_COLUMNS)
            return unknown(d, at, size);
        c->list[c->count++] = (column)found;
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

static bool has_range(const report *r, const report_row *row) {
    return times_exclusive_trust(&row->times, r->sum->totals.exclusive_ns) != TIMES_SURE;
}

static figure percentile(const durations *d, unsigned percent) {
    uint64_t ns;
    return durations_try_percentile(d, percent, &ns) ? format_time(ns) : nothing;
}

static bool is_time(column c) {
    return c >= COLUMN_INCLUSIVE;
}

static bool is_figure(column c) {
    return c >= COLUMN_ALL_BYTES && c <= COLUMN_PAUSE;
}

/* Two columns each. */
static profile_figure kind_of(column c) {
    return (profile_figure)((c - COLUMN_ALL_BYTES) / 2);
}

/* `whole`: of all rows, where these are parts. */
static figure figure_of(const report *r, const report_row *row, column c, uint64_t whole) {
    if (is_time(c) && aggregate_only_counts(r->sum))
        return nothing;
    const profile_times *t = &row->times;
    bool span = durations_has_span(&row->durations);
    switch (c) {
    case COLUMN_FUNCTIONS:
        return format_count(row->functions);
    case COLUMN_CALLS:
        return format_count(row->calls);
    case COLUMN_STEPS:
        return format_count(row->steps);
    case COLUMN_EXCEPTIONS:
        return format_count(row->by_exception);
    case COLUMN_ALL_BYTES:
    case COLUMN_ALL_OBJECTS:
    case COLUMN_ALL_COLLECTIONS:
    case COLUMN_ALL_PAUSE:
        return figure_format(kind_of(c), row->all_figures[kind_of(c)]);
    case COLUMN_BYTES:
    case COLUMN_OBJECTS:
    case COLUMN_COLLECTIONS:
    case COLUMN_PAUSE:
        return figure_format(kind_of(c), row->figures[kind_of(c)]);
    case COLUMN_INCLUSIVE:
        return times_inclusive_figure(r, t);
    case COLUMN_EXCLUSIVE:
        return times_exclusive_figure(r, t);
    case COLUMN_WAITING:
        return row->waiting_ns > 0 ? format_time(row->waiting_ns) : nothing;
    case COLUMN_AWAITING:
        return row->awaiting_ns > 0 ? format_time(row->awaiting_ns) : nothing;
    case COLUMN_WHOLE:
        return r->options->by == ILJ_BY_PART ? format_percent(row_whole(row), whole) : nothing;
    case COLUMN_RANGE:
        return has_range(r, row) ? format_range(t->exclusive_low_ns, t->exclusive_high_ns) : nothing;
    case COLUMN_AVERAGE:
        return times_figure(row->average, row->average_high, row->average_trust);
    case COLUMN_MIN:
        return span ? format_time(row->durations.min_ns) : nothing;
    case COLUMN_MAX:
        return span ? format_time(row->durations.max_ns) : nothing;
    case COLUMN_P50:
        return percentile(&row->durations, 50);
    case COLUMN_P90:
        return percentile(&row->durations, 90);
    case COLUMN_P99:
        return percentile(&row->durations, 99);
    case COLUMN_PROBES:
        return format_time(row->probe_ns);
    case COLUMN_OWN:
        return times_share(r, t);
    case COLUMNS:
        break;
    }
    return nothing;
}

static table_row table_row_of(const report *r, const report_row *row, const choice *c, uint64_t whole) {
    table_row figures = {0};
    for (int i = 0; i < c->count; i++)
        figures.figures[i] = figure_of(r, row, c->list[i], whole);
    return figures;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

/* The table of parts is about the whole: own figures, which add up. */
static bool says_of_parts(const report *r, const report_rows *rows, column c) {
    uint64_t waiting = 0, awaiting = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        waiting |= rows->rows[i].waiting_ns;
        awaiting |= rows->rows[i].awaiting_ns;
    }
    if (is_figure(c))
        return (c - COLUMN_ALL_BYTES) % 2 == 1 && r->sum->counted[kind_of(c)] > 0;
    return c == COLUMN_CALLS || c == COLUMN_EXCLUSIVE || c == COLUMN_WHOLE || (c == COLUMN_WAITING && waiting > 0) ||
           (c == COLUMN_AWAITING && awaiting > 0);
}

/* Has the column anything to say? */
static bool is_worth_it(const report *r, const report_rows *rows, uint32_t shown, column c) {
    const report_totals *t = &r->sum->totals;
    uint64_t ns;
    if (r->options->by == ILJ_BY_PART)
        return says_of_parts(r, rows, c);
    if (c == COLUMN_FUNCTIONS)
        return r->options->by != ILJ_BY_FUNCTION && r->options->by != ILJ_BY_THREAD;
    if (is_time(c) && aggregate_only_counts(r->sum))
        return false;
    if (c == COLUMN_AWAITING || c == COLUMN_WHOLE)
        return false;
    if (c == COLUMN_STEPS)
        return t->steps > 0;
    if (c == COLUMN_EXCEPTIONS)
        return t->by_exception > 0 && r->options->by != ILJ_BY_THREAD;
    if (is_figure(c))
        return r->sum->counted[kind_of(c)] > 0;
    if (c == COLUMN_PROBES) /* the head says the sum */
        return false;
    if (c == COLUMN_WAITING)
        return view_has_waits(r);
    for (uint32_t i = 0; i < shown; i++) {
        const durations *d = &rows->rows[i].durations;
        bool known = c == COLUMN_RANGE                    ? has_range(r, &rows->rows[i])
                     : c == COLUMN_MIN || c == COLUMN_MAX ? durations_has_span(d)
                     : c >= COLUMN_P50 && c <= COLUMN_P99 ? durations_try_percentile(d, 50, &ns)
                                                          : true;
        if (known)
            return true;
    }
    return false;
}

/* Hides what says nothing, and then, one by one, what leaves no room for names: first what is more than most need, then
 * what can be worked out from the others. */
static void fit(table *t, const report *r, const report_rows *rows, uint32_t shown, const choice *c) {
    static const column more[] = {COLUMN_P50, COLUMN_P90, COLUMN_P99, COLUMN_MIN, COLUMN_MAX};
    static const column basic[] = {COLUMN_RANGE, COLUMN_AVERAGE, COLUMN_OWN};
    int first[COLUMNS + 1], second[COLUMNS + 1], first_count = 0, second_count = 0;
    if (c->asked)
        return;
    for (int i = 0; i < c->count; i++)
        t->hidden[i] = !is_worth_it(r, rows, shown, c->list[i]);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        first[first_count++] = (int)more[i];
    for (size_t i = 0; i < sizeof basic / sizeof basic[0]; i++)
        second[second_count++] = (int)basic[i];
    first[first_count] = second[second_count] = -1;
    table_fit(t, first, ROOM_BESIDE_MORE, r->options->width);
    table_fit(t, second, ROOM_FOR_NAMES, r->options->width);
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
    uint64_t left_ns = 0, most_ns = 0, open = 0, all = r->sum->totals.exclusive_ns, whole = r->sum->totals.certain_ns;
    for (uint32_t i = shown; i < rows->count; i++) {
        const profile_times *t = &rows->rows[i].times;
        left_ns = profile_add(left_ns, times_certain_own(t, all));
        if (times_exclusive_trust(t, all) == TIMES_AT_MOST) {
            most_ns = t->exclusive_high_ns > most_ns ? t->exclusive_high_ns : most_ns;
            open++;
        }
    }
    const report_row *helpers = &rows->helpers;
    if (shown == rows->count && helpers->functions == 0)
        return true;
    print_set_style(out, PRINT_DIM);
    if (shown < rows->count) {
        uint64_t calls = 0;
        for (uint32_t i = shown; i < rows->count; i++)
            calls = profile_add(calls, rows->rows[i].calls);
        buffer_printf(&line, "\u2026 %s more %s, ", format_count(rows->count - shown).text, words[r->options->by]);
        if (counts)
            buffer_printf(&line, "%s call%s", format_count(calls).text, calls == 1 ? "" : "s");
        else
            buffer_printf(&line, "%s %% of own time", format_percent(least(left_ns, whole), whole).text);
        if (open > 0) {
            figure time = format_time(most_ns);
            buffer_printf(&line, "; %s of them took at most %s", format_count(open).text, format_trimmed(&time));
            buffer_string(&line, open > 1 ? " each" : "");
        }
        print_fitted(out, r, &line);
    }
    if (helpers->functions > 0) {
        uint64_t calls = profile_add(helpers->calls, helpers->steps);
        buffer_printf(&line, "\u2026 %s helper%s of compilers' making, ", format_count(helpers->functions).text,
                      helpers->functions == 1 ? "" : "s");
        buffer_printf(&line, "%s call%s", format_count(calls).text, calls == 1 ? "" : "s");
        if (!counts)
            buffer_printf(&line, ", %s %% of own time",
                          format_percent(least(times_certain_own(&helpers->times, all), whole), whole).text);
        buffer_string(&line, "; --helpers shows them");
        print_fitted(out, r, &line);
    }
    print_set_style(out, PRINT_PLAIN);
    bool done = !line.failed;
    buffer_clear(&line);
    return done;
}

static bool print_rows(printer *out, const report *r, const report_rows *rows, const choice *c) {
    static const char *const titles[] = {
        [ILJ_BY_FUNCTION] = "Function", [ILJ_BY_TYPE] = "Type",     [ILJ_BY_NAMESPACE] = "Namespace",
        [ILJ_BY_ASSEMBLY] = "Assembly", [ILJ_BY_THREAD] = "Thread", [ILJ_BY_PART] = "Part",
    };
    const report_totals *all = &r->sum->totals;
    uint32_t top = r->options->top, shown = top == 0 || top > rows->count ? rows->count : top;
    table t = {.least_name = LEAST_NAME};
    times_marks marks = {0};
    uint64_t whole = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        whole = profile_add(whole, row_whole(&rows->rows[i]));
    for (int i = 0; i < c->count; i++)
        t.titles[i] = columns[c->list[i]].title;
    for (uint32_t i = 0; i < shown; i++) {
        table_row figures = table_row_of(r, &rows->rows[i], c, whole);
        table_measure(&t, &figures);
        times_mark(&marks, times_exclusive_trust(&rows->rows[i].times, all->exclusive_ns));
    }
    fit(&t, r, rows, shown, c);
    table_head(&t, out, titles[r->options->by], r->options->width);
    for (uint32_t i = 0; i < shown; i++) {
        const report_row *row = &rows->rows[i];
        uint64_t certain = times_certain_own(&row->times, all->exclusive_ns);
        bool hot = certain > 0 && certain >= all->certain_ns / 100 * HOT_SHARE;
        table_row figures = table_row_of(r, row, c, whole);
        if (hot)
            print_set_style(out, PRINT_BOLD);
        table_figures(&t, out, &figures);
        print_name(out, row->name, row->parameters, row->suffix, table_room(&t, 1));
        if (hot)
            print_set_style(out, PRINT_PLAIN);
        print_string(out, "\n");
    }
    bool done = print_left_out(out, r, rows, shown);
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
