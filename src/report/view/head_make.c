#include "report/view/head.h"

#include <stdlib.h>
#include <time.h>

#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/left_out.h"

static void append_start(buffer *out, uint64_t start_ns) {
    time_t seconds = (time_t)(start_ns / 1000000000u);
    struct tm t;
    if (start_ns > 0 && gmtime_r(&seconds, &t))
        buffer_printf(out, " from %04d-%02d-%02d %02d:%02d:%02d UTC", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                      t.tm_hour, t.tm_min, t.tm_sec);
}

static void append_separated(buffer *b, const char *separator, bytes s) {
    if (s.size > 0)
        buffer_string(b, separator);
    buffer_append(b, s.data, s.size);
}

static void add_run(view_head *h, const report *r, uint32_t position) {
    const profile *p = &r->profiles[position];
    const profile_run *run = &p->run;
    if (run->merged) {
        head_add_merged(h, p);
        return;
    }
    buffer *b = head_begin(h, "Program");
    append_separated(b, "", run->name.size ? run->name : bytes_of("(no name)", 9));
    if (run->pid)
        buffer_printf(b, ", process %llu", (unsigned long long)run->pid);
    append_separated(b, " on ", run->host);
    append_separated(b, ", ", run->runtime);
    head_end(h, VIEW_LINE);
    head_begin(h, "File");
    append_separated(b, "", bytes_of(p->file, strlen(p->file)));
    append_separated(b, ", written at: ", run->reason);
    append_separated(b, ", tracker ", run->tracker);
    head_end(h, VIEW_LINE);
    head_begin(h, "Wall");
    figure wall = format_time(profile_ns(run, run->wall_ticks));
    buffer_string(b, format_trimmed(&wall));
    append_start(b, run->start_ns);
    if (!run->only_counts)
        append_separated(b, ", clock ", run->clock);
    head_end(h, VIEW_LINE_WHOLE);
    if (!run->only_counts)
        head_add_machine(h, r, run);
    head_add_governor(h, r, position);
}

typedef struct part {
    uint64_t count;
    const char *what;
} part;

/* "2 resynchronised, 1 open": those that are not 0; returns whether there was one. */
static bool append_parts(buffer *out, const char *before, const part *parts, size_t count) {
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
static void add_calls(view_head *h, const report *r) {
    const report_totals *t = &r->sum->totals;
    const part ways[] = {{t->leaves, "returned"},
                         {t->by_exception, "left by exception"},
                         {t->resynchronised, "resynchronised"},
                         {t->open, "open"}};
    const part beside[] = {{t->ended, "ended, still on the stack"}, {t->folded, "folded"}, {t->dropped, "dropped"}};
    buffer *out = head_begin(h, "Calls");
    buffer_printf(out, "%s", format_count(t->enters).text);
    if (t->steps > 0)
        buffer_printf(out, " with %s steps", format_count(t->steps).text);
    if (!aggregate_only_counts(r->sum))
        append_parts(out, ": ", ways, sizeof ways / sizeof ways[0]);
    append_parts(out, "; ", beside, sizeof beside / sizeof beside[0]);
    head_end(h, VIEW_LINE);
    if (r->sum->late > 0) {
        head_begin(h, "Late");
        buffer_string(out,
                      "handlers of the program's end made more calls after the profile was written for the last time");
        head_end(h, VIEW_LINE);
    }
}

static int by_open(const void *left, const void *right) {
    const report_function *a = *(const report_function *const *)left, *b = *(const report_function *const *)right;
    return a->open > b->open ? -1 : a->open < b->open ? 1 : a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* The functions with frames that were open when the profile was written. */
static void add_open(view_head *h, const report *r) {
    enum { MOST = 10, LEAST = 12 };
    const aggregate *a = r->sum;
    if (a->totals.open == 0)
        return;
    const report_function **open = calloc((size_t)a->list.function_count + 1, sizeof *open);
    if (!open) {
        h->failed = true;
        return;
    }
    uint32_t count = 0, shown = r->options->top == 0 ? UINT32_MAX : MOST;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        if (a->list.functions[i].open > 0)
            open[count++] = &a->list.functions[i];
    qsort(open, count, sizeof *open, by_open);
    for (uint32_t i = 0; i < count && i < shown; i++) {
        const report_function *f = open[i];
        size_t taken = HEAD_COLUMN;
        buffer *b = head_begin(h, i == 0 ? "Open" : "");
        if (f->open > 1) {
            figure times = format_count(f->open);
            buffer_printf(b, "%s \u00d7 ", times.text);
            taken += times.columns + 3;
        }
        head_function(h, f);
        head_end_function(h, taken, LEAST);
    }
    if (count > shown) {
        buffer *b = head_begin(h, "");
        buffer_printf(b, "\u2026 %s more functions", format_count(count - shown).text);
        head_end(h, VIEW_LINE_WHOLE);
    }
    free(open);
}

/* Most methods first, then by name. */
static int by_left_out(const void *left, const void *right) {
    const names_left_out *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : bytes_compare(a->reason, b->reason);
}

/* Methods that are in no count, as the names say; nothing when they don't. */
static void add_methods(view_head *h, const report *r) {
    enum { MOST_REASONS = 16 };
    const aggregate *a = r->sum;
    uint64_t methods = 0, called = 0, left_out = 0, leaves = 0;
    names_left_out reasons[MOST_REASONS];
    uint32_t reason_count = 0;
    for (uint32_t i = 0; i < a->list.module_count; i++) {
        const report_module *m = &a->list.modules[i];
        if (m->named && m->method_count == 1 && m->names->methods[0].flags & NAMES_SCOPE)
            continue; /* no module, but a scope that the user measures */
        methods += m->method_count - (m->leaf_count < m->method_count ? m->leaf_count : m->method_count);
        for (uint32_t k = 0; m->named && k < m->names->left_out_count; k++) {
            const names_left_out *l = &m->names->left_out[k];
            const bytes reason = view_left_out_reason(l);
            uint32_t at = 0;
            while (at < reason_count && !bytes_equal(reasons[at].reason, reason))
                at++;
            if (at == MOST_REASONS)
                continue;
            if (at == reason_count)
                reasons[reason_count++] = (names_left_out){reason, 0};
            reasons[at].count = profile_add(reasons[at].count, l->count);
            left_out = profile_add(left_out, l->count);
        }
    }
    qsort(reasons, reason_count, sizeof *reasons, by_left_out);
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        called += f->module != NO_MODULE && !f->scope && !f->leaf;
        leaves += f->leaf;
    }
    buffer *out = head_begin(h, "Methods");
    buffer_printf(out, "%s instrumented", format_count(methods).text);
    buffer_printf(out, ", %s called", format_count(called).text);
    if (leaves > 0)
        buffer_printf(out, ", and %s that %s not, as leaves", format_count(leaves).text, leaves == 1 ? "is" : "are");
    if (left_out > 0)
        buffer_printf(out, "; %s left out", format_count(left_out).text);
    for (uint32_t i = 0; i < reason_count; i++) {
        buffer_printf(out, "%s%s ", i == 0 ? ": " : ", ", format_count(reasons[i].count).text);
        buffer_append(out, reasons[i].reason.data, reasons[i].reason.size);
    }
    head_end(h, VIEW_LINE);
}

bool view_head_make(view_head *h, const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        add_run(h, r, (uint32_t)i);
    head_add_labels(h, r, true);
    head_add_compiled_again(h, r);
    buffer *b = head_begin(h, "Threads");
    buffer_string(b, format_count(r->sum->totals.threads).text);
    head_end(h, VIEW_LINE_WHOLE);
    add_methods(h, r);
    add_calls(h, r);
    head_add_times(h, r);
    head_add_waits(h, r);
    head_add_bytes(h, r);
    head_add_objects(h, r);
    head_add_collections(h, r);
    head_add_overhead(h, r);
    add_open(h, r);
    h->failed |= h->text.failed;
    return !h->failed;
}
