#include "report/merge/write.h"

#include <stdlib.h>

#include "util/list.h"

/* One order for everything, so that equal content is equal bytes: modules by what they are, ids by module, children by
 * id, trees, types and paths by name and place. */

/* ---- Modules and ids -------------------------------------------------------------------------------------------- */

static int by_identity(const void *left, const void *right) {
    const merge_module *a = *(const merge_module *const *)left, *b = *(const merge_module *const *)right;
    int order = memcmp(a->mvid, b->mvid, sizeof a->mvid);
    if (order == 0)
        order = list_compare(a->method_count, b->method_count);
    if (order == 0)
        order = bytes_compare(a->assembly, b->assembly);
    return order ? order : bytes_compare(a->names, b->names);
}

static int by_value(const void *left, const void *right) {
    return list_compare(*(const uint32_t *)left, *(const uint32_t *)right);
}

static bool note_unknown(ids *s, uint32_t number) {
    if (!(number & MERGE_UNKNOWN) || (number & ~MERGE_UNKNOWN) < PROFILE_ID_FIRST)
        return true;
    if (!list_grow((void **)&s->unknown, s->unknown_count, &s->unknown_capacity, sizeof *s->unknown))
        return false;
    s->unknown[s->unknown_count++] = number & ~MERGE_UNKNOWN;
    return true;
}

static bool find_unknown(ids *s) {
    for (uint32_t i = 0; i < s->m->tree_count; i++) {
        const merge_tree *t = &s->m->trees[i];
        for (uint32_t k = 1; k < t->calls.count; k++)
            if (!note_unknown(s, t->calls.links[k].key))
                return false;
        for (uint32_t k = 1; k < t->starts.count; k++)
            if (!note_unknown(s, t->starts.links[k].key))
                return false;
        for (uint32_t k = 0; k < t->below_count; k++)
            if (t->below[k].number != PROFILE_ID_FOLDED && !note_unknown(s, t->below[k].number))
                return false;
    }
    for (uint32_t i = 0; i < s->m->histogram_count; i++)
        if (!note_unknown(s, s->m->histograms[i].number))
            return false;
    for (uint32_t i = 0; i < s->m->switch_count; i++)
        if (!note_unknown(s, s->m->switches[i].number))
            return false;
    if (s->unknown_count > 0)
        qsort(s->unknown, s->unknown_count, sizeof *s->unknown, by_value);
    return true;
}

static ecma_status give_bases(ids *s, diag *d) {
    const merge *m = s->m;
    s->sorted = calloc((size_t)m->module_count + 1, sizeof *s->sorted);
    s->bases = calloc((size_t)m->module_count + 1, sizeof *s->bases);
    if (!s->sorted || !s->bases || !find_unknown(s))
        return diag_no_memory(d);
    for (uint32_t i = 0; i < m->module_count; i++)
        s->sorted[i] = &m->modules[i];
    if (m->module_count > 0)
        qsort(s->sorted, m->module_count, sizeof *s->sorted, by_identity);
    uint64_t next = PROFILE_ID_FIRST;
    uint32_t passed = 0;
    for (uint32_t i = 0; i < m->module_count; i++) {
        uint32_t methods = s->sorted[i]->method_count;
        for (; passed < s->unknown_count && s->unknown[passed] < next + methods; passed++)
            if (s->unknown[passed] >= next)
                next = (uint64_t)s->unknown[passed] + 1;
        if (next + methods > (uint64_t)INT32_MAX + 1 || next > INT32_MAX)
            return diag_report(d, DIAG_MERGE_LIMIT, "the methods of all modules together have no room below id 2^31");
        s->bases[s->sorted[i] - m->modules] = (uint32_t)next;
        next += methods;
    }
    return ECMA_OK;
}

static void put_modules(buffer *b, const ids *s) {
    buffer_varuint(b, s->m->module_count);
    for (uint32_t i = 0; i < s->m->module_count; i++) {
        const merge_module *m = s->sorted[i];
        buffer_varuint(b, s->bases[m - s->m->modules]);
        buffer_varuint(b, m->method_count);
        merge_string(b, m->assembly);
        buffer_append(b, m->mvid, sizeof m->mvid);
        merge_string(b, m->names);
    }
}
/* ---- Sections --------------------------------------------------------------------------------------------------- */

/* The section of all trees; the payload stays empty when there is none. False when memory ran out. */
static bool put_histograms(buffer *b, const ids *s) {
    const merge *m = s->m;
    place *places = calloc((size_t)m->histogram_count + 1, sizeof *places);
    const uint32_t count = m->histogram_count;
    if (!places)
        return false;
    for (uint32_t i = 0; i < count; i++)
        places[i] = (place){.id = merge_id_of(s, m->histograms[i].number), .node = i};
    if (count > 0) {
        qsort(places, count, sizeof *places, merge_by_place);
        buffer_varuint(b, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *counts = m->histograms[places[i].node].sum.counts;
        uint32_t first = 0, end = PROFILE_BUCKETS;
        while (end > 0 && counts[end - 1] == 0)
            end--;
        while (first < end && counts[first] == 0)
            first++;
        buffer_varuint(b, places[i].id);
        buffer_varuint(b, first);
        buffer_varuint(b, end - first);
        for (uint32_t k = first; k < end; k++)
            buffer_varuint(b, counts[k]);
    }
    free(places);
    return true;
}

static int by_switched(const void *left, const void *right) {
    return list_compare(((const profile_switch *)left)->id, ((const profile_switch *)right)->id);
}

static bool put_switches(buffer *b, const ids *s) {
    uint32_t count = s->m->switch_count;
    profile_switch *sorted = calloc((size_t)count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < count && sorted; i++) {
        sorted[i] = s->m->switches[i].sum;
        sorted[i].id = merge_id_of(s, s->m->switches[i].number);
    }
    if (!sorted)
        return false;
    qsort(sorted, count, sizeof *sorted, by_switched);
    if (count > 0)
        buffer_varuint(b, count);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varuint(b, sorted[i].id);
        buffer_varuint(b, sorted[i].reasons);
        buffer_varuint(b, sorted[i].at_ns);
        buffer_varuint(b, sorted[i].calls);
    }
    free(sorted);
    return true;
}

/* The places of all modules that have allocated objects; the payload stays empty when there is none. False when memory
 * ran out. */
static bool put_sites(buffer *b, const ids *s) {
    const merge *m = s->m;
    place *places = calloc((size_t)m->site_count + 1, sizeof *places);
    if (!places)
        return false;
    for (uint32_t i = 0; i < m->site_count; i++)
        places[i] = (place){.parent = merge_id_of(s, m->sites[i].number), .id = m->sites[i].site, .node = i};
    uint32_t modules = 0;
    if (m->site_count > 0)
        qsort(places, m->site_count, sizeof *places, merge_by_place);
    for (uint32_t i = 0; i < m->site_count; i++)
        modules += i == 0 || places[i].parent != places[i - 1].parent;
    if (modules > 0)
        buffer_varuint(b, modules);
    for (uint32_t i = 0, end; i < m->site_count; i = end) {
        for (end = i; end < m->site_count && places[end].parent == places[i].parent; end++)
            continue;
        buffer_varuint(b, places[i].parent);
        buffer_varuint(b, end - i);
        for (uint32_t k = i; k < end; k++) {
            buffer_varuint(b, places[k].id - (k > i ? places[k - 1].id : 0));
            buffer_varuint(b, m->sites[places[k].node].objects);
        }
    }
    free(places);
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

typedef struct ranked_text {
    bytes text;
    uint32_t position;
    uint32_t kind; /* of those with the same text */
} ranked_text;

static int by_text(const void *left, const void *right) {
    const ranked_text *a = left, *b = right;
    int order = bytes_compare(a->text, b->text);
    return order ? order : list_compare(a->kind, b->kind);
}

/* Positions in the order of the texts' bytes; NULL when memory ran out. */
static uint32_t *rank(ranked_text *texts, uint32_t count) {
    uint32_t *ranked = calloc((size_t)count + 1, sizeof *ranked);
    if (!ranked || !texts) {
        free(ranked);
        return NULL;
    }
    if (count > 0)
        qsort(texts, count, sizeof *texts, by_text);
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = texts[i].position;
    return ranked;
}

static uint32_t *rank_types(const merge *m) {
    ranked_text *texts = calloc((size_t)m->type_count + 1, sizeof *texts);
    for (uint32_t i = 0; i < m->type_count && texts; i++)
        texts[i] = (ranked_text){m->types[i].name, i, 0};
    uint32_t *ranked = rank(texts, m->type_count);
    free(texts);
    return ranked;
}

static uint32_t *rank_trees(const merge *m) {
    ranked_text *texts = calloc((size_t)m->tree_count + 1, sizeof *texts);
    for (uint32_t i = 0; i < m->tree_count && texts; i++)
        texts[i] = (ranked_text){m->trees[i].name, i, m->trees[i].tells_waits};
    uint32_t *ranked = rank(texts, m->tree_count);
    free(texts);
    return ranked;
}

/* The payload of a section that is of no tree. False when memory ran out. */
static bool put_of_run(buffer *b, section_id id, const ids *s) {
    switch (id) {
    case SECTION_RUN:
        merge_runs_put_sums(b, &s->m->runs);
        return true;
    case SECTION_RUNS:
        merge_runs_put_list(b, &s->m->runs);
        return true;
    case SECTION_MODS:
        put_modules(b, s);
        return true;
    case SECTION_LABL:
        merge_labels_put(b, &s->m->runs.labels);
        return true;
    case SECTION_SITE:
        return put_sites(b, s);
    case SECTION_SWCH:
        return put_switches(b, s);
    case SECTION_END:
/* The others: merged profiles do not have them, or they follow a tree. A row that they do have has a case above. */
#define TRACKERS(ID) case SECTION_##ID:
#define MERGED(ID)
#define ALL(ID)
#define HEAD(IN, ID)                                         IN(ID)
#define OF_RUN                                               HEAD
#define LAST                                                 HEAD
#define TREE(IN, ID)                                         case SECTION_##ID:
#define OF_TREE                                              TREE
#define FIGURE                                               TREE
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) PLACE(IN, ID)
#include "facts/sections.def"
    case SECTIONS:
        break;
    }
    return true;
}

static void put_header(buffer *out) {
    buffer_append(out, "ILPROF\r\n", 8);
    buffer_u16(out, 1);
    buffer_u16(out, 0);
    buffer_u32(out, 0);
}

ecma_status merge_write(buffer *out, const merge *m, diag *d) {
    ids s = {.m = m};
    buffer payload = BUFFER_INIT, histograms = BUFFER_INIT;
    uint32_t *types = rank_types(m), *trees = rank_trees(m);
    ecma_status status = types && trees ? give_bases(&s, d) : diag_no_memory(d);
    if (status == ECMA_OK) {
        bool done = put_histograms(&histograms, &s);
        put_header(out);
        for (section_id id = 0; id < SECTIONS && done; id++) {
            const uint32_t tree_count = id == SECTION_TREE ? m->tree_count : 0;
            for (uint32_t i = 0; i < tree_count && done; i++) /* the first one takes the histograms */
                done = merge_put_tree(out, &payload, &m->trees[trees[i]], &s, types, &histograms);
            if (section_is_of_tree(id))
                continue;
            done = done && put_of_run(&payload, id, &s);
            (section_place_of(id) == PLACE_OF_RUN ? merge_put_extra : merge_put_section)(out, id, &payload);
        }
        if (!done || payload.failed || histograms.failed || out->failed)
            status = diag_no_memory(d);
    }
    buffer_clear(&payload);
    buffer_clear(&histograms);
    free(types);
    free(trees);
    free(s.sorted);
    free(s.bases);
    free(s.unknown);
    return status;
}
