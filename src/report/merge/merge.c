#include "report/merge/merge.h"

#include <stdlib.h>

#include "profile/correct.h"
#include "profile/splice.h"
#include "util/hash.h"
#include "util/list.h"
#include "util/text_keep.h"

enum { MAX_MODULES = 1 << 20, MAX_TYPES = (1 << 28) - 2 };
#define LAST_NUMBER ((uint64_t)INT32_MAX)

/* ---- Modules ---------------------------------------------------------------------------------------------------- */

static uint32_t *module_slot(merge *m, const profile_module *of) {
    uint64_t hash = load_u64(of->mvid) * 31 + load_u64(of->mvid + 8) + of->names.size * 7 + of->method_count;
    return map_slot(&m->module_map, hash);
}

static uint32_t find_module(const merge *m, uint32_t alike, const profile_module *of) {
    for (; alike != MAP_NONE; alike = m->modules[alike].next_alike) {
        const merge_module *known = &m->modules[alike];
        if (known->method_count == of->method_count && memcmp(known->mvid, of->mvid, sizeof known->mvid) == 0 &&
            bytes_equal(known->assembly, of->assembly) && bytes_equal(known->names, of->names))
            break;
    }
    return alike;
}

/* Before anything is added: would the modules that are new fit? */
static ecma_status check_room(merge *m, const profile *p, diag *d) {
    uint64_t next = m->next_number, modules = m->module_count;
    for (size_t i = 0; i < p->module_count; i++) {
        uint32_t *slot = module_slot(m, &p->modules[i]);
        if (!slot)
            return diag_no_memory(d);
        if (find_module(m, *slot, &p->modules[i]) != MAP_NONE)
            continue;
        next += p->modules[i].method_count;
        modules++;
    }
    if (next > LAST_NUMBER || modules > MAX_MODULES)
        return diag_report(d, DIAG_MERGE_LIMIT,
                           "with this profile there are %llu modules with %llu methods; one profile holds at most %d "
                           "modules and %llu methods",
                           (unsigned long long)modules, (unsigned long long)next - PROFILE_ID_FIRST, MAX_MODULES,
                           (unsigned long long)LAST_NUMBER - PROFILE_ID_FIRST);
    return ECMA_OK;
}

static bool add_module(merge *m, uint32_t *first, const profile_module *of) {
    uint32_t *slot = module_slot(m, of);
    if (!slot)
        return false;
    uint32_t known = find_module(m, *slot, of);
    if (known == MAP_NONE) {
        merge_module made = {.first = m->next_number,
                             .method_count = of->method_count,
                             .assembly = of->assembly,
                             .names = of->names,
                             .next_alike = *slot};
        memcpy(made.mvid, of->mvid, sizeof made.mvid);
        if (!list_grow((void **)&m->modules, m->module_count, &m->module_capacity, sizeof *m->modules) ||
            !text_keep(&m->memory, &made.assembly) || !text_keep(&m->memory, &made.names))
            return false;
        m->next_number += made.method_count;
        known = *slot = m->module_count++;
        m->modules[known] = made;
    }
    *first = m->modules[known].first;
    return true;
}

/* ---- Types of exceptions ---------------------------------------------------------------------------------------- */

/* 1 + the type's position; 0 for a type without a name, which says as little as none. MAP_NONE when memory ran out. */
static uint32_t type_of(merge *m, bytes name) {
    if (name.size == 0)
        return 0;
    uint32_t *slot = map_slot(&m->type_map, hash_bytes(HASH_START, name));
    if (!slot)
        return MAP_NONE;
    for (uint32_t i = *slot; i != MAP_NONE; i = m->types[i].next_alike)
        if (bytes_equal(m->types[i].name, name))
            return i + 1;
    merge_type made = {.name = name, .next_alike = *slot};
    if (m->type_count >= MAX_TYPES ||
        !list_grow((void **)&m->types, m->type_count, &m->type_capacity, sizeof *m->types) ||
        !text_keep(&m->memory, &made.name))
        return MAP_NONE;
    *slot = m->type_count;
    m->types[m->type_count++] = made;
    return m->type_count;
}

static bool find_types(merge *m, uint32_t **types, const profile_thread *t) {
    *types = calloc((size_t)t->exception_type_count + 1, sizeof **types);
    if (!*types)
        return false;
    /* Those that no path has are not kept. */
    for (uint32_t i = 0; i < t->path_count; i++) {
        uint32_t type = t->paths[i].type;
        if (type != 0 && (*types)[type - 1] == 0 &&
            ((*types)[type - 1] = type_of(m, t->exception_types[type - 1])) == MAP_NONE)
            return false;
    }
    return true;
}

/* ---- Histograms ------------------------------------------------------------------------------------------------- */

static bool add_histogram(merge *m, const profile_histogram *h, const merge_lens *lens) {
    uint32_t number = merge_number_of(lens, h->id);
    uint32_t *slot = map_slot(&m->histogram_map, number);
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&m->histograms, m->histogram_count, &m->histogram_capacity, sizeof *m->histograms))
            return false;
        *slot = m->histogram_count++;
        m->histograms[*slot] = (merge_histogram){number, DURATIONS_INIT};
    }
    return durations_add(&m->histograms[*slot].sum, &m->memory, &lens->p->run, h);
}

/* ---- Methods that were switched off ------------------------------------------------------------------------------ */

static bool add_switch(merge *m, const profile_switch *s, const merge_lens *lens) {
    uint32_t number = merge_number_of(lens, s->id);
    uint32_t *slot = map_slot(&m->switch_map, number);
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&m->switches, m->switch_count, &m->switch_capacity, sizeof *m->switches))
            return false;
        *slot = m->switch_count++;
        m->switches[*slot] = (merge_switch){number, *s};
        return true;
    }
    profile_switch *sum = &m->switches[*slot].sum;
    sum->reasons |= s->reasons;
    sum->at_ns = s->at_ns < sum->at_ns ? s->at_ns : sum->at_ns;
    sum->calls = profile_add(sum->calls, s->calls);
    return true;
}

/* ---- Places that allocate objects -------------------------------------------------------------------------------- */

static bool add_site(merge *m, const profile_site *s, const merge_lens *lens) {
    uint32_t number = lens->first[s->module];
    uint32_t *slot = map_slot(&m->site_map, map_key(number, s->site));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&m->sites, m->site_count, &m->site_capacity, sizeof *m->sites))
            return false;
        *slot = m->site_count++;
        m->sites[*slot] = (merge_site){number, s->site, 0};
    }
    m->sites[*slot].objects = profile_add(m->sites[*slot].objects, s->objects);
    return true;
}

/* ---- Trees ------------------------------------------------------------------------------------------------------ */

/* The tree of this name; it is made unless `only_known`. NULL when there is none, or no memory. */
static merge_tree *tree_named(merge *m, bytes name, bool tells_waits, bool only_known) {
    for (uint32_t i = 0; i < m->tree_count; i++)
        if (m->trees[i].tells_waits == tells_waits && bytes_equal(m->trees[i].name, name))
            return &m->trees[i];
    if (only_known || !list_grow((void **)&m->trees, m->tree_count, &m->tree_capacity, sizeof *m->trees))
        return NULL;
    if (!merge_tree_start(&m->trees[m->tree_count], name, tells_waits)) {
        merge_tree_clear(&m->trees[m->tree_count]);
        return NULL;
    }
    return &m->trees[m->tree_count++];
}

/* The tree for a thread of this name. Where there are too many names, the last one by its bytes loses its own: its
 * threads are then among those without a name. */
static merge_tree *tree_for(merge *m, bytes name, bool tells_waits) {
    merge_tree *known = tree_named(m, name, tells_waits, true);
    if (known || name.size == 0)
        return known ? known : tree_named(m, name, tells_waits, false);
    uint32_t named = 0, last = 0;
    for (uint32_t i = 0; i < m->tree_count; i++) {
        if (m->trees[i].name.size == 0 || m->trees[i].tells_waits != tells_waits)
            continue;
        if (named++ == 0 || bytes_compare(m->trees[last].name, m->trees[i].name) < 0)
            last = i;
    }
    if (named < MERGE_LISTED)
        return tree_named(m, name, tells_waits, false);
    if (bytes_compare(m->trees[last].name, name) < 0)
        return tree_named(m, (bytes){NULL, 0}, tells_waits, false);
    merge_tree *rest = tree_named(m, (bytes){NULL, 0}, tells_waits, false);
    if (!rest || !merge_tree_join(rest, &m->trees[last]))
        return NULL;
    merge_tree_clear(&m->trees[last]);
    m->trees[last] = m->trees[--m->tree_count];
    return tree_named(m, name, tells_waits, false);
}

/* ---- Profiles --------------------------------------------------------------------------------------------------- */

/* False when memory ran out. */
static bool add_thread(merge *m, const profile_thread *t, const merge_lens *lens) {
    uint32_t *types = NULL;
    corrected_thread from = CORRECTED_INIT;
    bool done = correct_thread_both(&from, &lens->p->run, t) && splice_thread(&from, lens->p);
    merge_tree *to = done ? tree_for(m, t->name, profile_tells_waits(&lens->p->run, t)) : NULL;
    for (uint32_t k = 0; k < from.t.histogram_count && to; k++)
        if (!add_histogram(m, &from.t.histograms[k], lens))
            to = NULL;
    done = to && find_types(m, &types, &from.t) && merge_tree_add(to, &from, lens, types);
    m->runs.sum.spliced_ns = profile_add(m->runs.sum.spliced_ns, from.spliced_ns);
    free(types);
    corrected_clear(&from);
    return done;
}

ecma_status merge_add(merge *m, const profile *p, diag *d) {
    if (m->next_number == 0)
        m->next_number = PROFILE_ID_FIRST;
    ecma_status status = check_room(m, p, d);
    if (status != ECMA_OK)
        return status;
    uint32_t *first = calloc(p->module_count + 1, sizeof *first);
    bool done = first != NULL;
    for (size_t i = 0; i < p->module_count && done; i++)
        done = add_module(m, &first[i], &p->modules[i]);
    const merge_lens lens = {p, first};
    for (size_t i = 0; i < p->thread_count && done; i++)
        done = add_thread(m, &p->threads[i], &lens);
    for (uint32_t i = 0; i < p->switch_count && done; i++)
        done = add_switch(m, &p->switches[i], &lens);
    for (uint32_t i = 0; i < p->site_count && done; i++)
        done = add_site(m, &p->sites[i], &lens);
    done = done && merge_runs_add(&m->runs, p);
    free(first);
    return done ? ECMA_OK : diag_no_memory(d);
}

void merge_clear(merge *m) {
    for (uint32_t i = 0; i < m->tree_count; i++)
        merge_tree_clear(&m->trees[i]);
    free(m->trees);
    free(m->modules);
    free(m->types);
    free(m->histograms);
    free(m->switches);
    free(m->sites);
    map_clear(&m->site_map);
    map_clear(&m->switch_map);
    map_clear(&m->histogram_map);
    map_clear(&m->module_map);
    map_clear(&m->type_map);
    merge_runs_clear(&m->runs);
    arena_clear(&m->memory);
    *m = MERGE_INIT;
}
