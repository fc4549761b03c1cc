#include "report/merge/write.h"

/* That of folded callees, or of the node's own code. */
static uint64_t figure_of(const merge_node *n, profile_figure kind, bool folded) {
    return folded ? n->folded_figures[kind] : n->figures[kind];
}

static void put_figures(buffer *b, const merge_tree *t, const uint32_t *nodes, profile_figure kind, bool folded) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += figure_of(&t->nodes[i], kind, folded) > 0;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint64_t size = figure_of(&t->nodes[nodes[i]], kind, folded);
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
        any = (t->nodes[i].figures[kind] | t->nodes[i].folded_figures[kind]) != 0;
    if (!any)
        return;
    put_figures(b, t, nodes, kind, false);
    put_figures(b, t, nodes, kind, true);
}
