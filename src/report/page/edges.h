/* edges.h - who calls whom, over the whole merged tree. */
#ifndef ILINJECT_REPORT_PAGE_EDGES_H
#define ILINJECT_REPORT_PAGE_EDGES_H

#include "report/model/aggregate.h"
#include "report/print/print.h"

/* Writes the member "edges" of the page's data: the PAGE_MAX_EDGES with the most time, by caller and callee. `within`
 * is the weight of each node with all below it, `calls` those of each node, `position` where a function stands in the
 * page, or UINT32_MAX. Recursion counts once: `called` is the callee's time where it does not stand above itself,
 * `calling` that part of the caller's calls that goes to this callee, where the caller does not stand above itself;
 * written is by how much it is more than `called`, mostly 0. A caller is how far it stands after the caller before,
 * which of the first is -1: what a thread starts with. False when memory ran out. */
bool page_edges_write(printer *out, const aggregate *a, const uint64_t *within,
                      uint64_t (*calls)(const call_tree *t, uint32_t node), const uint32_t *position);

#endif
