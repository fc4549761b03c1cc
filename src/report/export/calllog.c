/* The historic log of the ICorProfiler call logger: each call as "Namespace.Type.Method, id=N, call count = N" with one
 * space for each caller above it; then, after an empty line, each function as "Namespace.Type.Method : call count =
 * N", by id, as the logger's map had them. Names are without parameters, so overloads are lines alike but for the id.
 *
 * With a timeline this is the log as it happened, each call with the number of it so far. Without, each path stands
 * once, in the order of first calls, with the number of all its calls. A first line with # says when that is so, or
 * when calls are missing. Ids are those that the program had, in the first profile that knows them.
 *
 * Calls that were seen with their values have the arguments after their names, and a line with # where they end. Those
 * that are no line of this log stand after it, each in one with #. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/calls_place.h"
#include "report/model/cut.h"
#include "report/model/timeline.h"
#include "report/view/calls_text.h"
#include "util/list.h"

typedef struct calllog {
    printer *out;
    const report *r;
    buffer name, values;
} calllog;

static void print_text(calllog *c, const char *behind) {
    print_bytes(c->out, (const char *)c->name.data, c->name.size);
    print_string(c->out, behind);
}

/* Without parameters; steps of a machine whose call is elsewhere are another function. */
static void print_name_of(calllog *c, const report_function *f, bool steps) {
    view_text(&c->name, (bytes){f->name.data, f->parts.parameters});
    print_text(c, steps ? " (steps)" : "");
}

static void print_values(calllog *c) {
    if (!c->values.failed)
        print_bytes(c->out, (const char *)c->values.data, c->values.size);
    c->values.size = 0;
}

/* A line of a call: up to its values. */
static const report_function *begin_line(calllog *c, uint32_t function, uint32_t depth, bool steps) {
    const report_function *f = &c->r->sum->list.functions[function];
    print_spaces(c->out, depth < CUT_DEPTH ? depth : CUT_DEPTH);
    print_name_of(c, f, steps);
    return f;
}

/* The rest of it. */
static void finish_line(calllog *c, const report_function *f, uint64_t count) {
    print_string(c->out, ", id=");
    print_number(c->out, f->id);
    print_string(c->out, ", call count = ");
    print_number(c->out, count);
    print_string(c->out, "\n");
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
    uint32_t count = c->r->sum->list.function_count;
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
        finish_line(c, begin_line(c, n->function, n->depth - 1, n->calls == 0 && n->steps > 0),
                    n->calls > 0 ? n->calls : n->steps);
        return;
    }
    print_spaces(c->out, n->depth - 1);
    if (n->kind == NODE_THREAD) {
        view_thread_name(&c->name, c->r, &c->r->sum->tree.threads[n->function]);
        print_text(c, "\n");
    } else {
        print_string(c->out, n->kind == NODE_FOLDED ? "(folded calls)\n" : "(deeper calls)\n");
    }
}

/* A call that has no line of its own. */
static void lone_call(calllog *c, const profile *p, const calls_call *seen) {
    calls_describe(&c->values, c->r, p, seen, SIZE_MAX);
    print_string(c->out, "# ");
    print_values(c);
    print_string(c->out, "\n");
}

static bool paths(calllog *c) {
    const call_tree *tree = &c->r->sum->tree;
    const fold_link *nodes = tree->places.links;
    print_string(c->out, "# Made from sums: each path once, in the order of first calls, with all its calls.\n");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node))
        if (node_kind(&nodes[node]) != NODE_WAITING) {
            const report_node n = call_tree_node(tree, node);
            path_line(c, &n);
        }
    uint32_t count = 0;
    calls_shown *list = calls_sorted(c->r, &count);
    if (count > 0)
        print_string(c->out, "# Single calls with their values:\n");
    for (uint32_t i = 0; i < count; i++)
        lone_call(c, list[i].p, list[i].call);
    free(list);
    return list != NULL;
}

/* ---- From timelines --------------------------------------------------------------------------------------------- */

/* One call of all threads: where it begins, or where one ends that was seen with its values. */
typedef struct logged {
    uint64_t ns;     /* Unix time */
    uint32_t stream; /* number of it, over all profiles */
    uint32_t at;     /* in its stream: calls of a stream stay in their order; of an end the last call within */
    uint32_t function, depth;
    bool steps, ends;
    uint32_t last; /* position in its stream of the last call within */
    uint64_t end_ns, count;
    const profile *p;
    const calls_call *seen; /* with its values; or NULL */
} logged;

typedef struct log_lines {
    logged *lines;
    uint32_t count, capacity;
    calls_event *events;
    uint32_t event_count, event_capacity;
    uint32_t stream_count;
    uint64_t lost;
} log_lines;

static bool add_event(log_lines *l, const calls_event *event) {
    if (!list_grow((void **)&l->events, l->event_count, &l->event_capacity, sizeof *l->events))
        return false;
    l->events[l->event_count++] = *event;
    return true;
}

/* Per call of a stream, the position of the last one within it. */
static uint32_t *last_within(const timeline_call *calls, uint32_t count) {
    uint32_t *last = calloc((size_t)count + 1, sizeof *last);
    for (uint32_t i = count; last && i-- > 0;)
        for (last[i] = i; last[i] + 1 < count && calls[last[i] + 1].depth > calls[i].depth;)
            last[i] = last[last[i] + 1];
    return last;
}

/* `end`: of the run. */
static bool add_stream(log_lines *l, const profile *p, const matched_thread *t, const profile_stream *s, uint64_t end) {
    timeline_call *calls;
    uint32_t count;
    if (!timeline_calls(&calls, &count, &t->corrected.t, s, end))
        return false;
    uint32_t *last = last_within(calls, count);
    bool done = last != NULL;
    for (uint32_t i = 0; i < count && done; i++) {
        const matched_node *n = &t->nodes[calls[i].node];
        if (n->function >= FUNCTION_FOLDED)
            continue;
        done = list_grow((void **)&l->lines, l->count, &l->capacity, sizeof *l->lines);
        if (!done)
            break;
        logged *line = &l->lines[l->count++];
        *line = (logged){.ns = profile_add(p->run.start_ns, profile_ns(&p->run, calls[i].start)),
                         .end_ns = profile_add(p->run.start_ns, profile_ns(&p->run, calls[i].end)),
                         .stream = l->stream_count,
                         .at = i,
                         .last = last[i],
                         .function = n->function,
                         .depth = calls[i].depth,
                         .steps = n->machine != PROFILE_PLAIN,
                         .p = p};
        if (p->calls.count > 0 && !line->steps && !calls[i].open)
            done = add_event(l, &(calls_event){.thread = s->thread_id,
                                               .function = n->function,
                                               .start = calls[i].start,
                                               .ticks = calls[i].end - calls[i].start,
                                               .index = l->count - 1});
    }
    l->stream_count++;
    l->lost = profile_add(l->lost, s->overwritten);
    free(last);
    free(calls);
    return done;
}

/* Gives the lines of a profile their values. */
static bool add_values(log_lines *l, const report *r, const profile *p) {
    const calls *seen = &p->calls;
    for (uint32_t i = 0; i < seen->count; i++)
        if (!add_event(l, &(calls_event){.thread = seen->list[i].thread,
                                         .function = report_called(r, p, &seen->list[i]),
                                         .start = seen->list[i].start,
                                         .ticks = calls_frame_ticks(&seen->list[i]),
                                         .seen = true,
                                         .index = i}))
            return false;
    calls_place(l->events, l->event_count);
    for (uint32_t i = 0; i < l->event_count; i++)
        if (!l->events[i].seen && l->events[i].other != CALLS_NO_OTHER)
            l->lines[l->events[i].index].seen = &seen->list[l->events[i].other];
    l->event_count = 0;
    return true;
}

static int by_start(const void *left, const void *right) {
    const logged *a = left, *b = right;
    int order = list_compare(a->ns, b->ns);
    if (order == 0)
        order = list_compare(a->stream, b->stream);
    if (order == 0)
        order = list_compare(a->at, b->at);
    if (order == 0 && a->ends != b->ends)
        return a->ends ? 1 : -1;
    return order ? order : list_compare(b->depth, a->depth); /* inner ends first */
}

/* For each function, how many calls (even positions) and steps (odd ones) there were before those of the log. */
static uint64_t *counts_before(const aggregate *a, const log_lines *l) {
    uint64_t *counts = calloc(2 * (size_t)a->list.function_count + 1, sizeof *counts);
    for (uint32_t i = 0; counts && i < l->count; i++)
        counts[2 * (size_t)l->lines[i].function + l->lines[i].steps]++;
    for (size_t i = 0; counts && i < 2 * (size_t)a->list.function_count; i++) {
        uint64_t all = i % 2 ? a->list.functions[i / 2].steps : a->list.functions[i / 2].calls;
        counts[i] = all > counts[i] ? all - counts[i] : 0;
    }
    return counts;
}

/* Numbers the calls, and adds a line where one ends whose result is known. */
static bool number_lines(log_lines *l, uint64_t *counts) {
    if (l->count > 0)
        qsort(l->lines, l->count, sizeof *l->lines, by_start);
    uint32_t calls = l->count;
    for (uint32_t i = 0; i < calls; i++) {
        logged *e = &l->lines[i];
        uint64_t *count = &counts[2 * (size_t)e->function + e->steps];
        e->count = *count = profile_add(*count, 1);
        if (!e->seen)
            continue;
        logged end = *e;
        end.ends = true;
        end.ns = e->end_ns;
        end.at = e->last;
        if (calls_went_on(e->seen)) /* after the return to its caller */
            end.ns =
                profile_add(e->p->run.start_ns, profile_ns(&e->p->run, profile_add(e->seen->start, e->seen->ticks)));
        if (e->seen->unended)
            continue;
        if (!list_grow((void **)&l->lines, l->count, &l->capacity, sizeof *l->lines))
            return false;
        l->lines[l->count++] = end;
    }
    if (l->count > calls)
        qsort(l->lines, l->count, sizeof *l->lines, by_start);
    return true;
}

static void call_line(calllog *c, const logged *e) {
    const report_function *f = begin_line(c, e->function, e->depth, e->steps);
    if (e->seen) {
        calls_describe_begin(&c->values, &e->p->calls.methods[e->seen->method], e->seen);
        print_values(c);
    }
    finish_line(c, f, e->count);
}

static void end_line(calllog *c, const logged *e) {
    calls_describe_end(&c->values, &e->p->calls.methods[e->seen->method], e->seen);
    if (c->values.size == 0)
        return;
    print_string(c->out, "# ");
    print_spaces(c->out, e->depth < CUT_DEPTH ? e->depth : CUT_DEPTH);
    print_name_of(c, &c->r->sum->list.functions[e->function], false);
    print_format(c->out, ", call %" PRIu64, e->count);
    print_values(c);
    print_string(c->out, "\n");
}

static void print_log(calllog *c, const log_lines *l) {
    if (l->lost > 0)
        print_format(c->out, "# Earlier calls that were not kept: %" PRIu64 " (setting events).\n", l->lost);
    for (uint32_t i = 0; i < l->count; i++) {
        const logged *e = &l->lines[i];
        if (e->ends)
            end_line(c, e);
        else
            call_line(c, e);
    }
}

static int by_address(const void *left, const void *right) {
    const calls_call *a = *(const calls_call *const *)left, *b = *(const calls_call *const *)right;
    return a < b ? -1 : a > b;
}

/* Calls with values that no line has: of those the timeline has not kept an event, or none that is surely theirs. */
static bool print_others(calllog *c, const log_lines *l) {
    uint32_t count = 0, placed_count = 0;
    bool any = false;
    calls_shown *list = calls_sorted(c->r, &count);
    const calls_call **placed = calloc((size_t)l->count + 1, sizeof *placed);
    for (uint32_t i = 0; placed && i < l->count; i++)
        if (l->lines[i].seen)
            placed[placed_count++] = l->lines[i].seen;
    bool done = list && placed;
    if (done && placed_count > 0)
        qsort(placed, placed_count, sizeof *placed, by_address);
    for (uint32_t i = 0; done && i < count; i++) {
        if (bsearch(&list[i].call, placed, placed_count, sizeof *placed, by_address))
            continue;
        if (!any)
            print_string(c->out, "# Calls with their values that are none of those above:\n");
        any = true;
        lone_call(c, list[i].p, list[i].call);
    }
    free(placed);
    free(list);
    return done;
}

/* `position`: of the profile. */
static bool add_profile(log_lines *l, const report *r, size_t position) {
    const profile *p = &r->profiles[position];
    uint64_t end = view_timeline_end(r, position);
    for (size_t k = 0; k < r->matched[position].thread_count; k++) {
        const matched_thread *matched = &r->matched[position].threads[k];
        const profile_thread *t = &matched->corrected.t;
        l->lost = profile_add(l->lost, t->events_lost);
        for (uint32_t n = 0; n < t->stream_count; n++)
            if (!add_stream(l, p, matched, &t->streams[n], end))
                return false;
    }
    return add_values(l, r, p);
}

static bool as_it_happened(calllog *c) {
    log_lines l = {0};
    bool done = true;
    for (size_t i = 0; i < c->r->profile_count && done; i++)
        done = add_profile(&l, c->r, i);
    uint64_t *counts = done ? counts_before(c->r->sum, &l) : NULL;
    done = counts && number_lines(&l, counts);
    if (done) {
        print_log(c, &l);
        done = print_others(c, &l);
    }
    free(counts);
    free(l.events);
    free(l.lines);
    return done;
}

bool calllog_write(printer *out, const report *r) {
    calllog c = {.out = out, .r = r};
    bool timelines = true;
    for (size_t i = 0; i < r->profile_count; i++)
        timelines = timelines && timeline_is_recorded(&r->profiles[i]);
    bool done = (timelines ? as_it_happened(&c) : paths(&c)) && summary(&c) && !c.name.failed && !c.values.failed;
    buffer_clear(&c.name);
    buffer_clear(&c.values);
    return done;
}
