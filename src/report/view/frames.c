#include "report/view/frames.h"

#include <stdlib.h>

#include "report/view/names.h"

bool view_frames_make(view_frames *f, const report *r) {
    const aggregate *a = r->sum;
    *f = (view_frames){.r = r};
    f->resumed = calloc((size_t)a->list.function_count + 1, sizeof *f->resumed);
    f->functions = calloc((size_t)a->list.function_count + 1, sizeof *f->functions);
    if (!f->resumed || !f->functions) {
        view_frames_clear(f);
        return false;
    }
    for (uint32_t i = 1; i < a->tree.node_count; i++) {
        const uint32_t function = node_function(&a->tree.places.links[i]);
        if (node_kind(&a->tree.places.links[i]) == NODE_RESUMED && f->resumed[function] == 0) {
            f->functions[f->resumed_count] = function;
            f->resumed[function] = a->list.function_count + f->resumed_count++;
        }
    }
    f->folded = a->list.function_count + f->resumed_count;
    f->deep = f->folded + 1;
    f->waiting = f->deep + 1;
    f->count = f->deep + (node_number(&a->tree, NODE_WAITING_NS, 0) > 0 ? 2 : 1);
    return true;
}

void view_frames_clear(view_frames *f) {
    free(f->resumed);
    free(f->functions);
    *f = (view_frames){0};
}

uint32_t view_frame_of(const view_frames *f, const fold_link *node) {
    const report_node_kind kind = node_kind(node);
    return kind == NODE_FOLDED    ? f->folded
           : kind == NODE_DEEP    ? f->deep
           : kind == NODE_WAITING ? f->waiting
           : kind == NODE_RESUMED ? f->resumed[node_function(node)]
                                  : node_function(node);
}

const report_function *view_frame_function(const view_frames *f, uint32_t frame) {
    const aggregate *a = f->r->sum;
    if (frame >= f->folded)
        return NULL;
    return &a->list.functions[frame < a->list.function_count ? frame : f->functions[frame - a->list.function_count]];
}

void view_frame_name(buffer *b, const view_frames *f, uint32_t frame) {
    const report_function *function = view_frame_function(f, frame);
    b->size = 0;
    if (!function) {
        buffer_string(b, frame == f->folded ? "(folded calls)" : frame == f->deep ? "(deeper calls)" : "(waiting)");
        return;
    }
    view_text(b, function->name);
    if (frame >= f->r->sum->list.function_count)
        buffer_string(b, " (resumed)");
}
