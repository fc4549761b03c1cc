#include <stdio.h>
#include <stdlib.h>

#include "report/model/tests.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "util/list.h"

/* The table of tests, and the answers to what is asked about them. */

enum { LEAST_NAME = 24, MOST_REASONS = 5, LEAST_SHARE = 20 };

/* The columns, in order. */
enum { CALLS, DURATION, SET_UP, INCLUSIVE, OWN, WAITING, EXCEPTIONS, COUNTED, COLUMNS = COUNTED + FIGURES };

typedef struct tests_view {
    const report *r;
    test_rows rows;
    table table;
} tests_view;

static figure counted(int kind, uint64_t value) {
    return value ? times_counted((profile_figure)kind, value) : (figure){"", 0};
}

static table_row row_of(const test_row *row) {
    uint64_t waited = profile_add(row->waiting_ns, row->awaiting_ns);
    table_row made = {{[CALLS] = format_count(row->calls),
                       [DURATION] = format_time(row->duration_ns),
                       [SET_UP] = row->set_up_ns ? format_time(row->set_up_ns) : (figure){"", 0},
                       [INCLUSIVE] = format_time(row->times.inclusive_ns),
                       [OWN] = format_time(row->times.exclusive_ns),
                       [WAITING] = waited ? format_time(waited) : (figure){"", 0},
                       [EXCEPTIONS] = row->thrown ? format_count(row->thrown) : (figure){"", 0}}};
    if (!row->kind)
        made.figures[CALLS] = made.figures[DURATION] = (figure){"", 0};
    for (int kind = 0; kind < FIGURES; kind++)
        made.figures[COUNTED + kind] = counted(kind, row->figures[kind]);
    return made;
}

static void set_titles(tests_view *v) {
    static const char *const titles[COUNTED] = {"Calls", "Duration", "Set-up",    "Inclusive",
                                                "Own",   "Waiting",  "Exceptions"};
    bool waited = false, thrown = false, set_up = false;
    for (uint32_t i = 0; i < v->rows.count; i++) {
        waited |= v->rows.rows[i].waiting_ns > 0 || v->rows.rows[i].awaiting_ns > 0;
        thrown |= v->rows.rows[i].thrown > 0;
        set_up |= v->rows.rows[i].set_up_ns > 0;
    }
    for (int i = 0; i < COUNTED; i++)
        v->table.titles[i] = titles[i];
    for (int kind = 0; kind < FIGURES; kind++) {
        v->table.titles[COUNTED + kind] = figure_rows[figure_kinds[kind].own].title;
        v->table.hidden[COUNTED + kind] = v->r->sum->counted.all[kind] == 0;
    }
    v->table.hidden[WAITING] = !waited;
    v->table.hidden[EXCEPTIONS] = !thrown;
    v->table.hidden[SET_UP] = !set_up;
    v->table.least_name = LEAST_NAME;
}

static void print_row(tests_view *v, printer *out, const test_row *row) {
    table_row figures = row_of(row);
    table_figures(&v->table, out, &figures);
    size_t room = table_room(&v->table, 1);
    if (!row->function)
        print_string(out, "(all other code)");
    else if (row->function->names && row->function->names->methods[row->function->method].title)
        print_line(out, test_name(row->function), room);
    else
        print_short_function(out, row->function, function_is_long(row->function, room), room);
    print_string(out, "\n");
}

/* What most of the time of the slowest tests went into. */
static void print_reasons(tests_view *v, printer *out) {
    bool any = false;
    for (uint32_t i = 0; i < v->rows.tests && i < MOST_REASONS && v->r->options->sort == ILJ_SORT_TIME; i++) {
        const test_row *row = &v->rows.rows[i];
        uint64_t all = profile_add(row->times.inclusive_ns, row->awaiting_ns);
        if (!row->reason || row->reason_ns < all / 100 * LEAST_SHARE)
            continue;
        if (!any)
            print_string(out, "\nWhat took most of the slowest:\n");
        any = true;
        buffer line = BUFFER_INIT;
        bytes name = test_name(row->function);
        figure time = format_time(row->reason_ns);
        buffer_string(&line, "  ");
        buffer_append(&line, name.data, name.size);
        buffer_printf(&line, ": %s %s in ", format_trimmed(&time), row->reason_waits ? "waiting" : "own time");
        if (row->reason == row->function)
            buffer_string(&line, "itself");
        else
            buffer_append(&line, row->reason->name.data, row->reason->parts.suffix);
        print_fitted(out, v->r, &line);
        out->no_memory |= line.failed;
        buffer_clear(&line);
    }
}

static void print_left_out(printer *out, uint32_t count) {
    print_set_style(out, PRINT_DIM);
    if (count > 0)
        print_format(out, "\u2026 %s more\n", format_count(count).text);
    print_set_style(out, PRINT_PLAIN);
}

static void print_rows(tests_view *v, printer *out) {
    static const int order[] = {OWN, SET_UP, EXCEPTIONS, INCLUSIVE, -1};
    uint32_t top = v->r->options->top, shown = top == 0 || top > v->rows.tests ? v->rows.tests : top;
    set_titles(v);
    for (uint32_t i = 0; i < v->rows.count; i++) {
        table_row figures = row_of(&v->rows.rows[i]);
        table_measure(&v->table, &figures);
    }
    table_fit(&v->table, order, LEAST_NAME, v->r->options->width);
    table_head(&v->table, out, "Test", v->r->options->width);
    for (uint32_t i = 0; i < shown; i++)
        print_row(v, out, &v->rows.rows[i]);
    print_left_out(out, v->rows.tests - shown);
    if (v->rows.count > v->rows.tests)
        print_string(out, "\nSet-up, fixtures and other code:\n");
    uint32_t rest = v->rows.count - v->rows.tests, most = top == 0 || top > rest ? rest : top;
    for (uint32_t i = 0; i < most; i++)
        print_row(v, out, &v->rows.rows[v->rows.tests + i]);
    if (most < rest && v->rows.rows[v->rows.count - 1].kind == 0) { /* the other code is part of the whole */
        print_left_out(out, rest - most - 1);
        print_row(v, out, &v->rows.rows[v->rows.count - 1]);
    } else {
        print_left_out(out, rest - most);
    }
    print_reasons(v, out);
    if (v->r->sum->totals.folded > 0 && v->r->sum->tree.below_count == 0)
        print_format(out,
                     "\n%s calls had no place left in the trees, and --covers lacks them: --set covers=1 keeps them.\n",
                     format_count(v->r->sum->totals.folded).text);
}

bool tests_write(printer *out, const report *r) {
    tests_view v = {.r = r};
    bool done = tests_make(&v.rows, r);
    if (done && v.rows.tests == 0)
        print_string(out, r->sum->kept.text_count > 0
                              ? "No test of that name was recorded; --by=test lists them.\n"
                              : "No tests were recorded: no method that was called has an attribute of a test "
                                "framework.\n--root=PATTERN, when instrumenting, names others.\n");
    else if (done)
        print_rows(&v, out);
    tests_clear(&v.rows);
    return done;
}

static int by_name(const void *left, const void *right) {
    const report_function *const *a = left, *const *b = right;
    return list_compare((*a)->rank, (*b)->rank);
}

/* A name a line, as `dotnet test --filter` takes them. */
static bool print_names(printer *out, const test_rows *rows, const bool *ran) {
    uint32_t count = 0;
    const report_function **list = calloc((size_t)rows->tests + 1, sizeof *list);
    for (uint32_t i = 0; i < rows->tests && list; i++)
        if (ran[i])
            list[count++] = rows->rows[i].function;
    if (count > 1)
        qsort(list, count, sizeof *list, by_name);
    for (uint32_t i = 0; i < count; i++) {
        bytes name = {list[i]->name.data, list[i]->parts.parameters};
        bytes before = i == 0 ? (bytes){0} : (bytes){list[i - 1]->name.data, list[i - 1]->parts.parameters};
        if (i > 0 && bytes_equal(name, before))
            continue;
        print_shown(out, name);
        print_string(out, "\n");
    }
    free(list);
    return list != NULL;
}

bool tests_write_that_ran(printer *out, const report *r) {
    test_rows rows;
    bool done = tests_make(&rows, r);
    bool *ran = done ? calloc((size_t)rows.tests + 1, sizeof *ran) : NULL;
    done = ran && tests_that_ran(ran, &rows, r, r->wanted) && print_names(out, &rows, ran);
    free(ran);
    tests_clear(&rows);
    return done;
}
