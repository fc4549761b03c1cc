#include <stdlib.h>
#include <time.h>

#include "report/report.h"
#include "report/table.h"

/* ---- The head --------------------------------------------------------------------------------------------------- */

static void print_start(printer *out, uint64_t start_ns) {
    time_t seconds = (time_t)(start_ns / 1000000000u);
    struct tm t;
    if (start_ns > 0 && gmtime_r(&seconds, &t))
        print_format(out, " from %04d-%02d-%02d %02d:%02d:%02d UTC", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec);
}

static void print_separated(printer *out, const char *separator, bytes s) {
    if (s.size > 0) {
        print_string(out, separator);
        print_shown(out, s);
    }
}

static void print_run(printer *out, const profile *p) {
    const profile_run *run = &p->run;
    if (run->merged) {
        merged_write(out, p);
        return;
    }
    print_string(out, "Program  ");
    print_shown(out, run->name.size ? run->name : bytes_of("(no name)", 9));
    if (run->pid)
        print_format(out, ", process %llu", (unsigned long long)run->pid);
    print_separated(out, " on ", run->host);
    print_separated(out, ", ", run->runtime);
    print_string(out, "\nFile     ");
    print_shown(out, bytes_of(p->file, strlen(p->file)));
    print_separated(out, ", written at: ", run->reason);
    print_separated(out, ", tracker ", run->tracker);
    figure wall = format_time(profile_ns(run, run->wall_ticks));
    print_format(out, "\nWall     %s", format_trimmed(&wall));
    print_start(out, run->start_ns);
    print_separated(out, ", clock ", run->clock);
    print_string(out, "\n");
}

typedef struct part {
    uint64_t count;
    const char *what;
} part;

/* "2 resynchronised, 1 open": those that are not 0; returns whether there was one. */
static bool print_parts(printer *out, const char *before, const part *parts, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].count == 0)
            continue;
        print_format(out, "%s%s %s", any ? ", " : before, format_count(parts[i].count).text, parts[i].what);
        any = true;
    }
    return any;
}

/* How all that was entered was left, and what is not in these counts. */
static void print_calls(printer *out, const report_totals *t) {
    const part ways[] = {{t->leaves, "returned"},
                         {t->by_exception, "left by exception"},
                         {t->resynchronised, "resynchronised"},
                         {t->open, "open"}};
    const part beside[] = {{t->folded, "folded"}, {t->dropped, "dropped"}};
    print_format(out, "Calls    %s", format_count(t->enters).text);
    if (t->steps > 0)
        print_format(out, " with %s steps", format_count(t->steps).text);
    print_parts(out, ": ", ways, sizeof ways / sizeof ways[0]);
    print_parts(out, "; ", beside, sizeof beside / sizeof beside[0]);
    print_string(out, "\n");
}

static int by_open(const void *left, const void *right) {
    const report_function *a = *(const report_function *const *)left, *b = *(const report_function *const *)right;
    return a->open > b->open ? -1 : a->open < b->open ? 1 : a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* The functions with frames that were open when the profile was written. */
static bool print_open(printer *out, const report *r) {
    enum { MOST = 10, COLUMN = 9, LEAST = 12 };
    const aggregate *a = r->sum;
    if (a->totals.open == 0)
        return true;
    const report_function **open = calloc((size_t)a->function_count + 1, sizeof *open);
    if (!open)
        return false;
    uint32_t count = 0, shown = r->options->top == 0 ? UINT32_MAX : MOST;
    for (uint32_t i = 0; i < a->function_count; i++)
        if (a->functions[i].open > 0)
            open[count++] = &a->functions[i];
    qsort(open, count, sizeof *open, by_open);
    size_t width = r->options->width;
    for (uint32_t i = 0; i < count && i < shown; i++) {
        const report_function *f = open[i];
        size_t taken = COLUMN;
        print_string(out, i == 0 ? "Open     " : "         ");
        if (f->open > 1) {
            figure times = format_count(f->open);
            print_format(out, "%s \u00d7 ", times.text);
            taken += times.columns + 3;
        }
        print_name(out, f->name, f->parts.parameters, f->parts.suffix,
                   width == 0              ? SIZE_MAX
                   : width < taken + LEAST ? LEAST
                                           : width - taken);
        print_string(out, "\n");
    }
    if (count > shown)
        print_format(out, "         \u2026 %s more functions\n", format_count(count - shown).text);
    free(open);
    return true;
}

static bool print_head(printer *out, const report *r) {
    const report_totals *t = &r->sum->totals;
    print_set_style(out, PRINT_DIM);
    for (size_t i = 0; i < r->profile_count; i++)
        print_run(out, &r->profiles[i]);
    print_format(out, "Threads  %s\n", format_count(t->threads).text);
    print_calls(out, t);
    times_write(out, r);
    bool done = print_open(out, r);
    print_set_style(out, PRINT_PLAIN);
    return done;
}

/* ---- The function table ----------------------------------------------------------------------------------------- */

enum { LEAST_NAME = 12, ROOM_FOR_NAMES = 24, HOT_SHARE = 10 };

/* The columns of the function table; those that are left out when names have no room, the first one first. */
enum { CALLS, STEPS, EXCEPTIONS, INCLUSIVE, EXCLUSIVE, RANGE, AVERAGE, OWN_SHARE };
static const int leave_out[] = {RANGE, AVERAGE, OWN_SHARE, -1};

static bool exclusive_is_unsure(const report_function *f, uint64_t whole) {
    return times_are_unsure(f->exclusive_ns, f->exclusive_low_ns, f->exclusive_high_ns, whole);
}

static table_row row_of(const report_function *f, uint64_t whole) {
    bool inclusive_unsure = times_are_unsure(f->inclusive_ns, f->inclusive_low_ns, f->inclusive_high_ns, whole);
    bool unsure = exclusive_is_unsure(f, whole);
    return (table_row){{
        [CALLS] = format_count(f->calls),
        [STEPS] = format_count(f->steps),
        [EXCEPTIONS] = format_count(f->by_exception),
        [INCLUSIVE] = times_figure(report_inclusive(&f->times), inclusive_unsure),
        [EXCLUSIVE] = times_figure(report_exclusive(&f->times), unsure),
        [RANGE] = unsure ? format_range(f->exclusive_low_ns, f->exclusive_high_ns) : (figure){"", 0},
        [AVERAGE] = times_figure(report_average(f), inclusive_unsure),
        [OWN_SHARE] = format_percent(f->exclusive_ns, whole),
    }};
}

static void print_left_out(printer *out, const report_function *const *sorted, uint32_t shown, const aggregate *a) {
    uint64_t left_ns = 0;
    for (uint32_t i = shown; i < a->function_count; i++)
        left_ns = profile_add(left_ns, sorted[i]->exclusive_ns);
    print_set_style(out, PRINT_DIM);
    print_format(out, "\u2026 %s more functions, %s %% of own time\n", format_count(a->function_count - shown).text,
                 format_percent(left_ns, a->totals.exclusive_ns).text);
    print_set_style(out, PRINT_PLAIN);
}

static void print_table(printer *out, const report *r, const report_function *const *sorted) {
    const aggregate *a = r->sum;
    uint64_t whole = a->totals.exclusive_ns;
    uint32_t top = r->options->top, shown = top == 0 || top > a->function_count ? a->function_count : top;
    table t = {
        .titles = {"Calls", "Steps", "Exceptions", "Inclusive", "Exclusive", "Range", "Average", "Own %"},
        .hidden = {[STEPS] = a->totals.steps == 0, [EXCEPTIONS] = a->totals.by_exception == 0, [RANGE] = true},
        .least_name = LEAST_NAME,
    };
    bool unsure = false;
    for (uint32_t row = 0; row < shown; row++) {
        table_row figures = row_of(sorted[row], whole);
        table_measure(&t, &figures);
        unsure |= exclusive_is_unsure(sorted[row], whole);
    }
    t.hidden[RANGE] = !unsure;
    /* Of the figures that can be worked out from the others, those that leave no room for names are left out. */
    table_fit(&t, leave_out, ROOM_FOR_NAMES, r->options->width);
    table_head(&t, out, "Function", r->options->width);
    for (uint32_t row = 0; row < shown; row++) {
        const report_function *f = sorted[row];
        bool hot = f->exclusive_ns > 0 && f->exclusive_ns >= whole / 100 * HOT_SHARE;
        table_row figures = row_of(f, whole);
        if (hot)
            print_set_style(out, PRINT_BOLD);
        table_figures(&t, out, &figures);
        print_name(out, f->name, f->parts.parameters, f->parts.suffix, table_room(&t, 1));
        if (hot)
            print_set_style(out, PRINT_PLAIN);
        print_string(out, "\n");
    }
    if (shown < a->function_count)
        print_left_out(out, sorted, shown, a);
    if (unsure) {
        print_set_style(out, PRINT_DIM);
        print_string(out, "~ the calibrations leave open more than 10 % of this time\n");
        print_set_style(out, PRINT_PLAIN);
    }
}

bool text_write(printer *out, const report *r) {
    if (!print_head(out, r))
        return false;
    print_string(out, "\n");
    if (r->sum->function_count == 0) {
        print_string(out, "No calls were recorded.\n");
        return true;
    }
    const report_function **sorted = report_sorted(r->sum, r->options->sort);
    if (!sorted)
        return false;
    print_table(out, r, sorted);
    free(sorted);
    exceptions_write(out, r);
    async_write(out, r);
    print_string(out, "\n");
    return tree_write_main(out, r);
}
