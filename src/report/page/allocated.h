/* allocated.h - the parts of a page's data that say what was allocated, and what else was counted. */
#ifndef ILINJECT_REPORT_PAGE_ALLOCATED_H
#define ILINJECT_REPORT_PAGE_ALLOCATED_H

#include "report/model/model.h"
#include "report/print/print.h"

/* A figure of a node's own code; 0 where it is no function's. */
static inline uint64_t figure_of_node(const call_tree *t, uint32_t node, profile_figure kind) {
    return link_is_call(&t->places.links[node]) ? node_number(t, NODE_FIGURE + kind, node) : 0;
}

/* A figure of each node with all below it, to be freed with free; NULL when memory ran out. */
uint64_t *page_sum_up(const aggregate *a, profile_figure kind);

/* The types of the objects that were counted, most first. `scratch` is a text's. False when memory ran out. */
bool page_types_write(printer *out, const report_sites *s, buffer *scratch);

#endif
