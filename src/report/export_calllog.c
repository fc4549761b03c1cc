/* The historic log of the ICorProfiler call logger: each call as "Namespace.Type.Method, id=N, call count = N" with one
 * space for each caller above it; then, behind an empty line, each function as "Namespace.Type.Method : call count =
 * N", by id, as the logger's map had them. Names are without parameters, so overloads are lines alike but for the id.
 *
 * A profile does not say when each call was made: each path stands once, in the order of first calls, with the number
 * of all its calls, and the first line says so. Ids are those that the program had, in the first profile that knows
 * them. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export.h"
#include "report/list.h"

/* Without parameters; steps of a machine whose call is elsewhere are another function. */
static void print_name_of(printer *out, buffer *b, const report_function *f, bool steps) {
    export_text(b, (bytes){f->name.data, f->parts.parameters});
    print_bytes(out, (const char *)b->data, b->size);
    if (steps)
        print_string(out, " (steps)");
}

static void path_line(printer *out, const report *r, buffer *b, const report_node *n) {
    print_spaces(out, n->depth - 1);
    if (n->kind == NODE_CALL || n->kind == NODE_RESUMED) {
        const report_function *f = &r->sum->functions[n->function];
        print_name_of(out, b, f, n->calls == 0 && n->steps > 0);
        print_format(out, ", id=%" PRIu32 ", call count = %" PRIu64 "\n", f->id, export_calls(n));
        return;
    }
    if (n->kind == NODE_THREAD) {
        export_thread_name(b, r, &r->sum->threads[n->function]);
        print_bytes(out, (const char *)b->data, b->size);
        print_string(out, "\n");
    } else {
        print_string(out, n->kind == NODE_FOLDED ? "(folded calls)\n" : "(deeper calls)\n");
    }
}

static int by_id(const void *left, const void *right) {
    const report_function *a = *(const report_function *const *)left, *b = *(const report_function *const *)right;
    int order = list_compare(a->id, b->id);
    return order ? order : list_compare(a->rank, b->rank);
}

static bool summary(printer *out, const report *r, buffer *b) {
    const report_function **sorted = report_sorted(r->sum, ILJ_SORT_NAME);
    if (!sorted)
        return false;
    uint32_t count = r->sum->function_count;
    qsort(sorted, count, sizeof *sorted, by_id);
    print_string(out, "\n");
    for (uint32_t i = 0; i < 2 * count; i++) {
        const report_function *f = sorted[i / 2];
        bool steps = i % 2;
        if (steps ? f->steps == 0 : f->calls == 0)
            continue;
        print_name_of(out, b, f, steps);
        print_format(out, " : call count = %" PRIu64 "\n", steps ? f->steps : f->calls);
    }
    free(sorted);
    return true;
}

bool calllog_write(printer *out, const report *r) {
    const report_node *nodes = r->sum->nodes;
    buffer b = BUFFER_INIT;
    print_string(out, "# Made from sums: each path once, in the order of first calls, with all its calls.\n");
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node))
        path_line(out, r, &b, &nodes[node]);
    bool done = summary(out, r, &b) && !b.failed;
    buffer_clear(&b);
    return done;
}
