/* fold.h - trees folded by path: the engine of reports (aggregate.c, async.c) and of merging (tree.c).
 *
 * It folds any number of trees, whose nodes stand after their parents. Each node has a key, a number of 32 bits that
 * says what the node is to the user. Nodes with the same keys from the top down to them are one: they have one place in
 * the folded tree. The user has an array of figures by place and adds to each the figures of the nodes there. Figures
 * are integers whose sums stop at PROFILE_MAX, so the order in which trees are folded changes no figure, only places.
 *
 * FOLD_INIT, fold_start, fold_tree or fold_child, use, fold_clear. A place stays what it is: places are positions in
 * the order in which they were first met, a parent's is below its children's, and 0 is the root's. */
#ifndef ILINJECT_REPORT_MODEL_FOLD_H
#define ILINJECT_REPORT_MODEL_FOLD_H

#include "profile/profile.h"

#define FOLD_NONE   UINT32_MAX /* no place: memory ran out, or 2^32 - 2 places */
#define FOLD_PARENT 0 /* in place of a key, which is never 0: the node is part of its parent, and has its place */

/* Where a place hangs: what it is below its parent. The root's are 0. The children are the user's to link. */
typedef struct fold_link {
    uint32_t parent, key;
    uint32_t first_child, next_sibling; /* 0: none, as the root is no child */
} fold_link;

typedef struct fold {
    fold_link *links; /* by place */
    uint32_t count, capacity;
    uint32_t last;           /* the place that was found or made last */
    struct fold_slot *slots; /* open addressing by parent and key */
    uint32_t slot_mask;
} fold;

#define FOLD_INIT ((fold){0})

/* Makes the root, unless it is there. False when memory ran out. */
bool fold_start(fold *f);

/* The place below `parent` with this key, which is made when there is none; FOLD_NONE. */
uint32_t fold_child(fold *f, uint32_t parent, uint32_t key);

/* The place below `parent` with this key; FOLD_NONE: there is none. */
uint32_t fold_find(const fold *f, uint32_t parent, uint32_t key);

/* Makes room for a tree with that many nodes, most of them new where it is the first one. False when memory ran out. */
bool fold_expect(fold *f, uint32_t count);

/* The place below `parent` with this key will be asked for soon. */
void fold_foresee(const fold *f, uint32_t parent, uint32_t key);

/* A tree: each of its nodes starts with its parent's position. */
typedef struct fold_source {
    const void *nodes; /* parents stand before their children; node 0 is the root */
    size_t node_bytes;
    uint32_t count;
    const uint32_t *keys; /* of each node, or FOLD_PARENT; the root has none */
} fold_source;

/* Folds a tree in, its root at the place `top`; `places` gets the place of each node. False when memory ran out: the
 * fold is then of no more use than to be cleared. */
bool fold_tree(fold *f, uint32_t top, const fold_source *from, uint32_t *places);

/* Nothing is looked up any more, and nothing added: the links stay. */
void fold_settle(fold *f);
void fold_clear(fold *f);

#endif
