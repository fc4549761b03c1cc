#include "report/model/cut.h"

#include "report/model/walk.h"
#include "util/list.h"

typedef struct cut {
    aggregate *a;
    call_tree made;       /* the new tree */
    uint32_t *last_child; /* of each new node: 0 none */
    uint32_t last_capacity;
    uint32_t *path;  /* old positions of the nodes that are open, by depth */
    uint32_t *above; /* of each function: how many of them are its */
    map functions;   /* from a NODE_DEEP and a function to the node for them */
    uint32_t *image; /* of each old node: its new position; 0: it has none */
    uint32_t kept;   /* new position of the innermost open node that is kept */
    uint32_t deep;   /* the NODE_DEEP below it, 0: not made yet */
} cut;

/* Makes room for one node more. False when memory ran out. */
static bool make_room(cut *c) {
    call_tree *t = &c->made;
    uint32_t count = t->node_count;
    return list_grow((void **)&t->places.links, count, &t->places.capacity, sizeof *t->places.links) &&
           list_grow((void **)&t->depths, count, &t->depth_capacity, sizeof *t->depths) &&
           list_grow((void **)&c->last_child, count, &c->last_capacity, sizeof *c->last_child) &&
           columns_extend(&t->figures, count + 1);
}

/* A copy of `n` as the last child of the new node `parent`; 0 when memory ran out. */
static uint32_t add_child(cut *c, uint32_t parent, const report_node *n) {
    call_tree *t = &c->made;
    if (!make_room(c))
        return 0;
    uint32_t made = t->node_count++, *last = &c->last_child[parent];
    fold_link *links = t->places.links;
    t->places.count = t->node_count;
    links[made] = (fold_link){.parent = parent, .key = call_tree_key(n->kind, n->function)};
    t->depths[made] = t->depths[parent] + 1;
    call_tree_set(t, made, n);
    c->last_child[made] = 0;
    *(*last ? &links[*last].next_sibling : &links[parent].first_child) = made;
    *last = made;
    return made;
}

/* Adds to a time, not to its ends: no format shows those of these nodes. */
static void add_time(call_tree *t, uint32_t node, uint64_t inclusive_ns, uint64_t exclusive_ns) {
    profile_times of = node_times(t, node);
    of.inclusive_ns = profile_add(of.inclusive_ns, inclusive_ns);
    of.exclusive_ns = profile_add(of.exclusive_ns, exclusive_ns);
    times_set(&t->figures, node, &of);
}

static void add_to_deep(cut *c, uint32_t sum, const report_node *n, bool outermost) {
    call_tree *t = &c->made;
    node_add(t, NODE_CALLS, sum, n->calls);
    node_add(t, NODE_STEPS, sum, n->steps);
    node_add(t, NODE_THROWN, sum, n->thrown);
    node_add_figures(t, NODE_FIGURE, sum, n->figures.all);
    if (outermost)
        node_add_figures(t, NODE_ALL_FIGURE, sum, n->all_figures.all);
    node_add_figures(t, NODE_ALL_FIGURE, c->deep, n->figures.all);
    add_time(t, sum, outermost || n->kind == NODE_WAITING ? n->times.inclusive_ns : 0, n->times.exclusive_ns);
    add_time(t, c->deep, n->times.exclusive_ns, 0);
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
    add_to_deep(c, *slot, n, outermost);
    return true;
}

static bool add_all(cut *c) {
    const fold_link *nodes = c->a->tree.places.links;
    for (uint32_t depth = 0, node = 0;;) {
        const report_node of = call_tree_node(&c->a->tree, node), *n = &of;
        const uint32_t its_depth = c->a->tree.depths[node];
        for (; depth >= its_depth && depth > 0; depth--) /* what is not open any more */
            if (link_is_call(&nodes[c->path[depth]]))
                c->above[node_function(&nodes[c->path[depth]])]--;
        for (uint32_t d = c->made.depths[c->kept]; node != 0 && d >= its_depth; d--)
            c->kept = c->made.places.links[c->kept].parent;
        c->path[depth = its_depth] = node;
        bool outermost = node_is_call(n) && c->above[n->function]++ == 0;
        if (its_depth > CUT_DEPTH) {
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
        deepest = a->tree.depths[i] > deepest ? a->tree.depths[i] : deepest;
    if (deepest <= CUT_DEPTH)
        return true;
    cut c = {.a = a, .functions = MAP_INIT};
    c.path = calloc((size_t)deepest + 1, sizeof *c.path);
    c.above = calloc((size_t)a->list.function_count + 1, sizeof *c.above);
    c.image = calloc((size_t)a->tree.node_count + 1, sizeof *c.image);
    bool done = c.path && c.above && c.image && make_room(&c);
    if (done) {
        const report_node root = call_tree_node(&a->tree, 0);
        c.made.places.links[0] = (fold_link){.parent = 0};
        c.made.depths[0] = 0;
        c.last_child[0] = 0;
        c.made.node_count = c.made.places.count = 1;
        call_tree_set(&c.made, 0, &root);
        done = add_all(&c) && !c.made.figures.failed;
    }
    for (uint32_t i = 0; i < a->async.place_count && done; i++)
        a->async.places[i].call_node = c.image[a->async.places[i].call_node];
    call_tree *t = &a->tree;
    if (done) { /* the rest stays: threads, options */
        call_tree old = {.places = t->places, .figures = t->figures, .depths = t->depths};
        t->places = c.made.places;
        t->figures = c.made.figures;
        t->depths = c.made.depths;
        t->node_count = c.made.node_count;
        c.made = old;
    }
    call_tree_clear(&c.made);
    free(c.last_child);
    free(c.path);
    free(c.image);
    free(c.above);
    map_clear(&c.functions);
    return done;
}
