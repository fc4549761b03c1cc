#include "report/model/match.h"

#include <stdlib.h>

#include "profile/names_lambdas.h"
#include "util/large.h"
#include "util/list.h"
#include "util/text_keep.h"

enum {
    MAX_TEXT_BYTES = 1 << 30, /* full names of one report */
};

/* ---- Modules ---------------------------------------------------------------------------------------------------- */

/* One without an MVID is known by its assembly's name. */
static bool same_module(const report_module *a, const report_module *b) {
    static const uint8_t none[sizeof a->mvid];
    return a->named == b->named && memcmp(a->mvid, b->mvid, sizeof a->mvid) == 0 &&
           (memcmp(a->mvid, none, sizeof none) != 0 || bytes_equal(a->assembly, b->assembly));
}

/* Reads the names of `m`, or takes them from a module that was given the very same resource. Not having them is no
 * failure: *fault says why, and the module is known by its own MVID. */
static ecma_status read_names(function_list *a, report_module *made, const profile_module *m, const char **fault) {
    *made = (report_module){.assembly = m->assembly, .method_count = m->method_count, .next_alike = MAP_NONE};
    memcpy(made->mvid, m->mvid, sizeof made->mvid);
    for (uint32_t i = a->module_count; i-- > 0;)
        if (a->modules[i].named && a->modules[i].names->method_count == m->method_count &&
            bytes_equal(a->modules[i].resource, m->names)) {
            made->names = a->modules[i].names;
            *fault = NULL;
            goto named;
        }
    names *read = arena_alloc(&a->memory, sizeof *read);
    if (!read)
        return ECMA_NO_MEMORY;
    ecma_status status = names_read(read, fault, &a->memory, m->names, &a->names_room);
    if (status == ECMA_OK && !names_number_lambdas(read, &a->memory))
        return ECMA_NO_MEMORY;
    if (status == ECMA_OK) {
        made->names = read;
        *fault = read->method_count == m->method_count ? NULL : "they are not those of as many methods as registered";
    }
    if (status == ECMA_NO_MEMORY || *fault)
        return status == ECMA_NO_MEMORY ? status : ECMA_OK;
named:
    made->named = true;
    made->resource = m->names;
    made->module = made->names->module;
    made->leaf_count = made->names->leaf_count + made->names->told_apart;
    memcpy(made->mvid, made->names->mvid, sizeof made->mvid);
    return ECMA_OK;
}

/* Keeps the names of a module once. */
static bool keep_names(function_list *a, uint32_t module, const names *names) {
    for (uint32_t i = a->read_count; i-- > 0;)
        if (a->read[i].names == names && a->read[i].module == module)
            return true;
    if (!list_grow((void **)&a->read, a->read_count, &a->read_capacity, sizeof *a->read))
        return false;
    a->read[a->read_count++] = (list_names){module, names};
    return true;
}

/* The position of the list's module that `m` is, in *position; *own gets the names by which `m` numbers its methods. */
static ecma_status add_module(function_list *a, uint32_t *position, const names **own, const profile_module *m,
                              diag *d) {
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
            if (a->modules[i].method_count < made.method_count) {
                a->modules[i].method_count = made.method_count;
                a->modules[i].leaf_count = made.leaf_count;
            }
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

/* The meaning of an id that was asked for before. */
typedef struct known_function {
    uint32_t function; /* 1 + position; 0: not asked for yet */
    profile_machine machine;
} known_function;

/* The module of the list that a profile's module is. */
typedef struct match_module {
    uint32_t position;
    const names *names;
    known_function *known; /* of its methods; NULL when the names are missing */
} match_module;

/* `App!#12`: for a method whose name is not known. */
static void make_number(function_list *a, report_function *f) {
    buffer *b = &a->scratch;
    b->size = 0;
    if (f->module == NO_MODULE) {
        buffer_printf(b, "?0x%x", f->number);
    } else {
        bytes assembly = function_assembly(a, f);
        buffer_append(b, assembly.data, assembly.size < NAMES_MAX_NAME ? assembly.size : NAMES_MAX_NAME);
        buffer_string(b, "!");
        f->parts.method = (uint32_t)b->size;
        buffer_printf(b, f->row ? "0x%08x" : "#%u", f->row ? 0x06000000u + f->row : f->number);
    }
    f->parts.parameters = f->parts.suffix = (uint32_t)b->size;
}

static bool try_name(function_list *a, report_function *f, const names *names, uint32_t method) {
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

/* The meaning of an id: the method it is, or the one that the user wrote where it is the MoveNext of a machine. */
typedef struct meaning {
    report_function function; /* without a name yet */
    uint32_t method;          /* index in the names */
    profile_machine machine;
} meaning;

static meaning meaning_of(const matching *match, uint32_t id) {
    const function_list *a = match->list;
    const profile *p = match->p;
    meaning found = {.function = {.module = NO_MODULE, .number = id, .id = id, .durations = DURATIONS_INIT}};
    const profile_module *m = profile_module_of(p, id);
    if (!m)
        return found;
    const match_module *link = &match->modules[m - p->modules];
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
    found.function.outermost = (method->flags & NAMES_OUTERMOST) != 0;
    found.function.leaf = (method->flags & NAMES_LEAF) && !found.function.outermost;
    found.function.scope = (method->flags & NAMES_SCOPE) != 0;
    found.function.command = found.function.scope && (method->flags & NAMES_COMMAND);
    return found;
}

/* Gives the function that is meant its name, and asks the filter; false: memory ran out. */
static bool describe(matching *match, uint32_t id, meaning *found) {
    function_list *a = match->list;
    report_function *f = &found->function;
    const profile_module *m = profile_module_of(match->p, id);
    if (f->row != 0) {
        f->names = match->modules[m - match->p->modules].names;
        f->method = found->method;
    }
    if (!try_name(a, f, f->names, found->method))
        return false;
    const filter_method asked = {m ? m->assembly : (bytes){0}, f->names, f->method, f->name, f->parts};
    f->wanted = filter_wants(&a->filter, &asked, &a->scratch);
    return !a->scratch.failed;
}

/* With raw names a MoveNext is a function of its own, each of whose calls is a slice. */
static bool is_slice(const report_function *f) {
    return f->names && (f->names->methods[f->method].flags & NAMES_ASYNC);
}

bool match_is_entry(const report_function *f) {
    static const char name[] = "<Main>";
    return f->names &&
           bytes_equal(names_text(f->names, f->names->methods[f->method].name), bytes_of(name, sizeof name - 1));
}

/* Leaves have no row that another selection of them would give them, too: the name is what a leaf is known by in its
 * module. Gives it a number above all rows. */
static bool number_leaf(matching *match, uint32_t id, meaning *found) {
    const uint32_t above_rows = UINT32_C(1) << 31;
    function_list *a = match->list;
    report_function *f = &found->function;
    if (!describe(match, id, found))
        return false;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < f->name.size; i++)
        hash = (hash ^ f->name.data[i]) * 16777619u;
    for (f->number = hash | above_rows;; f->number = (f->number + 1) | above_rows) {
        uint32_t at = map_find(&a->function_map, map_key(f->module, f->number));
        if (at == MAP_NONE || bytes_equal(a->functions[at].name, f->name))
            return true;
    }
}

/* With raw names a MoveNext is none, and its method, which is, has no slices. */
static void set_root(function_list *a, report_function *f) {
    const names_method *method = f->names ? &f->names->methods[f->method] : NULL;
    if (!method)
        return;
    f->root = (uint8_t)(method->root ? method->root : method->route ? NAMES_ROOT_REQUEST : 0);
    a->has_roots |= method->root != 0;
}

/* The function that is meant, which is made when there is none yet; FUNCTION_ROOT when memory ran out. */
static uint32_t function_meant(matching *match, uint32_t id, meaning found) {
    function_list *a = match->list;
    report_function *f = &found.function;
    if ((f->leaf || f->outermost) && !number_leaf(match, id, &found))
        return FUNCTION_ROOT;
    uint32_t *slot = map_slot(&a->function_map, map_key(f->module, f->number));
    if (!slot)
        return FUNCTION_ROOT;
    if (*slot != MAP_NONE)
        return *slot;
    *slot = a->function_count; /* a failure below ends the whole report, so that the slot may dangle */
    if (a->function_count >= FUNCTIONS_MOST ||
        !list_grow((void **)&a->functions, a->function_count, &a->function_capacity, sizeof *a->functions) ||
        !describe(match, id, &found))
        return FUNCTION_ROOT;
    a->has_entry |= match_is_entry(f);
    set_root(a, f);
    f->apart = is_slice(f);
    a->functions[a->function_count++] = *f;
    return *slot;
}

/* Calls that a module which counts has by their caller are counted with all calls, too. */
static bool is_unshown(const matching *match, uint32_t id) {
    const profile_module *m = profile_module_of(match->p, id);
    const names *n = m ? match_names(match, (uint32_t)(m - match->p->modules)) : NULL;
    return n && n->told_apart > 0 &&
           (n->methods[id - m->base].flags & (NAMES_OUTERMOST | NAMES_LEAF)) == NAMES_OUTERMOST;
}

uint32_t match_function(matching *match, uint32_t id, profile_machine *machine) {
    const profile_module *m = match->last;
    if (!m || !profile_module_has(m, id)) /* most follow one of the same */
        m = match->last = profile_module_of(match->p, id);
    match_module *module = m ? &match->modules[m - match->p->modules] : NULL;
    known_function *known = module && module->known ? &module->known[id - m->base] : NULL;
    if (known && known->function != 0) {
        *machine = known->machine;
        return known->function - 1;
    }
    meaning found = meaning_of(match, id);
    uint32_t function = function_meant(match, id, found);
    *machine = found.machine;
    if (function == FUNCTION_ROOT)
        return FUNCTION_ROOT;
    if (found.machine != PROFILE_PLAIN)
        match->list->functions[function].machine = found.machine;
    if (known)
        *known = (known_function){function + 1, found.machine};
    return function;
}

const names *match_names(const matching *match, uint32_t module) {
    const match_module *link = &match->modules[module];
    return match->list->modules[link->position].named ? link->names : NULL;
}

uint32_t match_known(const matching *match, uint32_t id, uint32_t *module) {
    const report_function f = meaning_of(match, id).function;
    uint32_t known = map_find(&match->list->function_map, map_key(f.module, f.number));
    *module = f.module;
    return known == MAP_NONE ? FUNCTION_ROOT : known;
}

uint32_t match_asked(const matching *match, uint32_t module, uint32_t method) {
    const known_function *known = match->modules[module].known;
    return known && known[method].function != 0 ? known[method].function - 1 : FUNCTION_ROOT;
}

bool match_describe(matching *match, uint32_t id, report_function *f) {
    meaning found = meaning_of(match, id);
    if (!describe(match, id, &found))
        return false;
    *f = found.function;
    f->machine = found.machine;
    return true;
}

void function_list_clear(function_list *list) {
    free(list->functions);
    free(list->modules);
    free(list->read);
    map_clear(&list->function_map);
    map_clear(&list->module_map);
    arena_clear(&list->memory);
    buffer_clear(&list->scratch);
    *list = (function_list){0};
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static bool match_nodes(matching *match, matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    t->nodes = large_alloc(of->node_count, sizeof *t->nodes);
    if (!t->nodes)
        return false;
    t->nodes[0] = (matched_node){FUNCTION_ROOT, PROFILE_PLAIN};
    for (uint32_t i = 1; i < of->node_count; i++) {
        uint32_t function = FUNCTION_FOLDED;
        profile_machine machine = PROFILE_PLAIN;
        if (match->any_unshown && is_unshown(match, of->ids[i]))
            function = FUNCTION_UNSHOWN;
        else if (of->ids[i] != PROFILE_ID_FOLDED)
            function = match_function(match, of->ids[i], &machine);
        if (function == FUNCTION_ROOT)
            return false;
        t->nodes[i] = (matched_node){function & (FUNCTION_BITS - 1), (uint32_t)machine & 15};
    }
    return true;
}

static bool match_async(matching *match, matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    t->async = malloc(((size_t)of->async_count + 1) * sizeof *t->async);
    if (!t->async)
        return false;
    t->async[0] = FUNCTION_ROOT;
    for (uint32_t i = 1; i < of->async_count; i++) {
        profile_machine machine;
        t->async[i] = match_function(match, of->async[i].id, &machine);
        if (t->async[i] == FUNCTION_ROOT)
            return false;
    }
    return true;
}

static bool match_histograms(matching *match, matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    t->histograms = malloc(((size_t)of->histogram_count + 1) * sizeof *t->histograms);
    if (!t->histograms)
        return false;
    for (uint32_t i = 0; i < of->histogram_count; i++) {
        profile_machine machine;
        t->histograms[i] = match_function(match, of->histograms[i].id, &machine);
        if (t->histograms[i] == FUNCTION_ROOT)
            return false;
        if (machine != PROFILE_PLAIN)
            t->histograms[i] = FUNCTION_ROOT;
    }
    return true;
}

static bool match_below(matching *match, matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < of->below_count; i++)
        count += of->below[i].count;
    t->below = malloc((count + 1) * sizeof *t->below);
    if (!t->below)
        return false;
    for (uint32_t i = 0; i < of->below_count; i++)
        for (uint32_t k = 0; k < of->below[i].count; k++) {
            profile_machine machine;
            t->below[at] = match_function(match, of->below[i].ids[k], &machine);
            if (t->below[at++] == FUNCTION_ROOT)
                return false;
        }
    return true;
}

bool match_thread(matching *match, matched_thread *t) {
    return match_nodes(match, t) && match_async(match, t) && match_histograms(match, t) && match_below(match, t);
}

bool match_calls(matching *match, matched_profile *of) {
    const calls *c = &match->p->calls;
    profile_machine machine;
    of->methods = malloc(((size_t)c->method_count + 1) * sizeof *of->methods);
    of->callers = malloc(((size_t)c->count + 1) * sizeof *of->callers);
    if (!of->methods || !of->callers)
        return false;
    for (uint32_t i = 0; i < c->method_count; i++)
        if ((of->methods[i] = match_function(match, c->methods[i].id, &machine)) == FUNCTION_ROOT)
            return false;
    for (uint32_t i = 0; i < c->count; i++) {
        bool known = c->list[i].caller >= PROFILE_ID_FIRST;
        of->callers[i] = known ? match_function(match, c->list[i].caller, &machine) : FUNCTION_ROOT;
        if (known && of->callers[i] == FUNCTION_ROOT)
            return false;
    }
    return true;
}

void matched_thread_clear(matched_thread *t) {
    corrected_clear(&t->corrected);
    free(t->nodes);
    free(t->async);
    free(t->histograms);
    free(t->below);
    *t = MATCHED_THREAD_INIT;
}

void matched_profile_clear(matched_profile *p) {
    for (uint32_t i = 0; i < p->thread_count; i++)
        matched_thread_clear(&p->threads[i]);
    free(p->threads);
    free(p->methods);
    free(p->callers);
    *p = (matched_profile){.keep_threads = p->keep_threads};
}

/* ---- A profile -------------------------------------------------------------------------------------------------- */

ecma_status match_start(matching *match, function_list *list, const profile *p, diag *d) {
    *match = (matching){.list = list, .p = p, .modules = calloc(p->module_count + 1, sizeof *match->modules)};
    if (!match->modules)
        return diag_no_memory(d);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < p->module_count && status == ECMA_OK; i++) {
        match_module *made = &match->modules[i];
        const profile_module *m = &p->modules[i];
        status = add_module(list, &made->position, &made->names, m, d);
        if (status == ECMA_OK && list->modules[made->position].named && !keep_names(list, made->position, made->names))
            status = diag_no_memory(d);
        if (status == ECMA_OK && list->modules[made->position].named) {
            match->any_unshown |= made->names->told_apart > 0;
            made->known = calloc((size_t)m->method_count + 1, sizeof *made->known);
            status = made->known ? ECMA_OK : diag_no_memory(d);
        }
    }
    return status;
}

void match_end(matching *match) {
    for (size_t i = 0; match->modules && i < match->p->module_count; i++)
        free(match->modules[i].known);
    free(match->modules);
    *match = MATCHING_INIT;
}
