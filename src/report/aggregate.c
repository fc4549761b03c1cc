#include "report/aggregate.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_NAMES_BYTES = 1 << 30, /* inflated names of one report */
    MAX_TEXT_BYTES = 1 << 30,  /* full names of one report */
};

/* Room for one more element; false when memory or positions ran out. */
static bool grow(void **elements, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity == 0 ? 64 : *capacity > UINT32_MAX / 2 ? UINT32_MAX - 2 : *capacity * 2;
    size_t total;
    if (wanted <= count || __builtin_mul_overflow((size_t)wanted, size, &total))
        return false;
    void *moved = realloc(*elements, total);
    if (!moved)
        return false;
    *elements = moved;
    *capacity = wanted;
    return true;
}

/* ---- Modules ---------------------------------------------------------------------------------------------------- */

static bool same_module(const report_module *a, const report_module *b) {
    return a->named == b->named && memcmp(a->mvid, b->mvid, sizeof a->mvid) == 0;
}

/* Reads the names of `m`, or takes them from a module that was given the very same resource. Not having them is no
 * failure: *fault says why, and the module is known by its own MVID. */
static ecma_status read_names(aggregate *a, report_module *made, const profile_module *m, const char **fault) {
    *made = (report_module){.assembly = m->assembly, .method_count = m->method_count, .next_alike = MAP_NONE};
    memcpy(made->mvid, m->mvid, sizeof made->mvid);
    for (uint32_t i = a->module_count; i-- > 0;)
        if (a->modules[i].named && a->modules[i].names.method_count == m->method_count &&
            bytes_equal(a->modules[i].resource, m->names)) {
            made->names = a->modules[i].names;
            *fault = NULL;
            goto named;
        }
    if (a->names_bytes > MAX_NAMES_BYTES) {
        *fault = "the names of all modules together are too large";
        return ECMA_OK;
    }
    ecma_status status = names_read(&made->names, fault, &a->memory, m->names);
    if (status == ECMA_OK) {
        a->names_bytes += made->names.data.size;
        *fault =
            made->names.method_count == m->method_count ? NULL : "they are not those of as many methods as registered";
    }
    if (status == ECMA_NO_MEMORY || *fault)
        return status == ECMA_NO_MEMORY ? status : ECMA_OK;
named:
    made->named = true;
    made->resource = m->names;
    made->module = made->names.module;
    memcpy(made->mvid, made->names.mvid, sizeof made->mvid);
    return ECMA_OK;
}

/* The position of the merged module that `m` is, in *position; *own gets the names by which `m` numbers its methods. */
static ecma_status add_module(aggregate *a, uint32_t *position, names *own, const profile_module *m, diag *d) {
    report_module made;
    const char *fault;
    ecma_status status = read_names(a, &made, m, &fault);
    if (status != ECMA_OK)
        return diag_no_memory(d);
    if (fault)
        diag_report(d, DIAG_PROFILE_NAMES, "names of %.*s: %s; its methods are shown by number",
                    (int)(m->assembly.size < 200 ? m->assembly.size : 200), (const char *)m->assembly.data, fault);
    *own = made.names;
    uint64_t hash = load_u64(made.mvid) * 31 + load_u64(made.mvid + 8) + made.named;
    uint32_t *slot = map_slot(&a->module_map, hash);
    if (!slot || !grow((void **)&a->modules, a->module_count, &a->module_capacity, sizeof *a->modules))
        return diag_no_memory(d);
    for (uint32_t i = *slot; i != MAP_NONE; i = a->modules[i].next_alike)
        if (same_module(&a->modules[i], &made)) {
            if (a->modules[i].method_count < made.method_count)
                a->modules[i].method_count = made.method_count;
            *position = i;
            return ECMA_OK;
        }
    made.next_alike = *slot;
    *position = *slot = a->module_count;
    a->modules[a->module_count++] = made;
    return ECMA_OK;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* What one profile's modules are in the aggregate. */
typedef struct module_link {
    uint32_t position;
    names names;
} module_link;

/* `App!#12`: for a method whose name is not known. */
static void make_number(aggregate *a, report_function *f) {
    buffer *b = &a->scratch;
    b->size = 0;
    if (f->module == NO_MODULE) {
        buffer_printf(b, "?0x%x", f->number);
    } else {
        bytes assembly = a->modules[f->module].assembly;
        const uint8_t *comma = assembly.size ? memchr(assembly.data, ',', assembly.size) : NULL;
        size_t size = comma ? (size_t)(comma - assembly.data) : assembly.size;
        buffer_append(b, assembly.data, size < NAMES_MAX_NAME ? size : NAMES_MAX_NAME);
        buffer_string(b, "!");
        f->parts.method = (uint32_t)b->size;
        buffer_printf(b, f->row ? "0x%08x" : "#%u", f->row ? 0x06000000u + f->row : f->number);
    }
    f->parts.parameters = (uint32_t)b->size;
}

static bool try_name(aggregate *a, report_function *f, const names *names, uint32_t method) {
    if (f->row != 0 && a->text_bytes < MAX_TEXT_BYTES)
        names_of_method(&a->scratch, &f->parts, names, method, a->raw_names);
    else
        make_number(a, f);
    size_t size = a->scratch.size;
    uint8_t *text = a->scratch.failed ? NULL : arena_alloc(&a->memory, size);
    if (!text)
        return false;
    memcpy(text, a->scratch.data, size);
    a->text_bytes += size;
    f->name = (bytes){text, size};
    return true;
}

/* The function that an id means; MAP_NONE when memory ran out. */
static uint32_t function_of(aggregate *a, const profile *p, const module_link *links, uint32_t id) {
    report_function f = {.module = NO_MODULE, .number = id};
    const profile_module *m = profile_module_of(p, id);
    const module_link *link = NULL;
    if (m) {
        link = &links[m - p->modules];
        f.module = link->position;
        f.number = id - m->base;
        if (a->modules[f.module].named)
            f.number = f.row = link->names.methods[id - m->base].row;
    }
    uint32_t *slot = map_slot(&a->function_map, map_key(f.module, f.number));
    if (!slot)
        return MAP_NONE;
    if (*slot != MAP_NONE)
        return *slot;
    *slot = a->function_count; /* a failure below ends the whole report, so that the slot may dangle */
    if (!grow((void **)&a->functions, a->function_count, &a->function_capacity, sizeof *a->functions) ||
        !try_name(a, &f, link ? &link->names : NULL, m ? id - m->base : 0))
        return MAP_NONE;
    a->functions[a->function_count] = f;
    return a->function_count++;
}

/* ---- The tree --------------------------------------------------------------------------------------------------- */

static uint32_t child_of(aggregate *a, uint32_t parent, uint32_t function) {
    uint32_t *slot = map_slot(&a->node_map, map_key(parent, function));
    if (!slot)
        return MAP_NONE;
    if (*slot != MAP_NONE)
        return *slot;
    if (!grow((void **)&a->nodes, a->node_count, &a->node_capacity, sizeof *a->nodes))
        return MAP_NONE;
    uint32_t made = a->node_count++;
    report_node *n = &a->nodes[made];
    *n = (report_node){.function = function, .parent = parent, .depth = a->nodes[parent].depth + 1};
    n->next_sibling = a->nodes[parent].first_child;
    a->nodes[parent].first_child = made;
    return *slot = made;
}

static void leave_path(aggregate *a, const profile_thread *t, uint32_t from, uint32_t to) {
    for (; from != to; from = t->nodes[from].parent)
        if (t->nodes[from].function < FUNCTION_FOLDED)
            a->functions[t->nodes[from].function].active--;
}

static void add_to_function(report_function *f, const profile_node *n, bool folded, uint64_t inclusive_ns,
                            uint64_t exclusive_ns) {
    f->calls = profile_add(f->calls, n->calls);
    f->resynchronised = profile_add(f->resynchronised, n->resynchronised);
    f->open = profile_add(f->open, n->open);
    f->exclusive_ns = profile_add(f->exclusive_ns, exclusive_ns);
    if (f->active == 0 && !folded)
        f->inclusive_ns = profile_add(f->inclusive_ns, inclusive_ns);
}

static void add_to_totals(report_totals *totals, const profile_node *n, uint64_t exclusive_ns) {
    totals->enters = profile_add(totals->enters, n->calls);
    totals->resynchronised = profile_add(totals->resynchronised, n->resynchronised);
    totals->open = profile_add(totals->open, n->open);
    totals->exclusive_ns = profile_add(totals->exclusive_ns, exclusive_ns);
}

/* `merged` has room for the position of each node of the thread in the merged tree. */
static bool add_thread(aggregate *a, const profile *p, const module_link *links, profile_thread *t, uint32_t *merged) {
    uint32_t path = 0; /* the innermost node that is being walked */
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i];
        bool folded = i > 0 && t->nodes[n->parent].id == PROFILE_ID_FOLDED;
        uint64_t inclusive_ns = profile_ns(&p->run, n->ticks);
        uint64_t exclusive_ns = profile_ns(&p->run, n->own);
        if (i == 0) {
            n->function = FUNCTION_ROOT;
            merged[i] = 0;
        } else {
            leave_path(a, t, path, n->parent);
            n->function = n->id == PROFILE_ID_FOLDED ? FUNCTION_FOLDED : function_of(a, p, links, n->id);
            if (n->function == MAP_NONE)
                return false;
            merged[i] = child_of(a, merged[n->parent], n->function);
            if (merged[i] == MAP_NONE)
                return false;
        }
        path = i;
        report_node *node = &a->nodes[merged[i]];
        node->calls = profile_add(node->calls, n->calls);
        node->inclusive_ns = profile_add(node->inclusive_ns, inclusive_ns);
        node->exclusive_ns = profile_add(node->exclusive_ns, exclusive_ns);
        if (n->function < FUNCTION_FOLDED) {
            report_function *f = &a->functions[n->function];
            add_to_function(f, n, folded, inclusive_ns, exclusive_ns);
            add_to_totals(&a->totals, n, exclusive_ns);
            f->active++;
        }
    }
    leave_path(a, t, path, 0);
    a->totals.threads = profile_add(a->totals.threads, t->count);
    return true;
}

static ecma_status add_threads(aggregate *a, profile *p, const module_link *links, diag *d) {
    uint32_t most = 0;
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].node_count > most)
            most = p->threads[i].node_count;
    uint32_t *merged = calloc((size_t)most + 1, sizeof *merged);
    bool done = merged != NULL;
    for (size_t i = 0; i < p->thread_count && done; i++)
        done = add_thread(a, p, links, &p->threads[i], merged);
    free(merged);
    return done ? ECMA_OK : diag_no_memory(d);
}

ecma_status aggregate_profile(aggregate *a, profile *p, diag *d) {
    if (a->node_count == 0) {
        if (!grow((void **)&a->nodes, 0, &a->node_capacity, sizeof *a->nodes))
            return diag_no_memory(d);
        a->nodes[a->node_count++] = (report_node){.function = FUNCTION_ROOT};
    }
    module_link *links = calloc(p->module_count + 1, sizeof *links);
    if (!links)
        return diag_no_memory(d);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < p->module_count && status == ECMA_OK; i++)
        status = add_module(a, &links[i].position, &links[i].names, &p->modules[i], d);
    if (status == ECMA_OK)
        status = add_threads(a, p, links, d);
    free(links);
    a->totals.folded = profile_add(a->totals.folded, p->run.folded);
    a->totals.dropped = profile_add(a->totals.dropped, p->run.dropped);
    return status;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_name(const void *left, const void *right) {
    const report_function *a = *(report_function *const *)left, *b = *(report_function *const *)right;
    size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, size);
    if (order == 0)
        order = compare(a->name.size, b->name.size);
    if (order == 0)
        order = compare(a->module, b->module);
    return order ? order : compare(a->number, b->number);
}

typedef struct child_key {
    uint64_t inclusive_ns, calls;
    uint32_t rank, node;
} child_key;

static int by_time(const void *left, const void *right) {
    const child_key *a = left, *b = right;
    int order = compare(b->inclusive_ns, a->inclusive_ns);
    if (order == 0)
        order = compare(b->calls, a->calls);
    return order ? order : compare(a->rank, b->rank);
}

static bool rank_functions(aggregate *a) {
    report_function **order = calloc((size_t)a->function_count + 1, sizeof *order);
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

/* Folded calls come last, whatever their time. */
static child_key key_of(const aggregate *a, uint32_t node) {
    const report_node *n = &a->nodes[node];
    if (n->function == FUNCTION_FOLDED)
        return (child_key){0, 0, UINT32_MAX, node};
    return (child_key){n->inclusive_ns, n->calls, a->functions[n->function].rank, node};
}

static bool order_children(aggregate *a) {
    child_key *keys = calloc((size_t)a->node_count + 1, sizeof *keys);
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

ecma_status aggregate_finish(aggregate *a, diag *d) {
    report_totals *t = &a->totals;
    uint64_t left_open = profile_add(t->resynchronised, t->open);
    t->leaves = t->enters > left_open ? t->enters - left_open : 0;
    for (uint32_t i = 0; i < a->function_count; i++)
        if (a->functions[i].inclusive_ns < a->functions[i].exclusive_ns)
            a->functions[i].inclusive_ns = a->functions[i].exclusive_ns;
    return rank_functions(a) && order_children(a) ? ECMA_OK : diag_no_memory(d);
}

void aggregate_clear(aggregate *a) {
    free(a->functions);
    free(a->modules);
    free(a->nodes);
    map_clear(&a->function_map);
    map_clear(&a->module_map);
    map_clear(&a->node_map);
    arena_clear(&a->memory);
    buffer_clear(&a->scratch);
    *a = AGGREGATE_INIT;
}
