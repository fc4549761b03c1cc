#include <stdlib.h>

#include "report/merge/write.h"
#include "util/list.h"

/* ---- Pre-order -------------------------------------------------------------------------------------------------- */

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

/* `places` has all nodes but the root; it gets sorted. */
static bool find_order(order *o, place *places, uint32_t count) {
    uint32_t *next = malloc(count * sizeof *next), *parents = malloc(count * sizeof *parents);
    *o = (order){malloc(count * sizeof *o->nodes), calloc(count, sizeof *o->children), malloc(count * sizeof *o->at)};
    bool done = next && parents && o->nodes && o->children && o->at;
    if (done) {
        qsort(places, count - 1, sizeof *places, merge_by_place);
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

/* The order of both trees of a thread's name. */
typedef struct orders {
    order calls, starts;
} orders;

/* The order of a folded tree, of siblings by id. `starts`: that of the async calls, where nodes may be slices of some.
 * False when memory ran out. */
static bool order_of(order *o, const fold *f, const merge_tree *t, const order *starts, const ids *s) {
    place *places = malloc(f->count * sizeof *places);
    bool done = places != NULL;
    for (uint32_t i = 1; i < f->count && done; i++) {
        fold_link link = f->links[i];
        uint32_t slice = starts ? merge_slice_of(link.key) : 0;
        bool folded = link.key == PROFILE_ID_FOLDED; /* the last ones */
        uint32_t key = slice ? t->starts.links[slice].key : link.key;
        places[i - 1] =
            (place){link.parent, folded ? UINT32_MAX : merge_id_of(s, key), i, slice ? starts->at[slice] : 0};
    }
    done = done && find_order(o, places, f->count);
    free(places);
    return done;
}

static bool find_orders(orders *o, const merge_tree *t, const ids *s) {
    return (t->async_count == 0 || order_of(&o->starts, &t->starts, t, NULL, s)) &&
           order_of(&o->calls, &t->calls, t, &o->starts, s);
}

/* The id of the method of a node. */
static uint32_t id_of_node(const merge_tree *t, uint32_t node, const ids *s) {
    uint32_t key = t->calls.links[node].key, slice = merge_slice_of(key);
    return merge_id_of(s, slice ? t->starts.links[slice].key : key);
}

static void put_tree(buffer *b, const order *o, const merge_tree *t, const ids *s) {
    enum { NODE_BYTES = 20 }; /* as most nodes take at most */
    merge_string(b, t->name);
    buffer_varuint(b, t->count);
    buffer_varuint(b, t->node_count);
    buffer_reserve(b, (size_t)t->node_count * NODE_BYTES);
    for (uint32_t i = 0; i < t->node_count; i++) {
        static const unsigned columns[] = {MERGE_CALLS, MERGE_RECORDED_INCLUSIVE, MERGE_RECORDED_EXCLUSIVE,
                                           MERGE_RESYNCHRONISED, MERGE_OPEN};
        const uint32_t node = o->nodes[i];
        buffer_varuint(b, o->children[node]);
        buffer_varuint(b, id_of_node(t, node, s));
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
            buffer_varuint(b, columns_at(&t->nodes, columns[k], node));
    }
}

/* Does any node bring times that are not as recorded, or offsets? */
/* Is its span another one than what was recorded? */
static bool is_cut(const merge_tree *t, uint32_t i) {
    return columns_at(&t->nodes, MERGE_LEAST, i) != columns_at(&t->nodes, MERGE_RECORDED_LEAST, i) ||
           columns_at(&t->nodes, MERGE_LENGTH, i) != columns_at(&t->nodes, MERGE_RECORDED_LENGTH, i);
}

static bool has_costs(const merge_tree *t) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        const profile_timing its = timing_at(&t->nodes, i), *n = &its;
        uint64_t all = columns_at(&t->nodes, MERGE_RECORDED_INCLUSIVE, i),
                 own = columns_at(&t->nodes, MERGE_RECORDED_EXCLUSIVE, i);
        if (n->times.inclusive_low_ns != all || n->times.inclusive_ns != all || n->times.inclusive_high_ns != all ||
            n->times.exclusive_low_ns != own || n->times.exclusive_ns != own || n->times.exclusive_high_ns != own ||
            (n->times.inclusive_offset_ns | n->times.exclusive_offset_ns | n->probe_ns) != 0 ||
            n->times.exclusive_over_ns != columns_at(&t->nodes, MERGE_RECORDED_OVER, i) || is_cut(t, i))
            return true;
    }
    return false;
}

/* Nothing when no node has a span. */
static void put_spans(buffer *b, const merge_tree *t, const order *o, bool recorded) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += columns_at(&t->nodes, MERGE_LENGTH, i) > 0;
    if (count == 0)
        return;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        profile_span span = profile_span_at(&t->nodes, recorded ? MERGE_RECORDED_LEAST : MERGE_LEAST, o->nodes[i]);
        if (span.min_ns > span.max_ns)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, span.min_ns);
        buffer_varuint(b, span.max_ns - span.min_ns);
        before = i;
    }
}

static void put_costs(buffer *b, const merge_tree *t, const order *o) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        const profile_timing its = timing_at(&t->nodes, o->nodes[i]), *n = &its;
        const uint64_t fields[] = {n->times.inclusive_low_ns,
                                   n->times.inclusive_ns - n->times.inclusive_low_ns,
                                   n->times.inclusive_high_ns - n->times.inclusive_ns,
                                   n->times.exclusive_low_ns,
                                   n->times.exclusive_ns - n->times.exclusive_low_ns,
                                   n->times.exclusive_high_ns - n->times.exclusive_ns,
                                   n->times.inclusive_offset_ns,
                                   n->times.exclusive_offset_ns,
                                   n->probe_ns};
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
            buffer_varuint(b, fields[k]);
    }
    put_spans(b, t, o, false);
}

static void put_range(buffer *b, const profile_times *t) {
    buffer_varuint(b, t->inclusive_low_ns);
    buffer_varuint(b, t->inclusive_ns - t->inclusive_low_ns);
    buffer_varuint(b, t->inclusive_high_ns - t->inclusive_ns);
}

/* The payload stays empty when no method was folded. */
static void put_folds(buffer *b, const merge_tree *t, const order *o) {
    uint32_t before = 0;
    if (t->fold_count > 0)
        buffer_varuint(b, t->fold_count);
    for (uint32_t i = 1; i < t->node_count && t->fold_count > 0; i++) {
        uint64_t fold = columns_at(&t->nodes, MERGE_FOLD, o->nodes[i]);
        if (fold == 0)
            continue;
        const corrected_fold *f = &t->folds[fold - 1];
        buffer_varuint(b, i - before);
        buffer_varuint(b, f->recorded_ns);
        buffer_varuint(b, f->recorded_outer_ns);
        put_range(b, &f->all);
        put_range(b, &f->outer);
        before = i;
    }
}

static int by_node_and_id(const void *left, const void *right) {
    const merge_below *a = left, *b = right;
    int order = list_compare(a->node, b->node);
    return order ? order : list_compare(a->number, b->number);
}

/* False when memory ran out. The payload stays empty when nothing is known of any node. */
static bool put_below(buffer *b, const merge_tree *t, const order *o, const ids *s) {
    merge_below *list = calloc((size_t)t->below_count + 1, sizeof *list); /* by position in the file, and id */
    uint32_t nodes = 0, before = 0;
    for (uint32_t i = 0; i < t->below_count && list; i++) {
        list[i] = (merge_below){o->at[t->below[i].node], merge_id_of(s, t->below[i].number), t->below[i].calls};
        nodes += list[i].number == PROFILE_ID_FOLDED;
    }
    if (list && nodes > 0) {
        qsort(list, t->below_count, sizeof *list, by_node_and_id);
        buffer_varuint(b, nodes);
    }
    for (uint32_t i = 0, end = 0; i < t->below_count && list; before = list[i].node, i = end) {
        while (end < t->below_count && list[end].node == list[i].node)
            end++;
        buffer_varuint(b, list[i].node - before);
        buffer_varuint(b, list[i].calls);
        buffer_varuint(b, end - i - 1);
        for (uint32_t k = i + 1; k < end; k++)
            buffer_varuint(b, list[k].number - (k > i + 1 ? list[k - 1].number : 0));
    }
    free(list);
    return list != NULL;
}

static bool has_ticks(const merge_tree *t, uint32_t node) {
    return (columns_at(&t->nodes, MERGE_TICKED_CALLS, node) | columns_at(&t->nodes, TIMES_OVER, node) |
            columns_at(&t->nodes, MERGE_RECORDED_OVER, node)) > 0;
}

/* What each node's recorded own times are below 0. */
static void put_recorded_over(buffer *b, const merge_tree *t, const order *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += columns_at(&t->nodes, MERGE_RECORDED_OVER, i) > 0;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const uint64_t over_ns = columns_at(&t->nodes, MERGE_RECORDED_OVER, o->nodes[i]);
        if (over_ns == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, over_ns);
        before = i;
    }
}

/* The payload stays empty when no clock has ticked. */
static void put_ticked(buffer *b, const merge_tree *t, const order *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += has_ticks(t, i);
    if (count > 0)
        buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const uint32_t node = o->nodes[i];
        if (!has_ticks(t, node))
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, columns_at(&t->nodes, MERGE_TICKED_CALLS, node));
        buffer_varuint(b, columns_at(&t->nodes, TIMES_OVER, node));
        before = i;
    }
    if (count > 0)
        put_recorded_over(b, t, o);
}

/* The payload stays empty when no run says whether a thread was blocked. */
static void put_waits(buffer *b, const merge_tree *t, const order *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += columns_at(&t->nodes, TIMING_BLOCKED, i) > 0;
    if (t->tells_waits)
        buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        const uint64_t blocked_ns = columns_at(&t->nodes, TIMING_BLOCKED, o->nodes[i]);
        if (blocked_ns == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, blocked_ns);
        before = i;
    }
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
        entries += columns_at(&t->nodes, MERGE_BY_EXCEPTION, i) != 0;
    if (entries == 0 && t->path_count == 0)
        return true;
    uint32_t *numbers = calloc((size_t)m->type_count + 1, sizeof *numbers);
    merge_path *paths = calloc((size_t)t->path_count + 1, sizeof *paths);
    bool done = numbers && paths;
    if (done) {
        put_types(b, numbers, t, m->types, ranked, m->type_count);
        buffer_varuint(b, entries);
        for (uint32_t i = 0; i < t->node_count; i++)
            if (columns_at(&t->nodes, MERGE_BY_EXCEPTION, o->nodes[i]) != 0) {
                buffer_varuint(b, i);
                buffer_varuint(b, columns_at(&t->nodes, MERGE_BY_EXCEPTION, o->nodes[i]));
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

static void put_async(buffer *b, const merge_tree *t, const order *o, const ids *s) {
    buffer_varuint(b, t->async_count);
    for (uint32_t i = 0; i < t->async_count; i++) {
        const async_figures *n = &t->async[o->nodes[i]];
        const uint64_t fields[] = {o->children[o->nodes[i]],
                                   merge_id_of(s, t->starts.links[o->nodes[i]].key),
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
}

/* Also when there are none: a reader then knows that no slice waits for its place. */
static void put_slices(buffer *b, const merge_tree *t, const orders *o) {
    uint32_t count = 0, before = 0;
    for (uint32_t i = 1; i < t->node_count; i++)
        count += merge_slice_of(t->calls.links[i].key) != 0;
    buffer_varuint(b, count);
    for (uint32_t i = 1; i < t->node_count; i++) {
        uint32_t slice = merge_slice_of(t->calls.links[o->calls.nodes[i]].key);
        if (slice == 0)
            continue;
        buffer_varuint(b, i - before);
        buffer_varuint(b, o->starts.at[slice]);
        before = i;
    }
}

/* What the sections of a tree are made of. */
typedef struct tree_parts {
    const merge_tree *t;
    const ids *s;
    const uint32_t *ranked;
    buffer *histograms;
    orders at;
} tree_parts;

/* The payload of one section; it stays empty when the tree has none. False when memory ran out. */
static bool put_of_tree(buffer *b, section_id id, const tree_parts *p) {
    const merge_tree *t = p->t;
    const order *calls = &p->at.calls;
    switch (id) {
    case SECTION_TREE:
        put_tree(b, calls, t, p->s);
        return true;
    case SECTION_COST:
        if (has_costs(t))
            put_costs(b, t, calls);
        return true;
    case SECTION_SPAN:
        put_spans(b, t, calls, true);
        return true;
    case SECTION_FOLD:
        put_folds(b, t, calls);
        return true;
    case SECTION_BELO:
        return put_below(b, t, calls, p->s);
    case SECTION_TICK:
        put_ticked(b, t, calls);
        return true;
    case SECTION_WAIT:
        put_waits(b, t, calls);
        return true;
    case SECTION_BYTE:
    case SECTION_OBJS:
    case SECTION_COLL:
    case SECTION_PAUS:
        merge_put_figures(b, t, calls->nodes, section_figure(id));
        return true;
    case SECTION_HIST: {
        buffer none = *b;
        *b = *p->histograms;
        *p->histograms = none;
        return true;
    }
    case SECTION_EXCP:
        return put_exceptions(b, t, calls, p->s->m, p->ranked);
    case SECTION_ASYN:
        if (t->async_count > 0)
            put_async(b, t, &p->at.starts, p->s);
        return true;
    case SECTION_SLIC:
        if (t->async_count > 0)
            put_slices(b, t, &p->at);
        return true;
/* The others: merged profiles do not have them, or not after a tree. A row that they do have has a case above. */
#define TRACKERS(ID) case SECTION_##ID:
#define MERGED(ID)
#define ALL(ID)
#define HEAD(IN, ID)                                         case SECTION_##ID:
#define OF_RUN                                               HEAD
#define LAST                                                 HEAD
#define TREE(IN, ID)                                         IN(ID)
#define OF_TREE                                              TREE
#define FIGURE                                               TREE
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) PLACE(IN, ID)
#include "facts/sections.def"
    case SECTIONS:
        break;
    }
    return true;
}

bool merge_put_tree(buffer *out, buffer *payload, const merge_tree *t, const ids *s, const uint32_t *ranked,
                    buffer *histograms) {
    tree_parts p = {t, s, ranked, histograms, {{0}, {0}}};
    bool done = find_orders(&p.at, t, s);
    for (section_id id = SECTION_TREE; section_is_of_tree(id) && done; id++) {
        done = put_of_tree(payload, id, &p);
        merge_put_extra(out, id, payload);
    }
    order_clear(&p.at.calls);
    order_clear(&p.at.starts);
    return done;
}
