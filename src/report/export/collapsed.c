/* Collapsed stacks, "outer;inner;innermost WEIGHT" a line: what flamegraph.pl reads
 * (https://github.com/brendangregg/FlameGraph, "2. Fold stacks"), and inferno, speedscope and many more.
 *
 * A stack's weight is its own time in nanoseconds (calls where no time was measured), or what was counted there,
 * so the lines add up to the whole; stacks without any are left out. A semicolon in a name becomes a colon. */
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/cut.h"

typedef struct stack {
    buffer path, name;
    size_t ends[CUT_DEPTH + 4]; /* of the path's first N frames */
} stack;

static void push(stack *s, uint32_t depth) {
    s->path.size = s->ends[depth - 1];
    if (depth > 1)
        buffer_u8(&s->path, ';');
    for (size_t i = 0; i < s->name.size; i++)
        buffer_u8(&s->path, s->name.data[i] == ';' ? ':' : s->name.data[i]);
    s->ends[depth] = s->path.size;
}

bool collapsed_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    view_frames frames;
    stack *s = calloc(1, sizeof *s);
    if (!s || !view_frames_make(&frames, r)) {
        free(s);
        return false;
    }
    for (uint32_t node = walk_next(a->tree.places.links, 0); node != 0; node = walk_next(a->tree.places.links, node)) {
        const report_node its = call_tree_node(&a->tree, node), *n = &its;
        if (n->kind == NODE_THREAD)
            view_thread_name(&s->name, r, &a->tree.threads[n->function]);
        else
            view_frame_name(&s->name, &frames, view_frame_of(&frames, &a->tree.places.links[node]));
        push(s, n->depth);
        uint64_t weight = r->options->weight == ILJ_WEIGHT_TIME ? view_node_weight(r, node)
                                                                : n->figures.all[r->options->weight - ILJ_WEIGHT_BYTES];
        if (weight == 0 || n->kind == NODE_THREAD || s->path.failed)
            continue;
        print_bytes(out, (const char *)s->path.data, s->path.size);
        print_string(out, " ");
        print_number(out, weight);
        print_string(out, "\n");
    }
    bool done = !s->path.failed && !s->name.failed;
    buffer_clear(&s->path);
    buffer_clear(&s->name);
    free(s);
    view_frames_clear(&frames);
    return done;
}
