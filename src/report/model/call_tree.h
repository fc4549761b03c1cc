/* call_tree.h - the call tree of all profiles: its nodes by path, made as they are asked for.
 *
 * All zero at first but for the options; call_tree_begin, call_tree_child or the fold with call_tree_make_nodes, use,
 * call_tree_clear. */
#ifndef ILINJECT_REPORT_MODEL_CALL_TREE_H
#define ILINJECT_REPORT_MODEL_CALL_TREE_H

#include "profile/timings.h"
#include "report/model/fold.h"
#include "report/model/times.h"

/* Threads of one profile: a live one, or all that have ended. */
typedef struct report_thread {
    uint32_t run; /* position of the profile */
    bool merged;  /* those of all its runs that have this name */
    uint64_t id;  /* 0: ended ones, or merged */
    bytes name;
    uint64_t count;
} report_thread;

typedef enum report_node_kind {
    NODE_CALL,
    NODE_RESUMED, /* slices of an async method that do not stand below its call */
    NODE_THREAD,
    NODE_FOLDED,
    NODE_DEEP,    /* from cut_deep alone: what lies deeper, by function */
    NODE_WAITING, /* the time in which threads were blocked in the parent's own code */
    NODE_ROOT,
    /* Until logical_place has found where they belong; none of them is in a report. */
    NODE_SLICE,    /* later slices of the calls at one place of the async tree */
    NODE_UNLINKED, /* later slices of one function, whose calls are not known */
} report_node_kind;

/* A node of the merged tree, put together from its link and its columns (call_tree_node). Children are made after their
 * parent: parent < own position. A MoveNext that its own method's call leads to, and an iterator's steps, are part of
 * that method's node. */
typedef struct report_node {
    uint32_t function; /* NODE_THREAD: position of the thread; NODE_FOLDED, NODE_DEEP, NODE_ROOT: 0; NODE_SLICE: that of
                          the node of the async tree */
    report_node_kind kind;
    uint32_t node, depth;                       /* its own position; the root's are 0 */
    uint32_t parent, first_child, next_sibling; /* positions; 0: none, as the root is no child */
    uint64_t calls, steps;
    uint64_t ticked_calls; /* of both: those whose times are known by ticks */
    profile_times times;
    uint64_t thrown;             /* exceptions that were first seen here; of a root those whose place is not known */
    profile_figures figures;     /* of its own code */
    profile_figures all_figures; /* with those of its callees; before aggregate_finish those of folded callees alone */
    uint64_t waiting_ns;         /* of its inclusive time, what the NODE_WAITING below it have. From aggregate_finish */
} report_node;

/* The columns of the nodes, after those of times. */
enum {
    NODE_CALLS = TIMES_COLUMNS,
    NODE_STEPS,
    NODE_TICKED_CALLS,
    NODE_THROWN,
    NODE_WAITING_NS,
    NODE_FIGURE, /* and the other kinds after it */
    NODE_ALL_FIGURE = NODE_FIGURE + FIGURES,
    NODE_COLUMNS = NODE_ALL_FIGURE + FIGURES,
};
_Static_assert((int)NODE_COLUMNS <= (int)COLUMNS_MOST, "there is room for a column each");

/* Of callees that were folded, at a node: a part of its inclusive time that is in no child, or how many calls came of
 * them. */
typedef struct report_folded {
    uint32_t node;
    profile_times times; /* the inclusive ones alone */
    uint64_t calls;
} report_folded;

/* A function that was folded below a node. */
typedef struct report_below {
    uint32_t node, function;
} report_below;

typedef struct call_tree {
    bool by_thread;   /* option: the root's children are threads */
    bool as_called;   /* option: children in the order of their first calls, as far as it is known: those of one thread
                         are */
    bool placed;      /* logical_place has been there */
    fold places;      /* by key; from aggregate_finish the nodes' links alone, the root's first */
    columns figures;  /* of the nodes */
    uint32_t *depths; /* the same, the root's is 0; from aggregate_finish, and in the tree that logical_place makes */
    uint32_t node_count, depth_capacity;
    uint64_t all_times;     /* while profiles are added: the sum of all times, and of what their ends are off */
    report_thread *threads; /* filled when by_thread */
    uint32_t thread_count, thread_capacity;
    report_folded *folded;
    uint32_t folded_count, folded_capacity;
    report_below *below;
    uint32_t below_count, below_capacity;
} call_tree;

/* Nodes have become others, by old node: what was folded moves with them, or drops out where that is UINT32_MAX. */
void call_tree_move_folded(call_tree *t, const uint32_t *nodes);

/* The key of a node below its parent. Functions, threads and places of async calls are fewer than 2^28, so that the
 * kind fits above. */
static inline uint32_t call_tree_key(report_node_kind kind, uint32_t function) {
    return ((uint32_t)kind + 1) << 28 | function;
}

static inline report_node_kind node_kind(const fold_link *link) {
    return link->key == 0 ? NODE_ROOT : (report_node_kind)((link->key >> 28) - 1);
}
static inline uint32_t node_function(const fold_link *link) {
    return link->key & ((1u << 28) - 1);
}

/* Is it of a function? */
static inline bool link_is_call(const fold_link *link) {
    return node_kind(link) == NODE_CALL || node_kind(link) == NODE_RESUMED;
}
static inline bool node_is_call(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

static inline uint64_t node_number(const call_tree *t, unsigned column, uint32_t node) {
    return columns_at(&t->figures, column, node);
}

/* Adds to a column, but for ends of times. */
static inline void node_add(call_tree *t, unsigned column, uint32_t node, uint64_t more) {
    if (more > 0)
        columns_set(&t->figures, column, node, profile_add(columns_at(&t->figures, column, node), more));
}

ALWAYS_INLINE profile_times node_times(const call_tree *t, uint32_t node) {
    return times_at(&t->figures, node);
}

/* Adds the inclusive times, or the exclusive ones, alone. */
static inline void node_add_inclusive(call_tree *t, uint32_t node, const profile_times *more) {
    profile_times sum = node_times(t, node);
    times_add_inclusive(&sum, more);
    times_set_inclusive(&t->figures, node, &sum);
}
static inline void node_add_exclusive(call_tree *t, uint32_t node, const profile_times *more) {
    profile_times sum = node_times(t, node);
    times_add_exclusive(&sum, more);
    times_set_exclusive(&t->figures, node, &sum);
}

static inline profile_figures node_figures(const call_tree *t, unsigned first, uint32_t node) {
    profile_figures f = {.all = {0}};
    for (unsigned kind = 0; kind < FIGURES && !columns_are_empty(&t->figures, first, FIGURES); kind++)
        f.all[kind] = node_number(t, first + kind, node);
    return f;
}

static inline void node_add_figures(call_tree *t, unsigned first, uint32_t node, const uint64_t more[FIGURES]) {
    for (unsigned kind = 0; kind < FIGURES; kind++)
        node_add(t, first + kind, node, more[kind]);
}

ALWAYS_INLINE report_node call_tree_node(const call_tree *t, uint32_t node) {
    const fold_link *link = &t->places.links[node];
    return (report_node){.function = node_function(link),
                         .kind = node_kind(link),
                         .node = node,
                         .depth = t->depths ? t->depths[node] : 0,
                         .parent = link->parent,
                         .first_child = link->first_child,
                         .next_sibling = link->next_sibling,
                         .calls = node_number(t, NODE_CALLS, node),
                         .steps = node_number(t, NODE_STEPS, node),
                         .ticked_calls = node_number(t, NODE_TICKED_CALLS, node),
                         .times = node_times(t, node),
                         .thrown = node_number(t, NODE_THROWN, node),
                         .figures = node_figures(t, NODE_FIGURE, node),
                         .all_figures = node_figures(t, NODE_ALL_FIGURE, node),
                         .waiting_ns = node_number(t, NODE_WAITING_NS, node)};
}

/* Sets all but the link. */
void call_tree_set(call_tree *t, uint32_t node, const report_node *of);

/* Makes the root, unless it is there. False when memory ran out. */
bool call_tree_start(call_tree *t);

/* Makes the nodes for the places that are new. False when memory ran out. */
bool call_tree_make_nodes(call_tree *t);

/* Begins a new tree, of a root alone; its nodes get depths. The nodes of the old one stay the caller's. False when
 * memory ran out. */
bool call_tree_begin(call_tree *t);

/* Gives back what only a tree that grows needs, and makes the depths. False when memory ran out. */
bool call_tree_settle(call_tree *t);

/* The child of this kind, made when there is none; FOLD_NONE when memory ran out. */
uint32_t call_tree_child(call_tree *t, uint32_t parent, report_node_kind kind, uint32_t function);

/* The same, but 0 when there is none. */
uint32_t call_tree_find(const call_tree *t, uint32_t parent, report_node_kind kind, uint32_t function);

void call_tree_clear(call_tree *t);

/* A node's times without what was waited below it. */
static inline profile_times node_working(const report_node *n) {
    profile_times t = n->times;
    t.inclusive_ns -= t.inclusive_ns < n->waiting_ns ? t.inclusive_ns : n->waiting_ns;
    t.inclusive_low_ns -= t.inclusive_low_ns < n->waiting_ns ? t.inclusive_low_ns : n->waiting_ns;
    t.inclusive_high_ns -= t.inclusive_high_ns < n->waiting_ns ? t.inclusive_high_ns : n->waiting_ns;
    return t;
}

#endif
