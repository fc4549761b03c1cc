#include "report/export/json.h"

#include <stdio.h>

#include "report/model/figures.h"

/* A column is a number of each node, in their order, under the name that it has in `tree`. One that is 0 in all nodes,
 * or not known of any, is left out. */

/* A number, or null. */
typedef struct cell {
    bool known;
    int64_t value;
} cell;

/* `of` says which one, where several columns are alike. */
typedef cell cell_fn(const json_tree *w, uint32_t node, unsigned of);

static cell known(int64_t value) {
    return (cell){true, value};
}

static cell function_at(const json_tree *w, uint32_t node, unsigned of) {
    (void)of;
    return known(json_function_of(w, node));
}

static cell depth_at(const json_tree *w, uint32_t node, unsigned of) {
    (void)of;
    return known((int64_t)w->depths[node]);
}

/* Calls, or steps. */
static cell calls_at(const json_tree *w, uint32_t node, unsigned steps) {
    const bool stepped = w->t->nodes[node].machine != PROFILE_PLAIN;
    return known(stepped == steps ? (int64_t)profile_number(&w->t->corrected.t, PROFILE_CALLS, node) : 0);
}

/* An inclusive time, or an exclusive one; its low end, or its high one, where any node has one of its own. */
typedef enum time_part {
    INCLUSIVE,
    INCLUSIVE_LOW,
    INCLUSIVE_HIGH,
    EXCLUSIVE,
    EXCLUSIVE_LOW,
    EXCLUSIVE_HIGH,
    BLOCKED,
} time_part;

static cell time_at(const json_tree *w, uint32_t node, unsigned of) {
    const profile_timing timing = timing_at(&w->t->corrected.timings, node);
    const profile_times *t = &timing.times;
    const int64_t values[] = {[INCLUSIVE] = report_inclusive(t),
                              [INCLUSIVE_LOW] = (int64_t)t->inclusive_low_ns,
                              [INCLUSIVE_HIGH] = (int64_t)t->inclusive_high_ns,
                              [EXCLUSIVE] = report_exclusive(t),
                              [EXCLUSIVE_LOW] = (int64_t)t->exclusive_low_ns,
                              [EXCLUSIVE_HIGH] = (int64_t)t->exclusive_high_ns,
                              [BLOCKED] = (int64_t)timing.blocked_ns};
    return (cell){!aggregate_only_counts(w->r->sum) || of == BLOCKED, values[of]};
}

static cell figure_at(const json_tree *w, uint32_t node, unsigned of) {
    return known((int64_t)columns_at(&w->t->corrected.t.nodes, of, node));
}

/* The shortest call, or the longest one. */
static cell span_at(const json_tree *w, uint32_t node, unsigned most) {
    const profile_span span = profile_span_at(&w->t->corrected.t.nodes, PROFILE_LEAST, node);
    return (cell){span.min_ns <= span.max_ns, (int64_t)profile_ns(w->run, most ? span.max_ns : span.min_ns)};
}

/* Counts for a choice are no nodes to a reader. */
static bool is_shown(const json_tree *w, uint32_t node) {
    return w->t->nodes[node].function != FUNCTION_UNSHOWN;
}

static bool is_there(const json_tree *w, cell_fn *at, unsigned of) {
    for (uint32_t i = 0; i < w->t->corrected.t.node_count; i++) {
        const cell c = is_shown(w, i) ? at(w, i, of) : (cell){0};
        if (c.known && c.value != 0)
            return true;
    }
    return false;
}

static void column(const json_tree *w, const char *name, cell_fn *at, unsigned of) {
    if (at != function_at && !is_there(w, at, of))
        return;
    print_string(w->out, at == function_at ? "\n\"" : ",\n\"");
    print_string(w->out, name);
    print_string(w->out, "\": [");
    for (uint32_t i = 0; i < w->t->corrected.t.node_count; i++) {
        if (!is_shown(w, i))
            continue;
        const cell c = at(w, i, of);
        if (i > 0) /* the root is shown */
            print_string(w->out, ",");
        if (c.known)
            print_signed(w->out, c.value);
        else
            print_string(w->out, "null");
    }
    print_string(w->out, "]");
}

/* Has any node ends that are not the time itself? */
static bool is_open(const json_tree *w) {
    for (uint32_t i = 0; i < w->t->corrected.t.node_count; i++) {
        const profile_times t = times_at(&w->t->corrected.timings, i);
        if (t.inclusive_low_ns != t.inclusive_high_ns || t.exclusive_low_ns != t.exclusive_high_ns)
            return true;
    }
    return false;
}

static void times(const json_tree *w) {
    const bool open = is_open(w);
    column(w, "inclusive_ns", time_at, INCLUSIVE);
    if (open) {
        column(w, "inclusive_low_ns", time_at, INCLUSIVE_LOW);
        column(w, "inclusive_high_ns", time_at, INCLUSIVE_HIGH);
    }
    column(w, "exclusive_ns", time_at, EXCLUSIVE);
    if (open) {
        column(w, "exclusive_low_ns", time_at, EXCLUSIVE_LOW);
        column(w, "exclusive_high_ns", time_at, EXCLUSIVE_HIGH);
    }
    column(w, "waiting_ns", time_at, BLOCKED);
}

/* The nodes with an own time that is not sure; absent where there are none. */
static void unsure(const json_tree *w) {
    bool any = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < w->t->corrected.t.node_count && !aggregate_only_counts(w->r->sum); i++) {
        if (!is_shown(w, i))
            continue;
        const uint32_t at = position++;
        const profile_times t = times_at(&w->t->corrected.timings, i);
        if (times_exclusive_trust(&t, w->r->sum->totals.exclusive_ns) < TIMES_OPEN)
            continue;
        print_string(w->out, any ? "," : ",\n\"unsure\": [");
        print_number(w->out, at);
        any = true;
    }
    print_string(w->out, any ? "]" : "");
}

void json_write_columns(const json_tree *w) {
    print_string(w->out, "{");
    column(w, "function", function_at, 0);
    column(w, "depth", depth_at, 0);
    column(w, "calls", calls_at, false);
    column(w, "steps", calls_at, true);
    times(w);
    unsure(w);
    for (unsigned kind = 0; kind < FIGURES; kind++) {
        char name[64];
        snprintf(name, sizeof name, "exclusive_%s", figure_kinds[kind].field);
        column(w, name, figure_at, PROFILE_FIGURE + kind);
        snprintf(name, sizeof name, "inclusive_%s", figure_kinds[kind].field);
        column(w, name, figure_at, PROFILE_ALL_FIGURE + kind);
    }
    column(w, "min_ns", span_at, false);
    column(w, "max_ns", span_at, true);
    column(w, "by_exception", figure_at, PROFILE_BY_EXCEPTION);
    column(w, "resynchronised", figure_at, PROFILE_RESYNCHRONISED);
    column(w, "open", figure_at, PROFILE_OPEN);
    print_string(w->out, "\n}");
}
