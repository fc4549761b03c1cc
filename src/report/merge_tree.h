/* merge_tree.h - call trees while they are merged: the threads of one name of all runs, with their exceptions' paths
 * and their part of the logical call tree.
 *
 * A tree is a profile_thread whose arrays grow. Its nodes have both what was recorded and what is left without the
 * probes' cost (correct_thread_both). Its times are nanoseconds; its ids are the merged profile's numbers, its
 * paths' types positions in the merged profile's list. Sums stop at PROFILE_MAX. */
#ifndef ILINJECT_REPORT_MERGE_TREE_H
#define ILINJECT_REPORT_MERGE_TREE_H

#include "report/map.h"
#include "report/profile.h"

/* What is in no module's range keeps its id; ids and numbers are below 2^31. */
#define MERGE_UNKNOWN 0x80000000u

typedef struct merge_tree {
    profile_thread t; /* nodes[0] is the root, as is async[0] where there are any; the messages of paths are owned */
    uint32_t node_capacity, path_capacity, async_capacity;
    uint32_t pair_count; /* of throwers and catchers */
    map node_map, pair_map, path_map, async_map;
} merge_tree;

#define MERGE_TREE_INIT ((merge_tree){0})

/* How the trees of one profile are read. All zero but for `run`: a tree that is merged already. */
typedef struct merge_lens {
    const profile_run *run; /* for its ticks */
    const profile *p;       /* whose ids they are; NULL: they are numbers */
    const uint32_t *first;  /* of each module of p: the number of its first method */
} merge_lens;

/* What an id is in the merged profile. */
uint32_t merge_number_of(const merge_lens *lens, uint32_t id);

/* Makes the root. False when memory ran out, as below; the tree is then of no more use than to be cleared. */
bool merge_tree_start(merge_tree *to, bytes name);

/* Adds the threads of `from`, for which correct_thread_both was called. `types`: 1 + the merged position of each of its
 * exception types, 0 for no name; NULL: its paths hold these already. */
bool merge_tree_add(merge_tree *to, const profile_thread *from, const merge_lens *lens, const uint32_t *types);

void merge_tree_clear(merge_tree *t);

#endif
