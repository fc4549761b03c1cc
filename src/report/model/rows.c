#include "report/model/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/idle.h"
#include "report/model/parts.h"
#include "report/model/ticks.h"
#include "report/model/times.h"
#include "util/list.h"

enum { NO_ROW = UINT32_MAX };

/* Those that functions have, and those that nodes have, too. */
static const struct {
    report_figure id;
    size_t offset;
} function_sums[] =
    {
#define ROW_SUM(ID, field)
#define VALUE(ID, field)
#define OWN_COUNTED(ID, field)
#define ALL_COUNTED(ID, field)
#define FUNCTION_SUM(ID, field)                                    {ROW_##ID, offsetof(report_function, field)},
#define SUM(ID, field)                                             FUNCTION_SUM(ID, field)
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, mean, ...) SOURCE(ID, of)
#define PLAIN_FIGURE(ID, FORM, SOURCE, of, ...)                    SOURCE(ID, of)
#include "facts/figures.def"
},
  node_sums[] = {
#undef FUNCTION_SUM
#undef SUM
#define FUNCTION_SUM(ID, field)
#define SUM(ID, field)                                             {ROW_##ID, offsetof(report_node, field)},
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, mean, ...) SOURCE(ID, of)
#include "facts/figures.def"
};

static uint64_t field(const void *of, size_t offset) {
    return *(const uint64_t *)(const void *)((const char *)of + offset);
}

static void add(uint64_t *sum, uint64_t more) {
    *sum = profile_add(*sum, more);
}

static uint64_t lessened(uint64_t ns, uint64_t part) {
    return ns - (part < ns ? part : ns);
}

static void add_function(report_row *row, const report_function *f) {
    row->sums[ROW_FUNCTIONS]++;
    for (size_t i = 0; i < sizeof function_sums / sizeof function_sums[0]; i++)
        add(&row->sums[function_sums[i].id], field(f, function_sums[i].offset));
    profile_add_figures(row->figures, f->figures.all);
    times_add_exclusive(&row->times, &f->times);
}

void row_of_function(report_row *row, const report_function *f) {
    *row = (report_row){.name = f->name,
                        .parameters = f->parts.parameters,
                        .suffix = f->parts.suffix,
                        .rank = f->rank,
                        .function = f,
                        .sums = {[ROW_FUNCTIONS] = 1},
                        .times = f->times};
    for (size_t i = 0; i < sizeof function_sums / sizeof function_sums[0]; i++)
        row->sums[function_sums[i].id] = field(f, function_sums[i].offset);
    memcpy(row->figures, f->figures.all, sizeof row->figures);
    memcpy(row->all_figures, f->all_figures.all, sizeof row->all_figures);
}

static void add_idle(report_row *row, const report_function *f) {
    add_function(row, f);
    if (!row->function || f->waiting_ns > row->function->waiting_ns)
        row->function = f;
}

/* Takes what a function waited while others worked from its row. */
static void leave_out_waits(report_rows *rows, report_row *row, const report_function *f, uint64_t waited_ns) {
    uint64_t *waiting = &row->sums[ROW_WAITING];
    profile_times *t = &row->times;
    *waiting = lessened(*waiting, waited_ns);
    t->inclusive_ns = lessened(t->inclusive_ns, waited_ns);
    t->inclusive_low_ns = lessened(t->inclusive_low_ns, waited_ns);
    t->inclusive_high_ns = lessened(t->inclusive_high_ns, waited_ns);
    rows->loops_ns = profile_add(rows->loops_ns, waited_ns);
    if (waited_ns > rows->loop_ns) {
        rows->loop_ns = waited_ns;
        rows->loop = f;
    }
}

/* All zero where nothing that only waits is left out. False when memory ran out. */
static bool find_waits(idle *waits, const report *r) {
    return r->options->idle || r->options->pattern_count > 0 || r->options->by == ILJ_BY_PART ||
           idle_find(waits, r->sum);
}

static bool make_functions(report_rows *rows, const report *r) {
    const aggregate *a = r->sum;
    idle waits = {0};
    if (!find_waits(&waits, r))
        return false;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        if (f->wanted && f->parts.helper && !r->options->helpers)
            add_function(&rows->helpers, f);
        else if (f->wanted && waits.functions && waits.functions[i])
            add_idle(&rows->idle, f);
        else if (f->wanted) {
            row_of_function(&rows->rows[rows->count++], f);
            if (waits.own_ns && waits.own_ns[i] > 0)
                leave_out_waits(rows, &rows->rows[rows->count - 1], f, waits.own_ns[i]);
        }
    }
    idle_clear(&waits);
    return true;
}

/* ---- Groups of functions ---------------------------------------------------------------------------------------- */

static bytes group_name(const aggregate *a, const report_function *f, ilj_report_by by) {
    static const char none[] = "(no namespace)", scopes[] = "(scopes)", commands[] = "(commands)",
                      endpoints[] = "(endpoints)", unknown[] = "(names not known)";
    if (by == ILJ_BY_PART) {
        const char *part = part_name(part_of(f));
        return bytes_of(part, strlen(part));
    }
    if (f->command)
        return bytes_of(commands, sizeof commands - 1);
    if (f->scope)
        return bytes_of(scopes, sizeof scopes - 1);
    if (by == ILJ_BY_ASSEMBLY) {
        bytes assembly = function_assembly(&a->list, f);
        return assembly.size == 0 ? bytes_of(unknown, sizeof unknown - 1) : assembly;
    }
    if (f->names && f->parts.type_bytes == 0 && names_is_route(f->names, f->method))
        return bytes_of(endpoints, sizeof endpoints - 1);
    uint32_t size = by == ILJ_BY_TYPE ? f->parts.type_bytes : f->parts.space_bytes;
    if (!f->names)
        return bytes_of(unknown, sizeof unknown - 1);
    return size == 0 ? bytes_of(none, sizeof none - 1) : (bytes){f->name.data, size};
}

typedef struct member {
    bytes group;
    uint32_t function;
} member;

static int by_group(const void *left, const void *right) {
    const member *a = left, *b = right;
    return bytes_compare(a->group, b->group);
}

/* Fills in the row of each function; one that only waits has none. `awaiting`: of each function, or NULL. */
static bool assign_groups(report_rows *rows, const report *r, uint32_t *row_of, const uint64_t *awaiting,
                          const idle *waits) {
    const aggregate *a = r->sum;
    uint32_t count = 0;
    member *members = calloc((size_t)a->list.function_count + 1, sizeof *members);
    if (!members)
        return false;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        row_of[i] = NO_ROW;
        if (a->list.functions[i].wanted && waits->functions && waits->functions[i])
            add_idle(&rows->idle, &a->list.functions[i]);
        else if (a->list.functions[i].wanted)
            members[count++] = (member){group_name(a, &a->list.functions[i], r->options->by), i};
    }
    qsort(members, count, sizeof *members, by_group);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || by_group(&members[i - 1], &members[i]) != 0) {
            uint32_t size = (uint32_t)members[i].group.size;
            rows->rows[rows->count] =
                (report_row){.name = members[i].group, .parameters = size, .suffix = size, .rank = rows->count};
            rows->count++;
        }
        const report_function *f = &a->list.functions[members[i].function];
        report_row *row = &rows->rows[rows->count - 1];
        row_of[members[i].function] = rows->count - 1;
        uint64_t before = row->sums[ROW_CALLS];
        add_function(row, f);
        if (r->options->by == ILJ_BY_PART)
            row->sums[ROW_CALLS] = profile_add(before, part_calls(f));
        if (awaiting)
            add(&row->sums[ROW_AWAITING], awaiting[members[i].function]);
    }
    free(members);
    return true;
}

static uint32_t row_of_node(const fold_link *n, const uint32_t *row_of) {
    return link_is_call(n) ? row_of[node_function(n)] : NO_ROW;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Walks the tree in pre-order, without a stack; `active` counts the nodes of each row on the path. */
static void add_inclusive(report_rows *rows, const aggregate *a, const uint32_t *row_of, uint32_t *active) {
    const fold_link *nodes = a->tree.places.links;
    uint32_t node = nodes[0].first_child;
    while (node != 0) {
        const fold_link *n = &nodes[node];
        uint32_t row = row_of_node(n, row_of);
        if (row != NO_ROW && active[row]++ == 0) {
            const report_node of = call_tree_node(&a->tree, node);
            times_add_inclusive(&rows->rows[row].times, &of.times);
            profile_add_figures(rows->rows[row].all_figures, of.all_figures.all);
        }
        if (n->first_child != 0 && node_kind(n) != NODE_FOLDED) {
            node = n->first_child;
            continue;
        }
        for (;;) {
            row = row_of_node(&nodes[node], row_of);
            if (row != NO_ROW)
                active[row]--;
            if (nodes[node].next_sibling != 0 || nodes[node].parent == 0)
                break;
            node = nodes[node].parent;
        }
        node = nodes[node].next_sibling;
    }
    for (uint32_t i = 0; i < a->list.function_count; i++) { /* folded calls are no callees in the tree */
        const report_function *f = &a->list.functions[i];
        if (row_of[i] != NO_ROW && f->times.inclusive_ns > rows->rows[row_of[i]].times.inclusive_ns) {
            profile_times *t = &rows->rows[row_of[i]].times;
            t->inclusive_ns = f->times.inclusive_ns;
            t->inclusive_low_ns = larger(t->inclusive_low_ns, f->times.inclusive_low_ns);
            t->inclusive_high_ns = larger(t->inclusive_high_ns, f->times.inclusive_high_ns);
            t->inclusive_offset_ns = f->times.inclusive_offset_ns;
        }
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        report_row *row = &rows->rows[i];
        profile_times *t = &row->times;
        for (int kind = 0; kind < FIGURES; kind++)
            row->all_figures[kind] =
                row->all_figures[kind] < row->figures[kind] ? row->figures[kind] : row->all_figures[kind];
        uint64_t waiting = row->sums[ROW_WAITING];
        if (t->inclusive_ns >= profile_add(t->exclusive_ns, waiting))
            continue;
        t->inclusive_ns = profile_add(t->exclusive_ns, waiting);
        t->inclusive_low_ns = profile_add(t->exclusive_low_ns, waiting);
        t->inclusive_high_ns = profile_add(t->exclusive_high_ns, waiting);
        t->inclusive_offset_ns = t->exclusive_offset_ns;
    }
}

typedef struct group_ends {
    ticked_own own;
    uint64_t most_ns; /* of all its functions, each with what it called */
} group_ends;

/* The ends of what is by ticks: the own time has those of its ticks, and no group takes more than its functions. */
static bool settle_ends(report_rows *rows, const aggregate *a, const uint32_t *row_of) {
    group_ends *groups = a->ticked ? calloc((size_t)rows->count + 1, sizeof *groups) : NULL;
    for (uint32_t i = 0; groups && i < a->list.function_count; i++) {
        if (row_of[i] == NO_ROW)
            continue;
        group_ends *of = &groups[row_of[i]];
        ticks_add(a, &of->own, i);
        of->most_ns = profile_add(of->most_ns, a->list.functions[i].times.inclusive_high_ns);
    }
    for (uint32_t i = 0; groups && i < rows->count; i++) {
        profile_times *t = &rows->rows[i].times;
        ticks_settle(a, &groups[i].own, t->exclusive_ns, &t->exclusive_low_ns, &t->exclusive_high_ns);
        if (t->inclusive_high_ns > groups[i].most_ns)
            t->inclusive_high_ns = larger(t->inclusive_ns, groups[i].most_ns);
    }
    free(groups);
    return groups || !a->ticked;
}

static bool make_groups(report_rows *rows, const report *r) {
    const aggregate *a = r->sum;
    uint32_t *row_of = calloc((size_t)a->list.function_count + 1, sizeof *row_of);
    uint32_t *active = calloc((size_t)a->list.function_count + 1, sizeof *active);
    bool parts = r->options->by == ILJ_BY_PART;
    uint64_t *awaiting = parts ? parts_awaiting(a) : NULL;
    idle waits = {0};
    bool done = row_of && active && (awaiting || !parts) && find_waits(&waits, r) &&
                assign_groups(rows, r, row_of, awaiting, &waits);
    if (done && a->tree.node_count > 0)
        add_inclusive(rows, a, row_of, active);
    done = done && settle_ends(rows, a, row_of);
    for (uint32_t i = 0; done && waits.own_ns && i < a->list.function_count; i++)
        if (row_of[i] != NO_ROW && waits.own_ns[i] > 0)
            leave_out_waits(rows, &rows->rows[row_of[i]], &a->list.functions[i], waits.own_ns[i]);
    idle_clear(&waits);
    free(row_of);
    free(active);
    free(awaiting);
    return done;
}

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static bool name_thread(report_rows *rows, report_row *row, const report *r, const report_thread *t) {
    buffer b = BUFFER_INIT;
    thread_describe(&b, r, t);
    uint8_t *text = b.failed ? NULL : arena_alloc(&rows->memory, b.size);
    if (text) {
        memcpy(text, b.data, b.size);
        row->name = (bytes){text, b.size};
        row->parameters = row->suffix = (uint32_t)b.size;
    }
    buffer_clear(&b);
    return text != NULL;
}

/* The sums below each thread's node. */
static bool make_threads(report_rows *rows, const report *r) {
    const aggregate *a = r->sum;
    uint32_t *thread_of = calloc((size_t)a->tree.node_count + 1, sizeof *thread_of);
    bool done = thread_of != NULL;
    rows->count = a->tree.thread_count;
    for (uint32_t i = 0; i < a->tree.thread_count && done; i++) {
        rows->rows[i] = (report_row){.rank = i};
        done = name_thread(rows, &rows->rows[i], r, &a->tree.threads[i]);
    }
    for (uint32_t i = 1; i < a->tree.node_count && done; i++) { /* parents stand before their children */
        const report_node of = call_tree_node(&a->tree, i), *n = &of;
        thread_of[i] = n->kind == NODE_THREAD ? n->function : thread_of[n->parent];
        report_row *row = &rows->rows[thread_of[i]];
        if (n->kind == NODE_THREAD) {
            times_add_inclusive(&row->times, &n->times);
            profile_add_figures(row->all_figures, n->all_figures.all);
            continue;
        }
        if (n->kind == NODE_WAITING) {
            add(&row->sums[ROW_WAITING], n->times.exclusive_ns);
            continue;
        }
        for (size_t k = 0; k < sizeof node_sums / sizeof node_sums[0]; k++)
            add(&row->sums[node_sums[k].id], field(n, node_sums[k].offset));
        profile_add_figures(row->figures, n->figures.all);
        times_add_exclusive(&row->times, &n->times);
    }
    for (uint32_t i = 0; i < rows->count && done; i++) { /* a thread's own time is all but its waiting */
        profile_times *t = &rows->rows[i].times;
        const uint64_t waiting = rows->rows[i].sums[ROW_WAITING], low = lessened(t->inclusive_low_ns, waiting),
                       high = lessened(t->inclusive_high_ns, waiting);
        t->exclusive_low_ns = larger(t->exclusive_low_ns, low < t->exclusive_ns ? low : t->exclusive_ns);
        if (t->exclusive_high_ns > high)
            t->exclusive_high_ns = larger(t->exclusive_ns, high);
    }
    free(thread_of);
    return done;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *left, const void *right) {
    const report_row *a = left, *b = right;
    return a->key > b->key ? -1 : a->key < b->key ? 1 : list_compare(a->rank, b->rank);
}

bool rows_make(report_rows *rows, const report *r) {
    uint32_t most = r->options->by == ILJ_BY_THREAD ? r->sum->tree.thread_count : r->sum->list.function_count;
    rows->rows = calloc((size_t)most + 1, sizeof *rows->rows);
    if (!rows->rows)
        return false;
    if (!(r->options->by == ILJ_BY_FUNCTION ? make_functions(rows, r)
          : r->options->by == ILJ_BY_THREAD ? make_threads(rows, r)
                                            : make_groups(rows, r)))
        return false;
    report_figure by = figure_of_sort_key(r->sum, r->options->sort);
    for (uint32_t i = 0; i < rows->count && by != ROW_NAME; i++)
        rows->rows[i].key = figure_key(r->sum, &rows->rows[i], by);
    qsort(rows->rows, rows->count, sizeof *rows->rows, by_key);
    return true;
}

void rows_clear(report_rows *rows) {
    free(rows->rows);
    arena_clear(&rows->memory);
    *rows = ROWS_INIT;
}
