/* hot_path.h - the path that took most of the time: from the top always on to the callee that took most of it, as
 * estimated, while that is a tenth of all, a quarter of its caller's and no less than half of the caller's own. Waits
 * count, but for those of what only waits.
 *
 * view_hot_begin, view_hot_next from node 0 on until it returns 0, view_hot_end. */
#ifndef ILINJECT_REPORT_VIEW_HOT_PATH_H
#define ILINJECT_REPORT_VIEW_HOT_PATH_H

#include "report/model/idle.h"
#include "report/model/model.h"

/* What the tree's nodes took. */
typedef struct view_hot {
    const report *r;
    const call_tree *tree;
    const fold_link *nodes;
    uint64_t *idle_ns; /* per node: of its inclusive time, what only waited */
    idle waits;
} view_hot;

/* False when memory ran out; then nothing is to be ended. */
bool view_hot_begin(view_hot *p, const report *r);
void view_hot_end(view_hot *p);

/* The node that the path goes on to; 0: it ends here. Of two that took as long the first one. */
uint32_t view_hot_next(const view_hot *p, uint32_t at);

/* The last node of the recursion that starts here; *frames: how many it has. */
uint32_t view_hot_last(const view_hot *p, uint32_t at, uint32_t *frames);

/* A node's times without what only waited below it, and the estimated inclusive one alone. */
profile_times view_hot_times(const view_hot *p, uint32_t at);
uint64_t view_hot_taken(const view_hot *p, uint32_t at);

#endif
