#include "report/view/brief.h"

#include <stdlib.h>

#include "report/model/rows.h"
#include "report/print/format.h"
#include "report/view/head.h"
#include "report/view/names.h"
#include "report/view/one_call.h"
#include "report/view/source.h"

/* One part in that many of the whole is worth a method's name beside the first one's. */
enum { NOTICEABLE = 20 };

static const struct {
    const char *key, *unit, *title;
} kinds[] = {
    [VIEW_MOST_TIME] = {"own_time", "ns", "Own time"},     [VIEW_MOST_CALLS] = {"calls", "calls", "Called"},
    [VIEW_MOST_WAITING] = {"waiting", "ns", "Waiting"},    [VIEW_MOST_BYTES] = {"bytes", "bytes", "Bytes"},
    [VIEW_MOST_OBJECTS] = {"objects", "count", "Objects"}, [VIEW_MOST_THROWN] = {"exceptions", "count", "Thrown"},
    [VIEW_ONE_CALL] = {"one_call", "ns", "One call"},
};

const char *view_finding_key(view_finding_kind kind) {
    return kinds[kind].key;
}
const char *view_finding_unit(view_finding_kind kind) {
    return kinds[kind].unit;
}
const char *view_finding_title(view_finding_kind kind) {
    return kinds[kind].title;
}

bytes view_short_name(const report_function *f) {
    size_t space = f->parts.space_bytes, from = 0;
    if (space > 0 && space + 1 < f->parts.parameters && f->name.data[space] == '.')
        from = space + 1;
    return bytes_of(f->name.data + from, f->parts.parameters - from);
}

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

static void add_part(view_finding *f, const report_function *function, uint64_t part) {
    if (f->count < VIEW_FINDING_METHODS && part > 0 && (f->count == 0 || part >= f->whole / NOTICEABLE)) {
        f->functions[f->count] = function;
        f->parts[f->count++] = part;
    }
}

static void keep(view_brief *b, const view_finding *f) {
    if (f->count > 0 && b->count < VIEW_FINDINGS)
        b->findings[b->count++] = *f;
}

/* By the rows of the report's own table, so that both name the same method first. */
static bool find_in_rows(view_brief *b, const report *r, view_finding_kind kind, ilj_sort_key sort, uint64_t whole) {
    ilj_report_options options = *r->options;
    report of = *r;
    report_rows rows = ROWS_INIT;
    options.sort = sort;
    options.by = ILJ_BY_FUNCTION;
    of.options = &options;
    bool done = rows_make(&rows, &of);
    const uint64_t left_out = kind == VIEW_MOST_CALLS ? 0 : profile_add(rows.loops_ns, rows.idle.sums[ROW_WAITING]);
    view_finding found = {.kind = kind, .whole = whole - (whole < left_out ? whole : left_out)};
    for (uint32_t i = 0; done && i < rows.count && i < VIEW_FINDING_METHODS; i++)
        if (rows.rows[i].function && rows.rows[i].key > 0)
            add_part(&found, rows.rows[i].function, (uint64_t)rows.rows[i].key);
    rows_clear(&rows);
    keep(b, &found);
    return done;
}

static uint64_t part_of(const report_function *f, view_finding_kind kind) {
    return kind == VIEW_MOST_BYTES ? f->figures.bytes : f->figures.objects;
}

static bool find_counted(view_brief *b, const report *r, view_finding_kind kind, ilj_sort_key key, uint64_t whole) {
    view_finding found = {.kind = kind, .whole = whole};
    const report_function **sorted = report_sorted(r->sum, key);
    for (uint32_t i = 0; sorted && i < r->sum->list.function_count && i < VIEW_FINDING_METHODS; i++)
        add_part(&found, sorted[i], part_of(sorted[i], kind));
    keep(b, &found);
    bool done = sorted != NULL;
    free(sorted);
    return done;
}

/* The function that threw an exception, or the one that caught it where no more is known. */
static uint32_t thrower_of(const exceptions *e, uint32_t thrown) {
    const exception_node *above = &e->nodes[e->nodes[thrown].parent];
    return above->kind == EXCEPTION_FRAME || above->kind == EXCEPTION_END ? above->function : NO_FUNCTION;
}

static bool is_thrown_again(const exceptions *e, uint32_t at) {
    while (at != 0 && e->nodes[at].kind != EXCEPTION_END)
        at = e->nodes[at].parent;
    return at != 0 && profile_is_thrown_again(e->nodes[at].value);
}

static bool find_thrown(view_brief *b, const report *r) {
    const exceptions *e = &r->sum->exceptions;
    const function_list *list = &r->sum->list;
    uint64_t *counts = calloc((size_t)list->function_count + 1, sizeof *counts);
    if (!counts)
        return false;
    view_finding found = {.kind = VIEW_MOST_THROWN, .whole = e->nodes[0].figures.count};
    for (uint32_t i = 1; i < e->node_count; i++) {
        uint32_t function = e->nodes[i].kind == EXCEPTION_THROWN ? thrower_of(e, i) : NO_FUNCTION;
        if (function < list->function_count && !is_thrown_again(e, i))
            counts[function] = profile_add(counts[function], e->nodes[i].figures.count);
    }
    if (e->nodes[0].first_child != 0)
        found.type = e->types[e->nodes[e->nodes[0].first_child].value].name;
    for (uint32_t round = 0; round < VIEW_FINDING_METHODS; round++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < list->function_count; i++)
            if (counts[i] > counts[most] ||
                (counts[i] == counts[most] && list->functions[i].rank < list->functions[most].rank))
                most = i;
        if (list->function_count > 0)
            add_part(&found, &list->functions[most], counts[most]);
        counts[most] = 0;
    }
    free(counts);
    keep(b, &found);
    return true;
}

static bool find_one_call(view_brief *b, const report *r) {
    bool *marks = view_one_call_find(r->sum);
    if (!marks)
        return false;
    const report_function *most = view_one_call_take(r, marks);
    free(marks);
    view_finding found = {.kind = VIEW_ONE_CALL};
    if (most && view_one_call_is_large(r, most)) {
        found.whole = most->times.inclusive_ns > most->durations.max_ns ? most->times.inclusive_ns : most->durations.max_ns;
        add_part(&found, most, most->durations.max_ns);
    }
    keep(b, &found);
    return true;
}

bool view_brief_make(view_brief *b, const report *r) {
    const aggregate *a = r->sum;
    *b = (view_brief){.count = 0};
    if (a->list.function_count == 0)
        return true;
    const report_totals *t = &a->totals;
    bool done =
        aggregate_only_counts(a)
            ? find_in_rows(b, r, VIEW_MOST_CALLS, ILJ_SORT_CALLS, t->enters)
            : find_in_rows(b, r, VIEW_MOST_TIME, ILJ_SORT_TIME, profile_add(t->exclusive_ns, t->waiting_ns));
    if (done && view_has_waits(r))
        done = find_in_rows(b, r, VIEW_MOST_WAITING, ILJ_SORT_WAITING, t->waiting_ns);
    if (done && a->counted.bytes > 0)
        done = find_counted(b, r, VIEW_MOST_BYTES, ILJ_SORT_BYTES, a->totals.figures.bytes);
    else if (done && a->counted.objects > 0)
        done = find_counted(b, r, VIEW_MOST_OBJECTS, ILJ_SORT_OBJECTS, a->totals.figures.objects);
    if (done && a->exceptions.node_count > 0)
        done = find_thrown(b, r);
    return done && (aggregate_only_counts(a) || find_one_call(b, r));
}

/* ---- In words --------------------------------------------------------------------------------------------------- */

static void append_amount(buffer *b, view_finding_kind kind, uint64_t amount) {
    figure f = kind == VIEW_MOST_BYTES                                    ? format_bytes(amount)
               : strcmp(view_finding_unit(kind), "ns") == 0               ? format_time(amount)
                                                                          : format_count(amount);
    buffer_string(b, format_trimmed(&f));
}

void view_finding_describe(buffer *b, const report *r, const view_finding *f) {
    buffer place = BUFFER_INIT, name = BUFFER_INIT;
    b->size = 0;
    append_amount(b, f->kind, f->kind == VIEW_ONE_CALL ? f->parts[0] : f->whole);
    if (f->kind == VIEW_ONE_CALL) {
        buffer_string(b, " of ");
        append_amount(b, f->kind, f->whole);
    }
    if (f->type.size > 0) {
        view_text(&name, f->type);
        buffer_string(b, " ");
        buffer_append(b, name.data, name.size);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        buffer_string(b, i == 0 ? ": " : ", ");
        if (f->kind != VIEW_ONE_CALL)
            buffer_printf(b, "%s %% ", format_percent(f->parts[i], f->whole).text);
        view_text(&name, view_short_name(f->functions[i]));
        buffer_append(b, name.data, name.size);
        view_place(&place, r, f->functions[i]);
        if (place.size > 0) {
            buffer_string(b, " (");
            buffer_append(b, place.data, place.size);
            buffer_string(b, ")");
        }
    }
    b->failed |= place.failed || name.failed;
    buffer_clear(&place);
    buffer_clear(&name);
}
