#include "report/model/order.h"

#include <stdlib.h>

#include "util/list.h"

/* A function, and its module; NULL: it has none. */
typedef struct named_function {
    report_function *function;
    const report_module *module;
} named_function;

/* By what a module is, whichever profile has brought it first. */
static int by_module(const named_function *a, const named_function *b) {
    if (a->module == b->module)
        return 0;
    if (!a->module || !b->module)
        return a->module ? -1 : 1;
    int order = bytes_compare(a->module->assembly, b->module->assembly);
    if (order == 0)
        order = bytes_compare(a->module->module, b->module->module);
    if (order == 0)
        order = memcmp(a->module->mvid, b->module->mvid, sizeof a->module->mvid);
    return order ? order : list_compare(a->function->module, b->function->module);
}

static int by_name(const void *left, const void *right) {
    const named_function *a = left, *b = right;
    int order = bytes_compare(a->function->name, b->function->name);
    if (order == 0)
        order = by_module(a, b);
    return order ? order : list_compare(a->function->number, b->function->number);
}

typedef struct child_key {
    uint64_t inclusive_ns, calls;
    uint32_t rank, node;
} child_key;

static int by_time(const void *left, const void *right) {
    const child_key *a = left, *b = right;
    int order = list_compare(b->inclusive_ns, a->inclusive_ns);
    if (order == 0)
        order = list_compare(b->calls, a->calls);
    return order ? order : list_compare(a->rank, b->rank);
}

bool order_functions(function_list *a) {
    named_function *order = malloc(((size_t)a->function_count + 1) * sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < a->function_count; i++) {
        report_function *f = &a->functions[i];
        order[i] = (named_function){f, f->module == NO_MODULE ? NULL : &a->modules[f->module]};
    }
    qsort(order, a->function_count, sizeof *order, by_name);
    for (uint32_t i = 0; i < a->function_count; i++)
        order[i].function->rank = i;
    free(order);
    return true;
}

/* Folded calls come last, whatever their time; threads of the same time in the order of the profile. Nodes are made in
 * the order in which they stand in the profile, so their positions are the order of the first calls. */
static child_key key_of(const call_tree *tree, const report_function *functions, uint32_t node) {
    const fold_link *n = &tree->places.links[node];
    const report_node_kind kind = node_kind(n);
    const uint32_t function = node_function(n);
    if (kind == NODE_FOLDED)
        return (child_key){0, 0, UINT32_MAX, node};
    if (tree->as_called)
        return (child_key){0, 0, node, node};
    const uint64_t ns = node_number(tree, TIMES_INCLUSIVE, node);
    if (kind == NODE_WAITING)
        return (child_key){ns, 0, UINT32_MAX, node};
    uint32_t rank = kind == NODE_THREAD ? function : functions[function].rank * 2 + (kind == NODE_RESUMED);
    return (child_key){ns, node_number(tree, NODE_CALLS, node), rank, node};
}

bool order_children(call_tree *tree, const report_function *functions) {
    fold_link *links = tree->places.links;
    child_key *keys = malloc(((size_t)tree->node_count + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t parent = 0; parent < tree->node_count; parent++) {
        size_t count = 0;
        if (links[links[parent].first_child].next_sibling == 0) /* at most one */
            continue;
        for (uint32_t child = links[parent].first_child; child != 0; child = links[child].next_sibling)
            keys[count++] = key_of(tree, functions, child);
        qsort(keys, count, sizeof *keys, by_time);
        links[parent].first_child = keys[0].node;
        for (size_t i = 0; i < count; i++)
            links[keys[i].node].next_sibling = i + 1 < count ? keys[i + 1].node : 0;
    }
    free(keys);
    return true;
}
