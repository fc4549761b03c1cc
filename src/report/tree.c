#include <stdlib.h>

#include "report/format.h"
#include "report/report.h"

enum {
    FIGURES = 3,
    GAP = 2,
    INDENT = 2,
    MOST_INDENT = 60, /* columns; deeper nodes show their depth as a number */
    LEAST_NAME = 16,
    MAIN_DEPTH = 64,  /* of the tree without details */
    MAIN_SHARE = 100, /* which shows nodes of at least one part in so many */
};

typedef struct tree_row {
    figure figures[FIGURES];
} tree_row;

/* What stands below a node that is not shown, with itself. */
typedef struct hidden {
    uint64_t nodes, calls;
} hidden;

typedef struct tree_view {
    const aggregate *a;
    uint32_t depth;       /* nodes deeper than this are left out */
    uint64_t least_ns;    /* nodes below this are left out */
    hidden *below;        /* per node; NULL when nothing is left out */
    uint64_t unmentioned; /* nodes left out without a line */
    unsigned widths[FIGURES];
    size_t name_column, width; /* width 0: unlimited */
    uint32_t most_indent;
} tree_view;

static const char *const titles[FIGURES] = {"Calls", "Inclusive", "Exclusive"};

static bool is_shown(const tree_view *v, const report_node *n) {
    return n->depth <= v->depth && (n->inclusive_ns >= v->least_ns || n->function == FUNCTION_FOLDED);
}

static tree_row row_of(const report_node *n) {
    return (tree_row){{format_count(n->calls), format_time(n->inclusive_ns), format_time(n->exclusive_ns)}};
}

/* ---- Walking: pre-order, without a stack ------------------------------------------------------------------------ */

typedef void visit_fn(tree_view *v, printer *out, uint32_t node);

/* Calls `shown` for each node that is shown and `rest` after the last shown child of each. */
static void walk(tree_view *v, printer *out, visit_fn *shown, visit_fn *rest) {
    const report_node *nodes = v->a->nodes;
    uint32_t parent = 0, node = nodes[0].first_child;
    for (;;) {
        while (node != 0 && !is_shown(v, &nodes[node]))
            node = nodes[node].next_sibling;
        if (node != 0) {
            shown(v, out, node);
            parent = node;
            node = nodes[node].first_child;
            continue;
        }
        rest(v, out, parent);
        if (parent == 0)
            return;
        node = nodes[parent].next_sibling;
        parent = nodes[parent].parent;
    }
}

static void measure(tree_view *v, const tree_row *row) {
    for (int i = 0; i < FIGURES; i++)
        if (v->widths[i] < row->figures[i].columns)
            v->widths[i] = row->figures[i].columns;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

static void print_figures(const tree_view *v, printer *out, const tree_row *row) {
    for (int i = 0; i < FIGURES; i++) {
        print_spaces(out, v->widths[i] - row->figures[i].columns);
        print_string(out, row->figures[i].text);
        print_spaces(out, GAP);
    }
}

/* Indents a line of this depth (from 1) and returns the columns left for the name. */
static size_t print_indent(const tree_view *v, printer *out, uint32_t depth) {
    size_t taken = (size_t)(depth - 1) * INDENT;
    if (taken > v->most_indent) {
        figure number = format_count(depth);
        taken = v->most_indent + number.columns + 3;
        print_spaces(out, v->most_indent);
        print_format(out, "[%s] ", number.text);
    } else {
        print_spaces(out, taken);
    }
    if (v->width == 0)
        return SIZE_MAX;
    taken += v->name_column;
    return v->width < taken + LEAST_NAME ? LEAST_NAME : v->width - taken;
}

static void measure_node(tree_view *v, printer *out, uint32_t node) {
    (void)out;
    tree_row row = row_of(&v->a->nodes[node]);
    measure(v, &row);
}

static void print_node(tree_view *v, printer *out, uint32_t node) {
    const report_node *n = &v->a->nodes[node];
    tree_row row = row_of(n);
    bool hot = n->exclusive_ns > 0 && n->exclusive_ns >= v->a->totals.exclusive_ns / 10;
    if (hot)
        print_set_style(out, PRINT_BOLD);
    print_figures(v, out, &row);
    size_t room = print_indent(v, out, n->depth);
    if (n->function == FUNCTION_FOLDED) {
        print_string(out, "(folded calls)");
    } else {
        const report_function *f = &v->a->functions[n->function];
        print_name(out, f->name, f->parts.parameters, room);
    }
    if (hot)
        print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
}

/* The children of `parent` that are not shown, as one row; false when there are none, or all of them together are not
 * worth a line: then they are counted for the last one. */
static bool rest_of(tree_view *v, uint32_t parent, tree_row *row, uint64_t *count) {
    const report_node *nodes = v->a->nodes;
    uint64_t calls = 0, inclusive_ns = 0;
    *count = 0;
    if (!v->below)
        return false;
    for (uint32_t child = nodes[parent].first_child; child != 0; child = nodes[child].next_sibling) {
        if (is_shown(v, &nodes[child]))
            continue;
        *count = profile_add(*count, v->below[child].nodes);
        calls = profile_add(calls, v->below[child].calls);
        inclusive_ns = profile_add(inclusive_ns, nodes[child].inclusive_ns);
    }
    *row = (tree_row){{format_count(calls), format_time(inclusive_ns), {"", 0}}};
    if (inclusive_ns >= v->least_ns)
        return *count > 0;
    v->unmentioned = profile_add(v->unmentioned, *count);
    return false;
}

static void measure_rest(tree_view *v, printer *out, uint32_t parent) {
    (void)out;
    tree_row row;
    uint64_t count;
    if (rest_of(v, parent, &row, &count))
        measure(v, &row);
}

static void print_rest(tree_view *v, printer *out, uint32_t parent) {
    tree_row row;
    uint64_t count;
    if (!rest_of(v, parent, &row, &count))
        return;
    print_set_style(out, PRINT_DIM);
    print_figures(v, out, &row);
    print_indent(v, out, v->a->nodes[parent].depth + 1);
    print_format(out, "\u2026 %s more\n", format_count(count).text);
    print_set_style(out, PRINT_PLAIN);
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static bool sum_below(tree_view *v) {
    const aggregate *a = v->a;
    v->below = calloc((size_t)a->node_count + 1, sizeof *v->below);
    if (!v->below)
        return false;
    for (uint32_t i = a->node_count; i-- > 1;) { /* children stand behind their parent */
        v->below[i].nodes = profile_add(v->below[i].nodes, 1);
        v->below[i].calls = profile_add(v->below[i].calls, a->nodes[i].calls);
        hidden *parent = &v->below[a->nodes[i].parent];
        parent->nodes = profile_add(parent->nodes, v->below[i].nodes);
        parent->calls = profile_add(parent->calls, v->below[i].calls);
    }
    return true;
}

static void print_tree(tree_view *v, printer *out, unsigned width) {
    for (int i = 0; i < FIGURES; i++)
        v->widths[i] = (unsigned)strlen(titles[i]);
    walk(v, out, measure_node, measure_rest);
    print_set_style(out, PRINT_DIM);
    for (int i = 0; i < FIGURES; i++) {
        print_format(out, "%*s%*s", (int)v->widths[i], titles[i], GAP, "");
        v->name_column += v->widths[i] + GAP;
    }
    print_string(out, "Call tree\n");
    print_set_style(out, PRINT_PLAIN);
    v->width = width;
    size_t room = width > v->name_column ? width - v->name_column : 0;
    v->most_indent = width == 0 || room / 2 > MOST_INDENT ? MOST_INDENT : (uint32_t)(room / 2 / INDENT * INDENT);
    v->unmentioned = 0;
    walk(v, out, print_node, print_rest);
    if (v->unmentioned > 0) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "\u2026 %s more, below 1 %% of the time; the tree format shows all\n",
                     format_count(v->unmentioned).text);
        print_set_style(out, PRINT_PLAIN);
    }
}

bool tree_write(printer *out, const report *r) {
    tree_view v = {.a = r->sum, .depth = UINT32_MAX};
    print_tree(&v, out, r->options->width);
    return true;
}

bool tree_write_main(printer *out, const report *r) {
    tree_view v = {.a = r->sum, .depth = MAIN_DEPTH, .least_ns = r->sum->nodes[0].inclusive_ns / MAIN_SHARE};
    if (!sum_below(&v))
        return false;
    print_tree(&v, out, r->options->width);
    free(v.below);
    return true;
}
