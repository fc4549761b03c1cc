/* Profiles become a contract: the figures of each method and type, and who calls whom. */
#include <stdlib.h>

#include "contract/contract.h"
#include "report/view/names.h"
#include "report/view/source.h"
#include "util/hash.h"
#include "util/list.h"

/* A function of the run, as an entry. */
typedef struct gathered_function {
    contract_entry key; /* its texts are in the run's arena */
    const report_function *of;
    uint32_t rank;
    bool switched; /* the governor switched it off: its figures are no program's */
} gathered_function;

typedef struct gathering {
    contract *c;
    const aggregate *run;
    report r;
    gathered_function *functions;
    uint32_t count;
    uint32_t *entries; /* of the run's functions by position, or MAP_NONE */
    uint64_t *made;    /* of entries: the calls that they make in this run */
    map edges;         /* in the first run: by caller and callee */
    arena memory;
    buffer scratch;
} gathering;

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static bool ends_word(uint8_t c) {
    return c == ',' || c == '<' || c == '>' || c == '(' || c == ')' || c == '[' || c == ']' || c == ' ' || c == '&' ||
           c == '*';
}

/* Leaves of `A.B.C`, from `at` on, what stands after the last dot: `Add(System.Text.Rune)` is `Add(Rune)`. */
static void shorten(buffer *b, size_t at) {
    size_t to = at, word = at;
    for (size_t i = at; i < b->size; i++) {
        uint8_t c = b->data[i];
        if (c == '.') {
            to = word;
            continue;
        }
        b->data[to++] = c;
        word = ends_word(c) ? to : word;
    }
    b->size = to;
}

static bool keep(gathering *g, bytes *text) {
    size_t size = g->scratch.size;
    uint8_t *copy = g->scratch.failed ? NULL : arena_alloc(&g->memory, size);
    if (!copy)
        return false;
    if (size)
        memcpy(copy, g->scratch.data, size);
    *text = (bytes){copy, size};
    return true;
}

/* The part of a text as one line may show it; empty stays empty. */
static bool keep_part(gathering *g, bytes *text, bytes part) {
    g->scratch.size = 0;
    if (part.size > 0)
        view_text(&g->scratch, part);
    return keep(g, text);
}

static bool describe(gathering *g, const report_function *f, gathered_function *made) {
    const names_parts *p = &f->parts;
    bytes assembly = function_assembly(&g->run->list, f);
    *made = (gathered_function){.of = f, .rank = f->rank, .key = {.above = MAP_NONE}};
    if (!keep_part(g, &made->key.assembly, assembly) ||
        !keep_part(g, &made->key.type, (bytes){f->name.data, p->type_bytes}))
        return false;
    g->scratch.size = 0;
    view_text(&g->scratch, (bytes){f->name.data + p->method, p->suffix - p->method});
    const uint8_t *open = f->scope || g->scratch.failed ? NULL : memchr(g->scratch.data, '(', g->scratch.size);
    if (open)
        shorten(&g->scratch, (size_t)(open - g->scratch.data));
    if (!keep(g, &made->key.name))
        return false;
    made->key.line = view_source(&g->scratch, &g->r, f);
    return keep(g, &made->key.path);
}

static int by_key(const void *left, const void *right) {
    const gathered_function *a = left, *b = right;
    int order = contract_compare(&a->key, &b->key);
    return order ? order : list_compare(a->rank, b->rank);
}

/* Functions of the source that were called, in the order of their keys, each with its position among
 * equal ones. */
static bool find_functions(gathering *g) {
    const aggregate *run = g->run;
    g->functions = calloc((size_t)run->list.function_count + run->switch_count + 1, sizeof *g->functions);
    if (!g->functions)
        return false;
    for (uint32_t i = 0; i < run->list.function_count; i++) {
        const report_function *f = &run->list.functions[i];
        if (f->calls > 0 && !f->parts.helper && !describe(g, f, &g->functions[g->count++]))
            return false;
    }
    for (uint32_t i = 0; i < run->switch_count; i++) {
        if (!(run->switches[i].of.reasons & PROFILE_BY_GOVERNOR))
            continue;
        if (!describe(g, &run->switches[i].function, &g->functions[g->count]))
            return false;
        g->functions[g->count++].switched = true;
    }
    qsort(g->functions, g->count, sizeof *g->functions, by_key);
    for (uint32_t i = 1, first = 0; i < g->count; i++) { /* the first one's position is 0 when others are compared */
        if (contract_compare(&g->functions[i].key, &g->functions[first].key) != 0)
            first = i;
        g->functions[i].key.ordinal = i - first;
    }
    return true;
}

/* ---- Figures ---------------------------------------------------------------------------------------------------- */

static void see(contract_entry *e, contract_metric metric, uint64_t value) {
    contract_see(&e->values[metric], value, e->runs == 0);
}

static bool add_functions(gathering *g) {
    contract *c = g->c;
    const report_function *all = g->run->list.functions;
    for (uint32_t i = 0; i < g->run->list.function_count; i++)
        g->entries[i] = MAP_NONE;
    for (uint32_t i = 0; i < g->count; i++) {
        gathered_function *f = &g->functions[i];
        uint32_t entry = contract_entry_of(c, &f->key);
        if (entry == MAP_NONE)
            return false;
        contract_entry *e = &c->entries[entry];
        if (f->switched) {
            for (int m = 0; m < CONTRACT_METRICS; m++)
                e->values[m].unknown = true;
            continue;
        }
        g->entries[f->of - all] = entry;
        see(e, CONTRACT_CALLS, f->of->calls);
        see(e, CONTRACT_BYTES, f->of->figures.bytes);
        see(e, CONTRACT_EXCEPTIONS, f->of->by_exception);
    }
    return true;
}

static uint32_t type_entry(gathering *g, const report_type *type) {
    contract_entry key = {.is_type = true, .above = MAP_NONE};
    g->scratch.size = 0;
    view_text(&g->scratch, type->name);
    if (type->kind == NAMES_SITE_BOX)
        buffer_string(&g->scratch, " (boxed)");
    key.name = buffer_bytes(&g->scratch);
    return g->scratch.failed ? MAP_NONE : contract_entry_of(g->c, &key);
}

/* Objects by type. The method that allocates most of one stands for its place. */
static bool add_types(gathering *g) {
    const report_sites *sites = &g->run->sites;
    uint64_t *most = calloc((size_t)sites->type_count + 1, sizeof *most);
    uint32_t *entries = malloc(((size_t)sites->type_count + 1) * sizeof *entries);
    bool done = most && entries;
    for (uint32_t i = 0; i < sites->type_count && done; i++) {
        entries[i] = type_entry(g, &sites->types[i]);
        done = entries[i] != MAP_NONE;
        if (done)
            see(&g->c->entries[entries[i]], CONTRACT_OBJECTS, sites->types[i].objects);
        if (done)
            g->c->entries[entries[i]].runs++;
    }
    for (uint32_t i = 0; i < sites->count && done; i++) {
        const report_site *site = &sites->list[i];
        uint32_t where = site->function == FUNCTION_ROOT ? MAP_NONE : g->entries[site->function];
        if (where == MAP_NONE || site->objects <= most[site->type])
            continue;
        most[site->type] = site->objects;
        g->c->entries[entries[site->type]].path = g->c->entries[where].path;
        g->c->entries[entries[site->type]].line = g->c->entries[where].line;
    }
    free(most);
    free(entries);
    return done;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool add_edge(gathering *g, uint32_t caller, uint32_t callee, uint64_t calls) {
    contract *c = g->c;
    g->made[caller] = profile_add(g->made[caller], calls);
    if (c->runs > 0)
        return true;
    uint32_t *slot = map_slot(&g->edges, map_key(caller, callee));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&c->edges, c->edge_count, &c->edge_capacity, sizeof *c->edges))
            return false;
        *slot = c->edge_count;
        c->edges[c->edge_count++] = (contract_edge){.caller = caller, .callee = callee};
    }
    c->edges[*slot].calls = profile_add(c->edges[*slot].calls, calls);
    return true;
}

/* By the tree: what a method that no entry stands for calls, its caller calls. */
static bool add_tree(gathering *g) {
    const call_tree *t = &g->run->tree;
    uint32_t *nearest = calloc((size_t)t->node_count + 1, sizeof *nearest);
    bool done = nearest != NULL;
    if (done)
        nearest[0] = MAP_NONE;
    for (uint32_t i = 1; i < t->node_count && done; i++) {
        const fold_link *link = &t->places.links[i];
        uint32_t caller = nearest[link->parent];
        uint32_t entry = link_is_call(link) ? g->entries[node_function(link)] : MAP_NONE;
        nearest[i] = entry == MAP_NONE ? caller : entry;
        if (entry == MAP_NONE)
            continue;
        contract_entry *e = &g->c->entries[entry];
        uint32_t depth = t->depths[i];
        if (g->c->runs == 0 && (e->depth == 0 || depth < e->depth)) {
            e->depth = depth;
            e->above = caller;
        }
        if (caller != MAP_NONE)
            done = add_edge(g, caller, entry, node_number(t, NODE_CALLS, i));
    }
    free(nearest);
    return done;
}

/* A method under its name, for calls that say no more. */
typedef struct alias {
    uint32_t entry, next; /* with the same hash, or MAP_NONE */
    bytes name;
    uint64_t parameters;
} alias;

typedef struct aliases {
    alias *list;
    uint32_t count;
    map by_hash;
} aliases;

static uint64_t alias_hash(bytes name, uint64_t parameters) {
    return hash_bytes(HASH_START ^ parameters, name);
}

static bool find_aliases(const gathering *g, aliases *a) {
    const function_list *list = &g->run->list;
    a->list = calloc((size_t)list->function_count + 1, sizeof *a->list);
    if (!a->list)
        return false;
    for (uint32_t i = 0; i < list->function_count; i++) {
        const report_function *f = &list->functions[i];
        if (!f->names || g->entries[i] == MAP_NONE)
            continue;
        const names_method *m = &f->names->methods[f->method];
        bytes name = names_simple(names_text(f->names, m->name));
        uint64_t parameters = names_parameters_in(names_text(f->names, m->parameters));
        uint32_t *slot = map_slot(&a->by_hash, alias_hash(name, parameters));
        if (!slot)
            return false;
        a->list[a->count] = (alias){g->entries[i], *slot, name, parameters};
        *slot = a->count++;
    }
    return true;
}

/* Edges to all that have the name of a callee of another module, or of a virtual one. */
static bool add_named(gathering *g, const aliases *a, uint32_t caller, const names_callee *callee) {
    for (uint32_t i = map_find(&a->by_hash, alias_hash(callee->name, callee->parameters)); i != MAP_NONE;
         i = a->list[i].next)
        if (a->list[i].parameters == callee->parameters && bytes_equal(a->list[i].name, callee->name) &&
            !add_edge(g, caller, a->list[i].entry, 0))
            return false;
    return true;
}

/* The entry of a method by its index in the names of its module; of what a compiler made for another one, that one's.
 */
static uint32_t entry_by_index(const names *n, const uint32_t *by_index, uint32_t method) {
    uint32_t owner = n->methods[method].owner;
    return by_index[owner ? owner - 1 : method];
}

static bool add_calls_of(gathering *g, const names *n, const aliases *a, uint32_t *by_index) {
    for (uint32_t i = 0; i < n->method_count; i++)
        by_index[i] = MAP_NONE;
    for (uint32_t i = 0; i < g->run->list.function_count; i++)
        if (g->run->list.functions[i].names == n)
            by_index[g->run->list.functions[i].method] = g->entries[i];
    bool done = true;
    for (uint32_t i = 0, at = 0; i < n->method_count && done; i++) {
        uint32_t caller = entry_by_index(n, by_index, i);
        for (; at < n->call_ends[i] && done; at++) {
            uint32_t call = n->calls[at];
            if (caller == MAP_NONE)
                continue;
            uint32_t callee = call % 2 ? MAP_NONE : entry_by_index(n, by_index, call / 2);
            if (call % 2)
                done = add_named(g, a, caller, &n->callees[call / 2]);
            else if (callee != MAP_NONE)
                done = add_edge(g, caller, callee, 0);
        }
    }
    return done;
}

/* Where calls were only counted: by the IL of their modules. */
static bool add_static(gathering *g) {
    const function_list *list = &g->run->list;
    aliases a = {0};
    bool done = find_aliases(g, &a);
    for (uint32_t i = 0; i < list->module_count && done; i++) {
        const names *n = list->modules[i].named ? list->modules[i].names : NULL;
        if (!n || !n->call_ends)
            continue;
        uint32_t *by_index = malloc(((size_t)n->method_count + 1) * sizeof *by_index);
        done = by_index && add_calls_of(g, n, &a, by_index);
        free(by_index);
    }
    free(a.list);
    map_clear(&a.by_hash);
    return done;
}

/* ---- A run ------------------------------------------------------------------------------------------------------ */

static void see_known(contract *c, const aggregate *run) {
    const uint64_t runs = run->runs;
    const bool trees = !aggregate_only_counts(run);
    const bool known[CONTRACT_METRICS] = {
        [CONTRACT_CALLS] = true,
        [CONTRACT_MADE] = trees,
        [CONTRACT_BYTES] = trees && run->counted.bytes >= runs,
        [CONTRACT_EXCEPTIONS] = trees,
        [CONTRACT_OBJECTS] = run->counted.objects >= runs,
    };
    for (int m = 0; m < CONTRACT_METRICS; m++)
        c->known[m] = known[m] && (c->runs == 0 || c->known[m]);
    if (c->runs == 0)
        c->trees = trees;
}

ecma_status contract_gather(contract *c, const aggregate *run, const ilj_check_options *options, diag *d) {
    const ilj_report_options sources = {.sources = options->sources, .source_count = options->source_count};
    gathering g = {.c = c, .run = run, .r = {.sum = run, .options = &sources}};
    see_known(c, run);
    g.entries = malloc(((size_t)run->list.function_count + 1) * sizeof *g.entries);
    bool done = g.entries && find_functions(&g) && add_functions(&g);
    g.made = done ? calloc((size_t)c->count + 1, sizeof *g.made) : NULL;
    done = g.made && (c->known[CONTRACT_MADE] ? add_tree(&g) : add_static(&g));
    for (uint32_t i = 0; i < g.count && done; i++) {
        uint32_t entry = g.functions[i].switched ? MAP_NONE : g.entries[g.functions[i].of - run->list.functions];
        if (entry == MAP_NONE)
            continue;
        see(&c->entries[entry], CONTRACT_MADE, g.made[entry]);
        c->entries[entry].runs++;
    }
    done = done && add_types(&g);
    c->runs++;
    free(g.functions);
    free(g.entries);
    free(g.made);
    map_clear(&g.edges);
    arena_clear(&g.memory);
    buffer_clear(&g.scratch);
    return done ? ECMA_OK : diag_no_memory(d);
}

static int by_callee(const void *left, const void *right) {
    const contract_edge *a = left, *b = right;
    return a->callee != b->callee ? list_compare(a->callee, b->callee) : list_compare(a->caller, b->caller);
}

void contract_finish(contract *c) {
    for (uint32_t i = 0; i < c->count; i++)
        for (int m = 0; m < CONTRACT_METRICS && c->entries[i].runs < c->runs; m++)
            c->entries[i].values[m].least = 0;
    if (c->edge_count)
        qsort(c->edges, c->edge_count, sizeof *c->edges, by_callee);
}
