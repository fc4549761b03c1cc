#include "report/model/figures.h"

#include <stddef.h>

#include "report/model/model.h"
#include "report/model/row.h"

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static row_value figure_exclusive(const aggregate *a, const report_row *row) {
    const profile_times *t = &row->times;
    return (row_value){.known = !aggregate_only_counts(a),
                       .trust = times_exclusive_trust(t, a->totals.exclusive_ns),
                       .value = report_exclusive(t),
                       .raw = t->exclusive_ns,
                       .low = t->exclusive_low_ns,
                       .high = t->exclusive_high_ns};
}

static row_value figure_inclusive(const aggregate *a, const report_row *row) {
    const profile_times *t = &row->times;
    return (row_value){.known = !aggregate_only_counts(a),
                       .trust = times_inclusive_trust(t, a->totals.exclusive_ns),
                       .value = report_inclusive(t),
                       .raw = t->inclusive_ns,
                       .low = t->inclusive_low_ns,
                       .high = t->inclusive_high_ns};
}

static row_value figure_range(const aggregate *a, const report_row *row) {
    row_value own = figure_exclusive(a, row);
    own.known = own.trust != TIMES_SURE;
    return own;
}

static row_value figure_exclusive_low(const aggregate *a, const report_row *row) {
    return figure_certain(!aggregate_only_counts(a), row->times.exclusive_low_ns);
}
static row_value figure_exclusive_high(const aggregate *a, const report_row *row) {
    return figure_certain(!aggregate_only_counts(a), row->times.exclusive_high_ns);
}
static row_value figure_inclusive_low(const aggregate *a, const report_row *row) {
    return figure_certain(!aggregate_only_counts(a), row->times.inclusive_low_ns);
}
static row_value figure_inclusive_high(const aggregate *a, const report_row *row) {
    return figure_certain(!aggregate_only_counts(a), row->times.inclusive_high_ns);
}

/* All time of a row: on a thread, blocked, and of a part awaited. */
static row_value figure_time(const aggregate *a, const report_row *row) {
    uint64_t idle = profile_add(row->sums[ROW_WAITING], row->sums[ROW_AWAITING]);
    return figure_certain(!aggregate_only_counts(a), profile_add(row->times.exclusive_ns, idle));
}

/* Inclusive time by call. */
static row_value figure_average(const aggregate *a, const report_row *row) {
    const report_function *f = row->function;
    const profile_times *t = &row->times;
    uint64_t calls = row->sums[ROW_CALLS];
    row_value v = {.known = !aggregate_only_counts(a)};
    if (f && t->inclusive_ns == f->times.inclusive_ns) {
        v.trust = report_average_trust(a, f);
        v.value = report_average(f);
        v.low = report_average_low(f);
        v.high = report_average_high(f);
    } else if (calls > 0) {
        v.trust = times_inclusive_trust(t, a->totals.exclusive_ns);
        v.value = report_inclusive(t) / (int64_t)calls;
        v.low = t->inclusive_low_ns / calls;
        v.high = profile_add(t->inclusive_high_ns, calls - 1) / calls;
    }
    v.raw = (uint64_t)v.value;
    return v;
}

static row_value figure_min(const aggregate *a, const report_row *row) {
    (void)a;
    bool known = row->function && durations_has_span(&row->function->durations);
    return figure_certain(known, known ? row->function->durations.min_ns : 0);
}
static row_value figure_max(const aggregate *a, const report_row *row) {
    (void)a;
    bool known = row->function && durations_has_span(&row->function->durations);
    return figure_certain(known, known ? row->function->durations.max_ns : 0);
}

static row_value percentile(const report_row *row, unsigned percent) {
    uint64_t ns = 0;
    bool known = row->function && durations_try_percentile(&row->function->durations, percent, &ns);
    return figure_certain(known, ns);
}
static row_value figure_p50(const aggregate *a, const report_row *row) {
    (void)a;
    return percentile(row, 50);
}
static row_value figure_p90(const aggregate *a, const report_row *row) {
    (void)a;
    return percentile(row, 90);
}
static row_value figure_p99(const aggregate *a, const report_row *row) {
    (void)a;
    return percentile(row, 99);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

#define ROW_SUM_OF(of)      .source = SOURCE_ROW_SUM
#define SUM_OF(of)          .source = SOURCE_SUM, .field_at = offsetof(report_function, of)
#define FUNCTION_SUM_OF(of) .source = SOURCE_FUNCTION_SUM, .field_at = offsetof(report_function, of)
#define OWN_COUNTED_OF(of)  .source = SOURCE_OWN_COUNTED, .counted = FIGURE_##of
#define ALL_COUNTED_OF(of)  .source = SOURCE_ALL_COUNTED, .counted = FIGURE_##of
#define VALUE_OF(of)        .source = SOURCE_VALUE, .value = figure_##of
#define IN_PARTS(SHOWN)     .in_parts = SHOWN_##SHOWN
#define HIDES(at)           .hides = at
#define FIELD(name)         .field = name
#define CSV(at)             .csv = {at, NULL, RULE_NUMBER}
#define JSON(at, RULE)      .json = {at, NULL, RULE_##RULE}
#define PAGE(at, n, RULE)   .page = {at, n, RULE_##RULE}

const figure_row figure_rows[ROW_FIGURES] = {
#define FIGURE(ID, k, t, FORM, SOURCE, of, SHOWN, meaning, ...)                                                        \
    [ROW_##ID] = {.key = k, .title = t, .form = FORM_##FORM, .shown = SHOWN_##SHOWN, SOURCE##_OF(of), __VA_ARGS__},
#define PLAIN_FIGURE(ID, FORM, SOURCE, of, ...) [ROW_##ID] = {.form = FORM_##FORM, SOURCE##_OF(of), __VA_ARGS__},
#include "facts/figures.def"
};

report_figure figure_of_sort_key(const aggregate *a, ilj_sort_key key) {
    static const report_figure figures[] = {
#define KEY(ID, name) [ILJ_SORT_##ID] = ROW_##ID,
        ILJ_SORT_KEYS(KEY, KEY)};
    return aggregate_only_counts(a) && key != ILJ_SORT_NAME ? ROW_CALLS : figures[key];
}

static unsigned order_of(report_figure id, size_t format) {
    return ((const figure_place *)(const void *)((const char *)&figure_rows[id] + format))->order;
}

figure_list figures_of(const aggregate *a, size_t format) {
    figure_list list = {.count = 0};
    for (report_figure id = 0; id < ROW_FIGURES; id++) {
        unsigned order = order_of(id, format);
        if (order == 0 || (figure_is_counted(id) && a->counted.all[figure_rows[id].counted] == 0))
            continue;
        size_t at = list.count++;
        for (; at > 0 && order_of(list.ids[at - 1], format) > order; at--)
            list.ids[at] = list.ids[at - 1];
        list.ids[at] = id;
    }
    return list;
}

/* ---- Those of nodes ---------------------------------------------------------------------------------------------- */

#define EVENT(text)         .event = text
#define SPEEDSCOPE(n, unit) .profile = {n, unit}
#define SAMPLE(type, unit)  .samples = {type, unit}
#define MISSING(text)       .missing = text
#define JUDGED              .judged = true

const figure_kind figure_kinds[FIGURES] = {
#define COUNTED_FIGURE(ID, n, title, FORM, f, SECT, node, own_meaning, all_meaning, ...)                               \
    [FIGURE_##ID] = {.name = n, .field = f, .form = FORM_##FORM, .own = ROW_##ID, .all = ROW_ALL_##ID, __VA_ARGS__},
#include "facts/figures.def"
};
