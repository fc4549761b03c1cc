#include "report/print/table.h"
#include "report/text/text.h"
#include "report/text/times.h"

/* The text report's hot path: from the top always on to the callee that took most of the time as far as it is certain,
 * without waits, while that is the larger part of what is left. Frames of a recursion in a row are one line. */

enum { LEAST_NAME = 16, MOST_LINES = 60 };

static bool has_function(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

static uint64_t working(const aggregate *a, const report_node *n) {
    const profile_times t = node_working(n);
    return times_certain_inclusive(&t, aggregate_order_by(a));
}

/* The node that the path goes on to; 0: it ends here. Of two that took as long the first one. */
static uint32_t next_of(const aggregate *a, uint32_t at) {
    const report_node *nodes = a->tree.nodes, *n = &nodes[at];
    uint32_t most = 0;
    for (uint32_t child = n->first_child; child != 0; child = nodes[child].next_sibling)
        if (nodes[child].kind != NODE_WAITING && (most == 0 || working(a, &nodes[child]) > working(a, &nodes[most])))
            most = child;
    if (most == 0 || nodes[most].kind == NODE_FOLDED)
        return 0;
    uint64_t below = working(a, &nodes[most]), own = times_certain_own(&n->times, aggregate_order_by(a));
    return at == 0 || (below > own && below >= working(a, n) / 4) ? most : 0;
}

/* The last node of the recursion that starts here. */
static uint32_t last_of_run(const aggregate *a, uint32_t at, uint32_t *frames) {
    const report_node *nodes = a->tree.nodes;
    *frames = 1;
    for (uint32_t next = next_of(a, at); next != 0 && has_function(&nodes[at]) && has_function(&nodes[next]) &&
                                         nodes[next].function == nodes[at].function;
         next = next_of(a, at)) {
        at = next;
        ++*frames;
    }
    return at;
}

static table_row row_of(const report *r, const report_node *n) {
    return (table_row){{format_count(n->kind == NODE_RESUMED ? n->steps : n->calls),
                        times_inclusive_figure(r, &n->times), format_time(n->waiting_ns),
                        times_exclusive_figure(r, &n->times), times_working_share(r, n)}};
}

/* `room`: columns. `frames` of it in a row are this line. */
static void print_node(printer *out, const report *r, const report_node *n, size_t room, uint32_t frames,
                       buffer *name) {
    if (n->kind == NODE_THREAD) {
        name->size = 0;
        thread_describe(name, r, &r->sum->tree.threads[n->function]);
        print_name(out, buffer_bytes(name), name->size, name->size, room);
        return;
    }
    const report_function *f = &r->sum->list.functions[n->function];
    print_name(out, f->name, f->parts.parameters, f->parts.suffix, room);
    if (frames > 1)
        print_format(out, " \u00d7 %s deep", format_count(frames).text);
}

/* With `out` NULL the rows are measured. */
static void walk(const report *r, table *t, printer *out, buffer *name, times_marks *marks) {
    const aggregate *a = r->sum;
    uint32_t depth = 0, frames;
    for (uint32_t at = next_of(a, 0); at != 0 && depth < MOST_LINES; at = next_of(a, at)) {
        const report_node *n = &a->tree.nodes[at];
        table_row row = row_of(r, n);
        times_mark(marks, times_inclusive_trust(&n->times, a->totals.exclusive_ns));
        times_mark(marks, times_exclusive_trust(&n->times, a->totals.exclusive_ns));
        at = last_of_run(a, at, &frames);
        depth++;
        if (!out) {
            table_measure(t, &row);
            continue;
        }
        table_figures(t, out, &row);
        print_node(out, r, n, table_indent(t, out, depth), frames, name);
        print_string(out, "\n");
    }
}

bool hot_write(printer *out, const report *r) {
    buffer name = BUFFER_INIT;
    table t = {.titles = {"Calls", "Inclusive", "Waiting", "Exclusive", "%"}, .least_name = LEAST_NAME};
    t.hidden[2] = !view_has_waits(r);
    times_marks marks = {0};
    walk(r, &t, NULL, &name, &marks);
    table_head(&t, out, "Hot path", r->options->width);
    walk(r, &t, out, &name, &marks);
    times_explain(out, r, marks);
    bool done = !name.failed;
    buffer_clear(&name);
    return done;
}
