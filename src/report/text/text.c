#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/overhead.h"
#include "report/text/times.h"
#include "util/unicode.h"

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

static void append_separated(buffer *b, const char *separator, bytes s) {
    if (s.size > 0)
        buffer_string(b, separator);
    buffer_append(b, s.data, s.size);
}

static bool print_run(printer *out, const report *r, const profile *p) {
    const profile_run *run = &p->run;
    if (run->merged) {
        merged_write(out, p);
        return true;
    }
    buffer b = BUFFER_INIT;
    append_separated(&b, "Program  ", run->name.size ? run->name : bytes_of("(no name)", 9));
    if (run->pid)
        buffer_printf(&b, ", process %llu", (unsigned long long)run->pid);
    append_separated(&b, " on ", run->host);
    append_separated(&b, ", ", run->runtime);
    print_fitted(out, r, &b);
    append_separated(&b, "File     ", bytes_of(p->file, strlen(p->file)));
    append_separated(&b, ", written at: ", run->reason);
    append_separated(&b, ", tracker ", run->tracker);
    print_fitted(out, r, &b);
    bool done = !b.failed;
    buffer_clear(&b);
    figure wall = format_time(profile_ns(run, run->wall_ticks));
    print_format(out, "Wall     %s", format_trimmed(&wall));
    print_start(out, run->start_ns);
    if (!run->only_counts)
        print_separated(out, ", clock ", run->clock);
    print_string(out, "\n");
    if (!run->only_counts)
        machine_write(out, r, run);
    governor_write(out, r, p, (uint32_t)(p - r->profiles));
    return done;
}

typedef struct part {
    uint64_t count;
    const char *what;
} part;

/* "2 resynchronised, 1 open": those that are not 0; returns whether there was one. */
static bool print_parts(buffer *out, const char *before, const part *parts, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].count == 0)
            continue;
        buffer_printf(out, "%s%s %s", any ? ", " : before, format_count(parts[i].count).text, parts[i].what);
        any = true;
    }
    return any;
}

/* How all that was entered was left, and what is not in these counts. */
static void print_calls(printer *p, const report *r) {
    const report_totals *t = &r->sum->totals;
    buffer line = BUFFER_INIT, *out = &line;
    const part ways[] = {{t->leaves, "returned"},
                         {t->by_exception, "left by exception"},
                         {t->resynchronised, "resynchronised"},
                         {t->open, "open"}};
    const part beside[] = {{t->ended, "ended, still on the stack"}, {t->folded, "folded"}, {t->dropped, "dropped"}};
    buffer_printf(out, "Calls    %s", format_count(t->enters).text);
    if (t->steps > 0)
        buffer_printf(out, " with %s steps", format_count(t->steps).text);
    if (!aggregate_only_counts(r->sum))
        print_parts(out, ": ", ways, sizeof ways / sizeof ways[0]);
    print_parts(out, "; ", beside, sizeof beside / sizeof beside[0]);
    print_fitted(p, r, out);
    if (r->sum->late > 0) {
        buffer_string(
            out,
            "Late     handlers of the program's end made more calls after the profile was written for the last time");
        print_fitted(p, r, out);
    }
    buffer_clear(out);
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

/* Most methods first, then by name. */
static int by_left_out(const void *left, const void *right) {
    const names_left_out *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : bytes_compare(a->reason, b->reason);
}

/* Methods that are in no count, as the names say; nothing when they don't. */
static void print_methods(printer *p, const report *r) {
    enum { MOST_REASONS = 16 };
    const aggregate *a = r->sum;
    uint64_t methods = 0, called = 0, left_out = 0, leaves = 0;
    buffer line = BUFFER_INIT, *out = &line;
    names_left_out reasons[MOST_REASONS];
    uint32_t reason_count = 0;
    for (uint32_t i = 0; i < a->module_count; i++) {
        const report_module *m = &a->modules[i];
        if (m->named && m->method_count == 1 && m->names->methods[0].flags & NAMES_SCOPE)
            continue; /* no module, but a scope that the user measures */
        methods += m->method_count - (m->leaf_count < m->method_count ? m->leaf_count : m->method_count);
        for (uint32_t k = 0; m->named && k < m->names->left_out_count; k++) {
            const names_left_out *l = &m->names->left_out[k];
            uint32_t at = 0;
            while (at < reason_count && !bytes_equal(reasons[at].reason, l->reason))
                at++;
            if (at == MOST_REASONS)
                continue;
            if (at == reason_count)
                reasons[reason_count++] = (names_left_out){l->reason, 0};
            reasons[at].count = profile_add(reasons[at].count, l->count);
            left_out = profile_add(left_out, l->count);
        }
    }
    qsort(reasons, reason_count, sizeof *reasons, by_left_out);
    for (uint32_t i = 0; i < a->function_count; i++) {
        const report_function *f = &a->functions[i];
        called += f->module != NO_MODULE && !f->scope && !f->leaf;
        leaves += f->leaf;
    }
    buffer_printf(out, "Methods  %s instrumented", format_count(methods).text);
    buffer_printf(out, ", %s called", format_count(called).text);
    if (leaves > 0)
        buffer_printf(out, ", and %s that %s not, as leaves", format_count(leaves).text, leaves == 1 ? "is" : "are");
    if (left_out > 0)
        buffer_printf(out, "; %s left out", format_count(left_out).text);
    for (uint32_t i = 0; i < reason_count; i++) {
        buffer_printf(out, "%s%s ", i == 0 ? ": " : ", ", format_count(reasons[i].count).text);
        buffer_append(out, reasons[i].reason.data, reasons[i].reason.size);
    }
    print_fitted(p, r, out);
    buffer_clear(out);
}

static bool print_head(printer *out, const report *r) {
    const report_totals *t = &r->sum->totals;
    print_set_style(out, PRINT_DIM);
    for (size_t i = 0; i < r->profile_count; i++)
        if (!print_run(out, r, &r->profiles[i]))
            return false;
    compiled_anew_write(out, r);
    print_format(out, "Threads  %s\n", format_count(t->threads).text);
    print_methods(out, r);
    print_calls(out, r);
    times_write(out, r);
    times_write_waits(out, r);
    times_write_bytes(out, r);
    times_write_objects(out, r);
    times_write_collections(out, r);
    bool done = overhead_write(out, r) && print_open(out, r);
    print_set_style(out, PRINT_PLAIN);
    return done;
}

/* ---- The views --------------------------------------------------------------------------------------------------- */

enum { MOST_OF_TREE = 60, MOST_OBJECTS = 10 }; /* rows beside other sections */

static bool write_default(printer *out, const report *r) {
    if (r->options->by == ILJ_BY_PART) /* which is about the whole */
        return functions_write(out, r);
    if (!functions_write(out, r) || !one_call_write(out, r) || !switched_write(out, r))
        return false;
    exceptions_write(out, r);
    async_write(out, r);
    if (!objects_write(out, r, MOST_OBJECTS))
        return false;
    print_string(out, "\n");
    return tree_write_main(out, r, r->options->top == 0 ? UINT32_MAX : MOST_OF_TREE);
}

static bool write_exceptions(printer *out, const report *r) {
    exceptions_write(out, r);
    if (r->sum->exceptions.type_count == 0)
        print_string(out, "\nNo exceptions were recorded.\n");
    return true;
}

static bool write_async(printer *out, const report *r) {
    async_write(out, r);
    if (r->sum->async.method_count == 0)
        print_string(out, "\nNo async methods were recorded.\n");
    return true;
}

static bool write_objects(printer *out, const report *r) {
    if (r->sum->sites.type_count == 0)
        print_string(out, "No objects were counted; instrument with --allocations.\n");
    return objects_write(out, r, UINT32_MAX);
}

/* A run whose one writing is that of its start did not end by itself. */
static void write_nothing(printer *out, const report *r) {
    print_string(out, "\nNo calls were recorded.\n");
    if (r->profile_count == 1 && r->sum->tree.thread_count == 0 &&
        bytes_equal(r->profiles[0].run.reason, bytes_of("beat", 4)))
        print_string(out,
                     "This is the profile of the run's start. A program that fails fast, overflows its stack or is "
                     "killed\nwrites none at its end; --set beat=1 writes one each second.\n");
}

bool text_write(printer *out, const report *r) {
    ilj_report_view view = r->options->view;
    if (!print_head(out, r))
        return false;
    if (r->sum->function_count == 0) {
        write_nothing(out, r);
        return true;
    }
    if (aggregate_only_counts(r->sum)) {
        if (view == ILJ_VIEW_DEFAULT || view == ILJ_VIEW_FUNCTIONS) {
            print_string(out, "\n");
            return functions_write(out, r);
        }
        print_string(out, "\nOnly calls were counted: who called whom, and what it took, is not known.\n");
        return true;
    }
    if (view != ILJ_VIEW_EXCEPTIONS && view != ILJ_VIEW_ASYNC &&
        (view != ILJ_VIEW_OBJECTS || r->sum->sites.type_count == 0)) /* which begin with one themselves */
        print_string(out, "\n");
    switch (view) {
    case ILJ_VIEW_DEFAULT:
        return write_default(out, r);
    case ILJ_VIEW_FUNCTIONS:
        return functions_write(out, r) && (r->options->by != ILJ_BY_FUNCTION || one_call_write(out, r));
    case ILJ_VIEW_TREE:
        return tree_write_main(out, r, UINT32_MAX);
    case ILJ_VIEW_CALLERS:
        return callers_write(out, r);
    case ILJ_VIEW_HOT:
        return hot_write(out, r);
    case ILJ_VIEW_EXCEPTIONS:
        return write_exceptions(out, r);
    case ILJ_VIEW_ASYNC:
        return write_async(out, r);
    case ILJ_VIEW_CALLS:
        return calls_write(out, r);
    case ILJ_VIEW_OBJECTS:
        return write_objects(out, r);
    }
    return true;
}
