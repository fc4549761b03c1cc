#include "report/model/tests.h"

#include <stdlib.h>

#include "report/model/times.h"
#include "util/list.h"
#include "util/map.h"

enum { OTHER = 0 }; /* position of the row of all other code, until rows are sorted */

const char *test_kind_name(uint8_t kind) {
    static const char *const names[NAMES_ROOT_KINDS] = {
        [0] = "other",
#define ROOT_KIND(ID, value, key, meaning) [value] = key,
#include "facts/roots.def"
    };
    return names[kind < NAMES_ROOT_KINDS ? kind : 0];
}

bytes test_name(const report_function *f) {
    uint32_t title = f->names ? f->names->methods[f->method].title : 0;
    return title ? names_text(f->names, title) : function_plain_name(f);
}

bool tests_any(const aggregate *a) {
    bool any = false;
    for (uint32_t i = 0; i < a->list.function_count && !any; i++)
        any = test_is_one(a->list.functions[i].root);
    return any;
}

/* ---- The rows ---------------------------------------------------------------------------------------------------- */

typedef struct making {
    test_rows *t;
    const aggregate *a;
    uint32_t *of_function; /* by function: its row; OTHER: none yet */
    uint32_t capacity;
    bool *owners; /* by node: it is known what was folded below it; NULL: of none */
} making;

/* False: memory ran out. */
static bool find_row(making *m, uint32_t *row, uint32_t function) {
    const report_function *f = &m->a->list.functions[function];
    *row = m->of_function[function];
    if (*row != OTHER)
        return true;
    test_rows *t = m->t;
    if (!list_grow((void **)&t->rows, t->count, &m->capacity, sizeof *t->rows))
        return false;
    t->rows[t->count] = (test_row){.function = f, .kind = f->root};
    *row = m->of_function[function] = t->count++;
    return true;
}

static bool is_top(report_node_kind kind) {
    return kind == NODE_ROOT || kind == NODE_THREAD;
}

/* What stands directly below a thread's or the tree's root, and in no tree, is other code; trees below it are not. */
static void add_root(making *m, const report_node *n, uint32_t row) {
    test_row *to = &m->t->rows[row], *other = &m->t->rows[OTHER];
    times_add_inclusive(&to->times, &n->times);
    profile_add_figures(to->figures, n->all_figures.all);
    to->calls = profile_add(to->calls, n->calls);
    if (is_top(node_kind(&m->a->tree.places.links[n->parent])))
        return;
    profile_times *of = &other->times;
    of->inclusive_ns -= of->inclusive_ns < n->times.inclusive_ns ? of->inclusive_ns : n->times.inclusive_ns;
    for (int kind = 0; kind < FIGURES; kind++)
        other->figures[kind] -=
            other->figures[kind] < n->all_figures.all[kind] ? other->figures[kind] : n->all_figures.all[kind];
}

static void add_waiting(const making *m, const report_node *n, test_row *to) {
    const fold_link *parent = &m->a->tree.places.links[n->parent];
    to->waiting_ns = profile_add(to->waiting_ns, n->times.exclusive_ns);
    if (link_is_call(parent) && &m->a->list.functions[node_function(parent)] == to->function)
        to->self_waiting_ns = profile_add(to->self_waiting_ns, n->times.exclusive_ns);
}

/* A folded root that other roots alone have called is a part of these. */
static bool is_part(const making *m, const report_node *n, uint32_t node) {
    return m->owners && node_kind(&m->a->tree.places.links[n->parent]) == NODE_FOLDED && !m->owners[node];
}

static bool find_owners(making *m) {
    const call_tree *tree = &m->a->tree;
    m->owners = tree->below_count > 0 ? calloc(tree->node_count, sizeof *m->owners) : NULL;
    for (uint32_t i = 0; i < tree->below_count && m->owners; i++)
        m->owners[tree->below[i].node] = true;
    return m->owners || tree->below_count == 0;
}

static bool add_node(making *m, uint32_t node) {
    const aggregate *a = m->a;
    const report_node of = call_tree_node(&a->tree, node), *n = &of;
    uint32_t row = m->t->row_of[n->parent];
    const bool call = node_is_call(n);
    if (row == OTHER && call && a->list.functions[n->function].root && !is_part(m, n, node)) {
        if (!find_row(m, &row, n->function))
            return false;
        add_root(m, n, row);
    } else if (row == OTHER && n->kind != NODE_THREAD && n->kind != NODE_FOLDED &&
               is_top(node_kind(&a->tree.places.links[n->parent]))) {
        times_add_inclusive(&m->t->rows[OTHER].times, &n->times);
        profile_add_figures(m->t->rows[OTHER].figures, n->all_figures.all);
    }
    m->t->row_of[node] = row;
    test_row *to = &m->t->rows[row];
    to->thrown = profile_add(to->thrown, n->thrown);
    to->below = profile_add(to->below, call ? n->calls : 0);
    if (n->kind == NODE_WAITING)
        add_waiting(m, n, to);
    if (call && (row == OTHER || &a->list.functions[n->function] == to->function))
        times_add_exclusive(&to->times, &n->times);
    return true;
}

/* The async calls of a function: those within others of it, which it may call itself, are in these already. */
static bool add_async(making *m) {
    const async_tree *async = &m->a->async;
    bool *within = calloc((size_t)async->place_count + 1, sizeof *within); /* by place: below one of the same row */
    if (!within)
        return false;
    for (uint32_t i = 1; i < async->place_count; i++) {
        const async_place *place = &async->places[i];
        uint32_t row = m->of_function[place->function];
        for (uint32_t above = place->parent; above != 0 && row != OTHER && !within[i];
             above = async->places[above].parent)
            within[i] = async->places[above].function == place->function;
        if (row == OTHER || within[i])
            continue;
        test_row *to = &m->t->rows[row];
        to->running_ns = profile_add(to->running_ns, place->figures.running_ns);
        to->awaiting_ns = profile_add(to->awaiting_ns, place->figures.awaiting_ns);
        to->duration_ns = profile_add(to->duration_ns, place->figures.wall_ns);
    }
    free(within);
    return true;
}

static uint64_t taken(uint64_t *from, uint64_t most) {
    uint64_t took = *from < most ? *from : most;
    *from -= took;
    return took;
}

/* Folded calls stand at the other code. */
static void give_folded(making *m) {
    const call_tree *tree = &m->a->tree;
    for (uint32_t i = 0; i < tree->folded_count; i++) {
        const uint32_t row = m->t->row_of[tree->folded[i].node];
        const uint64_t calls = row == OTHER ? 0 : taken(&m->t->rows[OTHER].below, tree->folded[i].calls);
        m->t->rows[row].below = profile_add(m->t->rows[row].below, calls);
    }
}

/* Own and blocked time of an async method itself, beyond all that its slices ran, is the framework's. */
static void settle(const making *m) {
    test_row *other = &m->t->rows[OTHER];
    for (uint32_t i = OTHER + 1; i < m->t->count; i++) {
        test_row *row = &m->t->rows[i];
        uint64_t self = profile_add(row->times.exclusive_ns, row->self_waiting_ns);
        if (row->running_ns == 0 || self <= row->running_ns)
            continue;
        uint64_t excess = self - row->running_ns;
        uint64_t waited = taken(&row->self_waiting_ns, excess);
        row->waiting_ns -= waited;
        other->waiting_ns = profile_add(other->waiting_ns, waited);
        other->times.exclusive_ns =
            profile_add(other->times.exclusive_ns, taken(&row->times.exclusive_ns, excess - waited));
        other->times.inclusive_ns = profile_add(other->times.inclusive_ns, taken(&row->times.inclusive_ns, excess));
    }
}

/* ---- What has most of the time ----------------------------------------------------------------------------------- */

/* Of a function in the trees of a row. */
typedef struct part {
    uint32_t row, function;
    uint64_t own_ns, waiting_ns, awaiting_ns;
} part;

typedef struct parts {
    part *list;
    uint32_t count, capacity;
    map by_key;
} parts;

static bool add_part(parts *p, uint32_t row, uint32_t function, const part *more) {
    uint32_t *slot = map_slot(&p->by_key, map_key(row, function));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&p->list, p->count, &p->capacity, sizeof *p->list))
            return false;
        p->list[p->count] = (part){row, function, 0, 0, 0};
        *slot = p->count++;
    }
    part *of = &p->list[*slot];
    of->own_ns = profile_add(of->own_ns, more->own_ns);
    of->waiting_ns = profile_add(of->waiting_ns, more->waiting_ns);
    of->awaiting_ns = profile_add(of->awaiting_ns, more->awaiting_ns);
    return true;
}

static bool add_parts_of_nodes(parts *p, const making *m) {
    const call_tree *tree = &m->a->tree;
    for (uint32_t i = 1; i < tree->node_count; i++) {
        const report_node n = call_tree_node(tree, i);
        const bool waits = n.kind == NODE_WAITING;
        const fold_link *of = &tree->places.links[waits ? n.parent : i];
        if (m->t->row_of[i] == OTHER || n.times.exclusive_ns == 0 || !link_is_call(of))
            continue;
        const uint64_t ns = n.times.exclusive_ns;
        const part more = {.own_ns = waits ? 0 : ns, .waiting_ns = waits ? ns : 0};
        if (!add_part(p, m->t->row_of[i], node_function(of), &more))
            return false;
    }
    return true;
}

/* Awaits of async calls that a row's own async calls have led to. */
static bool add_parts_of_async(parts *p, const making *m) {
    const async_tree *async = &m->a->async;
    uint32_t *rows = calloc((size_t)async->place_count + 1, sizeof *rows);
    bool done = rows != NULL;
    for (uint32_t i = 1; i < async->place_count && done; i++) {
        const async_place *place = &async->places[i];
        uint32_t own = m->of_function[place->function];
        rows[i] = own != OTHER ? own : rows[place->parent];
        if (rows[i] != OTHER && place->own_awaiting_ns > 0)
            done = add_part(p, rows[i], place->function, &(part){.awaiting_ns = place->own_awaiting_ns});
    }
    free(rows);
    return done;
}

static bool find_reasons(making *m) {
    parts p = {0};
    bool done = add_parts_of_nodes(&p, m) && add_parts_of_async(&p, m);
    for (uint32_t i = 0; i < p.count && done; i++) {
        test_row *row = &m->t->rows[p.list[i].row];
        const bool self = &m->a->list.functions[p.list[i].function] == row->function;
        if (self && row->running_ns > 0) { /* what settle has left */
            p.list[i].own_ns = row->times.exclusive_ns;
            p.list[i].waiting_ns = profile_add(row->self_waiting_ns, p.list[i].awaiting_ns);
        } else {
            p.list[i].waiting_ns = profile_add(p.list[i].waiting_ns, p.list[i].awaiting_ns);
        }
        uint64_t ns = profile_add(p.list[i].own_ns, p.list[i].waiting_ns);
        if (ns <= row->reason_ns)
            continue;
        row->reason = &m->a->list.functions[p.list[i].function];
        row->reason_ns = ns;
        row->reason_waits = p.list[i].waiting_ns > p.list[i].own_ns;
    }
    free(p.list);
    map_clear(&p.by_key);
    return done;
}

/* ---- Set-up ------------------------------------------------------------------------------------------------------ */

/* Does the object of a test use the method, which sets up or ends it? */
static bool uses(const report_function *test, const report_function *set_up) {
    const names *n = test->names;
    if (!n || n != set_up->names)
        return false;
    if (set_up->root == NAMES_ROOT_SHARED)
        return true;
    uint32_t group = n->methods[test->method].uses;
    for (uint32_t i = group > 1 ? n->use_ends[group - 2] : 0; group && i < n->use_ends[group - 1]; i++)
        if (n->uses[i] == set_up->method)
            return true;
    return false;
}

static bool sets_up(const test_row *row, const test_row *test) {
    return row->kind == NAMES_ROOT_SET_UP && test->kind == NAMES_ROOT_TEST && uses(test->function, row->function);
}

/* Runners count it as the test's. Which call was which test's is not known. */
static void share_set_up(test_rows *t) {
    for (uint32_t k = OTHER + 1; k < t->count; k++) {
        uint64_t calls = 0, left = t->rows[k].duration_ns;
        if (t->rows[k].kind != NAMES_ROOT_SET_UP)
            continue;
        for (uint32_t i = OTHER + 1; i < t->count; i++)
            calls = profile_add(calls, sets_up(&t->rows[k], &t->rows[i]) ? t->rows[i].calls : 0);
        for (uint32_t i = OTHER + 1; i < t->count && calls > 0; i++) {
            if (!sets_up(&t->rows[k], &t->rows[i]))
                continue;
            const uint64_t part = (uint64_t)((double)left / (double)calls * (double)t->rows[i].calls);
            calls -= t->rows[i].calls;
            t->rows[i].set_up_ns = profile_add(t->rows[i].set_up_ns, calls == 0 ? left : part);
            left -= part < left ? part : left;
        }
    }
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* Places of the kinds: tests, named roots and requests are one. */
static int group_of(const test_row *row) {
    return test_is_one(row->kind) ? 0 : row->kind ? 1 : 2;
}

static uint64_t key_of(const test_row *row, ilj_sort_key sort) {
    switch (sort) {
    case ILJ_SORT_CALLS:
        return row->calls;
    case ILJ_SORT_EXCLUSIVE:
        return row->times.exclusive_ns;
    case ILJ_SORT_INCLUSIVE:
        return row->times.inclusive_ns;
    case ILJ_SORT_WAITING:
        return profile_add(row->waiting_ns, row->awaiting_ns);
    case ILJ_SORT_BYTES:
        return row->figures[FIGURE_BYTES];
    case ILJ_SORT_NAME:
        return 0;
    default:
        return row->duration_ns;
    }
}

typedef struct sorted {
    test_row row;
    uint64_t key;
    uint32_t was;
} sorted;

static int by_key(const void *left, const void *right) {
    const sorted *a = left, *b = right;
    int groups = group_of(&a->row) - group_of(&b->row);
    return groups ? groups : a->key != b->key ? (a->key > b->key ? -1 : 1) : list_compare(a->row.rank, b->row.rank);
}

static bool sort(test_rows *t, const report *r) {
    sorted *list = calloc((size_t)t->count + 1, sizeof *list);
    uint32_t *now = calloc((size_t)t->count + 1, sizeof *now);
    bool done = list && now;
    for (uint32_t i = 0; i < t->count && done; i++) {
        t->rows[i].rank = t->rows[i].function ? t->rows[i].function->rank : UINT32_MAX;
        list[i] = (sorted){t->rows[i], key_of(&t->rows[i], r->options->sort), i};
    }
    if (done)
        qsort(list, t->count, sizeof *list, by_key);
    for (uint32_t i = 0; i < t->count && done; i++) {
        t->rows[i] = list[i].row;
        t->tests += group_of(&t->rows[i]) == 0;
        now[list[i].was] = i;
    }
    for (uint32_t i = 0; i < r->sum->tree.node_count && done; i++)
        t->row_of[i] = now[t->row_of[i]];
    free(list);
    free(now);
    return done;
}

/* At most the longest for each call, and the shortest for one: a clock timed these, and the sum of ticks below them can
 * be more. Not where a call may be no root. */
static uint64_t bounded(uint64_t ns, const test_row *row) {
    const report_function *f = row->function;
    if (!f || !durations_has_span(&f->durations) || f->apart || f->displaced || f->calls != row->calls ||
        f->steps > 0 || row->calls == 0)
        return ns;
    const uint64_t others = row->calls - 1, longest = f->durations.max_ns;
    const uint64_t most = others > 0 && longest > UINT64_MAX / 2 / others ? ns : others * longest + f->durations.min_ns;
    return ns < most ? ns : most;
}

bool tests_make(test_rows *t, const report *r) {
    making m = {.t = t, .a = r->sum};
    *t = (test_rows){0};
    m.of_function = calloc((size_t)r->sum->list.function_count + 1, sizeof *m.of_function);
    t->row_of = calloc((size_t)r->sum->tree.node_count + 1, sizeof *t->row_of);
    bool done = m.of_function && t->row_of && list_grow((void **)&t->rows, 0, &m.capacity, sizeof *t->rows);
    if (done)
        t->rows[t->count++] = (test_row){.function = NULL};
    done = done && find_owners(&m);
    for (uint32_t i = 1; i < r->sum->tree.node_count && done; i++)
        done = add_node(&m, i);
    if (done)
        give_folded(&m);
    done = done && add_async(&m);
    if (done)
        settle(&m);
    done = done && find_reasons(&m);
    for (uint32_t i = 0; i < t->count && done; i++) {
        test_row *row = &t->rows[i];
        if (row->duration_ns == 0)
            row->duration_ns = bounded(row->times.inclusive_ns, row);
        t->whole_ns = profile_add(t->whole_ns, row->times.inclusive_ns);
    }
    if (done)
        share_set_up(t);
    done = done && sort(t, r);
    const test_row *last = done ? &t->rows[t->count - 1] : NULL;
    if (last && last->below == 0 && last->times.inclusive_ns == 0)
        t->count--;
    free(m.owners);
    free(m.of_function);
    return done;
}

void tests_clear(test_rows *t) {
    free(t->rows);
    free(t->row_of);
    *t = (test_rows){0};
}

/* ---- Which ran something ----------------------------------------------------------------------------------------- */

bool tests_that_ran(bool *ran, const test_rows *t, const report *r, const bool *wanted) {
    bool *any = calloc((size_t)t->count + 1, sizeof *any); /* by row */
    if (!any)
        return false;
    for (uint32_t i = 1; i < r->sum->tree.node_count; i++) {
        const fold_link *n = &r->sum->tree.places.links[i];
        any[t->row_of[i]] |= link_is_call(n) && wanted[node_function(n)];
    }
    for (uint32_t i = 0; i < r->sum->tree.below_count; i++)
        any[t->row_of[r->sum->tree.below[i].node]] |= wanted[r->sum->tree.below[i].function];
    for (uint32_t i = 0; i < t->tests; i++)
        ran[i] = any[i];
    for (uint32_t k = t->tests; k < t->count; k++)
        for (uint32_t i = 0; i < t->tests && any[k] && t->rows[k].kind; i++)
            ran[i] = ran[i] || uses(t->rows[i].function, t->rows[k].function);
    free(any);
    return true;
}
