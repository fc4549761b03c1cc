#include "choice/counts.h"

#include <stdlib.h>
#include <xxhash.h>

#include "choice/ahead.h"
#include "choice/callers.h"
#include "choice/outermost.h"
#include "metadata/names.h"
#include "profile/names_lambdas.h"
#include "profile/splice.h"
#include "util/list.h"

enum { NOBODY = UINT32_MAX, FEWEST_BUCKETS = 1024, MEASURED_PART = 4, PS_OF_NS = 1000 };

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static void add_part(buffer *b, bytes text) {
    buffer_append(b, text.data, text.size);
    buffer_u8(b, 0);
}

static void add_name(buffer *b, const char *text) {
    add_part(b, bytes_of(text, strlen(text)));
}

/* A module's name without its extension stands for the assembly that it does not name. */
static bytes module_stem(bytes name) {
    for (size_t i = name.size; i-- > 0;)
        if (name.data[i] == '.')
            return (bytes){name.data, i};
    return name;
}

static bytes assembly_of(const names *n) {
    return n->assembly.size ? n->assembly : module_stem(n->module);
}

/* Outermost first, as far as names.h follows them. */
static void names_key(buffer *b, const names *n, uint32_t method) {
    uint32_t types[NAMES_MAX_NESTING], depth = 0;
    const names_method *m = &n->methods[method];
    for (uint32_t type = m->type + 1; type != 0 && depth < NAMES_MAX_NESTING; type = n->types[type - 1].enclosing)
        types[depth++] = type - 1;
    b->size = 0;
    add_part(b, assembly_of(n));
    add_part(b, names_text(n, n->types[types[depth - 1]].space));
    while (depth-- > 0)
        add_part(b, names_text(n, n->types[types[depth]].name));
    buffer_u8(b, '/');
    add_part(b, names_text(n, m->name));
    add_part(b, names_text(n, m->parameters));
}

void counts_key(buffer *b, const ilj_image *image, uint32_t method_row) {
    const md_view *view = &image->metadata;
    uint32_t types[NAMES_MAX_NESTING], depth = 0;
    for (uint32_t type = md_method_type(&image->index, method_row); type != 0 && depth < NAMES_MAX_NESTING;
         type = md_enclosing_type(&image->index, type))
        types[depth++] = type;
    const char *assembly = md_row_exists(view, MD_TABLE_Assembly, 1) ? md_name(view, MD_Assembly_Name, 1) : "";
    const char *module = md_name(view, MD_Module_Name, 1);
    b->size = 0;
    add_part(b, *assembly ? bytes_of(assembly, strlen(assembly)) : module_stem(bytes_of(module, strlen(module))));
    add_name(b, depth ? md_name(view, MD_TypeDef_TypeNamespace, types[depth - 1]) : "");
    while (depth-- > 0)
        add_name(b, md_name(view, MD_TypeDef_TypeName, types[depth]));
    buffer_u8(b, '/');
    add_name(b, md_name(view, MD_MethodDef_Name, method_row));
    md_append_parameters(b, view, &image->index, method_row);
    buffer_u8(b, 0);
}

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

static uint32_t bucket_of(const counts *c, bytes key) {
    return (uint32_t)XXH64(key.data, key.size, 0) & (c->bucket_count - 1);
}

static uint32_t find(const counts *c, bytes key) {
    uint32_t at = c->bucket_count ? c->buckets[bucket_of(c, key)] : NOBODY;
    while (at != NOBODY && !bytes_equal(c->list[at].key, key))
        at = c->list[at].next_alike;
    return at;
}

const counted *counts_find(const counts *c, bytes key) {
    uint32_t at = find(c, key);
    return at == NOBODY ? NULL : &c->list[at];
}

static bool grow_buckets(counts *c) {
    uint32_t wanted = c->bucket_count ? c->bucket_count * 2 : FEWEST_BUCKETS;
    uint32_t *buckets = malloc((size_t)wanted * sizeof *buckets);
    if (!buckets)
        return false;
    free(c->buckets);
    c->buckets = buckets;
    c->bucket_count = wanted;
    for (uint32_t i = 0; i < wanted; i++)
        buckets[i] = NOBODY;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t *bucket = &buckets[bucket_of(c, c->list[i].key)];
        c->list[i].next_alike = *bucket;
        *bucket = i;
    }
    return true;
}

/* Returns the method's position after adding it if it is new; NOBODY when memory ran out. */
static uint32_t add_method(counts *c, const names *n, uint32_t method) {
    names_key(&c->scratch, n, method);
    if (c->scratch.failed)
        return NOBODY;
    bytes key = buffer_bytes(&c->scratch);
    uint32_t at = find(c, key);
    if (at != NOBODY)
        return at;
    if (c->count == NOBODY - 1 || (c->count >= c->bucket_count && !grow_buckets(c)) ||
        !list_grow((void **)&c->list, c->count, &c->capacity, sizeof *c->list))
        return NOBODY;
    uint8_t *copy = arena_alloc(&c->memory, key.size);
    if (!copy)
        return NOBODY;
    memcpy(copy, key.data, key.size);
    uint32_t *bucket = &c->buckets[bucket_of(c, key)];
    c->list[c->count] = (counted){.key = {copy, key.size},
                                  .assembly = assembly_of(n),
                                  .names = n,
                                  .method = method,
                                  .owner = c->count,
                                  .next_alike = *bucket};
    return *bucket = c->count++;
}

/* ---- Profiles --------------------------------------------------------------------------------------------------- */

/* A module of the profile that is being added. */
typedef struct counted_module {
    const names *names;  /* NULL: missing */
    uint32_t *positions; /* by method; in the arena */
} counted_module;

static bool is_machine(const names_method *m) {
    return m->owner != 0 && m->flags & (NAMES_ASYNC | NAMES_ITERATOR);
}

static ecma_status add_module(counts *c, counted_module *made, const profile_module *m, diag *d) {
    names *read = arena_alloc(&c->memory, sizeof *read);
    bytes resource = {arena_alloc(&c->memory, m->names.size + 1), m->names.size};
    const char *fault = NULL;
    if (!read || !resource.data)
        return diag_no_memory(d);
    if (resource.size)
        memcpy((uint8_t *)(uintptr_t)resource.data, m->names.data, resource.size);
    ecma_status status = names_read(read, &fault, &c->memory, resource, &c->names_room);
    if (status == ECMA_NO_MEMORY || (status == ECMA_OK && !names_number_lambdas(read, &c->memory)))
        return diag_no_memory(d);
    if (status == ECMA_OK && read->method_count != m->method_count)
        fault = "they are not those of as many methods as registered";
    if (status != ECMA_OK || fault) {
        diag_report(d, DIAG_PROFILE_NAMES, "names of %.*s: %s; its methods have no part in the choice",
                    (int)(m->assembly.size < 200 ? m->assembly.size : 200), (const char *)m->assembly.data, fault);
        return ECMA_OK;
    }
    made->positions = arena_alloc_array(&c->memory, (size_t)read->method_count + 1, sizeof *made->positions);
    made->names = read;
    for (uint32_t i = 0; i < read->method_count && made->positions; i++)
        if ((made->positions[i] = add_method(c, read, i)) == NOBODY)
            return diag_no_memory(d);
    if (!made->positions)
        return diag_no_memory(d);
    for (uint32_t i = 0; i < read->method_count; i++)
        if (is_machine(&read->methods[i]))
            c->list[made->positions[i]].owner = made->positions[read->methods[i].owner - 1];
    return ECMA_OK;
}

/* False when memory ran out. */
static bool add_to(counted_calls **list, counts *c, const counted_module *m) {
    counted_calls *added = arena_alloc(&c->memory, sizeof *added);
    if (!added)
        return false;
    *added = (counted_calls){m->names, m->positions, *list};
    *list = added;
    return true;
}

/* False when memory ran out. */
static bool add_lists(counts *c, const counted_module *m, bool deep) {
    return !m->names || ((deep || !m->names->call_ends || add_to(&c->called, c, m)) &&
                         (!m->names->inliner_ends || add_to(&c->ahead, c, m)));
}

/* Returns the method that a node counts for, or NOBODY; *il_size gets the size of its own IL. */
static uint32_t method_of(const counts *c, const profile *p, const counted_module *modules, uint32_t id,
                          uint32_t *il_size) {
    const profile_module *m = profile_module_of(p, id);
    const counted_module *known = m ? &modules[m - p->modules] : NULL;
    if (!known || !known->names ||
        known->names->methods[id - m->base].flags & (NAMES_SCOPE | NAMES_LEAF | NAMES_OUTERMOST))
        return NOBODY;
    *il_size = known->names->methods[id - m->base].il_size;
    return c->list[known->positions[id - m->base]].owner;
}

/* Calls that a module which counts has by their caller. False when memory ran out. */
static bool add_entry(counts *c, const profile *p, const counted_module *modules, const profile_node *n) {
    const profile_module *m = profile_module_of(p, n->id);
    const counted_module *known = m ? &modules[m - p->modules] : NULL;
    const names_method *of = known && known->names ? &known->names->methods[n->id - m->base] : NULL;
    if (!of || !(of->flags & NAMES_OUTERMOST) || of->flags & NAMES_LEAF || of->owner == 0)
        return true;
    return outermost_add(c, known->positions[n->id - m->base], known->positions[of->owner - 1], n->calls);
}

/* A node of one thread: its method, the work of its calls, from sum_up on with the nodes below it, and the part that
 * its calls have in compiling the method, which is its caller's time. */
typedef struct counted_node {
    uint32_t method;
    uint64_t work_ps, compiled_ps;
} counted_node;

/* False when memory ran out. */
static bool sum_up(counts *c, const profile_thread *t, counted_node *nodes) {
    for (uint32_t i = t->node_count; i-- > 1;) {
        uint32_t parent = t->parents[i];
        nodes[parent].work_ps = choice_add(nodes[parent].work_ps, choice_add(nodes[i].work_ps, nodes[i].compiled_ps));
        if (nodes[parent].method != NOBODY && nodes[parent].method != nodes[i].method)
            c->list[nodes[parent].method].calls_others = true;
    }
    uint32_t path = 0; /* the innermost node that is being walked */
    for (uint32_t i = 1; i < t->node_count; i++) {
        for (; path != t->parents[i]; path = t->parents[path])
            if (nodes[path].method != NOBODY)
                c->list[nodes[path].method].active--;
        path = i;
        if (nodes[i].method == NOBODY)
            continue;
        counted *m = &c->list[nodes[i].method];
        uint32_t caller = nodes[t->parents[i]].method;
        if (m->active++ > 0)
            continue;
        m->inclusive_ps = choice_add(m->inclusive_ps, nodes[i].work_ps);
        if (m->calls_itself && caller != NOBODY &&
            !outermost_add(c, nodes[i].method, caller, profile_number(t, PROFILE_CALLS, i)))
            return false;
    }
    for (; path != 0; path = t->parents[path])
        if (nodes[path].method != NOBODY)
            c->list[nodes[path].method].active--;
    return true;
}

/* True if any call stands below another; in a profile of counts alone none does. */
static bool is_deep(const profile *p) {
    for (size_t i = 0; i < p->thread_count; i++)
        for (uint32_t k = 0; k < p->threads[i].node_count; k++)
            if (p->threads[i].parents[k] != 0)
                return true;
    return false;
}

static bool is_mono(bytes runtime) {
    static const char name[] = "Mono";
    return runtime.size >= sizeof name - 1 && memcmp(runtime.data, name, sizeof name - 1) == 0;
}

static choice_runtime runtime_of(const profile *p) {
    const profile_facts *facts = &p->runs.facts[PROFILE_FACT_RUNTIME];
    if (!p->run.merged)
        return is_mono(p->run.runtime) ? CHOICE_MONO : CHOICE_DOTNET;
    for (uint32_t i = 0; i < facts->count; i++)
        if (!is_mono(facts->values[i].value))
            return CHOICE_DOTNET;
    return facts->count > 0 && facts->others == 0 ? CHOICE_MONO : CHOICE_DOTNET;
}

/* A method in one profile: its calls, and the time to compile it. */
typedef struct run_method {
    uint64_t calls, compiled_ps;
} run_method;

/* The calls of a profile, and their work. */
typedef struct run_sums {
    uint64_t calls, counted_ps;
    run_method *methods; /* by their positions */
} run_sums;

/* Each run compiles what it calls, a state machine with the method that starts it. False when memory ran out. */
static bool add_compiling(counts *c, const profile *p, const counted_module *modules, run_sums *sums) {
    const choice_program *of_runtime = &choice_programs[runtime_of(p)];
    const uint64_t once =
        choice_times(profile_runs_in(&p->run), c->compiled_again ? of_runtime->ahead_ps : of_runtime->method_ps);
    sums->methods = calloc((size_t)c->count + 1, sizeof *sums->methods);
    for (size_t i = 0; i < p->thread_count && sums->methods; i++)
        for (uint32_t k = 1; k < p->threads[i].node_count; k++) {
            const profile_thread *t = &p->threads[i];
            uint32_t il_size, method = method_of(c, p, modules, t->ids[k], &il_size);
            if (method == NOBODY)
                continue;
            sums->methods[method].calls = choice_add(sums->methods[method].calls, profile_number(t, PROFILE_CALLS, k));
            c->list[method].calls_itself |= t->ids[t->parents[k]] == t->ids[k];
        }
    for (uint32_t i = 0; i < c->count && sums->methods; i++) {
        counted *owner = &c->list[c->list[i].owner];
        run_method *of = &sums->methods[c->list[i].owner];
        uint64_t compiled = of->calls ? once : 0;
        of->compiled_ps = choice_add(of->compiled_ps, compiled);
        owner->compiled_ps = choice_add(owner->compiled_ps, compiled);
    }
    return sums->methods != NULL;
}

/* Adds the calls of the thread. A node of merged runs each run had to make. */
static bool add_thread(counts *c, const profile *p, const counted_module *modules, const profile_thread *t,
                       run_sums *sums, bool deep) {
    counted_node *nodes = calloc(t->node_count, sizeof *nodes);
    if (!nodes)
        return false;
    nodes[0].method = NOBODY;
    for (uint32_t i = 1; i < t->node_count; i++) {
        const profile_node its = profile_node_at(t, i), *n = &its;
        uint32_t il_size = 0;
        sums->calls = choice_add(sums->calls, n->calls);
        nodes[i].method = method_of(c, p, modules, n->id, &il_size);
        if (nodes[i].method == NOBODY && !add_entry(c, p, modules, n))
            goto failed;
        if (nodes[i].method == NOBODY)
            continue;
        counted *m = &c->list[nodes[i].method];
        uint32_t parent = nodes[n->parent].method;
        if (parent != NOBODY && parent != nodes[i].method && n->calls > m->caller_weight) {
            m->caller = parent + 1;
            m->caller_weight = n->calls;
        }
        const run_method *of = &sums->methods[nodes[i].method];
        nodes[i].work_ps = choice_times(choice_times(n->calls, il_size), CHOICE_IL_PS);
        nodes[i].compiled_ps = choice_part(of->compiled_ps, n->calls, of->calls);
        m->calls = choice_add(m->calls, n->calls);
        m->exclusive_ps = choice_add(m->exclusive_ps, nodes[i].work_ps);
        m->nodes = choice_add(m->nodes, deep ? profile_runs_in(&p->run) : choice_nodes_of(n->calls));
        sums->counted_ps = choice_add(sums->counted_ps, nodes[i].work_ps);
    }
    if (!sum_up(c, t, nodes))
        goto failed;
    free(nodes);
    return true;
failed:
    free(nodes);
    return false;
}

/* By the reference. 0: not known. */
static uint64_t processor_ps(const profile_conditions *m, choice_runtime runtime) {
    return choice_by_reference(choice_times(m->cpu_ns, PS_OF_NS), m->step_ps, runtime);
}

/* When merged runs are not all listed, the others are taken to have needed as long. 0: not known. */
static uint64_t all_processor_ps(const profile *p, choice_runtime runtime) {
    uint64_t sum = 0;
    if (!p->run.merged)
        return processor_ps(&p->run.machine, runtime);
    for (uint32_t i = 0; i < p->runs.count; i++) {
        if (p->runs.listed[i].machine.cpu_ns == 0)
            return 0;
        sum = choice_add(sum, processor_ps(&p->runs.listed[i].machine, runtime));
    }
    return p->runs.count ? choice_times(sum / p->runs.count, p->run.merged) : 0;
}

/* A thread that is ready and does not run does not compile either. */
static void add_conditions(counts *c, const profile_conditions *m, choice_runtime runtime) {
    uint64_t took = choice_by_reference(choice_times(m->jit_ns, PS_OF_NS), m->step_ps, runtime);
    uint64_t ran = m->ran_ns ? choice_part(took, m->ran_ns, choice_add(m->ran_ns, m->ready_ns)) : took;
    c->compiled_methods = choice_add(c->compiled_methods, m->jit_methods);
    c->compiling_ps = choice_add(c->compiling_ps, ran);
}

/* Where probes took nearly all of the time, what they leave is not known; counts are then as good, as long as they come
 * to no more than a part of the time. */
static void add_run(counts *c, const profile *p, const run_sums *sums, bool deep) {
    choice_runtime runtime = runtime_of(p);
    uint64_t all = all_processor_ps(p, runtime);
    uint64_t probes =
        choice_times(sums->calls, choice_costs[runtime][deep ? CHOICE_EVERYTHING : CHOICE_COUNTS].most_ps);
    uint64_t rest = all > probes ? all - probes : 0;
    uint64_t part = all / MEASURED_PART < sums->counted_ps ? all / MEASURED_PART : sums->counted_ps;
    if (runtime == CHOICE_DOTNET)
        c->runtime = CHOICE_DOTNET;
    c->unmeasured |= all == 0;
    if (!p->run.merged)
        add_conditions(c, &p->run.machine, runtime);
    for (uint32_t i = 0; i < p->runs.count && p->run.merged; i++)
        add_conditions(c, &p->runs.listed[i].machine, runtime);
    c->has_tree |= deep;
    c->threads = c->threads > p->thread_count ? c->threads : p->thread_count;
    c->runs = choice_add(c->runs, profile_runs_in(&p->run));
    c->measured_ps = choice_add(c->measured_ps, rest > part ? rest : part);
}

/* A method that a price did not allow in an earlier run is not called less often in this one. */
static void add_switches(counts *c, const profile *p, const counted_module *modules) {
    for (uint32_t i = 0; i < p->switch_count; i++) {
        uint32_t il_size, method = method_of(c, p, modules, p->switches[i].id, &il_size);
        if (method != NOBODY && splice_takes(p, p->switches[i].id))
            c->list[method].switched_off = true;
    }
}

ecma_status counts_add(counts *c, const profile *p, diag *d) {
    counted_module *modules = calloc(p->module_count + 1, sizeof *modules);
    ecma_status status = modules ? ECMA_OK : diag_no_memory(d);
    run_sums sums = {0};
    bool deep = is_deep(p);
    for (size_t i = 0; i < p->module_count && status == ECMA_OK; i++)
        status = add_module(c, &modules[i], &p->modules[i], d);
    if (status == ECMA_OK && !add_compiling(c, p, modules, &sums))
        status = diag_no_memory(d);
    for (size_t i = 0; i < p->thread_count && status == ECMA_OK; i++)
        if (!add_thread(c, p, modules, &p->threads[i], &sums, deep))
            status = diag_no_memory(d);
    if (status == ECMA_OK) {
        add_switches(c, p, modules);
        add_run(c, p, &sums, deep);
    }
    for (size_t i = 0; i < p->module_count && status == ECMA_OK; i++)
        if (!add_lists(c, &modules[i], deep))
            status = diag_no_memory(d);
    free(sums.methods);
    free(modules);
    return status;
}

ecma_status counts_add_file(counts *c, diag *d) {
    os_map map = OS_MAP_INIT;
    profile p = PROFILE_INIT;
    ecma_status status = os_read_file(&map, d, d->file);
    if (status != ECMA_OK)
        return status;
    status = profile_read(&p, map.content, d);
    if (status == ECMA_OK) {
        status = counts_add(c, &p, d);
        profile_clear(&p);
    }
    os_unmap(&map);
    return status;
}

/* ---- The choice ------------------------------------------------------------------------------------------------- */

int counts_compare(const counted *a, const counted *b) {
    size_t size = a->key.size < b->key.size ? a->key.size : b->key.size;
    int order = memcmp(a->key.data, b->key.data, size);
    return order ? order : (a->key.size > b->key.size) - (a->key.size < b->key.size);
}

static int by_key(const void *left, const void *right) {
    return counts_compare(*(const counted *const *)left, *(const counted *const *)right);
}

static uint64_t cost_of(const counts *c, const counted *m) {
    const choice_cost *cost = &choice_costs[c->runtime][CHOICE_EVERYTHING];
    if (m->switched_off && !m->fixed)
        return UINT64_MAX;
    if (m->calls == 0)
        return 0;
    uint64_t first = choice_times(c->runs, CHOICE_FIRST_CALLS);
    const names_method *named = &m->names->methods[m->method];
    const bool visited = named->flags & NAMES_VISITED;
    uint64_t call = visited ? cost->visited_ps : cost->usual_ps + (named->il_size <= cost->lost_il ? cost->lost_ps : 0);
    uint64_t recorded = choice_add(choice_times(m->calls, call), choice_times(m->nodes, cost->node_ps));
    if (!visited)
        recorded = choice_add(recorded, choice_times(m->calls < first ? m->calls : first, cost->first_ps));
    uint64_t compiling = choice_compiling(c->compiled_methods, c->compiling_ps);
    if (compiling == 0 || c->compiled_again ||
        (compiling > cost->method_ps && m->calls < choice_times(c->runs, CHOICE_SELDOM_CALLS)))
        compiling = cost->method_ps;
    return choice_add(recorded, choice_times(c->runs, compiling));
}

/* Has it no row of its own? */
static bool is_within(const counted *m) {
    return m->left_out && !m->outermost;
}

/* Of each method that is left out, the nearest on the way up that stays. The way may be a circle. */
static void find_holders(counts *c) {
    enum { FARTHEST = 1000 };
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t at = c->list[i].left_out ? c->list[i].caller : 0;
        for (uint32_t steps = 0; at != 0 && is_within(&c->list[at - 1]) && steps < FARTHEST; steps++)
            at = c->list[at - 1].caller;
        c->list[i].within = at != 0 && !is_within(&c->list[at - 1]) ? at : 0;
    }
}

/* Chooses among the methods in this order. False when memory ran out. */
static bool choose(counts *c, counted *const *order, choice_method *methods, uint32_t count, const ahead *ahead,
                   uint64_t work_ps) {
    for (uint32_t i = 0; i < count; i++) {
        const counted *m = order[i];
        uint64_t cost = m->unselected ? 0 : cost_of(c, m);
        methods[i] = (choice_method){.calls = m->unselected ? 0 : m->calls,
                                     .cost_ps = cost,
                                     .work_ps = m->inclusive_ps,
                                     .outer_calls = m->outer_calls,
                                     .outer_ps = outermost_cost(c, m, cost),
                                     .calls_others = m->calls_others,
                                     .fixed = m->fixed};
    }
    if (!choice_make(methods, count, ahead->inliners.first ? &ahead->inliners : NULL, work_ps, c->allowed_ps, &c->sums))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        order[i]->left_out = methods[i].left_out && !order[i]->unselected;
        order[i]->outermost = methods[i].outermost;
    }
    return true;
}

/* The work of the program as it is, which does not compile what was compiled ahead; the profile's runs did, for
 * `ahead_ps`. */
static void find_work(counts *c, uint64_t counted_ps, uint64_t compiled_ps, uint64_t ahead_ps) {
    uint64_t started = choice_add(choice_times(c->runs, choice_programs[c->runtime].start_ps), compiled_ps);
    uint64_t other = choice_add(started, ahead_ps);
    /* Start and compiling are averages: where they seem to have been all of the time, they were not. */
    uint64_t rest = c->measured_ps > other ? c->measured_ps - other : 1;
    uint64_t part = c->measured_ps / MEASURED_PART < counted_ps ? c->measured_ps / MEASURED_PART : counted_ps;
    rest = rest > part ? rest : part;
    c->work_ps = choice_add(started, choice_work(counted_ps, c->unmeasured ? 0 : rest, started));
}

bool counts_choose(counts *c, unsigned percent) {
    enum { CHOICES = 8 };
    counted **order = calloc((size_t)c->count + 1, sizeof *order);
    choice_method *methods = calloc((size_t)c->count + 1, sizeof *methods);
    outermost_sum(c);
    bool done = order && methods && (!c->called || callers_estimate(c));
    uint64_t counted_ps = 0, compiled_ps = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count && done; i++)
        if (c->list[i].owner == i)
            order[count++] = &c->list[i];
    if (done)
        qsort(order, count, sizeof *order, by_key);
    for (uint32_t i = 0; i < count && done; i++) {
        const counted *m = order[i];
        counted_ps = choice_add(counted_ps, m->exclusive_ps);
        compiled_ps = choice_add(compiled_ps, m->compiled_ps);
    }
    ahead ahead;
    done = done && ahead_find(&ahead, c, order, count);
    if (done && c->compiled_again)
        ahead.inliners = (choice_inliners){0};
    if (done)
        find_work(c, counted_ps, compiled_ps - ahead.compiled_ps, ahead.compiling_ps);
    const choice_tracker *tracker = &choice_trackers[c->runtime];
    c->start_ps = choice_times(c->runs, c->compiled_again ? tracker->ahead_ps : tracker->start_ps);
    c->price_ps = choice_allowed(c->work_ps, percent);
    c->allowed_ps = choice_for_calls(choice_after_start(c->price_ps, c->start_ps), c->work_ps, compiled_ps);
    bool settled = false;
    for (unsigned i = 0; i < CHOICES && done && !settled; i++) {
        done = choose(c, order, methods, count, &ahead, choice_add(counted_ps, compiled_ps));
        settled = done && !outermost_take_back(c);
    }
    for (uint32_t i = 0; i < c->count && done; i++) {
        const counted *owner = &c->list[c->list[i].owner];
        c->list[i].left_out = owner->left_out;
        c->list[i].owner_calls = owner->calls;
        c->list[i].takes_code = owner->left_out && owner->calls == 0 && !owner->switched_off;
    }
    if (done)
        find_holders(c);
    free(order);
    free(methods);
    return done;
}

void counts_clear(counts *c) {
    free(c->list);
    free(c->entries);
    free(c->buckets);
    buffer_clear(&c->scratch);
    arena_clear(&c->memory);
    *c = COUNTS_INIT;
}
