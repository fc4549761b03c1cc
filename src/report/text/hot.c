#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"

/* The text report's hot path: from the top always on to the callee that took most of the time, as estimated and without
 * waits, while that is the larger part of what is left. Frames of a recursion in a row are one line. */

enum { LEAST_NAME = 16, MOST_LINES = 60 };

static bool has_function(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

static uint64_t working(const report_node *n) {
    return node_working(n).inclusive_ns;
}

/* The node that the path goes on to; 0: it ends here. Of two that took as long the first one. */
static uint32_t next_of(const aggregate *a, uint32_t at) {
    const report_node *nodes = a->tree.nodes, *n = &nodes[at];
    uint32_t most = 0;
    for (uint32_t child = n->first_child; child != 0; child = nodes[child].next_sibling)
        if (nodes[child].kind != NODE_WAITING && (most == 0 || working(&nodes[child]) > working(&nodes[most])))
            most = child;
    if (most == 0 || nodes[most].kind == NODE_FOLDED)
        return 0;
    uint64_t below = working(&nodes[most]), own = n->times.exclusive_ns;
    return at == 0 || (below > own && below >= working(n) / 4) ? most : 0;
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
static void print_node(printer *out, const report *r, const report_node *n, size_t room, uint32_t frames, bool bare,
                       buffer *name) {
    if (n->kind == NODE_THREAD) {
        name->size = 0;
        thread_describe(name, r, &r->sum->tree.threads[n->function]);
        print_name(out, buffer_bytes(name), name->size, name->size, room);
        return;
    }
    const report_function *f = &r->sum->list.functions[n->function];
    print_short_function(out, f, bare, room);
    if (frames > 1)
        print_format(out, " \u00d7 %s deep", format_count(frames).text);
}

/* With `out` NULL the rows are measured. */
static void walk(const report *r, table *t, printer *out, bool bare, buffer *name, times_marks *marks) {
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
        print_node(out, r, n, table_indent(t, out, depth), frames, bare, name);
        print_string(out, "\n");
    }
}

/* Has some name no room for its namespace? */
static bool is_bare(const report *r, const table *t) {
    const aggregate *a = r->sum;
    uint32_t depth = 0, frames;
    bool bare = false;
    for (uint32_t at = next_of(a, 0); at != 0 && depth < MOST_LINES; at = next_of(a, at)) {
        at = last_of_run(a, at, &frames);
        const report_node *n = &a->tree.nodes[at];
        depth++;
        bare |= has_function(n) && function_is_long(&a->list.functions[n->function], table_room(t, depth));
    }
    return bare;
}

bool hot_write(printer *out, const report *r) {
    buffer name = BUFFER_INIT;
    table t = {.titles = {"Calls", "Inclusive", "Waiting", "Exclusive", "%"}, .least_name = LEAST_NAME};
    t.hidden[2] = !view_has_waits(r);
    times_marks marks = {0};
    walk(r, &t, NULL, false, &name, &marks);
    table_head(&t, out, "Hot path", r->options->width);
    walk(r, &t, out, is_bare(r, &t), &name, &marks);
    times_explain(out, r, marks);
    bool done = !name.failed;
    buffer_clear(&name);
    return done;
}
