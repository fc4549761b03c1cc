#include "report/mibc/mibc.h"

#include <stdlib.h>

#include "report/mibc/file.h"
#include "report/model/walk.h"
#include "util/list.h"

/* A method of a module, and no scope, leaf or count for a choice. */
static bool is_method(const function_list *list, const report_function *f) {
    return f->module != NO_MODULE && list->modules[f->module].named && f->row != 0 && !f->scope && !f->leaf &&
           !f->command && !f->outermost;
}

/* ---- The order -------------------------------------------------------------------------------------------------- */

typedef struct order {
    const function_list *list;
    uint32_t *functions; /* positions of methods, in the order of the file */
    uint32_t count;
    uint32_t *called; /* of each function: its position among the called ones, or MAP_NONE */
} order;

static void order_clear(order *o) {
    free(o->functions);
    free(o->called);
}

/* The methods that no node names, by module and row. */
typedef struct by_row {
    uint32_t module, row, function;
} by_row;

static int compare_rows(const void *a, const void *b) {
    const by_row *x = a, *y = b;
    return x->module != y->module ? list_compare(x->module, y->module) : list_compare(x->row, y->row);
}

/* A merged profile's nodes have no order of first calls. */
static bool any_merged(const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.merged > 0)
            return true;
    return false;
}

static void add(order *o, uint32_t function) {
    if (o->called[function] == MAP_NONE && is_method(o->list, &o->list->functions[function])) {
        o->called[function] = o->count;
        o->functions[o->count++] = function;
    }
}

static bool order_make(order *o, const report *r) {
    const function_list *list = &r->sum->list;
    const fold_link *nodes = r->sum->tree.places.links;
    *o = (order){.list = list};
    o->functions = calloc((size_t)list->function_count + 1, sizeof *o->functions);
    o->called = malloc(((size_t)list->function_count + 1) * sizeof *o->called);
    if (!o->functions || !o->called)
        return false;
    for (uint32_t i = 0; i < list->function_count; i++)
        o->called[i] = MAP_NONE;
    bool merged = any_merged(r);
    for (uint32_t node = walk_next(nodes, 0); node != 0 && !merged; node = walk_next(nodes, node))
        if (link_is_call(&nodes[node]))
            add(o, node_function(&nodes[node]));
    by_row *rest = calloc((size_t)list->function_count + 1, sizeof *rest);
    if (!rest)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->function_count; i++)
        if (o->called[i] == MAP_NONE)
            rest[count++] = (by_row){list->functions[i].module, list->functions[i].row, i};
    qsort(rest, count, sizeof *rest, compare_rows);
    for (uint32_t i = 0; i < count; i++)
        add(o, rest[i].function);
    free(rest);
    return true;
}

/* ---- The calls -------------------------------------------------------------------------------------------------- */

typedef struct edges {
    mibc_edge *list;
    uint32_t count, capacity;
    map by_pair;
} edges;

static bool add_edge(edges *e, uint32_t caller, uint32_t callee, uint64_t calls) {
    uint32_t *slot = map_slot(&e->by_pair, map_key(caller, callee));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&e->list, e->count, &e->capacity, sizeof *e->list))
            return false;
        *slot = e->count;
        e->list[e->count++] = (mibc_edge){caller, callee, 0};
    }
    e->list[*slot].calls = profile_add(e->list[*slot].calls, calls);
    return true;
}

static int by_caller(const void *a, const void *b) {
    const mibc_edge *x = a, *y = b;
    return x->caller != y->caller ? list_compare(x->caller, y->caller) : list_compare(x->callee, y->callee);
}

/* Adds up the nodes' calls by caller and callee, each pair once: the same callee twice ends a compiler. */
static bool edges_make(edges *e, const report *r, const order *o, const instances *of) {
    const call_tree *tree = &r->sum->tree;
    const fold_link *nodes = tree->places.links;
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node)) {
        const fold_link *n = &nodes[node], *parent = &nodes[n->parent];
        if (!link_is_call(n) || !link_is_call(parent))
            continue;
        uint32_t caller = o->called[node_function(parent)], callee = o->called[node_function(n)];
        uint64_t calls = node_number(tree, NODE_CALLS, node);
        if (caller == MAP_NONE || callee == MAP_NONE || of->called[callee].count == 0 || calls == 0)
            continue;
        if (!add_edge(e, caller, callee, calls))
            return false;
    }
    if (e->count > 0)
        qsort(e->list, e->count, sizeof *e->list, by_caller);
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

/* Adds the methods of the sources that were found, and lets o->called name their positions there. */
static bool add_methods(instances *x, order *o, const source *sources) {
    const function_list *list = o->list;
    for (uint32_t i = 0; i < o->count; i++) {
        const report_function *f = &list->functions[o->functions[i]];
        o->called[o->functions[i]] = sources[f->module].found ? instances_add(x, f->module, f->row) : MAP_NONE;
    }
    return instances_find(x);
}

static ecma_status write_file(printer *out, const report *r, const order *o, const instances *x, diag *d) {
    edges e = {.by_pair = MAP_INIT};
    buffer file = BUFFER_INIT;
    uint32_t records = 0;
    uint64_t *calls = calloc((size_t)x->called_count + 1, sizeof *calls);
    ecma_status status = calls && edges_make(&e, r, o, x) ? ECMA_OK : diag_no_memory(d);
    for (uint32_t i = 0; i < o->count && !status; i++)
        if (o->called[o->functions[i]] != MAP_NONE)
            calls[o->called[o->functions[i]]] = o->list->functions[o->functions[i]].calls;
    const mibc_content content = {x, calls, e.list, e.count};
    if (!status)
        status = mibc_file_make(&file, &records, &content, d);
    if (!status && records == 0)
        status = diag_report(d, DIAG_MIBC_EMPTY, "none of the methods that were called can be named in the file");
    if (!status)
        print_bytes(out, (const char *)file.data, file.size);
    buffer_clear(&file);
    map_clear(&e.by_pair);
    free(e.list);
    free(calls);
    return status;
}

static ecma_status write_all(printer *out, const report *r, order *o, source *sources, type_names *names, diag *d) {
    if (o->count == 0)
        return diag_report(d, DIAG_MIBC_EMPTY,
                           "it has no call of a method: nothing was recorded, or no names are known");
    for (uint32_t i = 0; i < o->count; i++)
        sources[o->list->functions[o->functions[i]].module].wanted = true;
    ecma_status status = sources_open(sources, r, names, d);
    if (status)
        return status;
    instances x = {.names = names, .sources = sources};
    status = add_methods(&x, o, sources) ? ECMA_OK : diag_no_memory(d);
    if (!status)
        status = write_file(out, r, o, &x, d);
    instances_clear(&x);
    return status;
}

ecma_status mibc_write(printer *out, const report *r, diag *d) {
    const uint32_t module_count = r->sum->list.module_count;
    order o;
    type_names names = TYPE_NAMES_INIT;
    source *sources = calloc((size_t)module_count + 1, sizeof *sources);
    bool ready = order_make(&o, r) && sources;
    ecma_status status = ready ? write_all(out, r, &o, sources, &names, d) : diag_no_memory(d);
    if (sources)
        sources_close(sources, module_count);
    free(sources);
    type_names_clear(&names);
    order_clear(&o);
    return status;
}
