#include "report/model/idle.h"

#include <stdlib.h>

enum { LITTLE = 100, SELDOM = 50 }; /* one part in that many of all work; of its own time */

static uint64_t working(const report_node *n) {
    return node_working(n).inclusive_ns;
}

/* Is `part` nine tenths of the whole at least? */
static bool is_most(uint64_t part, uint64_t whole) {
    return whole > 0 && part >= whole - whole / 10;
}

/* The callee with the most waiting, called no more often than its caller; 0: there is none with most of it. */
static uint32_t waiting_callee(const report_node *nodes, uint32_t at) {
    uint32_t most = 0;
    for (uint32_t child = nodes[at].first_child; child != 0; child = nodes[child].next_sibling)
        if (nodes[child].kind == NODE_CALL && (most == 0 || nodes[child].waiting_ns > nodes[most].waiting_ns))
            most = child;
    return most != 0 && nodes[most].calls <= nodes[at].calls && is_most(nodes[most].waiting_ns, nodes[at].waiting_ns)
               ? most
               : 0;
}

/* What the node waited in its own code. */
static uint64_t own_waiting(const report_node *nodes, uint32_t at) {
    uint64_t ns = 0;
    for (uint32_t child = nodes[at].first_child; child != 0; child = nodes[child].next_sibling)
        if (nodes[child].kind == NODE_WAITING)
            ns = profile_add(ns, nodes[child].times.inclusive_ns);
    return ns;
}

/* The node that has most of the waiting in its own code; 0: it is spread, or calls that are repeated have it. */
static uint32_t place_of(const report_node *nodes, uint32_t top) {
    uint32_t at = top;
    while (at != 0 && !is_most(own_waiting(nodes, at), nodes[at].waiting_ns))
        at = waiting_callee(nodes, at);
    return at;
}

uint32_t idle_place(const aggregate *a, uint32_t top) {
    return place_of(a->tree.nodes, top);
}

/* The first node from a thread's top on that does next to no work; 0: this thread's time is no waiting. */
static uint32_t top_of(const report_node *nodes, uint32_t at, uint64_t all_work) {
    for (; at != 0; at = waiting_callee(nodes, at)) {
        if (!is_most(nodes[at].waiting_ns, nodes[at].times.inclusive_ns))
            return 0;
        if (working(&nodes[at]) <= all_work / LITTLE || working(&nodes[at]) <= nodes[at].times.inclusive_ns / SELDOM)
            return place_of(nodes, at) != 0 ? at : 0;
    }
    return 0;
}

/* Of the paths that begin at the top: their work, and the longest. */
typedef struct tops {
    uint64_t work, longest_ns;
} tops;

static uint64_t time_of_one(const report_node *n) {
    return n->calls > 0 ? n->times.inclusive_ns / n->calls : 0;
}

static bool is_start(const report_node *nodes, uint32_t node) {
    return node_is_call(&nodes[node]) && (nodes[node].parent == 0 || nodes[nodes[node].parent].kind == NODE_THREAD);
}

static tops sum_tops(const call_tree *t) {
    tops sum = {0};
    for (uint32_t i = 1; i < t->node_count; i++) {
        if (!is_start(t->nodes, i))
            continue;
        uint64_t one = time_of_one(&t->nodes[i]);
        sum.work = profile_add(sum.work, working(&t->nodes[i]));
        sum.longest_ns = one > sum.longest_ns ? one : sum.longest_ns;
    }
    return sum;
}

static void mark(idle *i, const report_node *nodes, uint32_t top) {
    uint32_t first = nodes[nodes[top].parent].first_child;
    while (first != top && i->parts[first] != IDLE_TOP)
        first = nodes[first].next_sibling;
    i->parts[top] = first == top ? IDLE_TOP : IDLE_MORE;
}

/* Marks what stands below, and the functions that wait and have no node elsewhere. */
static void mark_rest(idle *i, const aggregate *a) {
    const report_node *nodes = a->tree.nodes;
    for (uint32_t at = 1; at < a->tree.node_count; at++) { /* parents stand before their children */
        if (i->parts[at] == IDLE_NOT && i->parts[nodes[at].parent] != IDLE_NOT)
            i->parts[at] = IDLE_BELOW;
        if (i->parts[at] != IDLE_TOP && i->parts[at] != IDLE_MORE)
            continue;
        uint32_t end = place_of(nodes, at);
        for (uint32_t on = at; on != 0; on = on == end ? 0 : waiting_callee(nodes, on))
            i->functions[nodes[on].function] = true;
    }
    for (uint32_t at = 1; at < a->tree.node_count; at++)
        if (node_is_call(&nodes[at]) && i->parts[at] == IDLE_NOT)
            i->functions[nodes[at].function] = false;
}

bool idle_find(idle *i, const aggregate *a) {
    const call_tree *t = &a->tree;
    *i = (idle){calloc((size_t)t->node_count + 1, sizeof *i->parts),
                calloc((size_t)a->list.function_count + 1, sizeof *i->functions)};
    if (!i->parts || !i->functions) {
        idle_clear(i);
        return false;
    }
    const tops all = sum_tops(t);
    const uint64_t runs = a->runs > 0 ? a->runs : 1, wall_ns = a->totals.wall_ns / runs;
    const uint64_t least_ns = (wall_ns > all.longest_ns ? wall_ns : all.longest_ns) / 2;
    bool any = false;
    for (uint32_t at = 1; at < t->node_count; at++) {
        const report_node *n = &t->nodes[at];
        if (n->kind != NODE_CALL || !is_start(t->nodes, at) || time_of_one(n) < least_ns || all.work / 2 < working(n))
            continue;
        uint32_t top = top_of(t->nodes, at, all.work);
        if (top != 0)
            mark(i, t->nodes, top);
        any |= top != 0;
    }
    if (any)
        mark_rest(i, a);
    return true;
}

void idle_clear(idle *i) {
    free(i->parts);
    free(i->functions);
    *i = (idle){0};
}
