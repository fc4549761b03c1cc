#include "report/page/edges.h"

#include <stdlib.h>

#include "report/page/page.h"
#include "util/list.h"

#define EDGE_NO_CALLER UINT32_MAX /* of what a thread starts with, or of folded calls */

typedef struct page_edge {
    uint32_t caller, callee;           /* functions; at last their places in the page, of a caller one more */
    uint32_t caller_rank, callee_rank; /* EDGE_NO_CALLER: of none */
    uint64_t calls, called, calling;
} page_edge;

typedef struct page_edges {
    page_edge *items; /* most time first, then by the functions' ranks */
    uint32_t count, capacity;
} page_edges;

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

static bool find_edges(page_edges *edges, const aggregate *a, const uint64_t *within,
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

static int by_place(const void *left, const void *right) {
    const page_edge *a = left, *b = right;
    int order = list_compare(a->caller, b->caller);
    return order ? order : list_compare(a->callee, b->callee);
}

/* Leaves the edges of functions that are in the page, in its order. */
static void place_edges(page_edges *edges, const uint32_t *position) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < edges->count; i++) {
        page_edge *e = &edges->items[i];
        uint32_t caller = e->caller == EDGE_NO_CALLER ? EDGE_NO_CALLER : position[e->caller];
        uint32_t callee = position[e->callee];
        if (callee == UINT32_MAX || (caller == UINT32_MAX && e->caller != EDGE_NO_CALLER))
            continue;
        e->caller = caller + 1; /* 0 of none */
        e->callee = callee;
        edges->items[kept++] = *e;
    }
    edges->count = kept;
    if (kept > 0)
        qsort(edges->items, kept, sizeof *edges->items, by_place);
}

typedef enum edge_column { EDGE_CALLER, EDGE_CALLEE, EDGE_CALLS, EDGE_CALLED, EDGE_CALLING } edge_column;

static int64_t edge_value(const page_edge *e, uint32_t caller_before, edge_column column) {
    return column == EDGE_CALLER   ? (int64_t)(e->caller - caller_before)
           : column == EDGE_CALLEE ? (int64_t)e->callee
           : column == EDGE_CALLS  ? (int64_t)e->calls
           : column == EDGE_CALLED ? (int64_t)e->called
                                   : (int64_t)(e->calling - e->called);
}

bool page_edges_write(printer *out, const aggregate *a, const uint64_t *within,
                      uint64_t (*calls)(const call_tree *t, uint32_t node), const uint32_t *position) {
    static const char *const names[] = {"caller", "callee", "calls", "called", "calling"};
    page_edges edges = {0};
    bool done = find_edges(&edges, a, within, calls);
    uint32_t count = edges.count < PAGE_MAX_EDGES ? edges.count : PAGE_MAX_EDGES;
    print_string(out, ",\n\"edges\":{\"left_out\":");
    print_number(out, edges.count - count);
    edges.count = count;
    place_edges(&edges, position);
    for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
        print_format(out, ",\n\"%s\":[", names[c]);
        for (uint32_t i = 0, caller = 0; i < edges.count; caller = edges.items[i++].caller) {
            print_string(out, i == 0 ? "" : ",");
            print_signed(out, edge_value(&edges.items[i], caller, (edge_column)c));
        }
        print_string(out, "]");
    }
    print_string(out, "}");
    free(edges.items);
    return done;
}
