/* async.h - the logical call tree of async methods, merged over threads and profiles by path: who started whom.
 *
 * It comes in two forms. Places are as profiles have them: plain methods, which have no figures, stand on the ways
 * between a call and those that it starts. Nodes are async methods alone, over all ways. The figures of both are their
 * own calls' alone. Times are in nanoseconds; sums stop at PROFILE_MAX. */
#ifndef ILINJECT_REPORT_MODEL_ASYNC_H
#define ILINJECT_REPORT_MODEL_ASYNC_H

#include "report/model/fold.h"
#include "report/model/match.h"

typedef struct async_figures {
    uint64_t calls, completed, failed, cancelled;
    uint64_t suspensions;
    uint64_t running_ns, awaiting_ns; /* on a thread; between a suspension and the next slice */
    uint64_t wall_ns;                 /* from start to end, of the calls that ended */
    uint64_t unlinked;                /* slices of calls that are not known */
} async_figures;

typedef struct async_place {
    uint32_t function;  /* position; of the root meaningless */
    uint32_t parent;    /* position; the root's is 0 */
    uint32_t node;      /* from async_finish: among the nodes, of itself or of the nearest one above */
    uint32_t call_node; /* in the call tree, where its slices stand; 0: not known, or nowhere. From logical_place */
    uint64_t own_awaiting_ns; /* from async_finish: while none of the async calls that it started was under way */
    async_figures figures;
} async_place;

typedef struct async_node {
    uint32_t function;                          /* position; of the root meaningless */
    uint32_t parent, first_child, next_sibling; /* positions; 0: none */
    uint32_t depth;                             /* the root's is 0 */
    async_figures figures;
} async_node;

/* One function's sum over the tree. */
typedef struct async_method {
    uint32_t function;
    async_figures figures;
} async_method;

typedef struct async_tree {
    fold fold;
    async_place *places; /* by place in the fold: places[0] is the root; parent < own position */
    uint32_t place_count, place_capacity;
    async_node *nodes; /* from async_finish: nodes[0] is the root; parent < own position */
    uint32_t node_count;
    async_method *methods; /* from async_finish: most time first */
    uint32_t method_count;
    bool *unlinked; /* per function, from async_finish: whether it has unlinked slices */
} async_tree;

static inline uint64_t async_ended(const async_figures *f) {
    return profile_add(profile_add(f->completed, f->failed), f->cancelled);
}

/* Calls that had not ended when the profile was written. Where a method has unlinked slices, only its sum over the tree
 * tells: a call's end may be counted elsewhere. */
static inline uint64_t async_open(const async_figures *f) {
    uint64_t ended = async_ended(f);
    return f->calls > ended ? f->calls - ended : 0;
}

/* Start to end of one call. Not known with unlinked slices: their ends are counted, but not from when. */
static inline uint64_t async_average(const async_figures *f) {
    uint64_t ended = async_ended(f);
    return ended ? f->wall_ns / ended : 0;
}

/* The figures of a profile's node, and sums of figures. */
async_figures async_figures_of(const profile_run *run, const profile_async *n);
void async_add_figures(async_figures *sum, const async_figures *more);

/* Adds the part of a thread that was matched; `places` gets the position of each of its async nodes among the places.
 * False when memory ran out. */
bool async_add(async_tree *tree, const profile_run *run, const matched_thread *t, uint32_t *places);

/* The place below `parent` for this function; 0: there is none. */
uint32_t async_find(const async_tree *tree, uint32_t parent, uint32_t function);

/* Makes the nodes, sums up by function and orders methods and children: most time first (running and awaiting), then
 * calls, then name. False when memory ran out. */
bool async_finish(async_tree *tree, const report_function *functions, uint32_t function_count);

void async_clear(async_tree *tree);

#endif
