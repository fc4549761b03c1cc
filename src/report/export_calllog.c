/* The historic log of the ICorProfiler call logger: each call as "Namespace.Type.Method, id=N, call count = N" with one
 * space for each caller above it; then, behind an empty line, each function as "Namespace.Type.Method : call count =
 * N", by id, as the logger's map had them. Names are without parameters, so overloads are lines alike but for the id.
 *
 * With a timeline this is the log as it happened, each call with the number of it so far. Without, each path stands
 * once, in the order of first calls, with the number of all its calls. A first line with # says when that is so, or
 * when calls are missing. Ids are those that the program had, in the first profile that knows them. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/cut.h"
#include "report/export.h"
#include "report/list.h"
#include "report/timeline.h"

typedef struct calllog {
    printer *out;
    const report *r;
    buffer name;
} calllog;

static void print_text(calllog *c, const char *behind) {
    print_bytes(c->out, (const char *)c->name.data, c->name.size);
    print_string(c->out, behind);
}

/* Without parameters; steps of a machine whose call is elsewhere are another function. */
static void print_name_of(calllog *c, const report_function *f, bool steps) {
    export_text(&c->name, (bytes){f->name.data, f->parts.parameters});
    print_text(c, steps ? " (steps)" : "");
}

static void call_line(calllog *c, const report_function *f, uint32_t depth, bool steps, uint64_t count) {
    print_spaces(c->out, depth < CUT_DEPTH ? depth : CUT_DEPTH);
    print_name_of(c, f, steps);
    print_format(c->out, ", id=%" PRIu32 ", call count = %" PRIu64 "\n", f->id, count);
}

static int by_id(const void *left, const void *right) {
    const report_function *a = *(const report_function *const *)left, *b = *(const report_function *const *)right;
    int order = list_compare(a->id, b->id);
    return order ? order : list_compare(a->rank, b->rank);
}

static bool summary(calllog *c) {
    const report_function **sorted = report_sorted(c->r->sum, ILJ_SORT_NAME);
    if (!sorted)
        return false;
    uint32_t count = c->r->sum->function_count;
    qsort(sorted, count, sizeof *sorted, by_id);
    print_string(c->out, "\n");
    for (uint32_t i = 0; i < 2 * count; i++) {
        const report_function *f = sorted[i / 2];
        bool steps = i % 2;
        if (steps ? f->steps == 0 : f->calls == 0)
            continue;
        print_name_of(c, f, steps);
        print_format(c->out, " : call count = %" PRIu64 "\n", steps ? f->steps : f->calls);
    }
    free(sorted);
    return true;
}

/* ---- From sums -------------------------------------------------------------------------------------------------- */

static void path_line(calllog *c, const report_node *n) {
    if (n->kind == NODE_CALL || n->kind == NODE_RESUMED) {
        call_line(c, &c->r->sum->functions[n->function], n->depth - 1, n->calls == 0 && n->steps > 0, export_calls(n));
        return;
    }
    print_spaces(c->out, n->depth - 1);
    if (n->kind == NODE_THREAD) {
        export_thread_name(&c->name, c->r, &c->r->sum->threads[n->function]);
        print_text(c, "\n");
    } else {
        print_string(c->out, n->kind == NODE_FOLDED ? "(folded calls)\n" : "(deeper calls)\n");
    }
}

static bool paths(calllog *c) {
    const report_node *nodes = c->r->sum->nodes;
    print_string(c->out, "# Made from sums: each path once, in the order of first calls, with all its calls.\n");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node))
        path_line(c, &nodes[node]);
    return true;
}

/* ---- From timelines --------------------------------------------------------------------------------------------- */

/* One call of all threads. */
typedef struct logged {
    uint64_t start_ns; /* Unix time */
    uint32_t stream;   /* number of it, over all profiles */
    uint32_t at;       /* in its stream: calls of a stream stay in their order */
    uint32_t function, depth;
    bool steps;
} logged;

typedef struct log_lines {
    logged *lines;
    uint32_t count, capacity;
    uint32_t stream_count;
    uint64_t lost;
} log_lines;

static bool add_stream(log_lines *l, const profile *p, const profile_thread *t, const profile_stream *s) {
    timeline_call *calls;
    uint32_t count;
    if (!timeline_calls(&calls, &count, t, s, timeline_end(p)))
        return false;
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++) {
        const profile_node *n = &t->nodes[calls[i].node];
        if (n->function >= FUNCTION_FOLDED)
            continue;
        done = list_grow((void **)&l->lines, l->count, &l->capacity, sizeof *l->lines);
        if (done)
            l->lines[l->count++] = (logged){profile_add(p->run.start_ns, profile_ns(&p->run, calls[i].start)),
                                            l->stream_count,
                                            i,
                                            n->function,
                                            calls[i].depth,
                                            n->machine != PROFILE_PLAIN};
    }
    l->stream_count++;
    l->lost = profile_add(l->lost, s->overwritten);
    free(calls);
    return done;
}

static int by_start(const void *left, const void *right) {
    const logged *a = left, *b = right;
    int order = list_compare(a->start_ns, b->start_ns);
    if (order == 0)
        order = list_compare(a->stream, b->stream);
    return order ? order : list_compare(a->at, b->at);
}

/* Of each function, how many calls (even positions) and steps (odd ones) there were before those of the log. */
static uint64_t *counts_before(const aggregate *a, const log_lines *l) {
    uint64_t *counts = calloc(2 * (size_t)a->function_count + 1, sizeof *counts);
    for (uint32_t i = 0; counts && i < l->count; i++)
        counts[2 * (size_t)l->lines[i].function + l->lines[i].steps]++;
    for (size_t i = 0; counts && i < 2 * (size_t)a->function_count; i++) {
        uint64_t all = i % 2 ? a->functions[i / 2].steps : a->functions[i / 2].calls;
        counts[i] = all > counts[i] ? all - counts[i] : 0;
    }
    return counts;
}

static void print_log(calllog *c, const log_lines *l, uint64_t *counts) {
    if (l->lost > 0)
        print_format(c->out, "# Earlier calls that were not kept: %" PRIu64 " (setting events).\n", l->lost);
    for (uint32_t i = 0; i < l->count; i++) {
        const logged *e = &l->lines[i];
        uint64_t *count = &counts[2 * (size_t)e->function + e->steps];
        *count = profile_add(*count, 1);
        call_line(c, &c->r->sum->functions[e->function], e->depth, e->steps, *count);
    }
}

static bool as_it_happened(calllog *c) {
    log_lines l = {0};
    bool done = true;
    for (size_t i = 0; i < c->r->profile_count && done; i++) {
        const profile *p = &c->r->profiles[i];
        for (size_t k = 0; k < p->thread_count && done; k++) {
            l.lost = profile_add(l.lost, p->threads[k].events_lost);
            for (uint32_t n = 0; n < p->threads[k].stream_count && done; n++)
                done = add_stream(&l, p, &p->threads[k], &p->threads[k].streams[n]);
        }
    }
    if (done && l.count > 0)
        qsort(l.lines, l.count, sizeof *l.lines, by_start);
    uint64_t *counts = done ? counts_before(c->r->sum, &l) : NULL;
    if (counts)
        print_log(c, &l, counts);
    free(counts);
    free(l.lines);
    return counts != NULL;
}

bool calllog_write(printer *out, const report *r) {
    calllog c = {.out = out, .r = r};
    bool timelines = true;
    for (size_t i = 0; i < r->profile_count; i++)
        timelines = timelines && timeline_is_recorded(&r->profiles[i]);
    bool done = (timelines ? as_it_happened(&c) : paths(&c)) && summary(&c) && !c.name.failed;
    buffer_clear(&c.name);
    return done;
}
