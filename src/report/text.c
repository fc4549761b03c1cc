#include <stdlib.h>
#include <time.h>

#include "report/format.h"
#include "report/report.h"

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

static const char *unit_trimmed(figure *f) {
    if (f->text[strlen(f->text) - 1] == ' ')
        f->text[strlen(f->text) - 1] = '\0';
    return f->text;
}

static void print_run(printer *out, const profile *p) {
    const profile_run *run = &p->run;
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
    print_format(out, "\nWall     %s", unit_trimmed(&wall));
    print_start(out, run->start_ns);
    print_separated(out, ", clock ", run->clock);
    print_string(out, "\n");
}

/* "(2 open, 7 dropped)": what is worth saying only when it is not 0. */
static void print_extras(printer *out, const report_totals *t) {
    const struct {
        uint64_t count;
        const char *what;
    } extras[] = {
        {t->resynchronised, "resynchronised"}, {t->open, "open"}, {t->folded, "folded"}, {t->dropped, "dropped"}};
    bool any = false;
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
        if (extras[i].count == 0)
            continue;
        print_format(out, "%s%s %s", any ? ", " : " (", format_count(extras[i].count).text, extras[i].what);
        any = true;
    }
    print_string(out, any ? ")\n" : "\n");
}

static void print_head(printer *out, const report *r) {
    const report_totals *t = &r->sum->totals;
    print_set_style(out, PRINT_DIM);
    for (size_t i = 0; i < r->profile_count; i++)
        print_run(out, &r->profiles[i]);
    print_format(out, "Threads  %s\n", format_count(t->threads).text);
    print_format(out, "Calls    %s", format_count(t->enters).text);
    print_extras(out, t);
    print_set_style(out, PRINT_PLAIN);
}

/* ---- The function table ----------------------------------------------------------------------------------------- */

enum { FIGURES = 5, GAP = 2, LEAST_NAME = 12, HOT_SHARE = 10 };

typedef struct table_row {
    figure figures[FIGURES];
} table_row;

static const char *const titles[FIGURES] = {"Calls", "Inclusive", "Exclusive", "Average", "Own %"};

static table_row row_of(const report_function *f, uint64_t whole) {
    return (table_row){{
        format_count(f->calls),
        format_time(f->inclusive_ns),
        format_time(f->exclusive_ns),
        format_time(report_average(f)),
        format_percent(f->exclusive_ns, whole),
    }};
}

static void print_row(printer *out, const table_row *row, const unsigned *widths) {
    for (int i = 0; i < FIGURES; i++) {
        print_spaces(out, widths[i] - row->figures[i].columns);
        print_string(out, row->figures[i].text);
        print_spaces(out, GAP);
    }
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
    unsigned widths[FIGURES], taken = 0;
    for (int i = 0; i < FIGURES; i++)
        widths[i] = (unsigned)strlen(titles[i]);
    for (uint32_t row = 0; row < shown; row++) {
        table_row figures = row_of(sorted[row], whole);
        for (int i = 0; i < FIGURES; i++)
            if (widths[i] < figures.figures[i].columns)
                widths[i] = figures.figures[i].columns;
    }
    print_set_style(out, PRINT_DIM);
    for (int i = 0; i < FIGURES; i++) {
        print_format(out, "%*s%*s", (int)widths[i], titles[i], GAP, "");
        taken += widths[i] + GAP;
    }
    print_string(out, "Function\n");
    print_set_style(out, PRINT_PLAIN);
    size_t room = r->options->width == 0                   ? SIZE_MAX
                  : r->options->width < taken + LEAST_NAME ? LEAST_NAME
                                                           : r->options->width - taken;
    for (uint32_t row = 0; row < shown; row++) {
        const report_function *f = sorted[row];
        bool hot = f->exclusive_ns > 0 && f->exclusive_ns >= whole / 100 * HOT_SHARE;
        table_row figures = row_of(f, whole);
        if (hot)
            print_set_style(out, PRINT_BOLD);
        print_row(out, &figures, widths);
        print_name(out, f->name, f->parts.parameters, room);
        if (hot)
            print_set_style(out, PRINT_PLAIN);
        print_string(out, "\n");
    }
    if (shown < a->function_count)
        print_left_out(out, sorted, shown, a);
}

bool text_write(printer *out, const report *r) {
    print_head(out, r);
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
    print_string(out, "\n");
    return tree_write_main(out, r);
}
