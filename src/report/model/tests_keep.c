#define _GNU_SOURCE
/* The trees of the tests that are asked for, alone: all else is taken out of the sums. */
#include "report/model/tests.h"

#include <stdlib.h>

#include "report/model/times.h"

/* True if the name is asked for: a part of it, or a pattern. */
static bool is_asked(aggregate *a, const report_function *f) {
    bytes name = test_name(f);
    for (size_t i = 0; i < a->kept.text_count; i++) {
        const char *text = a->kept.texts[i];
        size_t size = strlen(text);
        if (memmem(name.data, name.size, text, size) || memmem(f->name.data, f->name.size, text, size))
            return true;
    }
    const filter_method asked = {f->module == NO_MODULE ? (bytes){0} : a->list.modules[f->module].assembly, f->names,
                                 f->method, f->name, f->parts};
    return a->kept.patterns.count > 0 && filter_wants(&a->kept.patterns, &asked, &a->list.scratch);
}

static void forget(report_function *f) {
    f->calls = f->steps = f->by_exception = f->resynchronised = f->open = f->open_slices = 0;
    f->averaged_calls = f->waiting_ns = f->probe_ns = 0;
    f->times = f->averaged = (profile_times){0};
    f->durations = DURATIONS_INIT;
    f->figures = (profile_figures){.all = {0}};
    f->active = 0;
    f->wanted = false;
}

/* Adds a node's own figures to its function and to the totals. */
static void add_own(aggregate *a, const report_node *n) {
    report_totals *t = &a->totals;
    if (n->kind == NODE_WAITING) {
        const fold_link *parent = &a->tree.places.links[n->parent];
        if (link_is_call(parent)) {
            report_function *f = &a->list.functions[node_function(parent)];
            f->waiting_ns = profile_add(f->waiting_ns, n->times.exclusive_ns);
        }
        t->waiting_ns = profile_add(t->waiting_ns, n->times.exclusive_ns);
    }
    if (!node_is_call(n))
        return;
    report_function *f = &a->list.functions[n->function];
    f->wanted = true;
    f->calls = profile_add(f->calls, n->calls);
    f->steps = profile_add(f->steps, n->steps);
    f->by_exception = profile_add(f->by_exception, n->thrown);
    times_add_exclusive(&f->times, &n->times);
    profile_add_figures(f->figures.all, n->figures.all);
    f->averaged_calls = profile_add(f->averaged_calls, n->calls);
    times_add_inclusive(&f->averaged, &n->times);
    t->enters = profile_add(t->enters, profile_add(n->calls, n->steps));
    t->steps = profile_add(t->steps, n->steps);
    t->by_exception = profile_add(t->by_exception, n->thrown);
    t->exclusive_ns = profile_add(t->exclusive_ns, n->times.exclusive_ns);
    profile_add_figures(t->figures.all, n->figures.all);
}

/* A call within others of its function is in their inclusive times. */
static void add_inclusive(aggregate *a, uint32_t node) {
    const fold_link *links = a->tree.places.links;
    uint32_t function = node_function(&links[node]);
    for (uint32_t above = links[node].parent; above != 0; above = links[above].parent)
        if (link_is_call(&links[above]) && node_function(&links[above]) == function)
            return;
    const profile_times of = node_times(&a->tree, node);
    times_add_inclusive(&a->list.functions[function].times, &of);
}

/* While the nodes that are kept are copied. */
typedef struct keeping {
    aggregate *a;
    call_tree was;
    uint32_t *image; /* by old node: in the new tree; 0: it is not kept */
    bool *asked;     /* by function */
} keeping;

/* The new top that an old node stands below: the tree's root, or its thread; FOLD_NONE: memory ran out. */
static uint32_t top_of(keeping *k, uint32_t node) {
    const fold_link *old = k->was.places.links;
    while (node != 0 && node_kind(&old[node]) != NODE_THREAD)
        node = old[node].parent;
    return node == 0 ? 0 : call_tree_child(&k->a->tree, 0, NODE_THREAD, node_function(&old[node]));
}

/* All but the inclusive times of a tree's root, which its top gets, too. */
static void copy_figures(keeping *k, uint32_t made, const report_node *n) {
    call_tree *t = &k->a->tree;
    node_add(t, NODE_CALLS, made, n->calls);
    node_add(t, NODE_STEPS, made, n->steps);
    node_add(t, NODE_TICKED_CALLS, made, n->ticked_calls);
    node_add(t, NODE_THROWN, made, n->thrown);
    node_add_figures(t, NODE_FIGURE, made, n->figures.all);
    node_add_figures(t, NODE_ALL_FIGURE, made, n->all_figures.all);
    node_add_exclusive(t, made, &n->times);
    node_add_inclusive(t, made, &n->times);
}

static bool copy(keeping *k) {
    const fold_link *old = k->was.places.links;
    for (uint32_t i = 1; i < k->was.node_count; i++) {
        const report_node n = call_tree_node(&k->was, i);
        bool root = k->image[n.parent] == 0;
        if (root && !(link_is_call(&old[i]) && k->asked[n.function]))
            continue;
        uint32_t parent = root ? top_of(k, i) : k->image[n.parent];
        uint32_t made = parent == FOLD_NONE ? FOLD_NONE : call_tree_child(&k->a->tree, parent, n.kind, n.function);
        if (made == FOLD_NONE)
            return false;
        k->image[i] = made;
        copy_figures(k, made, &n);
        for (uint32_t up = made; root && up != 0;) {
            up = k->a->tree.places.links[up].parent;
            node_add_inclusive(&k->a->tree, up, &n.times);
        }
    }
    return true;
}

static void sum_up(aggregate *a) {
    report_totals *t = &a->totals;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        forget(&a->list.functions[i]);
    t->enters = t->steps = t->by_exception = t->exclusive_ns = t->waiting_ns = 0;
    t->resynchronised = t->open = t->folded = t->ended = 0;
    t->figures = (profile_figures){.all = {0}};
    for (uint32_t i = 1; i < a->tree.node_count; i++) {
        const report_node n = call_tree_node(&a->tree, i);
        add_own(a, &n);
        if (node_is_call(&n))
            add_inclusive(a, i);
    }
    for (uint32_t i = 0; i < a->tree.below_count; i++)
        a->list.functions[a->tree.below[i].function].wanted = true;
    for (uint32_t i = 0; i < a->tree.folded_count; i++)
        t->folded = profile_add(t->folded, a->tree.folded[i].calls);
}

bool tests_keep(aggregate *a) {
    keeping k = {.a = a, .was = a->tree};
    k.image = calloc((size_t)k.was.node_count + 1, sizeof *k.image);
    k.asked = calloc((size_t)a->list.function_count + 1, sizeof *k.asked);
    bool done = k.image && k.asked;
    for (uint32_t i = 0; i < a->list.function_count && done; i++)
        k.asked[i] = a->list.functions[i].root && is_asked(a, &a->list.functions[i]);
    if (done) {
        done = call_tree_begin(&a->tree) && copy(&k);
        for (uint32_t i = 1; i < k.was.node_count; i++)
            k.image[i] = k.image[i] == 0 ? UINT32_MAX : k.image[i];
        call_tree_move_folded(&a->tree, k.image);
        fold_clear(&k.was.places);
        columns_clear(&k.was.figures);
        free(k.was.depths);
    }
    if (done) {
        sum_up(a);
        a->own_folded_count = 0;
        exceptions_clear(&a->exceptions);
        sites_clear(&a->sites);
    }
    free(k.image);
    free(k.asked);
    return done && !a->list.scratch.failed;
}
