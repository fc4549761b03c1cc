#include "report/model/order.h"

#include <stdlib.h>

#include "report/model/trust.h"
#include "util/list.h"

static int by_name(const void *left, const void *right) {
    const report_function *a = *(report_function *const *)left, *b = *(report_function *const *)right;
    size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, size);
    if (order == 0)
        order = list_compare(a->name.size, b->name.size);
    if (order == 0)
        order = list_compare(a->module, b->module);
    return order ? order : list_compare(a->number, b->number);
}

typedef struct child_key {
    uint64_t inclusive_ns, calls; /* the time as far as it is certain */
    uint32_t rank, node;
} child_key;

static int by_time(const void *left, const void *right) {
    const child_key *a = left, *b = right;
    int order = list_compare(b->inclusive_ns, a->inclusive_ns);
    if (order == 0)
        order = list_compare(b->calls, a->calls);
    return order ? order : list_compare(a->rank, b->rank);
}

bool order_functions(aggregate *a) {
    report_function **order = malloc(((size_t)a->function_count + 1) * sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < a->function_count; i++)
        order[i] = &a->functions[i];
    qsort(order, a->function_count, sizeof *order, by_name);
    for (uint32_t i = 0; i < a->function_count; i++)
        order[i]->rank = i;
    free(order);
    return true;
}

/* Folded calls come last, whatever their time; threads of the same time in the order of the profile. Nodes are made in
 * the order in which they stand in the profile, so their positions are the order of the first calls. */
static child_key key_of(const aggregate *a, uint32_t node) {
    const report_node *n = &a->nodes[node];
    if (n->kind == NODE_FOLDED)
        return (child_key){0, 0, UINT32_MAX, node};
    if (a->as_called)
        return (child_key){0, 0, node, node};
    if (n->kind == NODE_WAITING)
        return (child_key){n->inclusive_ns, 0, UINT32_MAX, node};
    uint32_t rank =
        n->kind == NODE_THREAD ? n->function : a->functions[n->function].rank * 2 + (n->kind == NODE_RESUMED);
    return (child_key){times_certain_inclusive(&n->times, a->totals.exclusive_ns), n->calls, rank, node};
}

bool order_children(aggregate *a) {
    child_key *keys = malloc(((size_t)a->node_count + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t parent = 0; parent < a->node_count; parent++) {
        size_t count = 0;
        for (uint32_t child = a->nodes[parent].first_child; child != 0; child = a->nodes[child].next_sibling)
            keys[count++] = key_of(a, child);
        if (count < 2)
            continue;
        qsort(keys, count, sizeof *keys, by_time);
        a->nodes[parent].first_child = keys[0].node;
        for (size_t i = 0; i < count; i++)
            a->nodes[keys[i].node].next_sibling = i + 1 < count ? keys[i + 1].node : 0;
    }
    free(keys);
    return true;
}
