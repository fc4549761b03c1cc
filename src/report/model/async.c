#include "report/model/async.h"

#include "util/list.h"

/* Functions are fewer than 2^28. */
static uint32_t key_of_function(uint32_t function) {
    return function + 1;
}

/* Adds the places that are new. */
static bool make_places(async_tree *tree) {
    if (!list_reserve((void **)&tree->places, tree->fold.count, &tree->place_capacity, sizeof *tree->places))
        return false;
    for (; tree->place_count < tree->fold.count; tree->place_count++) {
        fold_link link = tree->fold.links[tree->place_count];
        tree->places[tree->place_count] =
            (async_place){.function = tree->place_count == 0 ? FUNCTION_ROOT : link.key - 1, .parent = link.parent};
    }
    return true;
}

/* A plain method's, on the way to others. */
static bool has_none(const async_figures *f) {
    return (f->calls | f->completed | f->failed | f->cancelled | f->suspensions | f->running_ns | f->awaiting_ns |
            f->wall_ns | f->unlinked) == 0;
}

/* Makes the nodes from the places. */
static bool make_nodes(async_tree *tree) {
    fold calls = FOLD_INIT;
    tree->nodes = calloc((size_t)tree->place_count + 1, sizeof *tree->nodes);
    bool done = tree->nodes && fold_start(&calls);
    tree->node_count = done;
    if (done)
        tree->nodes[0].function = FUNCTION_ROOT;
    for (uint32_t i = 1; i < tree->place_count && done; i++) { /* parents stand before their children */
        async_place *place = &tree->places[i];
        uint32_t above = tree->places[place->parent].node;
        place->node = above;
        if (has_none(&place->figures))
            continue;
        place->node = fold_child(&calls, above, key_of_function(place->function));
        done = place->node != FOLD_NONE;
        if (done && place->node == tree->node_count) {
            async_node *parent = &tree->nodes[above];
            tree->nodes[tree->node_count++] = (async_node){.function = place->function,
                                                           .parent = above,
                                                           .next_sibling = parent->first_child,
                                                           .depth = parent->depth + 1};
            parent->first_child = place->node;
        }
        if (done)
            async_add_figures(&tree->nodes[place->node].figures, &place->figures);
    }
    fold_clear(&calls);
    return done;
}

/* Takes the time of the calls that a place's calls started off the time that they awaited. */
static void find_own_awaiting(async_tree *tree) {
    for (uint32_t i = 1; i < tree->place_count; i++)
        tree->places[i].own_awaiting_ns = tree->places[i].figures.awaiting_ns;
    for (uint32_t i = 1; i < tree->place_count; i++) {
        uint32_t above = tree->places[i].parent;
        while (above != 0 && has_none(&tree->places[above].figures))
            above = tree->places[above].parent;
        uint64_t *own = &tree->places[above].own_awaiting_ns, below = tree->places[i].figures.wall_ns;
        *own -= *own < below ? *own : below;
    }
}

void async_add_figures(async_figures *sum, const async_figures *more) {
    sum->calls = profile_add(sum->calls, more->calls);
    sum->completed = profile_add(sum->completed, more->completed);
    sum->failed = profile_add(sum->failed, more->failed);
    sum->cancelled = profile_add(sum->cancelled, more->cancelled);
    sum->suspensions = profile_add(sum->suspensions, more->suspensions);
    sum->running_ns = profile_add(sum->running_ns, more->running_ns);
    sum->awaiting_ns = profile_add(sum->awaiting_ns, more->awaiting_ns);
    sum->wall_ns = profile_add(sum->wall_ns, more->wall_ns);
    sum->unlinked = profile_add(sum->unlinked, more->unlinked);
}

async_figures async_figures_of(const profile_run *run, const profile_async *n) {
    return (async_figures){n->calls,
                           n->completed,
                           n->failed,
                           n->cancelled,
                           n->suspensions,
                           profile_ns(run, n->running_ticks),
                           profile_ns(run, n->awaiting_ticks),
                           profile_ns(run, n->wall_ticks),
                           n->unlinked};
}

uint32_t async_find(const async_tree *tree, uint32_t parent, uint32_t function) {
    uint32_t found = fold_find(&tree->fold, parent, key_of_function(function));
    return found == FOLD_NONE ? 0 : found;
}

bool async_add(async_tree *tree, const profile_run *run, const matched_thread *t, uint32_t *places) {
    const profile_thread *of = &t->corrected.t;
    if (of->async_count == 0)
        return true;
    uint32_t *keys = malloc(of->async_count * sizeof *keys);
    async_figures *figures = malloc(of->async_count * sizeof *figures);
    bool done = keys && figures && fold_start(&tree->fold);
    for (uint32_t i = 1; i < of->async_count && done; i++) {
        figures[i] = async_figures_of(run, &of->async[i]);
        /* In one that was merged by an earlier version no slice says its place: ways to it would be of no use. */
        const bool no_way = of->async[i].taken || (of->merged && !of->has_slices && has_none(&figures[i]));
        keys[i] = no_way ? FOLD_PARENT : key_of_function(t->async[i]);
    }
    const fold_source from = {of->async, sizeof *of->async, of->async_count, keys};
    done = done && fold_tree(&tree->fold, 0, &from, places) && make_places(tree);
    for (uint32_t i = 1; i < of->async_count && done; i++)
        async_add_figures(&tree->places[places[i]].figures, &figures[i]);
    free(figures);
    free(keys);
    return done;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

typedef struct order_key {
    uint64_t ns, calls;
    uint32_t rank, position;
} order_key;

static int by_time(const void *left, const void *right) {
    const order_key *a = left, *b = right;
    int order = list_compare(b->ns, a->ns);
    if (order == 0)
        order = list_compare(b->calls, a->calls);
    return order ? order : list_compare(a->rank, b->rank);
}

static order_key key_of(const async_figures *f, const report_function *function, uint32_t position) {
    return (order_key){profile_add(f->running_ns, f->awaiting_ns), f->calls, function->rank, position};
}

static void order_children(async_tree *tree, order_key *keys, const report_function *functions) {
    async_node *nodes = tree->nodes;
    for (uint32_t parent = 0; parent < tree->node_count; parent++) {
        size_t count = 0;
        for (uint32_t child = nodes[parent].first_child; child != 0; child = nodes[child].next_sibling)
            keys[count++] = key_of(&nodes[child].figures, &functions[nodes[child].function], child);
        if (count < 2)
            continue;
        qsort(keys, count, sizeof *keys, by_time);
        nodes[parent].first_child = keys[0].position;
        for (size_t i = 0; i < count; i++)
            nodes[keys[i].position].next_sibling = i + 1 < count ? keys[i + 1].position : 0;
    }
}

typedef struct function_sum {
    async_figures figures;
    bool seen;
} function_sum;

/* `sums` has a place for each function; the methods get those that are on the tree. */
static void order_methods(async_tree *tree, order_key *keys, function_sum *sums, const report_function *functions,
                          uint32_t function_count) {
    for (uint32_t i = 1; i < tree->node_count; i++) {
        function_sum *sum = &sums[tree->nodes[i].function];
        async_add_figures(&sum->figures, &tree->nodes[i].figures);
        sum->seen = true;
    }
    for (uint32_t f = 0; f < function_count; f++)
        if (sums[f].seen) {
            tree->unlinked[f] = sums[f].figures.unlinked > 0;
            keys[tree->method_count++] = key_of(&sums[f].figures, &functions[f], f);
        }
    qsort(keys, tree->method_count, sizeof *keys, by_time);
    for (uint32_t i = 0; i < tree->method_count; i++)
        tree->methods[i] = (async_method){keys[i].position, sums[keys[i].position].figures};
}

bool async_finish(async_tree *tree, const report_function *functions, uint32_t function_count) {
    if (tree->place_count == 0)
        return true;
    if (!make_nodes(tree))
        return false;
    find_own_awaiting(tree);
    order_key *keys = calloc((size_t)tree->node_count + 1, sizeof *keys);
    function_sum *sums = calloc((size_t)function_count + 1, sizeof *sums);
    tree->methods = calloc((size_t)tree->node_count + 1, sizeof *tree->methods);
    tree->unlinked = calloc((size_t)function_count + 1, sizeof *tree->unlinked);
    bool done = keys && sums && tree->methods && tree->unlinked;
    if (done) {
        order_children(tree, keys, functions);
        order_methods(tree, keys, sums, functions, function_count);
    }
    free(keys);
    free(sums);
    return done;
}

void async_clear(async_tree *tree) {
    free(tree->places);
    free(tree->nodes);
    free(tree->methods);
    free(tree->unlinked);
    fold_clear(&tree->fold);
    *tree = (async_tree){0};
}
