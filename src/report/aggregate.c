#include "report/aggregate.h"

#include "report/list.h"
#include "report/splice.h"
#include "report/text_keep.h"

enum {
    MAX_NAMES_BYTES = 1 << 30, /* inflated names of one report */
    MAX_TEXT_BYTES = 1 << 30,  /* full names of one report */
    BUILDER_FRAMES = 3,        /* at most, between an async method and its MoveNext */
};

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
        if (a->modules[i].named && a->modules[i].names->method_count == m->method_count &&
            bytes_equal(a->modules[i].resource, m->names)) {
            made->names = a->modules[i].names;
            *fault = NULL;
            goto named;
        }
    if (a->names_bytes > MAX_NAMES_BYTES) {
        *fault = "the names of all modules together are too large";
        return ECMA_OK;
    }
    names *read = arena_alloc(&a->memory, sizeof *read);
    if (!read)
        return ECMA_NO_MEMORY;
    ecma_status status = names_read(read, fault, &a->memory, m->names);
    if (status == ECMA_OK) {
        made->names = read;
        a->names_bytes += read->data.size;
        *fault = read->method_count == m->method_count ? NULL : "they are not those of as many methods as registered";
    }
    if (status == ECMA_NO_MEMORY || *fault)
        return status == ECMA_NO_MEMORY ? status : ECMA_OK;
named:
    made->named = true;
    made->resource = m->names;
    made->module = made->names->module;
    memcpy(made->mvid, made->names->mvid, sizeof made->mvid);
    return ECMA_OK;
}

/* The position of the merged module that `m` is, in *position; *own gets the names by which `m` numbers its methods. */
static ecma_status add_module(aggregate *a, uint32_t *position, const names **own, const profile_module *m, diag *d) {
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
    if (!slot || !list_grow((void **)&a->modules, a->module_count, &a->module_capacity, sizeof *a->modules))
        return diag_no_memory(d);
    for (uint32_t i = *slot; i != MAP_NONE; i = a->modules[i].next_alike)
        if (same_module(&a->modules[i], &made)) {
            if (a->modules[i].method_count < made.method_count)
                a->modules[i].method_count = made.method_count;
            *position = i;
            return ECMA_OK;
        }
    if (!text_keep(&a->memory, &made.assembly) || (made.named && !text_keep(&a->memory, &made.resource)))
        return diag_no_memory(d);
    made.next_alike = *slot;
    *position = *slot = a->module_count;
    a->modules[a->module_count++] = made;
    return ECMA_OK;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* What an id was found to mean. */
typedef struct known_function {
    uint32_t function; /* 1 + position; 0: not asked for yet */
    profile_machine machine;
} known_function;

/* What one profile's modules are in the aggregate. */
typedef struct module_link {
    uint32_t position;
    const names *names;
    known_function *known; /* of its methods; NULL when the names are missing */
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
    f->parts.parameters = f->parts.suffix = (uint32_t)b->size;
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

/* What an id means: the method it is, or the one that the user wrote where it is the MoveNext of a machine. */
typedef struct meaning {
    report_function function; /* without a name yet */
    uint32_t method;          /* index in the names */
    profile_machine machine;
} meaning;

static meaning meaning_of(const aggregate *a, const profile *p, const module_link *links, uint32_t id) {
    meaning found = {.function = {.module = NO_MODULE, .number = id, .id = id, .durations = DURATIONS_INIT}};
    const profile_module *m = profile_module_of(p, id);
    if (!m)
        return found;
    const module_link *link = &links[m - p->modules];
    found.method = found.function.number = id - m->base;
    found.function.module = link->position;
    if (!a->modules[link->position].named)
        return found;
    const names_method *method = &link->names->methods[found.method];
    if (!a->raw_names && method->owner != 0 && (method->flags & (NAMES_ASYNC | NAMES_ITERATOR))) {
        found.machine = !(method->flags & NAMES_ASYNC)   ? PROFILE_ITERATOR
                        : method->flags & NAMES_ITERATOR ? PROFILE_ASYNC_ITERATOR
                                                         : PROFILE_ASYNC;
        found.method = method->owner - 1;
        found.function.id = m->base + found.method;
        method = &link->names->methods[found.method];
    }
    found.function.number = found.function.row = method->row;
    found.function.scope = (method->flags & NAMES_SCOPE) != 0;
    return found;
}

/* Gives the function that is meant its name, and asks the filter; false: memory ran out. */
static bool describe(aggregate *a, const profile *p, const module_link *links, uint32_t id, meaning *found) {
    report_function *f = &found->function;
    const profile_module *m = profile_module_of(p, id);
    if (f->row != 0) {
        f->names = links[m - p->modules].names;
        f->method = found->method;
    }
    if (!try_name(a, f, f->names, found->method))
        return false;
    bytes assembly = m ? m->assembly : (bytes){0};
    f->wanted = filter_wants(&a->filter, assembly, f->names, f->method, f->name, &f->parts, &a->scratch);
    return !a->scratch.failed;
}

/* The function that is meant, which is made when there is none yet; MAP_NONE when memory ran out. */
static uint32_t function_meant(aggregate *a, const profile *p, const module_link *links, uint32_t id, meaning found) {
    report_function *f = &found.function;
    uint32_t *slot = map_slot(&a->function_map, map_key(f->module, f->number));
    if (!slot || *slot != MAP_NONE)
        return slot ? *slot : MAP_NONE;
    *slot = a->function_count; /* a failure below ends the whole report, so that the slot may dangle */
    if (a->function_count >= AGGREGATE_MAX_FUNCTIONS ||
        !list_grow((void **)&a->functions, a->function_count, &a->function_capacity, sizeof *a->functions) ||
        !describe(a, p, links, id, &found))
        return MAP_NONE;
    a->functions[a->function_count++] = *f;
    return *slot;
}

/* The function that an id means; MAP_NONE when memory ran out. */
static uint32_t function_of(aggregate *a, const profile *p, const module_link *links, uint32_t id,
                            profile_machine *machine) {
    const profile_module *m = profile_module_of(p, id);
    known_function *known = m && links[m - p->modules].known ? &links[m - p->modules].known[id - m->base] : NULL;
    if (known && known->function != 0) {
        *machine = known->machine;
        return known->function - 1;
    }
    meaning found = meaning_of(a, p, links, id);
    uint32_t function = function_meant(a, p, links, id, found);
    *machine = found.machine;
    if (function == MAP_NONE)
        return MAP_NONE;
    if (found.machine != PROFILE_PLAIN)
        a->functions[function].machine = found.machine;
    if (known)
        *known = (known_function){function + 1, found.machine};
    return function;
}

/* ---- The tree --------------------------------------------------------------------------------------------------- */

/* Functions and threads are fewer than 2^30, so that the kind fits above. Most profiles of a program have most nodes in
 * the same order, so the one that stands behind the last is tried first. */
static uint32_t child_of(aggregate *a, uint32_t parent, report_node_kind kind, uint32_t function) {
    uint32_t guess = a->last_node + 1;
    if (guess < a->node_count && a->nodes[guess].parent == parent && a->nodes[guess].kind == kind &&
        a->nodes[guess].function == function)
        return a->last_node = guess;
    uint32_t *slot = map_slot(&a->node_map, map_key(parent, (uint32_t)kind << 30 | function));
    if (!slot)
        return MAP_NONE;
    if (*slot != MAP_NONE)
        return a->last_node = *slot;
    if (!list_grow((void **)&a->nodes, a->node_count, &a->node_capacity, sizeof *a->nodes))
        return MAP_NONE;
    uint32_t made = a->node_count++;
    report_node *n = &a->nodes[made];
    *n = (report_node){.function = function, .kind = kind, .parent = parent, .depth = a->nodes[parent].depth + 1};
    n->next_sibling = a->nodes[parent].first_child;
    a->nodes[parent].first_child = made;
    return a->last_node = *slot = made;
}

static void leave_path(aggregate *a, const profile_thread *t, uint32_t from, uint32_t to) {
    for (; from != to; from = t->nodes[from].parent)
        if (t->nodes[from].function < FUNCTION_FOLDED)
            a->functions[t->nodes[from].function].active--;
}

/* What one node of a profile adds. */
typedef struct addition {
    uint64_t calls, steps;
    profile_times times;
} addition;

static void add_to_function(report_function *f, const profile_node *n, bool folded, const addition *more) {
    f->calls = profile_add(f->calls, more->calls);
    f->steps = profile_add(f->steps, more->steps);
    f->by_exception = profile_add(f->by_exception, n->by_exception);
    f->resynchronised = profile_add(f->resynchronised, n->resynchronised);
    f->open = profile_add(f->open, n->open);
    f->probe_ns = profile_add(f->probe_ns, n->probe_ns);
    times_add_exclusive(&f->times, &more->times);
    if (f->active == 0 && !folded)
        times_add_inclusive(&f->times, &more->times);
}

static void add_to_totals(report_totals *totals, const profile_run *run, const profile_node *n, const addition *more) {
    totals->enters = profile_add(totals->enters, n->calls);
    totals->steps = profile_add(totals->steps, more->steps);
    totals->by_exception = profile_add(totals->by_exception, n->by_exception);
    totals->resynchronised = profile_add(totals->resynchronised, n->resynchronised);
    totals->open = profile_add(totals->open, n->open);
    totals->exclusive_ns = profile_add(totals->exclusive_ns, n->exclusive_ns);
    totals->recorded_ns = profile_add(totals->recorded_ns, profile_ns(run, n->own));
    totals->probe_ns = profile_add(totals->probe_ns, n->probe_ns);
}

/* `part`: of a call's node, whose inclusive time holds this one's. */
static void add_to_node(report_node *node, const addition *more, bool part) {
    node->calls = profile_add(node->calls, more->calls);
    node->steps = profile_add(node->steps, more->steps);
    times_add_exclusive(&node->times, &more->times);
    if (!part)
        times_add_inclusive(&node->times, &more->times);
}

/* The node that the thread's root becomes; MAP_NONE when memory ran out. */
static uint32_t top_of(aggregate *a, const profile_thread *t, uint32_t run) {
    if (!a->by_thread)
        return 0;
    if (a->thread_count >= AGGREGATE_MAX_FUNCTIONS ||
        !list_grow((void **)&a->threads, a->thread_count, &a->thread_capacity, sizeof *a->threads))
        return MAP_NONE;
    report_thread made = {run, t->merged, t->id, t->name, t->count};
    if (!text_keep(&a->memory, &made.name))
        return MAP_NONE;
    a->threads[a->thread_count] = made;
    return child_of(a, 0, NODE_THREAD, a->thread_count++);
}

static bool is_plain(const profile_node *n, uint32_t function) {
    return n->machine == PROFILE_PLAIN && n->function == function;
}

/* The node below `parent` that the node of a profile becomes, which is `parent` itself for a machine's MoveNext that
 * its own method's call leads to. Frames of an instrumented builder may stand between: then it is a node of its own. */
static uint32_t place_of(aggregate *a, const profile_thread *t, const profile_node *n, uint32_t parent) {
    const profile_node *above = &t->nodes[n->parent];
    if (n->function == FUNCTION_FOLDED)
        return child_of(a, parent, NODE_FOLDED, 0);
    if (n->machine != PROFILE_PLAIN && is_plain(above, n->function))
        return parent;
    bool resumed = n->machine == PROFILE_ASYNC && above->id != PROFILE_ID_FOLDED;
    for (int i = 0; i < BUILDER_FRAMES && resumed; i++) {
        above = &t->nodes[above->parent];
        resumed = !is_plain(above, n->function);
    }
    return child_of(a, parent, resumed ? NODE_RESUMED : NODE_CALL, n->function);
}

/* `merged` has room for the position of each node of the thread in the merged tree. */
static bool add_thread(aggregate *a, const profile *p, const module_link *links, profile_thread *t, uint32_t run,
                       uint32_t *merged) {
    uint32_t path = 0; /* the innermost node that is being walked */
    uint64_t enters = a->totals.enters;
    correct_range probes = correct_probes(&p->run, t);
    a->totals.probe_low_ns = profile_add(a->totals.probe_low_ns, probes.least);
    a->totals.probe_high_ns = profile_add(a->totals.probe_high_ns, probes.most);
    correct_thread(&p->run, t, a->offset);
    if (!splice_thread(p, t))
        return false;
    a->totals.probe_ns = profile_add(a->totals.probe_ns, t->spliced_probe_ns);
    a->totals.switched_probe_ns = profile_add(a->totals.switched_probe_ns, t->spliced_probe_ns);
    for (uint32_t i = 0; i < t->node_count; i++) {
        profile_node *n = &t->nodes[i];
        bool folded = i > 0 && t->nodes[n->parent].id == PROFILE_ID_FOLDED;
        profile_machine machine = PROFILE_PLAIN;
        if (i == 0) {
            n->function = FUNCTION_ROOT;
            merged[i] = top_of(a, t, run);
        } else {
            leave_path(a, t, path, n->parent);
            n->function = n->id == PROFILE_ID_FOLDED ? FUNCTION_FOLDED : function_of(a, p, links, n->id, &machine);
            n->machine = machine;
            merged[i] = n->function == MAP_NONE ? MAP_NONE : place_of(a, t, n, merged[n->parent]);
        }
        if (merged[i] == MAP_NONE)
            return false;
        path = i;
        addition more = {.times = n->times};
        *(machine == PROFILE_PLAIN ? &more.calls : &more.steps) = n->calls;
        if (n->function < FUNCTION_FOLDED) {
            report_function *f = &a->functions[n->function];
            add_to_function(f, n, folded, &more);
            if (machine == PROFILE_PLAIN)
                durations_widen(&f->durations, &p->run, n);
            add_to_totals(&a->totals, &p->run, n, &more);
            f->active++;
        }
        add_to_node(&a->nodes[merged[i]], &more, i > 0 && merged[i] == merged[n->parent]);
    }
    leave_path(a, t, path, 0);
    for (uint32_t i = 0; i < t->path_count; i++) {
        report_node *thrower = &a->nodes[merged[t->paths[i].thrower]];
        thrower->thrown = profile_add(thrower->thrown, t->paths[i].count);
    }
    if (merged[0] != 0) { /* a thread's own node: the root has the sum of all */
        a->nodes[merged[0]].calls = a->totals.enters - enters;
        times_add_inclusive(&a->nodes[0].times, &a->nodes[merged[0]].times);
    }
    a->totals.threads = profile_add(a->totals.threads, t->count);
    return true;
}

/* What else a thread has; the functions of its nodes are known. */
static bool add_extras(aggregate *a, const profile *p, const module_link *links, profile_thread *t) {
    for (uint32_t i = 1; i < t->async_count; i++) {
        profile_machine machine;
        t->async[i].function = function_of(a, p, links, t->async[i].id, &machine);
        if (t->async[i].function == MAP_NONE)
            return false;
    }
    for (uint32_t i = 0; i < t->histogram_count; i++) {
        profile_machine machine;
        uint32_t function = function_of(a, p, links, t->histograms[i].id, &machine);
        if (function == MAP_NONE ||
            (machine == PROFILE_PLAIN &&
             !durations_add(&a->functions[function].durations, &a->memory, &p->run, &t->histograms[i])))
            return false;
    }
    return exceptions_add(&a->exceptions, &p->run, t) && async_add(&a->async, &p->run, t);
}

static ecma_status add_threads(aggregate *a, profile *p, const module_link *links, uint32_t run, diag *d) {
    uint32_t most = 0;
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].node_count > most)
            most = p->threads[i].node_count;
    uint32_t *merged = calloc((size_t)most + 1, sizeof *merged);
    bool done = merged != NULL;
    for (size_t i = 0; i < p->thread_count && done; i++)
        done = add_thread(a, p, links, &p->threads[i], run, merged) && add_extras(a, p, links, &p->threads[i]);
    free(merged);
    return done ? ECMA_OK : diag_no_memory(d);
}

/* Whose calls were seen with their values. */
static bool add_calls(aggregate *a, profile *p, const module_link *links) {
    profile_machine machine;
    for (uint32_t i = 0; i < p->calls.method_count; i++) {
        calls_method *m = &p->calls.methods[i];
        if ((m->function = function_of(a, p, links, m->id, &machine)) == MAP_NONE)
            return false;
    }
    for (uint32_t i = 0; i < p->calls.count; i++) {
        calls_call *call = &p->calls.list[i];
        call->caller_function = FUNCTION_ROOT;
        if (call->caller >= PROFILE_ID_FIRST &&
            (call->caller_function = function_of(a, p, links, call->caller, &machine)) == MAP_NONE)
            return false;
    }
    return true;
}

/* The methods that were switched, by name, as far as the filter wants them. */
static bool add_switches(aggregate *a, const profile *p, const module_link *links, uint32_t run) {
    for (uint32_t i = 0; i < p->switch_count; i++) {
        meaning found = meaning_of(a, p, links, p->switches[i].id);
        if (!list_grow((void **)&a->switches, a->switch_count, &a->switch_capacity, sizeof *a->switches) ||
            !describe(a, p, links, p->switches[i].id, &found))
            return false;
        found.function.machine = found.machine;
        a->switches[a->switch_count++] = (report_switch){found.function, run, p->switches[i]};
    }
    return true;
}

static ecma_status add_link(aggregate *a, module_link *link, const profile_module *m, diag *d) {
    ecma_status status = add_module(a, &link->position, &link->names, m, d);
    if (status == ECMA_OK && a->modules[link->position].named) {
        link->known = calloc((size_t)m->method_count + 1, sizeof *link->known);
        status = link->known ? ECMA_OK : diag_no_memory(d);
    }
    return status;
}

ecma_status aggregate_profile(aggregate *a, profile *p, uint32_t run, diag *d) {
    if (a->node_count == 0) {
        if (!list_grow((void **)&a->nodes, 0, &a->node_capacity, sizeof *a->nodes))
            return diag_no_memory(d);
        a->nodes[a->node_count++] = (report_node){.kind = NODE_ROOT};
    }
    module_link *links = calloc(p->module_count + 1, sizeof *links);
    if (!links)
        return diag_no_memory(d);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < p->module_count && status == ECMA_OK; i++)
        status = add_link(a, &links[i], &p->modules[i], d);
    if (status == ECMA_OK)
        status = add_threads(a, p, links, run, d);
    if (status == ECMA_OK && (!add_calls(a, p, links) || !add_switches(a, p, links, run)))
        status = diag_no_memory(d);
    for (size_t i = 0; i < p->module_count; i++)
        free(links[i].known);
    free(links);
    a->totals.folded = profile_add(a->totals.folded, p->run.folded);
    a->totals.folded_async = profile_add(a->totals.folded_async, p->run.folded_async);
    a->totals.dropped = profile_add(a->totals.dropped, p->run.dropped);
    a->runs = profile_add(a->runs, profile_runs_in(&p->run));
    a->only_counts = profile_add(a->only_counts, p->run.only_counts);
    return status;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static int by_name(const void *left, const void *right) {
    const report_function *a = *(report_function *const *)left, *b = *(report_function *const *)right;
    size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, size);
    if (order == 0)
        order = list_compare(a->name.size, b->name.size);
    if (order == 0)
        order = list_compare(a->module, b->module);
    return order ? order : list_compare(a->number, b->number);
}

typedef struct child_key {
    uint64_t inclusive_ns, calls; /* the time as far as it is certain */
    uint32_t rank, node;
} child_key;

static int by_time(const void *left, const void *right) {
    const child_key *a = left, *b = right;
    int order = list_compare(b->inclusive_ns, a->inclusive_ns);
    if (order == 0)
        order = list_compare(b->calls, a->calls);
    return order ? order : list_compare(a->rank, b->rank);
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

/* Folded calls come last, whatever their time; threads of the same time in the order of the profile. Nodes are made in
 * the order in which they stand in the profile, so their positions are the order of the first calls. */
static child_key key_of(const aggregate *a, uint32_t node) {
    const report_node *n = &a->nodes[node];
    if (n->kind == NODE_FOLDED)
        return (child_key){0, 0, UINT32_MAX, node};
    if (a->as_called)
        return (child_key){0, 0, node, node};
    uint32_t rank =
        n->kind == NODE_THREAD ? n->function : a->functions[n->function].rank * 2 + (n->kind == NODE_RESUMED);
    return (child_key){times_certain_inclusive(&n->times, a->totals.exclusive_ns), n->calls, rank, node};
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

/* A method that the runtime suspends enters a frame for each slice: its calls are those that the async tree counts. */
static void split_slices(aggregate *a) {
    for (uint32_t i = 0; i < a->async.method_count && !a->raw_names; i++) {
        const async_method *m = &a->async.methods[i];
        report_function *f = &a->functions[m->function];
        if (f->machine != PROFILE_PLAIN)
            continue;
        f->machine = PROFILE_RUNTIME_ASYNC;
        if (f->calls > m->figures.calls) {
            f->steps = f->calls - m->figures.calls;
            f->calls = m->figures.calls;
            a->totals.steps = profile_add(a->totals.steps, f->steps);
        }
    }
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Own time of folded calls is in no inclusive time of their function. */
static void keep_inclusive_above(profile_times *t) {
    t->inclusive_ns = larger(t->inclusive_ns, t->exclusive_ns);
    t->inclusive_low_ns = larger(t->inclusive_low_ns, t->exclusive_low_ns);
    t->inclusive_high_ns = larger(t->inclusive_high_ns, t->exclusive_high_ns);
}

ecma_status aggregate_finish(aggregate *a, diag *d) {
    report_totals *t = &a->totals;
    uint64_t left_open = profile_add(profile_add(t->resynchronised, t->open), t->by_exception);
    t->leaves = t->enters > left_open ? t->enters - left_open : 0;
    for (uint32_t i = 0; i < a->function_count; i++) {
        profile_times *f = &a->functions[i].times;
        keep_inclusive_above(f);
        t->certain_ns = profile_add(t->certain_ns, times_certain_own(f, t->exclusive_ns));
        t->low_ns = profile_add(t->low_ns, f->exclusive_low_ns);
        t->high_ns = profile_add(t->high_ns, f->exclusive_high_ns);
    }
    bool done = rank_functions(a) && order_children(a) && exceptions_finish(&a->exceptions, a->functions) &&
                async_finish(&a->async, a->functions, a->function_count);
    if (done)
        split_slices(a);
    return done ? ECMA_OK : diag_no_memory(d);
}

void aggregate_clear(aggregate *a) {
    free(a->functions);
    free(a->modules);
    free(a->nodes);
    free(a->threads);
    free(a->switches);
    exceptions_clear(&a->exceptions);
    async_clear(&a->async);
    map_clear(&a->function_map);
    map_clear(&a->module_map);
    map_clear(&a->node_map);
    arena_clear(&a->memory);
    buffer_clear(&a->scratch);
    *a = AGGREGATE_INIT;
}
