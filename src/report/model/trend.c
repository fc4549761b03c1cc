#include "report/model/trend.h"

#include <stdlib.h>

#include "report/model/row.h"
#include "util/hash.h"

static uint64_t hash_of(const aggregate *a, const report_function *f) {
    return hash_bytes(hash_bytes(HASH_START, function_assembly(&a->list, f)) * 31, f->name);
}

/* The position of the method with this name; TREND_MAX_METHODS: there is none. */
static uint32_t method_of(const trend *t, uint64_t hash, bytes name) {
    for (uint32_t i = 0; i < t->method_count; i++)
        if (t->hashes[i] == hash && bytes_equal(t->methods[i]->name, name))
            return i;
    return TREND_MAX_METHODS;
}

static void want(trend *t, const aggregate *a, const report_function *f) {
    const uint64_t hash = hash_of(a, f);
    if (t->method_count == TREND_MAX_METHODS || method_of(t, hash, f->name) < TREND_MAX_METHODS)
        return;
    t->hashes[t->method_count] = hash;
    t->methods[t->method_count++] = f;
}

static bool choose_methods(trend *t, const aggregate *a) {
    static const ilj_sort_key keys[] = {ILJ_SORT_TIME, ILJ_SORT_CALLS, ILJ_SORT_INCLUSIVE};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    const report_function **sorted[KEYS] = {NULL};
    bool done = true;
    for (int k = 0; k < KEYS; k++)
        done = (sorted[k] = report_sorted(a, keys[k])) && done;
    for (uint32_t i = 0; done && i < a->list.function_count && t->method_count < TREND_MAX_METHODS; i++)
        for (int k = 0; k < KEYS; k++)
            want(t, a, sorted[k][i]);
    for (int k = 0; k < KEYS; k++)
        free(sorted[k]);
    return done;
}

static const profile_run *run_of(const trend_point *p) {
    return &p->r->profiles[p->profile].run;
}

static int earlier_first(const void *left, const void *right) {
    const trend_point *a = left, *b = right;
    const uint64_t x = run_of(a)->start_ns, y = run_of(b)->start_ns;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->r != b->r) /* what is compared with stands first */
        return b->r->before == a->r ? -1 : 1;
    return a->profile < b->profile ? -1 : a->profile > b->profile;
}

bool trend_start(trend *t, const report *r) {
    *t = (trend){.points = NULL};
    const size_t before = r->before ? r->before->profile_count : 0;
    if (r->profile_count < 2 && before < 2)
        return true;
    t->points = calloc(r->profile_count + before, sizeof *t->points);
    if (!t->points || !choose_methods(t, r->sum))
        return false;
    for (size_t i = 0; i < r->profile_count; i++)
        t->points[t->point_count++] = (trend_point){.r = r, .profile = i};
    for (size_t i = 0; i < before; i++)
        t->points[t->point_count++] = (trend_point){.r = r->before, .profile = i};
    qsort(t->points, t->point_count, sizeof *t->points, earlier_first);
    if (t->point_count > TREND_MAX_POINTS) {
        t->left_out = t->point_count - TREND_MAX_POINTS;
        t->point_count = TREND_MAX_POINTS;
        memmove(t->points, t->points + t->left_out, t->point_count * sizeof *t->points);
    }
    return true;
}

void trend_add(trend *t, size_t point, const aggregate *alone) {
    trend_point *p = &t->points[point];
    p->known = true;
    for (uint32_t i = 0; i < alone->list.function_count; i++) {
        const report_function *f = &alone->list.functions[i];
        const uint32_t method = method_of(t, hash_of(alone, f), f->name);
        if (method == TREND_MAX_METHODS)
            continue;
        report_row row;
        row_of_function(&row, f);
        const uint64_t more[TREND_VALUES] = {
            [TREND_CALLS] = f->calls ? f->calls : f->steps,
            [TREND_EXCLUSIVE] = figure_value(alone, &row, ROW_EXCLUSIVE).raw,
            [TREND_INCLUSIVE] = figure_value(alone, &row, ROW_INCLUSIVE).raw,
        };
        for (int v = 0; v < TREND_VALUES; v++)
            p->values[method][v] = profile_add(p->values[method][v], more[v]);
    }
}

void trend_clear(trend *t) {
    free(t->points);
    *t = (trend){.points = NULL};
}
