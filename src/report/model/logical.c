#include "report/model/logical.h"

#include <stdlib.h>

#include "report/model/times.h"
#include "util/list.h"
#include "util/map.h"

#define NOWHERE UINT32_MAX

/* One place of the async tree. */
typedef struct home {
    uint32_t first_call;  /* 1 + position in the list of calls; 0: none */
    uint32_t first_slice; /* 1 + position of the NODE_SLICE or NODE_UNLINKED in the old tree; 0: none */
    uint32_t node;        /* in the new tree: where its slices belong, or below which they have a node of their own */
    bool exact;
} home;

typedef struct call {
    uint32_t node; /* in the old tree */
    uint32_t next; /* 1 + position of the next one of its place */
} call;

typedef struct logical {
    call_tree *tree;
    async_tree *async;
    function_list *list;
    call_tree was;
    fold_link *old; /* its links */
    uint32_t old_count;
    uint32_t *at;    /* per old node: the async call that it is part of, a position in the async tree; or NOWHERE */
    uint32_t *image; /* per old node: what it becomes in the new tree; or NOWHERE */
    uint32_t *next_slice; /* per old node: as first_slice */
    bool *in_slice;       /* per old node: it stands in a slice, or is one; NULL: no function is a root */
    home *homes;          /* per place of the async tree */
    uint64_t *recorded;   /* per function: for sum_functions */
    uint32_t *only;       /* per function: its place where it has one; 0 none, NOWHERE several */
    call *calls;
    uint32_t call_count, call_capacity;
    map copies;      /* from a top and a new node: the one that it is below that top */
    uint32_t *chain; /* of new nodes, from the inside out */
    uint32_t chain_capacity;
} logical;

static void take_off(uint64_t *time, uint64_t less) {
    *time -= *time < less ? *time : less;
}

/* Of the nodes on the path, while they are taken from the last to the first: what is left of their times, or the sum of
 * their callees'. */
typedef struct left_over {
    uint32_t node;
    profile_times below;
} left_over;

typedef struct left_path {
    left_over *nodes;
    uint32_t count, capacity;
} left_path;

/* The inclusive times without own ones and those of the callees. */
static profile_times left_of(const profile_timing *n, const profile_times *below) {
    profile_times left = n->times;
    const uint64_t blocked = n->blocked_ns;
    take_off(&left.inclusive_ns, profile_add(blocked, profile_add(left.exclusive_ns, below->inclusive_ns)));
    take_off(&left.inclusive_low_ns, profile_add(blocked, profile_add(left.exclusive_low_ns, below->inclusive_low_ns)));
    take_off(&left.inclusive_high_ns,
             profile_add(blocked, profile_add(left.exclusive_high_ns, below->inclusive_high_ns)));
    left.inclusive_offset_ns = 0;
    return left;
}

/* False when memory ran out. */
static bool add_callee(left_path *p, uint32_t caller, const profile_times *more) {
    if (p->count == 0 || p->nodes[p->count - 1].node != caller) {
        if (!list_grow((void **)&p->nodes, p->count, &p->capacity, sizeof *p->nodes))
            return false;
        p->nodes[p->count++] = (left_over){.node = caller};
    }
    times_add_inclusive(&p->nodes[p->count - 1].below, more);
    return true;
}

bool logical_keep_folded(call_tree *tree, const matched_thread *t, const uint32_t *merged) {
    const profile_thread *of = &t->corrected.t;
    left_path path = {0};
    bool any = false, done = true;
    for (uint32_t i = 0; i < of->node_count && !any; i++)
        any = profile_number(of, PROFILE_FOLDED_TICKS, i) > 0;
    for (uint32_t i = any ? of->node_count : 0; i-- > 0 && done;) { /* callees stand after their caller */
        const profile_timing n = timing_at(&t->corrected.timings, i);
        profile_times below = {0};
        if (path.count > 0 && path.nodes[path.count - 1].node == i)
            below = path.nodes[--path.count].below;
        if (profile_number(of, PROFILE_FOLDED_TICKS, i) > 0) {
            done = list_grow((void **)&tree->folded, tree->folded_count, &tree->folded_capacity, sizeof *tree->folded);
            if (done)
                tree->folded[tree->folded_count++] = (report_folded){merged[i], left_of(&n, &below), 0};
        }
        if (done && i > 0 && of->ids[i] != PROFILE_ID_FOLDED)
            done = add_callee(&path, of->parents[i], &n.times);
    }
    free(path.nodes);
    return done;
}

bool logical_keep_below(call_tree *tree, const matched_thread *t, const uint32_t *merged) {
    const profile_thread *of = &t->corrected.t;
    const uint32_t *function = t->below;
    for (uint32_t i = 0; i < of->below_count; i++) {
        const profile_below *b = &of->below[i];
        if (!list_grow((void **)&tree->folded, tree->folded_count, &tree->folded_capacity, sizeof *tree->folded))
            return false;
        tree->folded[tree->folded_count++] = (report_folded){.node = merged[b->node], .calls = b->calls};
        for (uint32_t k = 0; k < b->count; k++) {
            if (!list_grow((void **)&tree->below, tree->below_count, &tree->below_capacity, sizeof *tree->below))
                return false;
            tree->below[tree->below_count++] = (report_below){merged[b->node], *function++};
        }
    }
    return true;
}

/* ---- Whose calls nodes are -------------------------------------------------------------------------------------- */

/* Not those that have slices of unknown calls alone. */
static void find_only_places(logical *l) {
    const async_tree *async = l->async;
    for (uint32_t i = 1; i < async->place_count; i++) {
        if (async->places[i].figures.calls == 0)
            continue;
        uint32_t *only = &l->only[async->places[i].function];
        *only = *only == 0 ? i : NOWHERE;
    }
}

/* The place of a call of `function` within the async call `above`, or within one of those around that, whose own end
 * may have started it. */
static uint32_t place_of_call(const logical *l, uint32_t above, uint32_t function) {
    const async_tree *async = l->async;
    for (;;) {
        uint32_t found = async_find(async, above, function);
        if (found != 0)
            return found;
        if (above == 0)
            return NOWHERE;
        above = async->places[above].parent;
    }
}

/* The place of a plain method on a way that leads on from `above`; NOWHERE: it is on none. */
static uint32_t way_of_call(const logical *l, uint32_t above, uint32_t function) {
    uint32_t found = async_find(l->async, above, function);
    return found == 0 ? NOWHERE : found;
}

static bool add_call(logical *l, uint32_t place, uint32_t node) {
    if (!list_grow((void **)&l->calls, l->call_count, &l->call_capacity, sizeof *l->calls))
        return false;
    l->calls[l->call_count++] = (call){node, l->homes[place].first_call};
    l->homes[place].first_call = l->call_count;
    return true;
}

static void add_slice(logical *l, uint32_t place, uint32_t node) {
    l->next_slice[node] = l->homes[place].first_slice;
    l->homes[place].first_slice = node + 1;
}

/* Finds of each old node which async call it is a part of, and lists the calls and slices of each place. */
static bool find_calls(logical *l) {
    bool done = true;
    for (uint32_t i = 1; i < l->old_count && done; i++) {
        const uint32_t above = l->at[l->old[i].parent], function = node_function(&l->old[i]);
        const report_node_kind kind = node_kind(&l->old[i]);
        l->at[i] = above;
        const bool is_call = kind == NODE_CALL;
        uint32_t only = is_call || kind == NODE_UNLINKED ? l->only[function] : 0;
        if (kind == NODE_SLICE || kind == NODE_UNLINKED) {
            l->at[i] = kind == NODE_SLICE ? function : only == 0 ? NOWHERE : only;
            if (l->at[i] != NOWHERE)
                add_slice(l, l->at[i], i);
        } else if (kind == NODE_FOLDED) {
            l->at[i] = NOWHERE;
        } else if (above != NOWHERE && is_call) {
            uint32_t place = only != 0 ? place_of_call(l, above, function) : way_of_call(l, above, function);
            l->at[i] = place == NOWHERE ? above : place;
            /* Steps of an async iterator that its enumerator has asked for are no call: that made the enumerator. */
            done = place == NOWHERE || node_number(&l->was, NODE_CALLS, i) == 0 || add_call(l, place, i);
        }
    }
    return done;
}

/* ---- The new tree ----------------------------------------------------------------------------------------------- */

static bool is_top(const fold_link *n) {
    return node_kind(n) == NODE_ROOT || node_kind(n) == NODE_THREAD;
}

static bool is_slice(const fold_link *n) {
    return node_kind(n) == NODE_SLICE || node_kind(n) == NODE_UNLINKED;
}

/* The innermost new node, in the tree of `left`, that both stand below or are; threads count as the same. */
static uint32_t common_of(const call_tree *tree, uint32_t left, uint32_t right) {
    const fold_link *nodes = tree->places.links;
    const uint32_t *depths = tree->depths;
    while (depths[left] > depths[right])
        left = nodes[left].parent;
    while (depths[right] > depths[left])
        right = nodes[right].parent;
    uint32_t common = left;
    while (left != right && !is_top(&nodes[left])) {
        if (nodes[left].key != nodes[right].key)
            common = nodes[left].parent;
        left = nodes[left].parent;
        right = nodes[right].parent;
    }
    return common;
}

/* Finds where the slices of a place belong, from its calls that have their new nodes. */
static void find_home(logical *l, uint32_t place) {
    const async_tree *async = l->async;
    home *h = &l->homes[place];
    h->node = NOWHERE;
    for (uint32_t i = h->first_call; i != 0; i = l->calls[i - 1].next) {
        uint32_t node = l->image[l->calls[i - 1].node];
        if (node == NOWHERE)
            continue;
        uint32_t common = h->node == NOWHERE ? node : common_of(l->tree, h->node, node);
        h->exact =
            h->node == NOWHERE || (h->exact && common == h->node && l->tree->depths[node] == l->tree->depths[common]);
        h->node = common;
    }
    if (h->node == NOWHERE) {
        h->node = l->homes[async->places[place].parent].node;
        h->exact = false;
    }
}

/* The node below `top` that `node`, which may stand in another thread, is in its own; NOWHERE when memory ran out. */
static uint32_t same_below(logical *l, uint32_t top, uint32_t node) {
    call_tree *tree = l->tree;
    uint32_t count = 0, at = MAP_NONE;
    if (!tree->by_thread)
        return node;
    for (; !is_top(&tree->places.links[node]); node = tree->places.links[node].parent) {
        at = map_find(&l->copies, map_key(top, node));
        if (at != MAP_NONE)
            break;
        if (!list_grow((void **)&l->chain, count, &l->chain_capacity, sizeof *l->chain))
            return NOWHERE;
        l->chain[count++] = node;
    }
    for (at = at == MAP_NONE ? top : at; count > 0; count--) {
        uint32_t of = l->chain[count - 1];
        const fold_link link = tree->places.links[of];
        at = call_tree_child(tree, at, node_kind(&link), node_function(&link));
        uint32_t *slot = at == MAP_NONE ? NULL : map_slot(&l->copies, map_key(top, of));
        if (!slot)
            return NOWHERE;
        *slot = at;
    }
    return at;
}

/* Is the node one that a framework has called? What completes an async test goes on to run the next one, on the frames
 * of the slice that was the test's last. */
static bool is_lifted(const logical *l, uint32_t node) {
    const fold_link *n = &l->old[node];
    if (!l->in_slice || !l->in_slice[n->parent] || node_kind(n) != NODE_CALL)
        return false;
    uint8_t root = l->list->functions[node_function(n)].root;
    return root != 0 && root != NAMES_ROOT_REQUEST;
}

/* The new node of the top that an old node stands below. */
static uint32_t top_image(const logical *l, uint32_t node) {
    while (!is_top(&l->old[node]))
        node = l->old[node].parent;
    return l->image[node];
}

/* Gives all below the old node `top`, which has its image, theirs; not slices. */
static bool copy_below(logical *l, uint32_t top) {
    uint32_t node = l->old[top].first_child;
    while (node != 0) {
        const fold_link *n = &l->old[node];
        if (!is_slice(n)) {
            uint32_t parent = is_lifted(l, node) ? top_image(l, node) : l->image[n->parent];
            l->image[node] = call_tree_child(l->tree, parent, node_kind(n), node_function(n));
            if (l->image[node] == NOWHERE)
                return false;
            if (n->first_child != 0) {
                node = n->first_child;
                continue;
            }
        }
        while (node != top && l->old[node].next_sibling == 0)
            node = l->old[node].parent;
        node = node == top ? 0 : l->old[node].next_sibling;
    }
    return true;
}

/* What is lifted stands before any slice is placed: its own slices may be placed before the one that called it. */
static bool place_lifted(logical *l) {
    for (uint32_t i = 1; i < l->old_count && l->in_slice; i++) {
        if (!is_lifted(l, i))
            continue;
        l->image[i] = call_tree_child(l->tree, top_image(l, i), NODE_CALL, node_function(&l->old[i]));
        if (l->image[i] == NOWHERE || !copy_below(l, i))
            return false;
    }
    return true;
}

static bool place_slice(logical *l, uint32_t slice, const home *h, uint32_t function) {
    uint32_t node = same_below(l, l->image[l->old[slice].parent], h->node);
    if (node != NOWHERE && !h->exact)
        node = call_tree_child(l->tree, node, NODE_RESUMED, function);
    l->image[slice] = node;
    return node != NOWHERE && copy_below(l, slice);
}

static bool place_slices(logical *l) {
    const async_tree *async = l->async;
    bool done = true;
    l->homes[0] = (home){.node = 0, .exact = true};
    for (uint32_t place = 1; place < async->place_count && done; place++) { /* parents stand before their children */
        find_home(l, place);
        uint32_t slice = l->homes[place].first_slice;
        for (; slice != 0 && done; slice = l->next_slice[slice - 1])
            done = place_slice(l, slice - 1, &l->homes[place], async->places[place].function);
    }
    return done;
}

/* Slices of functions that the async tree has at several places, or at none. */
static bool place_unlinked(logical *l) {
    const async_tree *async = l->async;
    uint32_t *common = calloc((size_t)l->list->function_count + 1, sizeof *common); /* 1 + a new node; 0: none */
    bool done = common != NULL;
    for (uint32_t place = 1; place < async->place_count && done; place++) {
        uint32_t *node = &common[async->places[place].function];
        /* Where slices of unknown calls are counted nothing was called. */
        if (l->only[async->places[place].function] == NOWHERE && async->places[place].figures.calls > 0)
            *node = 1 + (*node == 0 ? l->homes[place].node : common_of(l->tree, *node - 1, l->homes[place].node));
    }
    for (uint32_t i = 1; i < l->old_count && done; i++) {
        const uint32_t function = node_function(&l->old[i]);
        if (node_kind(&l->old[i]) != NODE_UNLINKED || l->image[i] != NOWHERE)
            continue;
        const home all = {.node = common[function] ? common[function] - 1 : 0};
        done = place_slice(l, i, &all, function);
    }
    free(common);
    return done;
}

/* Lets the async tree know where the slices of each place stand. */
static void tell_places(logical *l) {
    async_tree *async = l->async;
    for (uint32_t place = 1; place < async->place_count; place++) {
        uint32_t node = l->homes[place].node;
        if (node != NOWHERE && !l->homes[place].exact)
            node = call_tree_find(l->tree, node, NODE_RESUMED, async->places[place].function);
        async->places[place].call_node = node == NOWHERE ? 0 : node;
    }
}

/* ---- Figures ---------------------------------------------------------------------------------------------------- */

static void add_own(call_tree *t, uint32_t to, const report_node *from) {
    bool slice = from->kind == NODE_SLICE || from->kind == NODE_UNLINKED;
    node_add(t, NODE_CALLS, to, slice ? 0 : from->calls);
    node_add(t, NODE_STEPS, to, slice ? profile_add(from->steps, from->calls) : from->steps);
    node_add(t, NODE_TICKED_CALLS, to, from->ticked_calls);
    node_add(t, NODE_THROWN, to, from->thrown);
    node_add_figures(t, NODE_FIGURE, to, from->figures.all);
    node_add_figures(t, NODE_ALL_FIGURE, to, from->all_figures.all);
    node_add_exclusive(t, to, &from->times);
}

static void sum_up(logical *l) {
    call_tree *tree = l->tree;
    for (uint32_t i = 0; i < l->old_count; i++) {
        const report_node from = call_tree_node(&l->was, i);
        add_own(tree, l->image[i], &from);
    }
    for (uint32_t i = 0; i < tree->folded_count; i++)
        node_add_inclusive(tree, l->image[tree->folded[i].node], &tree->folded[i].times);
    for (uint32_t i = tree->node_count; i-- > 0;) { /* children stand after their parent */
        profile_times all = node_times(tree, i);
        const profile_times own = {.inclusive_ns = all.exclusive_ns,
                                   .inclusive_low_ns = all.exclusive_low_ns,
                                   .inclusive_high_ns = all.exclusive_high_ns,
                                   .inclusive_offset_ns = all.exclusive_offset_ns};
        times_add_inclusive(&all, &own);
        times_set_inclusive(&tree->figures, i, &all);
        if (i > 0 && node_kind(&tree->places.links[i]) != NODE_FOLDED) /* the callers have that time already */
            node_add_inclusive(tree, tree->places.links[i].parent, &all);
    }
}

/* Inclusive times of functions: each call once, also when calls of the same function stand above it. Where slices stand
 * below a function's calls that did not run in their frames, or slices ran there that stand elsewhere, no frame's time
 * is a call's. `recorded` has room for a time of each function. */
static void sum_functions(const call_tree *tree, function_list *a, uint64_t *recorded) {
    const fold_link *nodes = tree->places.links;
    for (uint32_t i = 0; i < a->function_count; i++) {
        profile_times *t = &a->functions[i].times;
        t->inclusive_ns = t->inclusive_low_ns = t->inclusive_high_ns = t->inclusive_offset_ns = 0;
        a->functions[i].active = 0;
        recorded[i] = a->functions[i].averaged.inclusive_ns;
        a->functions[i].averaged = (profile_times){0};
    }
    uint32_t node = nodes[0].first_child;
    while (node != 0) {
        const fold_link *n = &nodes[node];
        if (link_is_call(n)) {
            report_function *f = &a->functions[node_function(n)];
            const profile_times of = node_times(tree, node);
            times_add_inclusive(&f->averaged, &of);
            if (f->active++ == 0)
                times_add_inclusive(&f->times, &of);
        }
        if (n->first_child != 0 && node_kind(n) != NODE_FOLDED) {
            node = n->first_child;
            continue;
        }
        for (;; node = nodes[node].parent) {
            if (link_is_call(&nodes[node]))
                a->functions[node_function(&nodes[node])].active--;
            if (nodes[node].next_sibling != 0 || nodes[node].parent == 0)
                break;
        }
        node = nodes[node].next_sibling;
    }
    for (uint32_t i = 0; i < a->function_count; i++)
        a->functions[i].displaced |= a->functions[i].averaged.inclusive_ns != recorded[i];
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static void fill(uint32_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        values[i] = NOWHERE;
}

static bool make_room(logical *l) {
    size_t nodes = l->old_count, functions = (size_t)l->list->function_count + 1;
    l->at = calloc(nodes, sizeof *l->at);
    l->image = calloc(nodes, sizeof *l->image);
    l->next_slice = calloc(nodes, sizeof *l->next_slice);
    l->homes = calloc((size_t)l->async->place_count + 1, sizeof *l->homes);
    l->only = calloc(functions, sizeof *l->only);
    l->recorded = calloc(functions, sizeof *l->recorded);
    if (l->list->has_roots) {
        l->in_slice = calloc(nodes, sizeof *l->in_slice);
        for (uint32_t i = 1; l->in_slice && i < l->old_count; i++)
            l->in_slice[i] = is_slice(&l->old[i]) || l->in_slice[l->old[i].parent];
    }
    if ((l->list->has_roots && !l->in_slice) || !l->recorded || !l->at || !l->image || !l->next_slice || !l->homes ||
        !l->only)
        return false;
    fill(l->image, l->old_count);
    return true;
}

/* Puts the oldest child of each old node first, so that new nodes are made in the order of the old ones. */
static void reverse_children(logical *l) {
    for (uint32_t i = 0; i < l->old_count; i++)
        l->old[i].first_child = 0;
    for (uint32_t i = l->old_count; i-- > 1;) {
        fold_link *parent = &l->old[l->old[i].parent];
        l->old[i].next_sibling = parent->first_child;
        parent->first_child = i;
    }
}

/* The new tree takes the old one's place before it is built: call_tree_child makes its nodes. */
static bool build(logical *l) {
    find_only_places(l);
    reverse_children(l);
    if (!find_calls(l))
        return false;
    l->image[0] = 0;
    return call_tree_begin(l->tree) && copy_below(l, 0) && place_lifted(l) && place_slices(l) && place_unlinked(l);
}

bool logical_place(call_tree *tree, async_tree *async, function_list *list) {
    logical l = {.tree = tree,
                 .async = async,
                 .list = list,
                 .was = *tree,
                 .old = tree->places.links,
                 .old_count = tree->node_count};
    bool any = false;
    if (tree->figures.failed) /* another tree's would not say so */
        return false;
    for (uint32_t i = 0; i < tree->node_count && !any && !tree->placed; i++)
        any = is_slice(&tree->places.links[i]);
    tree->placed = true;
    if (!any)
        return true;
    bool done = make_room(&l) && build(&l);
    if (done) {
        tell_places(&l);
        sum_up(&l);
        call_tree_move_folded(tree, l.image);
        sum_functions(tree, list, l.recorded);
    }
    if (tree->places.links != l.old) {
        fold_clear(&l.was.places);
        columns_clear(&l.was.figures);
    }
    free(l.at);
    free(l.image);
    free(l.next_slice);
    free(l.in_slice);
    free(l.homes);
    free(l.only);
    free(l.recorded);
    free(l.calls);
    free(l.chain);
    map_clear(&l.copies);
    return done;
}
