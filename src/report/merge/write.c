#include <libdeflate.h>
#include <stdlib.h>

#include "report/merge/merge.h"
#include "util/list.h"

/* One order for everything, so that equal content is equal bytes: modules by what they are, ids by module, children by
 * id, trees, types and paths by name and place. */

/* ---- Modules and ids -------------------------------------------------------------------------------------------- */

typedef struct ids {
    const merge *m;
    const merge_module **sorted;
    uint32_t *bases;   /* of m->modules: the first id */
    uint32_t *unknown; /* ids that are no module's: no module may lie over them */
    uint32_t unknown_count, unknown_capacity;
} ids;

static int by_identity(const void *left, const void *right) {
    const merge_module *a = *(const merge_module *const *)left, *b = *(const merge_module *const *)right;
    int order = memcmp(a->mvid, b->mvid, sizeof a->mvid);
    if (order == 0)
        order = list_compare(a->method_count, b->method_count);
    if (order == 0)
        order = merge_compare(a->assembly, b->assembly);
    return order ? order : merge_compare(a->names, b->names);
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

static uint32_t id_of(const ids *s, uint32_t number) {
    if (number & MERGE_UNKNOWN)
        return number & ~MERGE_UNKNOWN;
    if (number < PROFILE_ID_FIRST)
        return number;                           /* a root */
    uint32_t low = 0, high = s->m->module_count; /* the last module that starts at or before the number, with methods */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->m->modules[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return s->bases[low - 1] + (number - s->m->modules[low - 1].first);
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

/* ---- Pre-order -------------------------------------------------------------------------------------------------- */

typedef struct place {
    uint32_t parent, id, node;
} place;

/* Nodes in the order of the file, and where each stands there. */
typedef struct order {
    uint32_t *nodes;
    uint32_t *children; /* of each node: how many */
    uint32_t *at;
} order;

static void order_clear(order *o) {
    free(o->nodes);
    free(o->children);
    free(o->at);
    *o = (order){0};
}

static int by_place(const void *left, const void *right) {
    const place *a = left, *b = right;
    int order = list_compare(a->parent, b->parent);
    return order ? order : list_compare(a->id, b->id);
}

/* `places` has all nodes but the root; it gets sorted. */
static bool find_order(order *o, place *places, uint32_t count) {
    uint32_t *next = malloc(count * sizeof *next), *parents = malloc(count * sizeof *parents);
    *o = (order){malloc(count * sizeof *o->nodes), calloc(count, sizeof *o->children), malloc(count * sizeof *o->at)};
    bool done = next && parents && o->nodes && o->children && o->at;
    if (done) {
        qsort(places, count - 1, sizeof *places, by_place);
        for (uint32_t i = 0; i < count - 1; i++) {
            o->children[places[i].parent]++;
            parents[places[i].node] = places[i].parent;
        }
        for (uint32_t i = 0, from = 0; i < count; from += o->children[i], i++)
            next[i] = from; /* where the children of i that are still to come stand */
        for (uint32_t i = 0, node = 0; i < count; i++) {
            o->nodes[i] = node;
            o->at[node] = i;
            for (uint32_t from = 0; i + 1 < count; node = parents[node]) {
                from = next[node];
                if (from < count - 1 && places[from].parent == node) {
                    next[node]++;
                    node = places[from].node;
                    break;
                }
            }
        }
    }
    free(next);
    free(parents);
    return done;
}

/* ---- Sections --------------------------------------------------------------------------------------------------- */

static void put_section(buffer *out, const char *kind, buffer *payload) {
    if (payload->failed)
        out->failed = true;
    buffer_append(out, kind, 4);
    buffer_u32(out, libdeflate_crc32(0, payload->data, payload->size));
    uint8_t *size = buffer_extend(out, 8);
    if (size)
        store_u64(size, payload->size);
    buffer_append(out, payload->data, payload->size);
    payload->size = 0;
}

/* The order of a folded tree, of siblings by id; `folded` is the rank of the folded calls among them. False when memory
 * ran out. */
static bool order_of(order *o, const fold *f, uint32_t folded, const ids *s) {
    place *places = malloc(f->count * sizeof *places);
    bool done = places != NULL;
    for (uint32_t i = 1; i < f->count && done; i++) {
        fold_link link = f->links[i];
        places[i - 1] = (place){link.parent, link.key == PROFILE_ID_FOLDED ? folded : id_of(s, link.key), i};
    }
    done = done && find_order(o, places, f->count);
    free(places);
    return done;
}

static bool put_tree(buffer *b, order *o, const merge_tree *t, const ids *s) {
    if (!order_of(o, &t->calls, UINT32_MAX, s))
        return false;
    enum { NODE_BYTES = 20 }; /* as most nodes take at most */
    merge_string(b, t->name);
    buffer_varuint(b, t->count);
    buffer_varuint(b, t->node_count);
    buffer_reserve(b, (size_t)t->node_count * NODE_BYTES);
    for (uint32_t i = 0; i < t->node_count; i++) {
        const merge_node *n = &t->nodes[o->nodes[i]];
        buffer_varuint(b, o->children[o->nodes[i]]);
        buffer_varuint(b, id_of(s, t->calls.links[o->nodes[i]].key));
        buffer_varuint(b, n->calls);
        buffer_varuint(b, n->recorded.inclusive_ns);
        buffer_varuint(b, n->recorded.exclusive_ns);
        buffer_varuint(b, n->resynchronised);
        buffer_varuint(b, n->open);
    }
    return true;
}

/* Does any node bring times that are not as recorded, or offsets? */
static bool has_costs(const merge_tree *t) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        const profile_timing *n = &t->nodes[i].timing;
        uint64_t all = t->nodes[i].recorded.inclusive_ns, own = t->nodes[i].recorded.exclusive_ns;
        if (n->inclusive_low_ns != all || n->inclusive_ns != all || n->inclusive_high_ns != all ||
            n->exclusive_low_ns != own || n->exclusive_ns != own || n->exclusive_high_ns != own ||
            (n->inclusive_offset_ns | n->exclusive_offset_ns | n->probe_ns) != 0)
            return true;
    }
    return false;
}

static void put_costs(buffer *b, const merge_tree *t, const order *o) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        const profile_timing *n = &t->nodes[o->nodes[i]].timing;
        const uint64_t fields[] = {n->inclusive_low_ns,
                                   n->inclusive_ns - n->inclusive_low_ns,
                                   n->inclusive_high_ns - n->inclusive_ns,
                                   n->exclusive_low_ns,
                                   n->exclusive_ns - n->exclusive_low_ns,
                                   n->exclusive_high_ns - n->exclusive_ns,
                                   n->inclusive_offset_ns,
                                   n->exclusive_offset_ns,
                                   n->probe_ns};
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            buffer_varuint(b, fields[k]);
    }
}

/* The payload stays empty when no node has a span. */
static void put_spans(buffer *b, const merge_tree *t, const order *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += t->nodes[i].min_ns <= t->nodes[i].max_ns;
    if (count == 0)
        return;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const merge_node *n = &t->nodes[o->nodes[i]];
        if (n->min_ns > n->max_ns)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, n->min_ns);
        buffer_varuint(b, n->max_ns - n->min_ns);
        before = i;
    }
}

/* The payload stays empty when no thread was blocked. */
static void put_waits(buffer *b, const merge_tree *t, const order *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += t->nodes[i].timing.blocked_ns > 0;
    if (count == 0)
        return;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const merge_node *n = &t->nodes[o->nodes[i]];
        if (n->timing.blocked_ns == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, n->timing.blocked_ns);
        before = i;
    }
}

/* The section of all trees; the payload stays empty when there is none. False when memory ran out. */
static bool put_histograms(buffer *b, const ids *s) {
    const merge *m = s->m;
    place *places = calloc((size_t)m->histogram_count + 1, sizeof *places);
    const uint32_t count = m->histogram_count;
    if (!places)
        return false;
    for (uint32_t i = 0; i < count; i++)
        places[i] = (place){0, id_of(s, m->histograms[i].number), i};
    if (count > 0) {
        qsort(places, count, sizeof *places, by_place);
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

static int by_path(const void *left, const void *right) {
    const merge_path *a = left, *b = right;
    int order = list_compare(a->type, b->type);
    if (order == 0)
        order = list_compare(a->thrower, b->thrower);
    if (order == 0)
        order = list_compare(a->catcher, b->catcher);
    return order ? order : list_compare(a->outcome, b->outcome);
}

static void put_paths(buffer *b, const merge_path *paths, uint32_t count) {
    buffer_varuint(b, count);
    for (uint32_t i = 0; i < count; i++) {
        const merge_path *p = &paths[i];
        const exception_figures *f = &p->figures;
        const uint64_t fields[] = {p->type, p->thrower,   p->catcher,  p->outcome, f->count,
                                   f->ns,   f->search_ns, f->searched, f->unwound};
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            buffer_varuint(b, fields[k]);
        buffer_varuint(b, p->message_count);
        for (uint32_t k = 0; k < p->message_count; k++)
            merge_string(b, p->messages[k]);
    }
}

/* The types that the tree's paths have, in the order of `ranked` (all types by name); `numbers` gets 1 + the place of
 * each in this list, by 1 + its position. */
static void put_types(buffer *b, uint32_t *numbers, const merge_tree *t, const merge_type *types,
                      const uint32_t *ranked, uint32_t type_count) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < t->path_count; i++)
        if (t->paths[i].type != 0) {
            used += numbers[t->paths[i].type] == 0;
            numbers[t->paths[i].type] = 1;
        }
    buffer_varuint(b, used);
    used = 0;
    for (uint32_t i = 0; i < type_count; i++)
        if (numbers[ranked[i] + 1] != 0) {
            numbers[ranked[i] + 1] = ++used;
            merge_string(b, types[ranked[i]].name);
        }
}

/* False also when memory ran out. The payload stays empty when there is nothing to say. */
static bool put_exceptions(buffer *b, const merge_tree *t, const order *o, const merge *m, const uint32_t *ranked) {
    uint32_t entries = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        entries += t->nodes[i].by_exception != 0;
    if (entries == 0 && t->path_count == 0)
        return true;
    uint32_t *numbers = calloc((size_t)m->type_count + 1, sizeof *numbers);
    merge_path *paths = calloc((size_t)t->path_count + 1, sizeof *paths);
    bool done = numbers && paths;
    if (done) {
        put_types(b, numbers, t, m->types, ranked, m->type_count);
        buffer_varuint(b, entries);
        for (uint32_t i = 0; i < t->node_count; i++)
            if (t->nodes[o->nodes[i]].by_exception != 0) {
                buffer_varuint(b, i);
                buffer_varuint(b, t->nodes[o->nodes[i]].by_exception);
            }
        for (uint32_t i = 0; i < t->path_count; i++) {
            paths[i] = t->paths[i];
            paths[i].type = numbers[paths[i].type];
            paths[i].thrower = o->at[paths[i].thrower];
            paths[i].catcher = o->at[paths[i].catcher];
        }
        if (t->path_count > 0)
            qsort(paths, t->path_count, sizeof *paths, by_path);
        put_paths(b, paths, t->path_count);
    }
    free(numbers);
    free(paths);
    return done;
}

static bool put_async(buffer *b, const merge_tree *t, const ids *s) {
    order o = {0};
    bool done = order_of(&o, &t->starts, PROFILE_ID_FOLDED, s);
    if (done)
        buffer_varuint(b, t->async_count);
    for (uint32_t i = 0; i < t->async_count && done; i++) {
        const async_figures *n = &t->async[o.nodes[i]];
        const uint64_t fields[] = {o.children[o.nodes[i]],
                                   id_of(s, t->starts.links[o.nodes[i]].key),
                                   n->calls,
                                   n->suspensions,
                                   n->completed,
                                   n->failed,
                                   n->cancelled,
                                   n->running_ns,
                                   n->awaiting_ns,
                                   n->wall_ns,
                                   n->unlinked};
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            buffer_varuint(b, fields[k]);
    }
    order_clear(&o);
    return done;
}

static int by_switched(const void *left, const void *right) {
    return list_compare(((const profile_switch *)left)->id, ((const profile_switch *)right)->id);
}

static bool put_switches(buffer *b, const ids *s) {
    uint32_t count = s->m->switch_count;
    profile_switch *sorted = calloc((size_t)count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < count && sorted; i++) {
        sorted[i] = s->m->switches[i].sum;
        sorted[i].id = id_of(s, s->m->switches[i].number);
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

/* A section of its own when there is something in it. */
static void put_extra(buffer *out, const char *kind, buffer *payload) {
    if (payload->size > 0)
        put_section(out, kind, payload);
}

/* The places of all modules that have allocated objects; the payload stays empty when there is none. False when memory
 * ran out. */
static bool put_sites(buffer *b, const ids *s) {
    const merge *m = s->m;
    place *places = calloc((size_t)m->site_count + 1, sizeof *places);
    if (!places)
        return false;
    for (uint32_t i = 0; i < m->site_count; i++)
        places[i] = (place){id_of(s, m->sites[i].number), m->sites[i].site, i};
    uint32_t modules = 0;
    if (m->site_count > 0)
        qsort(places, m->site_count, sizeof *places, by_place);
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

static bool put_thread(buffer *out, buffer *payload, const merge_tree *t, const ids *s, const uint32_t *ranked,
                       bool first) {
    order o = {0};
    bool done = put_tree(payload, &o, t, s);
    if (done) {
        put_section(out, "TREE", payload);
        if (has_costs(t))
            put_costs(payload, t, &o);
        put_extra(out, "COST", payload);
        put_spans(payload, t, &o);
        put_extra(out, "SPAN", payload);
        put_waits(payload, t, &o);
        put_extra(out, "WAIT", payload);
        static const char figures[FIGURES][5] = {"BYTE", "OBJS", "COLL", "PAUS"};
        for (profile_figure kind = 0; kind < FIGURES; kind++) {
            merge_put_figures(payload, t, o.nodes, kind);
            put_extra(out, figures[kind], payload);
        }
        done = !first || put_histograms(payload, s);
        put_extra(out, "HIST", payload);
    }
    if (done) {
        done = put_exceptions(payload, t, &o, s->m, ranked);
        put_extra(out, "EXCP", payload);
    }
    if (done && t->async_count > 0) {
        done = put_async(payload, t, s);
        put_extra(out, "ASYN", payload);
    }
    order_clear(&o);
    return done;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

typedef struct ranked_text {
    bytes text;
    uint32_t position;
} ranked_text;

static int by_text(const void *left, const void *right) {
    return merge_compare(((const ranked_text *)left)->text, ((const ranked_text *)right)->text);
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
        texts[i] = (ranked_text){m->types[i].name, i};
    uint32_t *ranked = rank(texts, m->type_count);
    free(texts);
    return ranked;
}

static uint32_t *rank_trees(const merge *m) {
    ranked_text *texts = calloc((size_t)m->tree_count + 1, sizeof *texts);
    for (uint32_t i = 0; i < m->tree_count && texts; i++)
        texts[i] = (ranked_text){m->trees[i].name, i};
    uint32_t *ranked = rank(texts, m->tree_count);
    free(texts);
    return ranked;
}

static void put_head(buffer *out, buffer *payload, const ids *s) {
    buffer runs = BUFFER_INIT;
    buffer_append(out, "ILPROF\r\n", 8);
    buffer_u16(out, 1);
    buffer_u16(out, 0);
    buffer_u32(out, 0);
    merge_runs_write(payload, &runs, &s->m->runs);
    put_section(out, "RUN ", payload);
    put_section(out, "RUNS", &runs);
    buffer_clear(&runs);
    put_modules(payload, s);
    put_section(out, "MODS", payload);
}

ecma_status merge_write(buffer *out, const merge *m, diag *d) {
    ids s = {.m = m};
    buffer payload = BUFFER_INIT;
    uint32_t *types = rank_types(m), *trees = rank_trees(m);
    ecma_status status = types && trees ? give_bases(&s, d) : diag_no_memory(d);
    if (status == ECMA_OK) {
        bool done = true;
        put_head(out, &payload, &s);
        for (uint32_t i = 0; i < m->tree_count && done; i++)
            done = put_thread(out, &payload, &m->trees[trees[i]], &s, types, i == 0);
        done = done && put_sites(&payload, &s);
        put_extra(out, "SITE", &payload);
        done = done && put_switches(&payload, &s);
        put_extra(out, "SWCH", &payload);
        put_section(out, "END ", &payload);
        if (!done || payload.failed || out->failed)
            status = diag_no_memory(d);
    }
    buffer_clear(&payload);
    free(types);
    free(trees);
    free(s.sorted);
    free(s.bases);
    free(s.unknown);
    return status;
}
