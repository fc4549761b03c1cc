/* The historic indented tree: "NAME took N", four spaces a level, N with groups of three digits, as the Print method of
 * the article's Metrics class wrote it. N is the inclusive time in nanoseconds, the unit of the article's clock. Nodes
 * stand in the order of their first calls; a scope that the program measures has the name that it was given. */
#include "report/export/export.h"
#include "report/print/format.h"

bool tree_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    view_frames frames;
    if (!view_frames_make(&frames, r))
        return false;
    buffer name = BUFFER_INIT;
    for (uint32_t node = walk_next(a->tree.places.links, 0); node != 0; node = walk_next(a->tree.places.links, node)) {
        const report_node its = call_tree_node(&a->tree, node), *n = &its;
        const report_function *f = NULL;
        if (n->kind == NODE_WAITING) /* no method */
            continue;
        if (n->kind == NODE_THREAD) {
            view_thread_name(&name, r, &a->tree.threads[n->function]);
        } else {
            view_frame_name(&name, &frames, view_frame_of(&frames, &a->tree.places.links[node]));
            f = view_frame_function(&frames, view_frame_of(&frames, &a->tree.places.links[node]));
        }
        bytes shown = buffer_bytes(&name);
        if (f && f->scope && shown.size >= 2) /* without its quotes */
            shown = (bytes){shown.data + 1, shown.size - 2};
        print_spaces(out, (size_t)(n->depth - 1) * 4);
        print_bytes(out, (const char *)shown.data, shown.size);
        int64_t ns = report_inclusive(&n->times);
        print_string(out, ns < 0 ? " took -" : " took ");
        print_string(out, format_count((uint64_t)(ns < 0 ? -ns : ns)).text);
        print_string(out, "\n");
    }
    bool done = !name.failed;
    buffer_clear(&name);
    view_frames_clear(&frames);
    return done;
}
