#include "report/model/idle.h"

#include <stdlib.h>

enum { LITTLE = 100, SELDOM = 50 }; /* one part in that many of all work, or time; of its own time */

static uint64_t waiting(const call_tree *t, uint32_t at) {
    return node_number(t, NODE_WAITING_NS, at);
}

static uint64_t inclusive(const call_tree *t, uint32_t at) {
    return node_number(t, TIMES_INCLUSIVE, at);
}

static uint64_t working(const call_tree *t, uint32_t at) {
    const uint64_t all = inclusive(t, at), waited = waiting(t, at);
    return all - (all < waited ? all : waited);
}

/* Is `part` nine tenths of the whole at least? */
static bool is_most(uint64_t part, uint64_t whole) {
    return whole > 0 && part >= whole - whole / 10;
}

/* The callee with the most waiting, called no more often than its caller; 0: there is none with most of it. */
static uint32_t waiting_callee(const call_tree *t, uint32_t at) {
    const fold_link *nodes = t->places.links;
    uint32_t most = 0;
    for (uint32_t child = nodes[at].first_child; child != 0; child = nodes[child].next_sibling)
        if (node_kind(&nodes[child]) == NODE_CALL && (most == 0 || waiting(t, child) > waiting(t, most)))
            most = child;
    return most != 0 && node_number(t, NODE_CALLS, most) <= node_number(t, NODE_CALLS, at) &&
                   is_most(waiting(t, most), waiting(t, at))
               ? most
               : 0;
}

/* What the node waited in its own code. */
static uint64_t own_waiting(const call_tree *t, uint32_t at) {
    const fold_link *nodes = t->places.links;
    uint64_t ns = 0;
    for (uint32_t child = nodes[at].first_child; child != 0; child = nodes[child].next_sibling)
        if (node_kind(&nodes[child]) == NODE_WAITING)
            ns = profile_add(ns, inclusive(t, child));
    return ns;
}

/* The node that has most of the waiting in its own code; 0: it is spread, or calls that are repeated have it. */
static uint32_t place_of(const call_tree *t, uint32_t top) {
    uint32_t at = top;
    while (at != 0 && !is_most(own_waiting(t, at), waiting(t, at)))
        at = waiting_callee(t, at);
    return at;
}

uint32_t idle_place(const aggregate *a, uint32_t top) {
    return place_of(&a->tree, top);
}

/* The first node from a thread's top on that does next to no work; 0: this thread's time is no waiting. */
static uint32_t top_of(const call_tree *t, uint32_t at, uint64_t all_work) {
    for (; at != 0; at = waiting_callee(t, at)) {
        if (!is_most(waiting(t, at), inclusive(t, at)))
            return 0;
        if (working(t, at) <= all_work / LITTLE || working(t, at) <= inclusive(t, at) / SELDOM)
            return place_of(t, at) != 0 ? at : 0;
    }
    return 0;
}

/* Of the paths that begin at the top: their work, and the longest. */
typedef struct tops {
    uint64_t work, longest_ns;
} tops;

static uint64_t time_of_one(const call_tree *t, uint32_t at) {
    const uint64_t calls = node_number(t, NODE_CALLS, at);
    return calls > 0 ? inclusive(t, at) / calls : 0;
}

static inline bool is_start(const call_tree *t, uint32_t node) {
    const fold_link *nodes = t->places.links;
    return t->depths[node] <= 2 && link_is_call(&nodes[node]) &&
           (nodes[node].parent == 0 || node_kind(&nodes[nodes[node].parent]) == NODE_THREAD);
}

static tops sum_tops(const call_tree *t) {
    tops sum = {0};
    for (uint32_t i = 1; i < t->node_count; i++) {
        if (!is_start(t, i))
            continue;
        uint64_t one = time_of_one(t, i);
        sum.work = profile_add(sum.work, working(t, i));
        sum.longest_ns = one > sum.longest_ns ? one : sum.longest_ns;
    }
    return sum;
}

static void mark(idle *i, const fold_link *nodes, uint32_t top) {
    uint32_t first = nodes[nodes[top].parent].first_child;
    while (first != top && i->parts[first] != IDLE_TOP)
        first = nodes[first].next_sibling;
    i->parts[top] = first == top ? IDLE_TOP : IDLE_MORE;
}

/* Marks what stands below, and the functions that wait and have no node elsewhere. */
static void mark_rest(idle *i, const aggregate *a) {
    const call_tree *t = &a->tree;
    const fold_link *nodes = t->places.links;
    for (uint32_t at = 1; at < a->tree.node_count; at++) { /* parents stand before their children */
        if (i->parts[at] == IDLE_NOT && i->parts[nodes[at].parent] != IDLE_NOT)
            i->parts[at] = IDLE_BELOW;
        if (i->parts[at] != IDLE_TOP && i->parts[at] != IDLE_MORE)
            continue;
        uint32_t end = place_of(t, at);
        for (uint32_t on = at; on != 0; on = on == end ? 0 : waiting_callee(t, on))
            i->functions[node_function(&nodes[on])] = true;
    }
    for (uint32_t at = 1; at < a->tree.node_count; at++)
        if (link_is_call(&nodes[at]) && i->parts[at] == IDLE_NOT)
            i->functions[node_function(&nodes[at])] = false;
}

/* Is the node called once for each time that its thread's first method is? */
static bool is_called_once(const call_tree *t, uint32_t at) {
    const fold_link *nodes = t->places.links;
    const uint64_t calls = node_number(t, NODE_CALLS, at);
    while (node_kind(&nodes[at]) == NODE_CALL && !is_start(t, at))
        at = nodes[at].parent;
    return node_kind(&nodes[at]) == NODE_CALL && calls <= node_number(t, NODE_CALLS, at);
}

static void mark_own(idle *i, const aggregate *a) {
    const call_tree *t = &a->tree;
    const fold_link *nodes = t->places.links;
    bool any = false;
    for (uint32_t f = 0; f < a->list.function_count && !any && a->totals.waiting_ns > 0; f++)
        any = a->list.functions[f].waiting_ns > 0 && function_is_loop(&a->list.functions[f]);
    for (uint32_t at = 1; any && at < t->node_count; at++) {
        const uint32_t of = nodes[at].parent;
        if (node_kind(&nodes[at]) != NODE_WAITING || i->parts[at] != IDLE_NOT || node_kind(&nodes[of]) != NODE_CALL ||
            inclusive(t, at) < inclusive(t, 0) / LITTLE)
            continue;
        const report_function *f = &a->list.functions[node_function(&nodes[of])];
        if (!function_is_loop(f) || !is_called_once(t, of))
            continue;
        i->parts[at] = IDLE_OWN;
        uint64_t *own_ns = &i->own_ns[node_function(&nodes[of])];
        *own_ns = profile_add(*own_ns, inclusive(t, at));
    }
}

bool idle_find(idle *i, const aggregate *a) {
    const call_tree *t = &a->tree;
    *i = (idle){calloc((size_t)t->node_count + 1, sizeof *i->parts),
                calloc((size_t)a->list.function_count + 1, sizeof *i->functions),
                calloc((size_t)a->list.function_count + 1, sizeof *i->own_ns)};
    if (!i->parts || !i->functions || !i->own_ns) {
        idle_clear(i);
        return false;
    }
    const tops all = sum_tops(t);
    const uint64_t runs = a->runs > 0 ? a->runs : 1, wall_ns = a->totals.wall_ns / runs;
    const uint64_t least_ns = (wall_ns > all.longest_ns ? wall_ns : all.longest_ns) / 2;
    bool any = false;
    for (uint32_t at = 1; at < t->node_count; at++) {
        const fold_link *nodes = t->places.links;
        if (!is_start(t, at) || node_kind(&nodes[at]) != NODE_CALL || time_of_one(t, at) < least_ns ||
            all.work / 2 < working(t, at))
            continue;
        uint32_t top = top_of(t, at, all.work);
        if (top != 0)
            mark(i, nodes, top);
        any |= top != 0;
    }
    if (any)
        mark_rest(i, a);
    mark_own(i, a);
    return true;
}

void idle_clear(idle *i) {
    free(i->parts);
    free(i->functions);
    free(i->own_ns);
    *i = (idle){0};
}
