#include <stdlib.h>

#include "report/model/times.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "report/view/source.h"
#include "util/list.h"
#include "util/unicode.h"

/* The text report's view from below: functions, and from where they were called, down to what called that. */

enum {
    LEAST_NAME = 16,
    MOST_FUNCTIONS = 10, /* without a filter */
    MOST_CALLERS = 8,    /* of one caller */
    MOST_DEPTH = 12,     /* 64 with --top=0 */
    ALL_DEPTH = 64,
    SHARE = 100, /* callers of less than one part in that many of the function's time are not shown */
};

/* One caller on the way up: what of the function's calls came through it. */
typedef struct caller {
    uint32_t function; /* or NOBODY */
    uint32_t parent, first_child, next_sibling;
    uint32_t depth;
    uint32_t first_at; /* the tree's nodes that are this caller: a chain through `next` */
    uint64_t calls;
    profile_times times;
} caller;

#define NOBODY  UINT32_MAX       /* code that is not instrumented, or the thread's start */
#define FOLDED  (UINT32_MAX - 1) /* the way was not kept */
#define NO_NODE UINT32_MAX

/* The state of the search for one function's callers; arrays by node or function of the aggregate. */
typedef struct callers_view {
    const report *r;
    const aggregate *a;
    caller *list; /* list[0] is the function itself */
    uint32_t count, capacity;
    uint32_t *inside;   /* per node: 1 + the entry of the innermost node of the function that it is below; 0: none */
    uint32_t *origin;   /* per entry: the node of the function that was called */
    uint32_t *row;      /* per entry: its caller in the list */
    uint32_t *entry_of; /* per node of the function: its entry */
    uint32_t *at;       /* per entry: where its way up has come to */
    uint32_t *next;     /* per entry */
    uint32_t *place;    /* per function, and NOBODY after them: its caller in the list, while one is looked for */
    uint32_t entry_count;
    times_marks marks; /* that the rows have */
    table table;
} callers_view;

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Without a clock there is no time, and of one without an estimate there are no parts. */
static uint64_t weight_of(const callers_view *v, const caller *c) {
    const profile_times *t = &c->times, *all = &v->list[0].times;
    uint64_t ns = t->inclusive_ns > t->exclusive_ns ? t->inclusive_ns : t->exclusive_ns;
    bool open = times_inclusive_trust(all, v->a->totals.exclusive_ns) == TIMES_AT_MOST;
    return !open && (all->inclusive_ns > 0 || all->exclusive_ns > 0) ? ns : c->calls;
}

static bool add_caller(callers_view *v, uint32_t function, uint32_t parent) {
    if (!list_grow((void **)&v->list, v->count, &v->capacity, sizeof *v->list))
        return false;
    v->list[v->count++] = (caller){.function = function,
                                   .parent = parent,
                                   .depth = v->count == 1 ? 1 : v->list[parent].depth + 1,
                                   .first_at = NO_NODE};
    return true;
}

/* Counts an entry for a caller. */
static void join(callers_view *v, uint32_t index, uint32_t entry) {
    caller *c = &v->list[index];
    const report_node its = call_tree_node(&v->a->tree, v->origin[entry]), *n = &its;
    v->next[entry] = c->first_at;
    v->row[entry] = index;
    c->first_at = entry;
    c->calls = profile_add(c->calls, n->kind == NODE_RESUMED ? n->steps : n->calls);
    times_add_exclusive(&c->times, &n->times);
}

/* The inclusive time of all entries of a caller: each moment once, also where they stand below one another. */
static void add_inclusive(callers_view *v, uint32_t index) {
    caller *c = &v->list[index];
    for (uint32_t entry = c->first_at; entry != NO_NODE; entry = v->next[entry]) {
        const report_node its = call_tree_node(&v->a->tree, v->origin[entry]), *n = &its;
        uint32_t above = v->inside[v->origin[entry]];
        while (above != 0 && v->row[above - 1] != index)
            above = v->inside[v->origin[above - 1]];
        if (above == 0 && node_kind(&v->a->tree.places.links[n->parent]) != NODE_FOLDED)
            times_add_inclusive(&c->times, &n->times);
    }
    if (c->function == FOLDED && v->list[0].function < v->a->own_folded_count)
        times_add_inclusive(&c->times, &v->a->own_folded[v->list[0].function].times);
    profile_times *t = &c->times;
    t->inclusive_ns = larger(t->inclusive_ns, t->exclusive_ns);
    t->inclusive_low_ns = larger(t->inclusive_low_ns, t->exclusive_low_ns);
    t->inclusive_high_ns = larger(t->inclusive_high_ns, t->exclusive_high_ns);
}

static bool begin(callers_view *v, uint32_t function) {
    const fold_link *nodes = v->a->tree.places.links;
    v->count = v->entry_count = 0;
    if (!add_caller(v, function, 0))
        return false;
    v->inside[0] = 0;
    for (uint32_t i = 1; i < v->a->tree.node_count; i++) { /* parents stand before their children */
        const fold_link *above = &nodes[nodes[i].parent];
        bool called = link_is_call(above) && node_function(above) == function;
        v->inside[i] = called ? 1 + v->entry_of[nodes[i].parent] : v->inside[nodes[i].parent];
        if (!link_is_call(&nodes[i]) || node_function(&nodes[i]) != function)
            continue;
        v->entry_of[i] = v->entry_count;
        v->origin[v->entry_count] = v->at[v->entry_count] = i;
        join(v, 0, v->entry_count++);
    }
    v->list[0].times = v->a->list.functions[function].times; /* also with its folded calls */
    return true;
}

typedef struct order_key {
    uint64_t weight;
    uint32_t rank, index;
} order_key;

static int by_weight(const void *left, const void *right) {
    const order_key *a = left, *b = right;
    int order = list_compare(b->weight, a->weight);
    return order ? order : list_compare(a->rank, b->rank);
}

static uint32_t *place_of(const callers_view *v, uint32_t function) {
    return &v->place[function < FOLDED ? function : v->a->list.function_count + (function - FOLDED)];
}

/* The callers of the caller at `parent`, most first; those of little weight are not kept. */
static bool expand(callers_view *v, uint32_t parent, uint64_t least) {
    const fold_link *nodes = v->a->tree.places.links;
    uint32_t first = v->count;
    for (uint32_t entry = v->list[parent].first_at, next; entry != NO_NODE; entry = next) {
        next = v->next[entry];
        v->at[entry] = nodes[v->at[entry]].parent;
        const fold_link *n = &nodes[v->at[entry]];
        uint32_t function = link_is_call(n) ? node_function(n) : node_kind(n) == NODE_FOLDED ? FOLDED : NOBODY;
        uint32_t *place = place_of(v, function);
        if (*place == NO_NODE) {
            *place = v->count;
            if (!add_caller(v, function, parent))
                return false;
        }
        join(v, *place, entry);
    }
    v->list[parent].first_at = NO_NODE;
    for (uint32_t i = first; i < v->count; i++)
        add_inclusive(v, i);
    order_key *keys = calloc((size_t)(v->count - first) + 1, sizeof *keys);
    if (!keys)
        return false;
    uint32_t count = v->count - first, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const caller *c = &v->list[first + i];
        uint32_t rank = c->function >= FOLDED ? c->function : v->a->list.functions[c->function].rank;
        keys[i] = (order_key){weight_of(v, c), rank, first + i};
        *place_of(v, c->function) = NO_NODE;
    }
    qsort(keys, count, sizeof *keys, by_weight);
    uint32_t *link = &v->list[parent].first_child;
    for (; kept < count && kept < MOST_CALLERS && keys[kept].weight >= least; kept++) {
        *link = keys[kept].index;
        link = &v->list[keys[kept].index].next_sibling;
    }
    free(keys);
    return true;
}

/* Callers are expanded while they have weight: each is looked at once. */
static bool find_callers(callers_view *v, uint32_t function) {
    if (!begin(v, function))
        return false;
    uint64_t least = weight_of(v, &v->list[0]) / SHARE;
    uint32_t at = 0, depth = v->r->options->top == 0 ? ALL_DEPTH : MOST_DEPTH;
    for (;;) { /* pre-order, without a stack */
        if (v->list[at].function < FOLDED && v->list[at].depth < depth && !expand(v, at, least))
            return false;
        if (v->list[at].first_child != 0) {
            at = v->list[at].first_child;
            continue;
        }
        while (at != 0 && v->list[at].next_sibling == 0)
            at = v->list[at].parent;
        if (at == 0)
            return true;
        at = v->list[at].next_sibling;
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static table_row row_of(const callers_view *v, const caller *c) {
    uint64_t whole = weight_of(v, &v->list[0]);
    return (table_row){{format_count(c->calls), times_inclusive_figure(v->r, &c->times),
                        times_exclusive_figure(v->r, &c->times), format_percent(weight_of(v, c), whole)}};
}

static void print_caller(const callers_view *v, printer *out, uint32_t index) {
    const caller *c = &v->list[index];
    table_row row = row_of(v, c);
    if (index == 0)
        print_set_style(out, PRINT_BOLD);
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, c->depth);
    if (c->function >= FOLDED) {
        static const char folded[] = "(folded calls: callers not kept)", start[] = "(thread start, or other code)";
        print_line(out, c->function == FOLDED ? bytes_of(folded, sizeof folded - 1) : bytes_of(start, sizeof start - 1),
                   room);
    } else {
        const report_function *f = &v->a->list.functions[c->function];
        bool ends = c->first_at != NO_NODE && index > 0; /* from where this was called is not reported any more */
        size_t marks = (index > 0 ? 2u : 0u) + (ends ? 4u : 0u);
        print_string(out, index > 0 ? "\u2190 " : "");
        buffer place = BUFFER_INIT;
        bool calls_leaf = index > 0 && c->parent == 0 && v->list[0].function < FOLDED;
        if (calls_leaf)
            view_call_place(&place, v->r, c->function, v->list[0].function);
        bool wide = place.size > 0 || has_wide_lines(v->r);
        if (place.size == 0 && (v->r->options->lines || wide))
            view_place(&place, v->r, f);
        marks += place_columns(&place, v->r, wide, marks + unicode_width(f->name), marks + LEAST_NAME, room);
        print_name(out, f->name, f->parts.parameters, f->parts.suffix, room > marks ? room - marks : room);
        print_string(out, ends ? " \u2190 \u2026" : "");
        print_place(out, &place);
    }
    if (index == 0)
        print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
}

/* Pre-order over what is kept; with `out` NULL the rows are measured. */
static void each_caller(callers_view *v, printer *out) {
    uint32_t at = 0;
    for (;;) {
        table_row row = row_of(v, &v->list[at]);
        times_mark(&v->marks, times_inclusive_trust(&v->list[at].times, v->a->totals.exclusive_ns));
        times_mark(&v->marks, times_exclusive_trust(&v->list[at].times, v->a->totals.exclusive_ns));
        if (out)
            print_caller(v, out, at);
        else
            table_measure(&v->table, &row);
        if (v->list[at].first_child != 0) {
            at = v->list[at].first_child;
            continue;
        }
        while (at != 0 && v->list[at].next_sibling == 0)
            at = v->list[at].parent;
        if (at == 0)
            return;
        at = v->list[at].next_sibling;
    }
}

static bool write_function(callers_view *v, printer *out, const report_function *f, bool first) {
    if (!find_callers(v, (uint32_t)(f - v->a->list.functions)))
        return false;
    v->table = (table){.titles = {"Calls", "Inclusive", "Exclusive", "%"}, .least_name = LEAST_NAME};
    each_caller(v, NULL);
    print_string(out, first ? "" : "\n");
    table_head(&v->table, out, "Function, and who called it", v->r->options->width);
    each_caller(v, out);
    return true;
}

static bool write_all(callers_view *v, printer *out, const report_function *const *sorted) {
    uint32_t shown = 0, most = v->a->list.filter.count > 0 ? UINT32_MAX : MOST_FUNCTIONS;
    if (v->r->options->top != 0 && v->r->options->top < most)
        most = v->r->options->top;
    for (uint32_t i = 0; i < v->a->list.function_count && shown < most; i++) {
        if (!sorted[i]->wanted || (sorted[i]->parts.helper && !v->r->options->helpers))
            continue;
        if (!write_function(v, out, sorted[i], shown == 0))
            return false;
        shown++;
    }
    if (shown == 0)
        print_string(out, "No function matches --filter.\n");
    return true;
}

bool callers_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    callers_view v = {.r = r, .a = a};
    v.inside = calloc((size_t)a->tree.node_count + 1, sizeof *v.inside);
    v.origin = calloc((size_t)a->tree.node_count + 1, sizeof *v.origin);
    v.at = calloc((size_t)a->tree.node_count + 1, sizeof *v.at);
    v.row = calloc((size_t)a->tree.node_count + 1, sizeof *v.row);
    v.entry_of = calloc((size_t)a->tree.node_count + 1, sizeof *v.entry_of);
    v.next = calloc((size_t)a->tree.node_count + 1, sizeof *v.next);
    v.place = calloc((size_t)a->list.function_count + 2, sizeof *v.place);
    const report_function **sorted = report_sorted(a, r->options->sort);
    bool done = v.inside && v.row && v.entry_of && v.origin && v.at && v.next && v.place && sorted;
    for (uint32_t i = 0; i < a->list.function_count + 2 && done; i++)
        v.place[i] = NO_NODE;
    done = done && write_all(&v, out, sorted);
    times_explain(out, r, v.marks);
    free(sorted);
    free(v.list);
    free(v.inside);
    free(v.row);
    free(v.entry_of);
    free(v.origin);
    free(v.at);
    free(v.next);
    free(v.place);
    return done;
}
