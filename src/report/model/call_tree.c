#include "report/model/call_tree.h"

#include "report/model/function.h"
#include "report/model/times.h"
#include "util/list.h"

_Static_assert((int)NODE_UNLINKED + 1 < 16 && FUNCTIONS_MOST < 1 << 28,
               "a kind has four bits, and no key is FOLD_PARENT");

bool call_tree_make_nodes(call_tree *t) {
    fold_link *links = t->places.links;
    if (!columns_extend(&t->figures, t->places.count) ||
        (t->depths && !list_reserve((void **)&t->depths, t->places.count, &t->depth_capacity, sizeof *t->depths)))
        return false;
    for (; t->node_count < t->places.count; t->node_count++) {
        if (t->node_count == 0)
            continue;
        fold_link *parent = &links[links[t->node_count].parent];
        links[t->node_count].next_sibling = parent->first_child;
        parent->first_child = t->node_count;
        if (t->depths)
            t->depths[t->node_count] = t->depths[links[t->node_count].parent] + 1;
    }
    return true;
}

bool call_tree_start(call_tree *t) {
    return fold_start(&t->places) && call_tree_make_nodes(t);
}

bool call_tree_begin(call_tree *t) {
    *t = (call_tree){.by_thread = t->by_thread,
                     .as_called = t->as_called,
                     .threads = t->threads,
                     .thread_count = t->thread_count,
                     .thread_capacity = t->thread_capacity,
                     .folded = t->folded,
                     .folded_count = t->folded_count,
                     .folded_capacity = t->folded_capacity,
                     .below = t->below,
                     .below_count = t->below_count,
                     .below_capacity = t->below_capacity};
    if (!list_grow((void **)&t->depths, 0, &t->depth_capacity, sizeof *t->depths))
        return false;
    t->depths[0] = 0;
    return call_tree_start(t);
}

void call_tree_move_folded(call_tree *t, const uint32_t *nodes) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->below_count; i++)
        if (nodes[t->below[i].node] != UINT32_MAX)
            t->below[kept++] = (report_below){nodes[t->below[i].node], t->below[i].function};
    t->below_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < t->folded_count; i++)
        if (nodes[t->folded[i].node] != UINT32_MAX)
            t->folded[kept++] = (report_folded){nodes[t->folded[i].node], t->folded[i].times, t->folded[i].calls};
    t->folded_count = kept;
}

bool call_tree_settle(call_tree *t) {
    fold_settle(&t->places);
    if (t->depths)
        return true;
    t->depths = malloc(((size_t)t->node_count + 1) * sizeof *t->depths);
    for (uint32_t i = 0; i < t->node_count && t->depths; i++)
        t->depths[i] = i == 0 ? 0 : t->depths[t->places.links[i].parent] + 1;
    return t->depths != NULL;
}

void call_tree_set(call_tree *t, uint32_t node, const report_node *of) {
    columns *f = &t->figures;
    times_set(f, node, &of->times);
    columns_set(f, NODE_CALLS, node, of->calls);
    columns_set(f, NODE_STEPS, node, of->steps);
    columns_set(f, NODE_TICKED_CALLS, node, of->ticked_calls);
    columns_set(f, NODE_THROWN, node, of->thrown);
    columns_set(f, NODE_WAITING_NS, node, of->waiting_ns);
    for (unsigned kind = 0; kind < FIGURES; kind++) {
        columns_set(f, NODE_FIGURE + kind, node, of->figures.all[kind]);
        columns_set(f, NODE_ALL_FIGURE + kind, node, of->all_figures.all[kind]);
    }
}

uint32_t call_tree_child(call_tree *t, uint32_t parent, report_node_kind kind, uint32_t function) {
    uint32_t place = fold_child(&t->places, parent, call_tree_key(kind, function));
    return place != FOLD_NONE && call_tree_make_nodes(t) ? place : FOLD_NONE;
}

uint32_t call_tree_find(const call_tree *t, uint32_t parent, report_node_kind kind, uint32_t function) {
    uint32_t place = fold_find(&t->places, parent, call_tree_key(kind, function));
    return place == FOLD_NONE ? 0 : place;
}

void call_tree_clear(call_tree *t) {
    fold_clear(&t->places);
    columns_clear(&t->figures);
    free(t->depths);
    free(t->threads);
    free(t->folded);
    free(t->below);
}
