#include "report/report.h"
#include "report/table.h"

/* The text report's hot path: from the top always on to the callee that took most of the time, while that is the larger
 * part of what is left. Frames of a recursion in a row are one line. */

enum { LEAST_NAME = 16, MOST_LINES = 60 };

static bool has_function(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

/* The node that the path goes on to; 0: it ends here. Children stand in order of their time, folded calls last. */
static uint32_t next_of(const report_node *nodes, uint32_t at) {
    const report_node *n = &nodes[at], *child = &nodes[n->first_child];
    bool most = child->inclusive_ns > n->exclusive_ns && child->inclusive_ns >= n->inclusive_ns / 4;
    return n->first_child != 0 && child->kind != NODE_FOLDED && (at == 0 || most) ? n->first_child : 0;
}

/* The last node of the recursion that starts here. */
static uint32_t last_of_run(const report_node *nodes, uint32_t at, uint32_t *frames) {
    *frames = 1;
    for (uint32_t next = next_of(nodes, at); next != 0 && has_function(&nodes[at]) && has_function(&nodes[next]) &&
                                             nodes[next].function == nodes[at].function;
         next = next_of(nodes, at)) {
        at = next;
        ++*frames;
    }
    return at;
}

static table_row row_of(const report_node *n, uint64_t whole) {
    return (table_row){{format_count(n->kind == NODE_RESUMED ? n->steps : n->calls),
                        times_figure(report_inclusive(&n->times), false),
                        times_figure(report_exclusive(&n->times), false), format_percent(n->inclusive_ns, whole)}};
}

static void print_node(const report *r, const table *t, printer *out, const report_node *n, uint32_t depth,
                       uint32_t frames, buffer *name) {
    size_t room = table_indent(t, out, depth);
    if (n->kind == NODE_THREAD) {
        name->size = 0;
        thread_describe(name, r, &r->sum->threads[n->function]);
        print_name(out, buffer_bytes(name), name->size, name->size, room);
        return;
    }
    const report_function *f = &r->sum->functions[n->function];
    print_name(out, f->name, f->parts.parameters, f->parts.suffix, room);
    if (frames > 1)
        print_format(out, " \u00d7 %s deep", format_count(frames).text);
}

/* With `out` NULL the rows are measured. */
static void walk(const report *r, table *t, printer *out, buffer *name) {
    const report_node *nodes = r->sum->nodes;
    uint64_t whole = nodes[0].inclusive_ns;
    uint32_t depth = 0, frames;
    for (uint32_t at = next_of(nodes, 0); at != 0 && depth < MOST_LINES; at = next_of(nodes, at)) {
        const report_node *n = &nodes[at];
        table_row row = row_of(n, whole);
        at = last_of_run(nodes, at, &frames);
        depth++;
        if (!out) {
            table_measure(t, &row);
            continue;
        }
        table_figures(t, out, &row);
        print_node(r, t, out, n, depth, frames, name);
        print_string(out, "\n");
    }
}

bool hot_write(printer *out, const report *r) {
    buffer name = BUFFER_INIT;
    table t = {.titles = {"Calls", "Inclusive", "Exclusive", "%"}, .least_name = LEAST_NAME};
    walk(r, &t, NULL, &name);
    table_head(&t, out, "Hot path", r->options->width);
    walk(r, &t, out, &name);
    bool done = !name.failed;
    buffer_clear(&name);
    return done;
}
