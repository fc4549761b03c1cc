#include "report/merge/tree.h"

/* The figures of what nodes have allocated, by their offsets in a node. */
static uint64_t figure_of(const merge_node *n, size_t offset) {
    return *(const uint64_t *)(const void *)((const char *)n + offset);
}

static void put_figures(buffer *b, const merge_tree *t, const uint32_t *nodes, size_t offset) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += figure_of(&t->nodes[i], offset) > 0;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint64_t size = figure_of(&t->nodes[nodes[i]], offset);
        if (size == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, size);
        before = i;
    }
}

void merge_put_allocations(buffer *b, const merge_tree *t, const uint32_t *nodes, size_t own, size_t folded) {
    bool any = false;
    for (uint32_t i = 1; i < t->node_count && !any; i++)
        any = (figure_of(&t->nodes[i], own) | figure_of(&t->nodes[i], folded)) != 0;
    if (!any)
        return;
    put_figures(b, t, nodes, own);
    put_figures(b, t, nodes, folded);
}
