#include "report/model/cut.h"

#include "report/model/walk.h"
#include "util/list.h"

typedef struct cut {
    aggregate *a;
    report_node *nodes; /* the new tree */
    uint32_t count, capacity;
    uint32_t *last_child; /* of each new node: 0 none */
    uint32_t last_capacity;
    uint32_t *path;  /* old positions of the nodes that are open, by depth */
    uint32_t *above; /* of each function: how many of them are its */
    map functions;   /* from a NODE_DEEP and a function to the node for them */
    uint32_t *image; /* of each old node: its new position; 0: it has none */
    uint32_t kept;   /* new position of the innermost open node that is kept */
    uint32_t deep;   /* the NODE_DEEP below it, 0: not made yet */
} cut;

static bool is_call(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

/* A copy of `n` as the last child of the new node `parent`; 0 when memory ran out. */
static uint32_t add_child(cut *c, uint32_t parent, const report_node *n) {
    if (!list_grow((void **)&c->nodes, c->count, &c->capacity, sizeof *c->nodes) ||
        !list_grow((void **)&c->last_child, c->count, &c->last_capacity, sizeof *c->last_child))
        return 0;
    uint32_t made = c->count++;
    c->nodes[made] = *n;
    c->nodes[made].parent = parent;
    c->nodes[made].first_child = c->nodes[made].next_sibling = 0;
    c->nodes[made].depth = c->nodes[parent].depth + 1;
    c->last_child[made] = 0;
    *(c->last_child[parent] ? &c->nodes[c->last_child[parent]].next_sibling : &c->nodes[parent].first_child) = made;
    c->last_child[parent] = made;
    return made;
}

/* Adds an old node to those that are shown by function alone. */
static bool add_deep(cut *c, const report_node *n, bool outermost) {
    if (c->deep == 0) {
        c->deep = add_child(c, c->kept, &(report_node){.kind = NODE_DEEP});
        if (c->deep == 0)
            return false;
    }
    uint32_t *slot = map_slot(&c->functions, map_key(c->deep, (uint32_t)n->kind << 28 | n->function));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        uint32_t made = add_child(c, c->deep, &(report_node){.kind = n->kind, .function = n->function});
        if (made == 0)
            return false;
        *slot = made;
    }
    report_node *sum = &c->nodes[*slot], *deep = &c->nodes[c->deep];
    sum->calls = profile_add(sum->calls, n->calls);
    sum->steps = profile_add(sum->steps, n->steps);
    sum->times.exclusive_ns = profile_add(sum->times.exclusive_ns, n->times.exclusive_ns);
    sum->thrown = profile_add(sum->thrown, n->thrown);
    profile_add_figures(sum->figures.all, n->figures.all);
    if (outermost)
        profile_add_figures(sum->all_figures.all, n->all_figures.all);
    profile_add_figures(deep->all_figures.all, n->figures.all);
    if (outermost || n->kind == NODE_WAITING)
        sum->times.inclusive_ns = profile_add(sum->times.inclusive_ns, n->times.inclusive_ns);
    deep->times.inclusive_ns = profile_add(deep->times.inclusive_ns, n->times.exclusive_ns);
    return true;
}

static bool add_all(cut *c) {
    const report_node *nodes = c->a->tree.nodes;
    for (uint32_t depth = 0, node = 0;;) {
        const report_node *n = &nodes[node];
        for (; depth >= n->depth && depth > 0; depth--) /* what is not open any more */
            if (is_call(&nodes[c->path[depth]]))
                c->above[nodes[c->path[depth]].function]--;
        for (uint32_t d = c->nodes[c->kept].depth; node != 0 && d >= n->depth; d--)
            c->kept = c->nodes[c->kept].parent;
        c->path[depth = n->depth] = node;
        bool outermost = is_call(n) && c->above[n->function]++ == 0;
        if (n->depth > CUT_DEPTH) {
            if (!add_deep(c, n, outermost))
                return false;
        } else if (node != 0) {
            c->kept = add_child(c, c->kept, n);
            c->deep = 0;
            if (c->kept == 0)
                return false;
            c->image[node] = c->kept;
        }
        node = walk_next(nodes, node);
        if (node == 0)
            return true;
    }
}

bool cut_deep(aggregate *a) {
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < a->tree.node_count; i++)
        deepest = a->tree.nodes[i].depth > deepest ? a->tree.nodes[i].depth : deepest;
    if (deepest <= CUT_DEPTH)
        return true;
    cut c = {.a = a, .functions = MAP_INIT};
    c.path = calloc((size_t)deepest + 1, sizeof *c.path);
    c.above = calloc((size_t)a->list.function_count + 1, sizeof *c.above);
    c.image = calloc((size_t)a->tree.node_count + 1, sizeof *c.image);
    bool done = c.path && c.above && c.image && list_grow((void **)&c.nodes, 0, &c.capacity, sizeof *c.nodes) &&
                list_grow((void **)&c.last_child, 0, &c.last_capacity, sizeof *c.last_child);
    if (done) {
        c.nodes[0] = a->tree.nodes[0];
        c.nodes[0].first_child = 0;
        c.last_child[0] = 0;
        c.count = 1;
        done = add_all(&c);
    }
    for (uint32_t i = 0; i < a->async.place_count && done; i++)
        a->async.places[i].call_node = c.image[a->async.places[i].call_node];
    if (done) {
        free(a->tree.nodes);
        a->tree.nodes = c.nodes;
        a->tree.node_count = c.count;
        a->tree.node_capacity = c.capacity;
    } else {
        free(c.nodes);
    }
    free(c.last_child);
    free(c.path);
    free(c.image);
    free(c.above);
    map_clear(&c.functions);
    return done;
}
