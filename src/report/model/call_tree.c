#include "report/model/call_tree.h"

#include "report/model/function.h"
#include "util/list.h"

_Static_assert((int)NODE_UNLINKED + 1 < 16 && FUNCTIONS_MOST < 1 << 28,
               "a kind has four bits, and no key is FOLD_PARENT");

bool call_tree_make_nodes(call_tree *t) {
    if (!list_reserve((void **)&t->nodes, t->places.count, &t->node_capacity, sizeof *t->nodes))
        return false;
    for (; t->node_count < t->places.count; t->node_count++) {
        fold_link link = t->places.links[t->node_count];
        if (t->node_count == 0) {
            t->nodes[0] = (report_node){.kind = NODE_ROOT};
            continue;
        }
        report_node *parent = &t->nodes[link.parent];
        t->nodes[t->node_count] = (report_node){.function = link.key & ((1u << 28) - 1),
                                                .kind = (report_node_kind)((link.key >> 28) - 1),
                                                .parent = link.parent,
                                                .next_sibling = parent->first_child,
                                                .depth = parent->depth + 1};
        parent->first_child = t->node_count;
    }
    return true;
}

bool call_tree_start(call_tree *t) {
    return fold_start(&t->places) && call_tree_make_nodes(t);
}

bool call_tree_begin(call_tree *t) {
    t->nodes = NULL;
    t->node_count = t->node_capacity = 0;
    fold_clear(&t->places);
    return call_tree_start(t);
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
    free(t->nodes);
    free(t->threads);
    free(t->folded);
}
