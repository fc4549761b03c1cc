#include <stdio.h>
#include <stdlib.h>

#include "report/model/figures.h"
#include "report/model/idle.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "report/view/source.h"
#include "util/unicode.h"

enum {
    LEAST_NAME = 16,
    ROOM_FOR_NAMES = 32,
    MAIN_DEPTH = 64,  /* of the tree without details */
    NOTICEABLE = 100, /* a wait is a line when it is one part in that many of all time */
};

/* Columns: after the calls those of the figures that are counted, then those of times. */
enum { CALLS };

/* The sum below a node that is not shown, with itself. */
typedef struct hidden {
    uint64_t nodes, calls;
} hidden;

typedef struct tree_view {
    const report *r;
    const aggregate *a;
    uint32_t depth;       /* nodes deeper than this are left out */
    uint64_t least_ns;    /* nodes below this are left out */
    uint64_t least_calls; /* likewise, when no time was taken */
    uint64_t least_bytes; /* but for those that have allocated as much; UINT64_MAX: bytes are not counted */
    unsigned percent;     /* that both are of the whole */
    hidden *below;        /* per node; NULL when nothing is left out */
    uint64_t unmentioned; /* nodes left out without a line */
    buffer name;          /* of a thread */
    idle idle;            /* all zero: nothing that only waits is folded */
    bool bare;            /* some name has no room for its namespace */
    bool *wanted;         /* per node: it is wanted, or stands above or below one that is; NULL: all are */
    int figures[FIGURES]; /* columns of the inclusive ones, with the own ones after; 0: they are not counted */
    int inclusive;        /* likewise, of times */
    table table;
    times_marks marks; /* that the rows have */
} tree_view;

/* Slices that were resumed are no calls but steps. */
static uint64_t calls_of(const report_node *n) {
    return n->kind == NODE_RESUMED ? n->steps : n->calls;
}

/* The inclusive time that decides whether a node is shown. */
static uint64_t may_take(const tree_view *v, const report_node *n) {
    bool open = times_inclusive_trust(&n->times, v->a->totals.exclusive_ns) == TIMES_AT_MOST;
    return open ? n->times.inclusive_high_ns : n->times.inclusive_ns;
}

static idle_part part_of_node(const tree_view *v, const report_node *n) {
    return v->idle.parts ? (idle_part)v->idle.parts[n->node] : IDLE_NOT;
}

static bool is_shown(const tree_view *v, const report_node *n) {
    idle_part part = part_of_node(v, n);
    if (part == IDLE_MORE || part == IDLE_BELOW || (v->wanted && !v->wanted[n->node]) || n->depth > v->depth)
        return false;
    if (n->kind == NODE_WAITING) /* in the whole tree, too */
        return n->times.inclusive_ns >= v->least_ns &&
               n->times.inclusive_ns >= node_number(&v->a->tree, TIMES_INCLUSIVE, 0) / NOTICEABLE;
    return (may_take(v, n) >= v->least_ns && calls_of(n) >= v->least_calls) || n->all_figures.bytes >= v->least_bytes ||
           n->kind == NODE_FOLDED || n->kind == NODE_THREAD;
}

/* A node is too large for a function that most nodes leave before. */
static __attribute__((noinline)) bool is_shown_whole(const tree_view *v, uint32_t node) {
    const report_node n = call_tree_node(&v->a->tree, node);
    return is_shown(v, &n);
}

static inline __attribute__((always_inline)) bool is_shown_at(const tree_view *v, uint32_t node) {
    const columns *f = &v->a->tree.figures;
    const bool call = link_is_call(&v->a->tree.places.links[node]);
    if (v->a->tree.depths[node] > v->depth)
        return false;
    if (call && (v->least_ns | v->least_calls) == 0 && !v->idle.parts && !v->wanted) /* nothing is left out */
        return true;
    const uint64_t ns = columns_at(f, TIMES_INCLUSIVE, node);
    if (call && ns < v->least_ns && v->least_bytes == UINT64_MAX &&
        times_high_at(f, TIMES_INCLUSIVE, node, ns) < v->least_ns) /* may_take is neither above */
        return false;
    return is_shown_whole(v, node);
}

/* Those with one parent that only wait, as a line. */
static table_row idle_row(const tree_view *v, const report_node *n, uint32_t *count) {
    const fold_link *nodes = v->a->tree.places.links;
    uint64_t all_ns = 0, own_ns = 0;
    *count = 0;
    for (uint32_t at = nodes[n->parent].first_child; at != 0; at = nodes[at].next_sibling) {
        const report_node waiting = call_tree_node(&v->a->tree, at);
        if (part_of_node(v, &waiting) == IDLE_NOT)
            continue;
        all_ns = profile_add(all_ns, waiting.times.inclusive_ns);
        own_ns = profile_add(own_ns, node_working(&waiting).inclusive_ns);
        ++*count;
    }
    table_row row = {0};
    row.figures[v->inclusive] = format_time(all_ns);
    row.figures[v->inclusive + 1] = format_time(own_ns);
    return row;
}

/* Writes the row into its place: it is too large to be copied. */
static void row_of(table_row *row, const tree_view *v, const report_node *n) {
    uint32_t count;
    if (part_of_node(v, n) == IDLE_TOP) {
        *row = idle_row(v, n, &count);
        return;
    }
    *row = (table_row){0};
    if (n->kind == NODE_WAITING) {
        row->figures[v->inclusive] = format_time(n->times.inclusive_ns);
        return;
    }
    row->figures[CALLS] = format_count(calls_of(n));
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (v->figures[kind]) {
            row->figures[v->figures[kind]] = times_counted(kind, n->all_figures.all[kind]);
            row->figures[v->figures[kind] + 1] = times_counted(kind, n->figures.all[kind]);
        }
    row->figures[v->inclusive] = times_inclusive_figure(v->r, &n->times);
    row->figures[v->inclusive + 1] = times_exclusive_figure(v->r, &n->times);
}

/* ---- Walking: pre-order, without a stack ------------------------------------------------------------------------ */

typedef void visit_fn(tree_view *v, printer *out, uint32_t node);

/* Calls `shown` for each node that is shown and, where any is left out, `rest` after the last shown child of each. */
static void walk(tree_view *v, printer *out, visit_fn *shown, visit_fn *rest) {
    const fold_link *nodes = v->a->tree.places.links;
    uint32_t parent = 0, node = nodes[0].first_child;
    for (;;) {
        while (node != 0 && !is_shown_at(v, node))
            node = nodes[node].next_sibling;
        if (node != 0) {
            shown(v, out, node);
            parent = node;
            node = nodes[node].first_child;
            continue;
        }
        if (v->below)
            rest(v, out, parent);
        if (parent == 0)
            return;
        node = nodes[parent].next_sibling;
        parent = nodes[parent].parent;
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static void measure_node(tree_view *v, printer *out, uint32_t node) {
    (void)out;
    const report_node n = call_tree_node(&v->a->tree, node);
    const profile_times *t = &n.times;
    table_row row;
    row_of(&row, v, &n);
    table_measure(&v->table, &row);
    times_mark(&v->marks, times_exclusive_trust(t, v->a->totals.exclusive_ns));
    times_mark(&v->marks, times_inclusive_trust(t, v->a->totals.exclusive_ns));
}

static void check_room(tree_view *v, printer *out, uint32_t node) {
    (void)out;
    const fold_link *n = &v->a->tree.places.links[node];
    if (link_is_call(n) && !v->bare)
        v->bare =
            function_is_long(&v->a->list.functions[node_function(n)], table_room(&v->table, v->a->tree.depths[node]));
}

static void print_thread(tree_view *v, printer *out, const report_thread *t, size_t room) {
    v->name.size = 0;
    thread_describe(&v->name, v->r, t);
    print_name(out, buffer_bytes(&v->name), v->name.size, v->name.size, room);
}

/* A function's name and what this node is to it. */
static void print_call(const tree_view *v, printer *out, const report_node *n, size_t room) {
    const report_function *f = &v->a->list.functions[n->function];
    char suffix[64] = "";
    if (n->kind == NODE_RESUMED)
        snprintf(suffix, sizeof suffix, " (resumed)");
    else if (n->steps > 0 && (f->machine != PROFILE_ASYNC || n->calls == 0))
        snprintf(suffix, sizeof suffix, " (%s step%s)", format_count(n->steps).text, n->steps == 1 ? "" : "s");
    size_t taken = strlen(suffix);
    buffer place = BUFFER_INIT;
    const fold_link *above = &v->a->tree.places.links[n->parent];
    if (v->a->sites.leaves.count > 0 && link_is_call(above))
        view_call_place(&place, v->r, node_function(above), n->function);
    bool wide = place.size > 0 || has_wide_lines(v->r);
    if (place.size == 0 && (v->r->options->lines || wide))
        view_place(&place, v->r, f);
    if (place.size > 0) {
        size_t from = v->bare ? function_space(f) : 0;
        size_t whole = taken + unicode_width((bytes){f->name.data + from, f->name.size - from});
        taken += place_columns(&place, v->r, wide, whole, taken + LEAST_NAME, room);
    }
    print_short_function(out, f, v->bare, room > taken + LEAST_NAME ? room - taken : room);
    print_string(out, suffix);
    if (place.size > 0 || place.failed)
        print_place(out, &place);
}

static void print_idle(tree_view *v, printer *out, uint32_t node) {
    const report_node its = call_tree_node(&v->a->tree, node), *n = &its;
    uint32_t count;
    table_row row = idle_row(v, n, &count);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, n->depth);
    v->name.size = 0;
    idle_describe(&v->name, v->a, node, count);
    print_line(out, buffer_bytes(&v->name), room);
    print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
}

static void print_node(tree_view *v, printer *out, uint32_t node) {
    const report_node its = call_tree_node(&v->a->tree, node), *n = &its;
    if (part_of_node(v, n) == IDLE_TOP) {
        print_idle(v, out, node);
        return;
    }
    table_row row;
    row_of(&row, v, n);
    const report_totals *all = &v->a->totals;
    uint64_t own = n->times.exclusive_ns;
    bool waits = n->kind == NODE_WAITING, hot = !waits && own > 0 && own >= all->exclusive_ns / 10;
    if (hot || waits)
        print_set_style(out, hot ? PRINT_BOLD : PRINT_DIM);
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, n->depth);
    if (n->kind == NODE_FOLDED)
        print_string(out, "(folded calls)");
    else if (waits)
        print_string(out, "(waiting)");
    else if (n->kind == NODE_THREAD)
        print_thread(v, out, &v->a->tree.threads[n->function], room);
    else
        print_call(v, out, n, room);
    if (hot || waits)
        print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
}

/* The children of `parent` that are not shown, as one row; false when there are none, or all of them together are not
 * worth a line: then they are counted for the last one. */
static bool rest_of(tree_view *v, uint32_t parent, table_row *row, uint64_t *count) {
    const fold_link *nodes = v->a->tree.places.links;
    uint64_t calls = 0, inclusive_ns = 0, all[FIGURES] = {0};
    *count = 0;
    for (uint32_t child = nodes[parent].first_child; child != 0; child = nodes[child].next_sibling) {
        const report_node n = call_tree_node(&v->a->tree, child);
        if (is_shown(v, &n) || (v->wanted && !v->wanted[child]) || part_of_node(v, &n) != IDLE_NOT)
            continue;
        *count = profile_add(*count, v->below[child].nodes);
        calls = profile_add(calls, v->below[child].calls);
        inclusive_ns = profile_add(inclusive_ns, n.times.inclusive_ns);
        profile_add_figures(all, n.all_figures.all);
    }
    *row = (table_row){.figures[CALLS] = format_count(calls)};
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (v->figures[kind])
            row->figures[v->figures[kind]] = times_counted(kind, all[kind]);
    row->figures[v->inclusive] = format_time(inclusive_ns);
    if (inclusive_ns >= v->least_ns)
        return *count > 0;
    v->unmentioned = profile_add(v->unmentioned, *count);
    return false;
}

static void no_rest(tree_view *v, printer *out, uint32_t parent) {
    (void)v;
    (void)out;
    (void)parent;
}

static void measure_rest(tree_view *v, printer *out, uint32_t parent) {
    (void)out;
    table_row row;
    uint64_t count;
    if (rest_of(v, parent, &row, &count))
        table_measure(&v->table, &row);
}

static void print_rest(tree_view *v, printer *out, uint32_t parent) {
    table_row row;
    uint64_t count;
    if (!rest_of(v, parent, &row, &count))
        return;
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, &row);
    table_indent(&v->table, out, v->a->tree.depths[parent] + 1);
    print_format(out, "\u2026 %s more\n", format_count(count).text);
    print_set_style(out, PRINT_PLAIN);
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static bool sum_below(tree_view *v) {
    const aggregate *a = v->a;
    v->below = calloc((size_t)a->tree.node_count + 1, sizeof *v->below);
    if (!v->below)
        return false;
    for (uint32_t i = a->tree.node_count; i-- > 1;) { /* children stand after their parent */
        const fold_link *n = &a->tree.places.links[i];
        const unsigned calls = node_kind(n) == NODE_RESUMED ? NODE_STEPS : NODE_CALLS;
        v->below[i].nodes = profile_add(v->below[i].nodes, node_kind(n) != NODE_WAITING);
        v->below[i].calls = profile_add(v->below[i].calls, node_number(&a->tree, calls, i));
        hidden *parent = &v->below[n->parent];
        parent->nodes = profile_add(parent->nodes, v->below[i].nodes);
        parent->calls = profile_add(parent->calls, v->below[i].calls);
    }
    return true;
}

/* Hides columns of what is counted until names have room: own figures before those with callees, the last kind first.
 */
static void fit(tree_view *v) {
    int order[2 * FIGURES + 1], count = 0;
    for (int own = 1; own >= 0; own--)
        for (int kind = FIGURES; kind-- > 0;)
            if (v->figures[kind])
                order[count++] = v->figures[kind] + own;
    order[count] = -1;
    table_fit(&v->table, order, ROOM_FOR_NAMES, v->r->options->width);
}

static void print_tree(tree_view *v, printer *out) {
    v->inclusive = CALLS + 1;
    v->table = (table){.least_name = LEAST_NAME};
    v->table.titles[CALLS] = "Calls";
    for (profile_figure kind = 0; kind < FIGURES; kind++) {
        if (v->a->counted.all[kind] == 0)
            continue;
        v->figures[kind] = v->inclusive;
        v->table.titles[v->inclusive++] = figure_rows[figure_kinds[kind].all].title;
        v->table.titles[v->inclusive++] = figure_rows[figure_kinds[kind].own].title;
    }
    v->table.titles[v->inclusive] = "Inclusive";
    v->table.titles[v->inclusive + 1] = "Exclusive";
    walk(v, out, measure_node, measure_rest);
    fit(v);
    table_head(&v->table, out, "Call tree", v->r->options->width);
    walk(v, out, check_room, no_rest);
    v->unmentioned = 0;
    walk(v, out, print_node, print_rest);
    if (v->unmentioned > 0) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "\u2026 %s more, below %u %% of the %s; --format=calltree shows all\n",
                     format_count(v->unmentioned).text, v->percent,
                     v->least_calls > 0            ? "calls"
                     : v->least_bytes < UINT64_MAX ? "time and bytes"
                                                   : "time");
        print_set_style(out, PRINT_PLAIN);
    }
}

/* With a filter: what stands below a function that is wanted, and what leads to one. */
static bool find_wanted(tree_view *v) {
    const aggregate *a = v->a;
    if (a->list.filter.count == 0)
        return true;
    v->wanted = calloc((size_t)a->tree.node_count + 1, sizeof *v->wanted);
    if (!v->wanted)
        return false;
    for (uint32_t i = 1; i < a->tree.node_count; i++) { /* children stand after their parent */
        const fold_link *n = &a->tree.places.links[i];
        v->wanted[i] = v->wanted[n->parent] || (link_is_call(n) && a->list.functions[node_function(n)].wanted);
    }
    for (uint32_t i = a->tree.node_count; i-- > 1;)
        if (v->wanted[i] && a->tree.places.links[i].parent != 0)
            v->wanted[a->tree.places.links[i].parent] = true;
    return true;
}

static uint32_t shown_nodes(const tree_view *v) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < v->a->tree.node_count; i++)
        count += is_shown_at(v, i);
    return count;
}

/* Leaves out what is below one percent, or below that many more that no more than `most` nodes are left. */
static void choose_share(tree_view *v, uint32_t most) {
    static const unsigned percents[] = {1, 2, 5, 10};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        v->percent = percents[i];
        v->least_ns = node_number(&v->a->tree, TIMES_INCLUSIVE, 0) / 100 * v->percent;
        uint64_t all_bytes = node_number(&v->a->tree, NODE_ALL_FIGURE + FIGURE_BYTES, 0);
        v->least_bytes = all_bytes < 100 ? UINT64_MAX : all_bytes / 100 * v->percent;
        v->least_calls = v->least_ns == 0 ? v->a->totals.enters / 100 * v->percent : 0;
        if (shown_nodes(v) <= most)
            return;
    }
}

static bool write_tree(tree_view *v, printer *out, uint32_t most) {
    bool whole = v->depth == UINT32_MAX, done = find_wanted(v) && (whole || sum_below(v));
    if (done && !whole)
        choose_share(v, most);
    if (done)
        print_tree(v, out);
    done = done && !v->name.failed;
    free(v->below);
    free(v->wanted);
    buffer_clear(&v->name);
    idle_clear(&v->idle);
    return done;
}

bool calltree_write(printer *out, const report *r) {
    tree_view v = {.r = r, .a = r->sum, .depth = UINT32_MAX, .least_bytes = UINT64_MAX};
    if (!write_tree(&v, out, UINT32_MAX))
        return false;
    if (r->options->async)
        async_write_tree(out, r);
    return true;
}

bool tree_write_main(printer *out, const report *r, uint32_t most) {
    tree_view v = {.r = r, .a = r->sum, .depth = MAIN_DEPTH, .least_bytes = UINT64_MAX};
    bool folds = !r->options->idle && r->options->pattern_count == 0;
    bool done = (!folds || idle_find(&v.idle, r->sum)) && write_tree(&v, out, most);
    if (r->options->view == ILJ_VIEW_TREE) /* else a table stands above, and explains its own */
        times_explain(out, r, v.marks);
    return done;
}
