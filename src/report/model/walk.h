/* walk.h - the merged tree in pre-order, without a stack: it may be as deep as a thread's stack was. */
#ifndef ILINJECT_REPORT_MODEL_WALK_H
#define ILINJECT_REPORT_MODEL_WALK_H

#include "report/model/call_tree.h"

/* The node after `node`, whose parent is one of the nodes from it up; 0 after the last one. Start with the root, 0.
 */
static inline uint32_t walk_next(const fold_link *nodes, uint32_t node) {
    if (nodes[node].first_child != 0)
        return nodes[node].first_child;
    while (node != 0 && nodes[node].next_sibling == 0)
        node = nodes[node].parent;
    return nodes[node].next_sibling;
}

#endif
