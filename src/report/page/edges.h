/* edges.h - who calls whom, over the whole merged tree. */
#ifndef ILINJECT_REPORT_PAGE_EDGES_H
#define ILINJECT_REPORT_PAGE_EDGES_H

#include "report/model/aggregate.h"

#define EDGE_NO_CALLER UINT32_MAX /* of what a thread starts with, or of folded calls */

/* Recursion counts once: `called` is the callee's time where it does not stand above itself, `calling` that part of the
 * caller's calls that goes to this callee, where the caller does not stand above itself. */
typedef struct page_edge {
    uint32_t caller, callee;           /* functions */
    uint32_t caller_rank, callee_rank; /* EDGE_NO_CALLER: of none */
    uint64_t calls, called, calling;
} page_edge;

typedef struct page_edges {
    page_edge *items; /* most time first, then by the functions' ranks */
    uint32_t count, capacity;
} page_edges;

/* `within` is the weight of each node with all below it, `calls` those of each node. To be freed with
 * page_edges_clear, in any case. False when memory ran out. */
bool page_edges_find(page_edges *edges, const aggregate *a, const uint64_t *within,
                     uint64_t (*calls)(const call_tree *t, uint32_t node));
void page_edges_clear(page_edges *edges);

#endif
