#include "report/text/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/parts.h"
#include "report/model/times.h"
#include "util/list.h"

enum { NO_ROW = UINT32_MAX };

static void add_counts(report_row *row, const report_function *f) {
    row->functions++;
    row->calls = profile_add(row->calls, f->calls);
    row->steps = profile_add(row->steps, f->steps);
    row->by_exception = profile_add(row->by_exception, f->by_exception);
    row->probe_ns = profile_add(row->probe_ns, f->probe_ns);
    row->waiting_ns = profile_add(row->waiting_ns, f->waiting_ns);
    profile_add_figures(row->figures, f->figures);
    times_add_exclusive(&row->times, &f->times);
}

static void function_row(report_row *row, const aggregate *a, const report_function *f) {
    *row = (report_row){.name = f->name,
                        .parameters = f->parts.parameters,
                        .suffix = f->parts.suffix,
                        .rank = f->rank,
                        .durations = f->durations,
                        .average = report_average(f),
                        .certain_average = report_certain_average(a, f),
                        .average_high = report_average_high(f),
                        .average_trust = report_average_trust(a, f)};
    add_counts(row, f);
    profile_add_figures(row->all_figures, f->all_figures);
    times_add_inclusive(&row->times, &f->times);
}

static void make_functions(report_rows *rows, const report *r) {
    const aggregate *a = r->sum;
    for (uint32_t i = 0; i < a->function_count; i++) {
        const report_function *f = &a->functions[i];
        if (f->wanted && f->parts.helper && !r->options->helpers)
            add_counts(&rows->helpers, f);
        else if (f->wanted)
            function_row(&rows->rows[rows->count++], a, f);
    }
}

/* ---- Groups of functions ---------------------------------------------------------------------------------------- */

static bytes group_name(const aggregate *a, const report_function *f, ilj_report_by by) {
    static const char none[] = "(no namespace)", scopes[] = "(scopes)", commands[] = "(commands)",
                      unknown[] = "(names not known)";
    if (by == ILJ_BY_PART) {
        const char *part = part_name(part_of(f));
        return bytes_of(part, strlen(part));
    }
    if (f->command)
        return bytes_of(commands, sizeof commands - 1);
    if (f->scope)
        return bytes_of(scopes, sizeof scopes - 1);
    if (by == ILJ_BY_ASSEMBLY) {
        bytes assembly = f->module == NO_MODULE ? (bytes){0} : a->modules[f->module].assembly;
        const uint8_t *comma = assembly.size ? memchr(assembly.data, ',', assembly.size) : NULL;
        if (assembly.size == 0)
            return bytes_of(unknown, sizeof unknown - 1);
        return comma ? (bytes){assembly.data, (size_t)(comma - assembly.data)} : assembly;
    }
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

/* Fills in which row each function belongs to. `awaiting`: of each function; NULL: nobody asks. */
static bool assign_groups(report_rows *rows, const report *r, uint32_t *row_of, const uint64_t *awaiting) {
    const aggregate *a = r->sum;
    uint32_t count = 0;
    member *members = calloc((size_t)a->function_count + 1, sizeof *members);
    if (!members)
        return false;
    for (uint32_t i = 0; i < a->function_count; i++) {
        row_of[i] = NO_ROW;
        if (a->functions[i].wanted)
            members[count++] = (member){group_name(a, &a->functions[i], r->options->by), i};
    }
    qsort(members, count, sizeof *members, by_group);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || by_group(&members[i - 1], &members[i]) != 0) {
            uint32_t size = (uint32_t)members[i].group.size;
            rows->rows[rows->count] = (report_row){.name = members[i].group,
                                                   .parameters = size,
                                                   .suffix = size,
                                                   .rank = rows->count,
                                                   .durations = DURATIONS_INIT};
            rows->count++;
        }
        const report_function *f = &a->functions[members[i].function];
        report_row *row = &rows->rows[rows->count - 1];
        row_of[members[i].function] = rows->count - 1;
        uint64_t before = row->calls;
        add_counts(row, f);
        if (r->options->by == ILJ_BY_PART)
            row->calls = profile_add(before, part_calls(f));
        if (awaiting)
            row->awaiting_ns = profile_add(row->awaiting_ns, awaiting[members[i].function]);
    }
    free(members);
    return true;
}

static uint32_t row_of_node(const report_node *n, const uint32_t *row_of) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED ? row_of[n->function] : NO_ROW;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Walks the tree in pre-order, without a stack; `active` counts the nodes of each row on the path. */
static void add_inclusive(report_rows *rows, const aggregate *a, const uint32_t *row_of, uint32_t *active) {
    const report_node *nodes = a->tree.nodes;
    uint32_t node = nodes[0].first_child;
    while (node != 0) {
        const report_node *n = &nodes[node];
        uint32_t row = row_of_node(n, row_of);
        if (row != NO_ROW && active[row]++ == 0) {
            times_add_inclusive(&rows->rows[row].times, &n->times);
            profile_add_figures(rows->rows[row].all_figures, n->all_figures);
        }
        if (n->first_child != 0 && n->kind != NODE_FOLDED) {
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
    for (uint32_t i = 0; i < a->function_count; i++) { /* folded calls are nobody's callees in the tree */
        const report_function *f = &a->functions[i];
        if (row_of[i] != NO_ROW && f->inclusive_ns > rows->rows[row_of[i]].times.inclusive_ns) {
            profile_times *t = &rows->rows[row_of[i]].times;
            t->inclusive_ns = f->inclusive_ns;
            t->inclusive_low_ns = larger(t->inclusive_low_ns, f->inclusive_low_ns);
            t->inclusive_high_ns = larger(t->inclusive_high_ns, f->inclusive_high_ns);
            t->inclusive_offset_ns = f->times.inclusive_offset_ns;
        }
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        report_row *row = &rows->rows[i];
        profile_times *t = &row->times;
        for (int kind = 0; kind < FIGURES; kind++)
            row->all_figures[kind] =
                row->all_figures[kind] < row->figures[kind] ? row->figures[kind] : row->all_figures[kind];
        uint64_t waiting = rows->rows[i].waiting_ns;
        if (t->inclusive_ns >= profile_add(t->exclusive_ns, waiting))
            continue;
        t->inclusive_ns = profile_add(t->exclusive_ns, waiting);
        t->inclusive_low_ns = profile_add(t->exclusive_low_ns, waiting);
        t->inclusive_high_ns = profile_add(t->exclusive_high_ns, waiting);
        t->inclusive_offset_ns = t->exclusive_offset_ns;
    }
}

/* Inclusive time per call of rows that are no functions. */
static void average(report_rows *rows, const aggregate *a) {
    for (uint32_t i = 0; i < rows->count; i++) {
        report_row *row = &rows->rows[i];
        if (row->calls == 0)
            continue;
        row->average = report_inclusive(&row->times) / (int64_t)row->calls;
        row->certain_average = report_certain_inclusive(a, &row->times) / (int64_t)row->calls;
        row->average_high = profile_add(row->times.inclusive_high_ns, row->calls - 1) / row->calls;
        row->average_trust = times_inclusive_trust(&row->times, a->totals.exclusive_ns);
    }
}

static bool make_groups(report_rows *rows, const report *r) {
    const aggregate *a = r->sum;
    uint32_t *row_of = calloc((size_t)a->function_count + 1, sizeof *row_of);
    uint32_t *active = calloc((size_t)a->function_count + 1, sizeof *active);
    bool parts = r->options->by == ILJ_BY_PART;
    uint64_t *awaiting = parts ? parts_awaiting(a) : NULL;
    bool done = row_of && active && (awaiting || !parts) && assign_groups(rows, r, row_of, awaiting);
    if (done && a->tree.node_count > 0)
        add_inclusive(rows, a, row_of, active);
    average(rows, a);
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
        rows->rows[i] = (report_row){.rank = i, .durations = DURATIONS_INIT};
        done = name_thread(rows, &rows->rows[i], r, &a->tree.threads[i]);
    }
    for (uint32_t i = 1; i < a->tree.node_count && done; i++) { /* parents stand before their children */
        const report_node *n = &a->tree.nodes[i];
        thread_of[i] = n->kind == NODE_THREAD ? n->function : thread_of[n->parent];
        report_row *row = &rows->rows[thread_of[i]];
        if (n->kind == NODE_THREAD) {
            times_add_inclusive(&row->times, &n->times);
            profile_add_figures(row->all_figures, n->all_figures);
            continue;
        }
        if (n->kind == NODE_WAITING) {
            row->waiting_ns = profile_add(row->waiting_ns, n->exclusive_ns);
            continue;
        }
        row->calls = profile_add(row->calls, n->calls);
        row->steps = profile_add(row->steps, n->steps);
        profile_add_figures(row->figures, n->figures);
        times_add_exclusive(&row->times, &n->times);
    }
    average(rows, a);
    free(thread_of);
    return done;
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *left, const void *right) {
    const report_row *a = left, *b = right;
    return a->key > b->key ? -1 : a->key < b->key ? 1 : list_compare(a->rank, b->rank);
}

uint64_t row_whole(const report_row *row) {
    return profile_add(row->times.exclusive_ns, profile_add(row->waiting_ns, row->awaiting_ns));
}

static int64_t key_of(const report *r, const report_row *row, ilj_sort_key key) {
    const aggregate *a = r->sum;
    if (aggregate_only_counts(a) && key != ILJ_SORT_NAME)
        key = ILJ_SORT_CALLS;
    switch (key) {
    case ILJ_SORT_EXCLUSIVE:
        if (r->options->by == ILJ_BY_PART)
            return (int64_t)row_whole(row);
        return report_certain_exclusive(a, &row->times);
    case ILJ_SORT_INCLUSIVE:
        return report_certain_inclusive(a, &row->times);
    case ILJ_SORT_CALLS:
        return (int64_t)row->calls;
    case ILJ_SORT_AVERAGE:
        return row->certain_average;
    case ILJ_SORT_MAX:
        return durations_has_span(&row->durations) ? (int64_t)row->durations.max_ns : -1;
    case ILJ_SORT_WAITING:
        return (int64_t)row->waiting_ns;
    case ILJ_SORT_BYTES:
        return (int64_t)row->figures[FIGURE_BYTES];
    case ILJ_SORT_OBJECTS:
        return (int64_t)row->figures[FIGURE_OBJECTS];
    case ILJ_SORT_COLLECTIONS:
        return (int64_t)row->figures[FIGURE_COLLECTIONS];
    case ILJ_SORT_PAUSE:
        return (int64_t)row->figures[FIGURE_PAUSE];
    case ILJ_SORT_NAME:
        break;
    }
    return 0;
}

bool rows_make(report_rows *rows, const report *r) {
    uint32_t most = r->options->by == ILJ_BY_THREAD ? r->sum->tree.thread_count : r->sum->function_count;
    rows->rows = calloc((size_t)most + 1, sizeof *rows->rows);
    if (!rows->rows)
        return false;
    if (r->options->by == ILJ_BY_FUNCTION)
        make_functions(rows, r);
    else if (!(r->options->by == ILJ_BY_THREAD ? make_threads(rows, r) : make_groups(rows, r)))
        return false;
    for (uint32_t i = 0; i < rows->count; i++)
        rows->rows[i].key = key_of(r, &rows->rows[i], r->options->sort);
    qsort(rows->rows, rows->count, sizeof *rows->rows, by_key);
    return true;
}

void rows_clear(report_rows *rows) {
    free(rows->rows);
    arena_clear(&rows->memory);
    *rows = ROWS_INIT;
}
