#include "report/merge/write.h"

static void put_figures(buffer *b, const merge_tree *t, const uint32_t *nodes, unsigned column) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += columns_at(&t->nodes, column, i) > 0;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint64_t size = columns_at(&t->nodes, column, nodes[i]);
        if (size == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, size);
        before = i;
    }
}

void merge_put_figures(buffer *b, const merge_tree *t, const uint32_t *nodes, profile_figure kind) {
    bool any = false;
    for (uint32_t i = 1; i < t->node_count && !any; i++)
        any =
            (columns_at(&t->nodes, MERGE_FIGURE + kind, i) | columns_at(&t->nodes, MERGE_FOLDED_FIGURE + kind, i)) != 0;
    if (!any)
        return;
    put_figures(b, t, nodes, MERGE_FIGURE + kind);
    put_figures(b, t, nodes, MERGE_FOLDED_FIGURE + kind);
}
