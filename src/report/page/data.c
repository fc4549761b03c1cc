#include "report/page/page.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/model/idle.h"
#include "report/model/parts.h"
#include "report/model/rows.h"
#include "report/model/walk.h"
#include "report/page/allocated.h"
#include "report/page/edges.h"
#include "report/page/json.h"
#include "report/page/parts.h"
#include "report/page/places.h"
#include "report/page/tests.h"
#include "report/page/timeline.h"
#include "report/view/async.h"
#include "report/view/exceptions.h"
#include "report/view/frames.h"
#include "report/view/left_out.h"
#include "report/view/names.h"
#include "report/view/runs.h"
#include "report/view/switches.h"

/* Arrays stand in columns, one value of every function or node after another: that is half the bytes, and faster to
 * read. Where no time was measured, calls stand in the place of times. */

typedef struct page_data {
    printer *out;
    const report *r;
    const aggregate *a;
    view_frames frames;
    buffer text;
    uint64_t *within;           /* per node: weight of it and all below */
    uint64_t *figures[FIGURES]; /* the same of each figure; NULL: not counted */
    uint32_t *position;         /* per node: in the page, or LEFT_OUT */
    uint32_t *at_function;      /* per function: in the page, or LEFT_OUT */
    const report_function **functions;
    report_row *rows;                    /* per function */
    uint32_t node_count, function_count; /* in the page */
    bool has_leaves;
    bool is_now;
    idle idle; /* what only waits; all zero when it is asked for */
} page_data;

#define LEFT_OUT UINT32_MAX

/* ---- The nodes in the page ----------------------------------------------------------------------------------------
 */

/* The others have no time of their own, but for that in which a thread waited. */
static bool has_weight(const fold_link *n) {
    return link_is_call(n) || node_kind(n) == NODE_WAITING;
}

static int descending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

/* The weights of all subtrees, and which nodes have one of the largest. A node's is at least that of any below it, and
 * parents stand first: so a node that is in has its parent in. */
static bool choose_nodes(page_data *d) {
    const aggregate *a = d->a;
    uint32_t count = a->tree.node_count, limit = 0;
    uint64_t *sorted = calloc((size_t)count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = count; i-- > 0;) {
        const fold_link *n = &a->tree.places.links[i];
        if (has_weight(n))
            d->within[i] = profile_add(d->within[i], view_node_weight(d->r, i));
        if (i > 0)
            d->within[n->parent] = profile_add(d->within[n->parent], d->within[i]);
        sorted[i] = d->within[i];
    }
    uint64_t least = 0;
    if (count > PAGE_MAX_NODES) {
        qsort(sorted, count, sizeof *sorted, descending);
        least = sorted[PAGE_MAX_NODES - 1];
        while (limit < PAGE_MAX_NODES && sorted[PAGE_MAX_NODES - 1 - limit] == least)
            limit++;
    } else {
        limit = count;
    }
    free(sorted);
    for (uint32_t i = 0; i < count; i++) {
        const bool below = i > 0 && d->position[a->tree.places.links[i].parent] == LEFT_OUT;
        bool in = d->within[i] > least || (d->within[i] == least && limit > 0 && !below);
        if (in && d->within[i] == least)
            limit--;
        d->position[i] = in ? d->node_count++ : LEFT_OUT;
    }
    return true;
}

/* The functions of those nodes, and others with much time of their own. */
static void choose_functions(page_data *d) {
    const aggregate *a = d->a;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        d->at_function[i] = LEFT_OUT;
    for (uint32_t i = 0; i < a->tree.node_count; i++)
        if (d->position[i] != LEFT_OUT && link_is_call(&a->tree.places.links[i]))
            d->at_function[node_function(&a->tree.places.links[i])] = 0;
    uint32_t more = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        uint32_t function = (uint32_t)(d->functions[i] - a->list.functions);
        bool kept = a->kept.text_count == 0 || a->list.functions[function].wanted;
        if (!kept || (d->at_function[function] == LEFT_OUT && more++ >= PAGE_MAX_FUNCTIONS))
            continue;
        d->at_function[function] = d->function_count;
        d->functions[d->function_count++] = &a->list.functions[function];
    }
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static void runs(page_data *d) {
    view_facts facts = {.list = NULL};
    print_string(d->out, "\"runs\":[");
    for (size_t i = 0; i < d->r->profile_count; i++) {
        view_profile(d->r, i, &facts);
        print_string(d->out, i == 0 ? "{" : ",\n{");
        view_print(d->out, &facts, &page_facts, true);
        print_string(d->out, "}");
    }
    view_facts_clear(&facts);
    print_string(d->out, "]");
}

/* Methods that were switched off while the program ran; absent when there were none. */
static void switched(page_data *d) {
    view_facts facts = {.list = NULL};
    uint32_t count = view_switch_count(d->r);
    for (uint32_t i = 0; i < count; i++) {
        const view_switch s = view_switch_at(d->r, i);
        view_switch_facts(&s, &facts);
        view_text(&d->text, s.function->name);
        print_string(d->out, i == 0 ? ",\n\"switched\":[{\"name\":" : ",\n{\"name\":");
        page_string(d->out, buffer_bytes(&d->text));
        view_print(d->out, &facts, &page_facts, false);
        print_string(d->out, "}");
    }
    view_facts_clear(&facts);
    if (count > 0)
        print_string(d->out, "]");
}

/* Sentences; absent when nothing was left out for a price. */
static void left_out_for_price(page_data *d) {
    uint32_t i = 0;
    for (; view_left_out(&d->text, d->r, i); i++) {
        print_string(d->out, i == 0 ? ",\n\"leftOut\":[" : ",\n");
        page_string(d->out, buffer_bytes(&d->text));
    }
    print_string(d->out, i > 0 ? "]" : "");
}

/* The weight of a node and all below, without waits. */
static uint64_t working_of(const page_data *d, uint32_t node) {
    uint64_t waiting = view_has_time(d->r) ? node_number(&d->a->tree, NODE_WAITING_NS, node) : 0;
    return d->within[node] > waiting ? d->within[node] - waiting : 0;
}

static void totals(page_data *d) {
    const report_totals *t = &d->a->totals;
    print_format(d->out, ",\n\"unit\":\"%s\",\"totals\":{\"calls\":%" PRIu64, view_has_time(d->r) ? "ns" : "calls",
                 t->enters);
    page_field(d->out, "exclusive", view_has_time(d->r) ? working_of(d, 0) : t->enters);
    page_field(d->out, "waiting", t->waiting_ns);
    uint64_t awaiting = 0;
    for (uint32_t i = 1; i < d->a->async.place_count; i++)
        awaiting = profile_add(awaiting, d->a->async.places[i].own_awaiting_ns);
    page_field(d->out, "awaiting", awaiting);
    for (int kind = 0; kind < FIGURES; kind++)
        if (d->figures[kind])
            page_field(d->out, figure_kinds[kind].name, t->figures.all[kind]);
    page_field(d->out, "threads", t->threads);
    page_field(d->out, "probe_ns", t->probe_ns);
    print_string(d->out, aggregate_only_counts(d->a) ? "},\n\"counted\":true" : "}");
}

static void figure_element(page_data *d, uint32_t i, report_figure id) {
    row_value v = figure_value(d->a, &d->rows[i], id);
    switch (figure_rows[id].page.rule) {
    case RULE_OR_CALLS:
        page_element(d->out, i, view_has_time(d->r) ? v.raw : d->rows[i].sums[ROW_CALLS]);
        break;
    case RULE_OR_ONE:
        page_element(d->out, i, view_has_time(d->r) ? v.raw : 1);
        break;
    case RULE_OR_NULL:
        if (v.known)
            page_element(d->out, i, v.raw);
        else
            print_string(d->out, i == 0 ? "null" : ",null");
        break;
    default:
        page_element(d->out, i, v.raw);
    }
}

/* A time of functions: its ends, and whether they leave enough open to be shown (trust.h). */
typedef bool ends_fn(const aggregate *a, const report_function *f, uint64_t *low, uint64_t *high);

static bool exclusive_ends(const aggregate *a, const report_function *f, uint64_t *low, uint64_t *high) {
    *low = f->times.exclusive_low_ns;
    *high = f->times.exclusive_high_ns;
    return times_exclusive_trust(&f->times, a->totals.exclusive_ns) != TIMES_SURE;
}
static bool inclusive_ends(const aggregate *a, const report_function *f, uint64_t *low, uint64_t *high) {
    *low = f->times.inclusive_low_ns;
    *high = f->times.inclusive_high_ns;
    return times_inclusive_trust(&f->times, a->totals.exclusive_ns) != TIMES_SURE;
}
static bool average_ends(const aggregate *a, const report_function *f, uint64_t *low, uint64_t *high) {
    *low = report_average_low(f);
    *high = report_average_high(f);
    return report_average_trust(a, f) != TIMES_SURE;
}

/* Of those: the function's position, the low end and the high one, all in one array. */
static void ranges(page_data *d, const char *name, ends_fn *ends) {
    uint32_t written = 0;
    print_format(d->out, "\"%s\":[", name);
    for (uint32_t i = 0; i < d->function_count; i++) {
        uint64_t low, high;
        if (!ends(d->a, d->functions[i], &low, &high))
            continue;
        page_element(d->out, written++, i);
        page_element(d->out, written++, low);
        page_element(d->out, written++, high);
    }
    print_string(d->out, "]");
}

static void function_names(page_data *d) {
    print_string(d->out, ",\n\"name\":[");
    for (uint32_t i = 0; i < d->function_count; i++) {
        view_text(&d->text, d->functions[i]->name);
        print_string(d->out, i > 0 ? "," : "");
        page_string(d->out, buffer_bytes(&d->text));
    }
    print_string(d->out, "]");
}

/* False when memory ran out. */
static bool functions(page_data *d) {
    const figure_list figures = figures_of(d->a, offsetof(figure_row, page));
    print_format(d->out, ",\n\"functions\":{\"left_out\":%" PRIu32, d->a->list.function_count - d->function_count);
    function_names(d);
    for (size_t c = 0; c < figures.count; c++) {
        print_format(d->out, ",\n\"%s\":[", figure_rows[figures.ids[c]].page.name);
        for (uint32_t i = 0; i < d->function_count; i++)
            figure_element(d, i, figures.ids[c]);
        print_string(d->out, "]");
    }
    if (d->has_leaves) {
        print_string(d->out, ",\n\"part\":[");
        for (uint32_t i = 0; i < d->function_count; i++)
            page_element(d->out, i, page_part_of(d->functions[i]));
        print_string(d->out, "]");
    }
    uint32_t idle = 0;
    print_string(d->out, ",\n\"idle\":[");
    for (uint32_t i = 0; d->idle.functions && i < d->function_count; i++)
        if (d->idle.functions[d->functions[i] - d->a->list.functions])
            page_element(d->out, idle++, i);
    uint32_t helpers = 0, loops = 0;
    print_string(d->out, "],\n\"helpers\":[");
    for (uint32_t i = 0; !d->r->options->helpers && i < d->function_count; i++)
        if (d->functions[i]->parts.helper)
            page_element(d->out, helpers++, i);
    print_string(d->out, "],\n\"loops\":[");
    for (uint32_t i = 0; d->idle.own_ns && i < d->function_count; i++) {
        const uint64_t own_ns = d->idle.own_ns[d->functions[i] - d->a->list.functions];
        if (own_ns == 0)
            continue;
        page_element(d->out, loops++, i);
        page_element(d->out, loops++, own_ns);
    }
    print_string(d->out, "],\n\"ranges\":{");
    ranges(d, "exclusive", exclusive_ends);
    print_string(d->out, ",");
    ranges(d, "inclusive", inclusive_ends);
    print_string(d->out, ",");
    ranges(d, "average", average_ends);
    print_string(d->out, "}");
    const bool with_source = d->is_now && d->r->options->with_source;
    bool done = page_places_write(d->out, d->r, d->functions, d->function_count, with_source);
    print_string(d->out, "}");
    return done;
}

/* A thread's calls and time are those of all its nodes. */
static void threads(page_data *d) {
    const aggregate *a = d->a;
    const fold_link *nodes = a->tree.places.links;
    print_string(d->out, ",\n\"threads\":[");
    for (uint32_t node = nodes[0].first_child, i = 0; node != 0; node = nodes[node].next_sibling, i++) {
        const report_thread *t = &a->tree.threads[node_function(&nodes[node])];
        uint64_t calls = 0;
        for (uint32_t below = nodes[node].first_child; below != 0 && below != nodes[node].next_sibling;
             below = walk_next(nodes, below))
            calls = profile_add(calls, view_node_calls(&a->tree, below));
        print_format(d->out, "%s{\"id\":%" PRIu64, i == 0 ? "" : ",\n", t->id);
        page_text_field(d->out, "name", t->name);
        page_field(d->out, "count", t->count);
        page_field(d->out, "run", t->run);
        page_field(d->out, "node", d->position[node]);
        page_field(d->out, "calls", calls);
        page_field(d->out, "ns", working_of(d, node));
        print_string(d->out, "}");
    }
    print_string(d->out, "]");
}

/* The numbers that page/model.js knows. */
static uint64_t kind_of(page_data *d, uint32_t node) {
    static const unsigned kinds[] = {[NODE_CALL] = 0, [NODE_RESUMED] = 1, [NODE_THREAD] = 2, [NODE_FOLDED] = 3,
                                     [NODE_DEEP] = 4, [NODE_ROOT] = 5,    [NODE_WAITING] = 6};
    return kinds[node_kind(&d->a->tree.places.links[node])];
}
static uint64_t up_of(page_data *d, uint32_t node) {
    return node == 0 ? 0 : d->position[node] - d->position[d->a->tree.places.links[node].parent];
}
static uint64_t function_of(page_data *d, uint32_t node) {
    const fold_link *n = &d->a->tree.places.links[node];
    return link_is_call(n) ? d->at_function[node_function(n)] : 0;
}
static uint64_t calls_of(page_data *d, uint32_t node) {
    return view_node_calls(&d->a->tree, node);
}
static uint64_t exclusive_of(page_data *d, uint32_t node) {
    return has_weight(&d->a->tree.places.links[node]) ? view_node_weight(d->r, node) : 0;
}

typedef struct left_out_sums {
    uint64_t calls, weight, figures[FIGURES];
} left_out_sums;

/* The sum of the nodes below `node` that are not in the page. */
static left_out_sums left_out_below(const page_data *d, uint32_t node) {
    const fold_link *nodes = d->a->tree.places.links;
    left_out_sums sum = {0};
    for (uint32_t child = nodes[node].first_child; child != 0; child = nodes[child].next_sibling)
        if (d->position[child] == LEFT_OUT) {
            sum.calls = profile_add(sum.calls, view_node_calls(&d->a->tree, child));
            sum.weight = profile_add(sum.weight, d->within[child]);
            for (int kind = 0; kind < FIGURES; kind++)
                sum.figures[kind] = profile_add(sum.figures[kind], d->figures[kind] ? d->figures[kind][child] : 0);
        }
    return sum;
}

/* One after LEFT_OUT_FIGURES for each figure. LEFT_OUT_AT is how far the node stands after the one before. */
enum { LEFT_OUT_AT, LEFT_OUT_CALLS, LEFT_OUT_WEIGHT, LEFT_OUT_FIGURES };

static void left_out(page_data *d, const char *name, int column) {
    uint32_t written = 0, before = 0;
    print_format(d->out, ",\n\"left_out_%s\":[", name);
    for (uint32_t i = 0; i < d->a->tree.node_count; i++) {
        if (d->position[i] == LEFT_OUT)
            continue;
        left_out_sums sum = left_out_below(d, i);
        if ((sum.calls | sum.weight) == 0 && !profile_any_figure(sum.figures))
            continue;
        const uint64_t values[LEFT_OUT_FIGURES] = {d->position[i] - before, sum.calls, sum.weight}; /* by column */
        before = d->position[i];
        page_element(d->out, written++,
                     column < LEFT_OUT_FIGURES ? values[column] : sum.figures[column - LEFT_OUT_FIGURES]);
    }
    print_string(d->out, "]");
}

/* Of nodes with an inclusive time that may be half and less of its high end: the node's position, and how much less and
 * more it may be, all in one array. */
static void node_ranges(page_data *d) {
    uint32_t written = 0;
    print_string(d->out, ",\n\"ranges\":[");
    for (uint32_t i = 0; i < d->a->tree.node_count; i++) {
        const profile_times of = node_times(&d->a->tree, i), *t = &of;
        if (d->position[i] == LEFT_OUT || !link_is_call(&d->a->tree.places.links[i]) ||
            times_inclusive_trust(t, d->a->totals.exclusive_ns) < TIMES_OPEN)
            continue;
        page_element(d->out, written++, d->position[i]);
        page_element(d->out, written++, t->inclusive_ns - t->inclusive_low_ns);
        page_element(d->out, written++, t->inclusive_high_ns - t->inclusive_ns);
    }
    print_string(d->out, "]");
}

/* Where async calls awaited something else than async calls of their own, and for how long. */
static void awaiting(page_data *d, const char *name, bool time) {
    const async_tree *tree = &d->a->async;
    uint32_t written = 0;
    print_format(d->out, ",\n\"%s\":[", name);
    for (uint32_t i = 1; i < tree->place_count; i++) {
        uint32_t node = tree->places[i].call_node;
        uint64_t ns = tree->places[i].own_awaiting_ns;
        if (node != 0 && ns > 0 && d->position[node] != LEFT_OUT)
            page_element(d->out, written++, time ? ns : d->position[node]);
    }
    print_string(d->out, "]");
}

/* Positions of the nodes from which on a path only waits. */
static void idle_nodes(page_data *d) {
    uint32_t written = 0;
    print_string(d->out, ",\n\"idle\":[");
    for (uint32_t i = 0; d->idle.parts && i < d->a->tree.node_count; i++)
        if ((d->idle.parts[i] == IDLE_TOP || d->idle.parts[i] == IDLE_MORE) && d->position[i] != LEFT_OUT)
            page_element(d->out, written++, d->position[i]);
    print_string(d->out, "]}");
}

static void nodes(page_data *d) {
    static const struct {
        const char *name;
        uint64_t (*get)(page_data *d, uint32_t node);
    } columns[] = {
        {"kind", kind_of}, {"up", up_of}, {"function", function_of}, {"calls", calls_of}, {"exclusive", exclusive_of}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    print_format(d->out, ",\n\"nodes\":{\"left_out\":%" PRIu32, d->a->tree.node_count - d->node_count);
    for (size_t c = 0; c < COLUMNS; c++) {
        uint32_t written = 0;
        print_format(d->out, ",\n\"%s\":[", columns[c].name);
        for (uint32_t i = 0; i < d->a->tree.node_count; i++)
            if (d->position[i] != LEFT_OUT)
                page_element(d->out, written++, columns[c].get(d, i));
        print_string(d->out, "]");
    }
    for (int kind = 0; kind < FIGURES; kind++) {
        uint32_t written = 0;
        if (!d->figures[kind])
            continue;
        print_format(d->out, ",\n\"%s\":[", figure_kinds[kind].name);
        for (uint32_t i = 0; i < d->a->tree.node_count; i++)
            if (d->position[i] != LEFT_OUT)
                page_element(d->out, written++, figure_of_node(&d->a->tree, i, (profile_figure)kind));
        print_string(d->out, "]");
    }
    node_ranges(d);
    awaiting(d, "awaiting_at", false);
    awaiting(d, "awaiting_ns", true);
    left_out(d, "at", LEFT_OUT_AT);
    left_out(d, "calls", LEFT_OUT_CALLS);
    left_out(d, "weight", LEFT_OUT_WEIGHT);
    for (int kind = 0; kind < FIGURES; kind++)
        if (d->figures[kind])
            left_out(d, figure_kinds[kind].name, LEFT_OUT_FIGURES + kind);
    idle_nodes(d);
}

static void function_name(page_data *d, uint32_t function) {
    view_text(&d->text, d->a->list.functions[function].name);
    print_string(d->out, "\"name\":");
    page_string(d->out, buffer_bytes(&d->text));
}

static void exception(page_data *d, const view_exception *of) {
    static const char *const kinds[] = {
        [EXCEPTION_ROOT] = "root",   [EXCEPTION_TYPE] = "type", [EXCEPTION_END] = "end",
        [EXCEPTION_FRAME] = "frame", [EXCEPTION_GAP] = "gap",   [EXCEPTION_THROWN] = "thrown",
    };
    print_format(d->out, "{\"depth\":%" PRIu32 ",\"kind\":\"%s\"", of->depth - 1, kinds[of->kind]);
    if (of->kind == EXCEPTION_TYPE)
        page_text_field(d->out, "name", of->type);
    if (of->kind == EXCEPTION_END)
        page_field(d->out, "outcome", of->outcome);
    if (of->function) {
        print_string(d->out, ",");
        function_name(d, (uint32_t)(of->function - d->a->list.functions));
    }
    if (of->kind == EXCEPTION_FRAME || of->kind == EXCEPTION_GAP) {
        page_field(d->out, "least", of->least);
        page_field(d->out, "most", of->most);
    }
    page_field(d->out, "count", of->count);
    page_field(d->out, "ns", of->ns);
    print_string(d->out, ",\"messages\":[");
    for (uint32_t i = 0; i < of->message_count; i++) {
        print_string(d->out, i == 0 ? "" : ",");
        page_string(d->out, of->messages[i]);
    }
    print_string(d->out, "]}");
}

enum { MOST_EXCEPTIONS = 5000 }; /* nodes of that tree */

static void exceptions_part(page_data *d) {
    view_exceptions walk = {.r = d->r};
    view_exception of;
    print_string(d->out, ",\n\"exceptions\":[");
    for (uint32_t written = 0; written < MOST_EXCEPTIONS && view_next_exception(&walk, &of); written++) {
        print_string(d->out, written > 0 ? ",\n" : "");
        exception(d, &of);
    }
    print_string(d->out, "]");
}

static void async_part(page_data *d) {
    view_facts facts = {.list = NULL};
    print_string(d->out, ",\n\"async\":[");
    for (uint32_t i = 0; i < view_async_count(d->r); i++) {
        const view_async row = view_async_method(d->r, i);
        view_async_facts(&row, &facts);
        print_string(d->out, i == 0 ? "{" : ",\n{");
        function_name(d, row.function);
        view_print(d->out, &facts, &page_facts, false);
        print_string(d->out, "}");
    }
    view_facts_clear(&facts);
    print_string(d->out, "]");
}

/* False when memory ran out. */
static bool sum_figures(page_data *d) {
    for (profile_figure kind = 0; kind < FIGURES; kind++) {
        if (d->a->counted.all[kind] == 0)
            continue;
        d->figures[kind] = page_sum_up(d->a, kind);
        if (!d->figures[kind])
            return false;
    }
    return true;
}

bool page_data_write(printer *out, const report *r, bool is_now) {
    const aggregate *a = r->sum;
    page_data d = {.out = out, .r = r, .a = a, .is_now = is_now, .has_leaves = parts_any(a)};
    d.within = calloc((size_t)a->tree.node_count + 1, sizeof *d.within);
    d.position = calloc((size_t)a->tree.node_count + 1, sizeof *d.position);
    d.at_function = calloc((size_t)a->list.function_count + 1, sizeof *d.at_function);
    d.functions = report_sorted(a, view_has_time(r) ? ILJ_SORT_TIME : ILJ_SORT_CALLS);
    bool done = d.within && d.position && d.at_function && d.functions && choose_nodes(&d) && sum_figures(&d) &&
                (r->options->idle || idle_find(&d.idle, a));
    if (done) {
        choose_functions(&d);
        d.rows = calloc((size_t)d.function_count + 1, sizeof *d.rows);
    }
    done = done && d.rows;
    if (done) {
        for (uint32_t i = 0; i < d.function_count; i++)
            row_of_function(&d.rows[i], d.functions[i]);
        print_string(out, "{");
        runs(&d);
        switched(&d);
        left_out_for_price(&d);
        totals(&d);
        page_parts_write(out, d.has_leaves);
        done = functions(&d);
        threads(&d);
        nodes(&d);
        done = page_edges_write(out, a, d.within, view_node_calls, d.at_function) && done &&
               (!d.figures[FIGURE_OBJECTS] || page_types_write(out, &a->sites, &d.text));
        exceptions_part(&d);
        async_part(&d);
        done = page_tests_write(out, r, &d.text) && done;
        done = done && page_timeline_write(out, r, d.at_function, &d.text);
        print_string(out, "}");
    }
    done = done && !d.text.failed;
    buffer_clear(&d.text);
    free(d.within);
    for (int kind = 0; kind < FIGURES; kind++)
        free(d.figures[kind]);
    free(d.position);
    free(d.at_function);
    free(d.functions);
    idle_clear(&d.idle);
    free(d.rows);
    return done;
}
