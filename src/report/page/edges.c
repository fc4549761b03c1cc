#include "report/page/edges.h"

#include <stdlib.h>

#include "util/list.h"

static bool add(page_edges *edges, map *known, uint32_t caller, uint32_t callee, const page_edge *figures) {
    uint32_t *slot = map_slot(known, map_key(caller, callee));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&edges->items, edges->count, &edges->capacity, sizeof *edges->items))
            return false;
        edges->items[edges->count] = (page_edge){.caller = caller, .callee = callee};
        *slot = edges->count++;
    }
    page_edge *e = &edges->items[*slot];
    e->calls = profile_add(e->calls, figures->calls);
    e->called = profile_add(e->called, figures->called);
    e->calling = profile_add(e->calling, figures->calling);
    return true;
}

static uint64_t most(const page_edge *e) {
    return e->called > e->calling ? e->called : e->calling;
}

static int by_time(const void *left, const void *right) {
    const page_edge *a = left, *b = right;
    int order = list_compare(most(b), most(a));
    order = order ? order : list_compare(b->calls, a->calls);
    order = order ? order : list_compare(a->callee_rank, b->callee_rank);
    return order ? order : list_compare(a->caller_rank, b->caller_rank);
}

bool page_edges_find(page_edges *edges, const aggregate *a, const uint64_t *within,
                     uint64_t (*calls)(const call_tree *t, uint32_t node)) {
    const fold_link *nodes = a->tree.places.links;
    map known = MAP_INIT;
    uint32_t *active = calloc((size_t)a->list.function_count + 1, sizeof *active); /* how often on the path */
    bool done = active != NULL;
    for (uint32_t node = 0; done;) {
        const fold_link *n = &nodes[node];
        const uint32_t function = node_function(n);
        if (link_is_call(n)) {
            const fold_link *parent = &nodes[n->parent];
            uint32_t caller = link_is_call(parent) ? node_function(parent) : EDGE_NO_CALLER;
            bool first_caller = caller != EDGE_NO_CALLER && active[caller] == 1;
            page_edge figures = {.calls = calls(&a->tree, node),
                                 .called = active[function] == 0 ? within[node] : 0,
                                 .calling = first_caller ? within[node] : 0};
            done = add(edges, &known, caller, function, &figures);
            active[function]++;
        }
        if (n->first_child != 0) {
            node = n->first_child;
            continue;
        }
        while (node != 0) {
            n = &nodes[node];
            if (link_is_call(n))
                active[node_function(n)]--;
            if (n->next_sibling != 0)
                break;
            node = n->parent;
        }
        if (node == 0)
            break;
        node = nodes[node].next_sibling;
    }
    free(active);
    map_clear(&known);
    for (uint32_t i = 0; i < edges->count && done; i++) {
        page_edge *e = &edges->items[i];
        e->callee_rank = a->list.functions[e->callee].rank;
        e->caller_rank = e->caller == EDGE_NO_CALLER ? EDGE_NO_CALLER : a->list.functions[e->caller].rank;
    }
    if (done && edges->count > 0)
        qsort(edges->items, edges->count, sizeof *edges->items, by_time);
    return done;
}

void page_edges_clear(page_edges *edges) {
    free(edges->items);
    *edges = (page_edges){0};
}
