#include "report/view/async.h"

static view_async row_of(const report *r, uint32_t function, const async_figures *f) {
    bool linked = !r->sum->async.unlinked[function], ended = async_ended(f) > 0;
    return (view_async){.function = function,
                        .calls = f->calls,
                        .completed = f->completed,
                        .failed = f->failed,
                        .cancelled = f->cancelled,
                        .open = async_open(f),
                        .suspensions = f->suspensions,
                        .unlinked = f->unlinked,
                        .running_ns = f->running_ns,
                        .awaiting_ns = f->awaiting_ns,
                        .wall_ns = f->wall_ns,
                        .average_ns = async_average(f),
                        .has_average = f->unlinked == 0 && ended,
                        .awaiting_sure = linked && async_open(f) == 0,
                        .all_sure = linked && ended};
}

uint32_t view_async_count(const report *r) {
    return r->sum->async.method_count;
}

view_async view_async_method(const report *r, uint32_t i) {
    const async_method *m = &r->sum->async.methods[i];
    view_async row = row_of(r, m->function, &m->figures);
    row.depth = 1;
    row.sums = true;
    return row;
}

static uint32_t most_below(const view_async_walk *w, uint32_t parent) {
    uint32_t most = parent == 0 ? w->top : w->below;
    return most == 0 ? UINT32_MAX : most;
}

/* Goes on after `parent`, which is done. */
static void leave(view_async_walk *w, const async_node *nodes) {
    uint32_t above = nodes[w->parent].parent;
    w->node = nodes[w->parent].next_sibling;
    w->position = most_below(w, above) == UINT32_MAX ? 0 : 1;
    for (uint32_t at = nodes[above].first_child; w->position > 0 && at != w->parent; at = nodes[at].next_sibling)
        w->position++;
    w->parent = above;
}

bool view_next_async(view_async_walk *w, view_async *row) {
    const async_tree *tree = &w->r->sum->async;
    const async_node *nodes = tree->nodes;
    if (tree->node_count == 0)
        return false;
    if (!w->begun)
        w->node = nodes[0].first_child;
    w->begun = true;
    while (w->node == 0 && w->parent != 0)
        leave(w, nodes);
    if (w->node == 0)
        return false;
    const async_node *n = &nodes[w->node];
    if (w->position < most_below(w, w->parent)) {
        *row = row_of(w->r, n->function, &n->figures);
        row->depth = n->depth;
        row->sums = !tree->unlinked[n->function];
        w->parent = w->node;
        w->node = n->first_child;
        w->position = 0;
        return true;
    }
    *row = (view_async){.depth = n->depth};
    for (; w->node != 0; w->node = nodes[w->node].next_sibling, row->more++)
        row->calls = profile_add(row->calls, nodes[w->node].figures.calls);
    return true;
}

void view_async_facts(const view_async *row, view_facts *facts) {
    facts->count = 0;
    view_add_number(facts, VIEW_EACH, "calls", row->calls);
    view_add_number(facts, VIEW_EACH, "completed", row->completed);
    view_add_number(facts, VIEW_EACH, "failed", row->failed);
    view_add_number(facts, VIEW_EACH, "cancelled", row->cancelled);
    view_add_number(facts, VIEW_JSON, "open", row->open);
    view_add_number(facts, VIEW_EACH, "suspensions", row->suspensions);
    view_add_number(facts, VIEW_EACH, "running_ns", row->running_ns);
    view_add_number(facts, VIEW_EACH, "awaiting_ns", row->awaiting_ns);
    view_add_number(facts, VIEW_EACH, "wall_ns", row->wall_ns);
    view_add_known(facts, VIEW_JSON, "average_ns", row->has_average, row->average_ns);
    view_add_number(facts, VIEW_JSON, "unlinked", row->unlinked);
}
