/* tree.h - call trees while they are merged: the threads of one name of all runs, with their exceptions' paths
 * and their part of the logical call tree.
 *
 * Trees are folded by path (fold.h); a node's key is the number of its method in the merged profile, of later slices
 * of async calls the place of the calls. Times are
 * nanoseconds. A node has both what was recorded and what is left without the probes' cost (correct_thread_both). Sums
 * stop at PROFILE_MAX. */
#ifndef ILINJECT_REPORT_MERGE_TREE_H
#define ILINJECT_REPORT_MERGE_TREE_H

#include "profile/correct.h"
#include "report/model/async.h"
#include "report/model/exceptions.h"
#include "report/model/fold.h"

/* An id that is in no module's range keeps its value, with this bit; ids and numbers are below 2^31. */
#define MERGE_UNKNOWN 0x80000000u

/* Keys of nodes that are later slices of async calls: this and the calls' place in the tree's `starts`. Methods'
 * numbers begin above them. */
enum { MERGE_SLICE = PROFILE_ID_FOLDED + 1, MERGE_SLICES = PROFILE_ID_FIRST - MERGE_SLICE };

/* The place of the calls of which a node with this key is slices; 0: it is none. */
static inline uint32_t merge_slice_of(uint32_t key) {
    return key > MERGE_SLICE && key < PROFILE_ID_FIRST ? key - MERGE_SLICE : 0;
}

/* The sums of the nodes at one place, in columns after those of a timing. Spans are of closed frames. */
enum {
    MERGE_RECORDED_INCLUSIVE = RECORDED_INCLUSIVE,
    MERGE_RECORDED_EXCLUSIVE = RECORDED_EXCLUSIVE,
    MERGE_RECORDED_OVER = RECORDED_OVER,
    MERGE_CALLS = RECORDED_END,
    MERGE_TICKED_CALLS,
    MERGE_RESYNCHRONISED,
    MERGE_OPEN,
    MERGE_BY_EXCEPTION,
    MERGE_RECORDED_LEAST,
    MERGE_RECORDED_LENGTH,
    MERGE_LEAST,
    MERGE_LENGTH,
    MERGE_FOLD,   /* 1 + position of the times of folded calls; 0: not known, or none */
    MERGE_FIGURE, /* and the other kinds after it */
    MERGE_FOLDED_FIGURE = MERGE_FIGURE + FIGURES,
    MERGE_COLUMNS = MERGE_FOLDED_FIGURE + FIGURES,
};
_Static_assert((int)MERGE_COLUMNS <= (int)COLUMNS_MOST, "there is room for a column each");

typedef struct merge_path {
    uint32_t type;             /* 0: no name, else 1 + position in the merged profile's list */
    uint32_t thrower, catcher; /* places of nodes */
    uint32_t outcome;          /* a profile_outcome, or more */
    exception_figures figures;
    bytes messages[PROFILE_MESSAGES]; /* the first by their bytes, owned */
    uint32_t message_count;
} merge_path;

/* A method that was folded below a node; PROFILE_ID_FOLDED: the calls of all of these. */
typedef struct merge_below {
    uint32_t node, number; /* the node's place */
    uint64_t calls;
} merge_below;

typedef struct merge_tree {
    bytes name;       /* owned */
    uint64_t count;   /* threads in it */
    bool tells_waits; /* of runs that saw how long threads were blocked */
    fold calls;
    columns nodes; /* by place in `calls` */
    uint32_t node_count;
    uint64_t all_times;    /* timings_fit */
    corrected_fold *folds; /* of methods that were folded; their `node` is the place */
    uint32_t fold_count, fold_capacity;
    merge_below *below; /* not of the root */
    uint32_t below_count, below_capacity;
    map below_map;
    merge_path *paths;
    uint32_t path_count, path_capacity;
    uint32_t pair_count; /* of throwers and catchers */
    map pair_map, path_map;
    fold starts;          /* who started which async method */
    async_figures *async; /* by place in `starts` */
    uint32_t async_count, async_capacity;
} merge_tree;

#define MERGE_TREE_INIT ((merge_tree){0})

/* How the trees of one profile are read. */
typedef struct merge_lens {
    const profile *p;
    const uint32_t *first; /* of each module of p: the number of its first method */
} merge_lens;

/* The number of an id in the merged profile. */
uint32_t merge_number_of(const merge_lens *lens, uint32_t id);

/* Makes the root. False when memory ran out, as below; the tree is then of no more use than to be cleared. */
bool merge_tree_start(merge_tree *to, bytes name, bool tells_waits);

/* Adds a thread from correct_thread_both, and uses up its times. `types`: 1 + the merged position of each of its
 * exception types, 0 for no name. */
bool merge_tree_add(merge_tree *to, corrected_thread *from, const merge_lens *lens, const uint32_t *types);

/* Adds the threads of another tree. */
bool merge_tree_join(merge_tree *to, const merge_tree *from);

void merge_tree_clear(merge_tree *t);

#endif
