#include <stdlib.h>

#include "report/model/model.h"
#include "report/model/row.h"

typedef struct sorted_function {
    const report_function *f;
    int64_t key;
} sorted_function;

static int by_key(const void *left, const void *right) {
    const sorted_function *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->f->rank < b->f->rank ? -1 : a->f->rank > b->f->rank;
}

/* figure_key of its row, which is made where it has to be. */
static int64_t key_of(const aggregate *a, const report_function *f, report_figure by) {
    const figure_row *figure = &figure_rows[by];
    report_row row;
    switch (figure->source) {
    case SOURCE_SUM:
    case SOURCE_FUNCTION_SUM:
        return *(const int64_t *)(const void *)((const char *)f + figure->field_at);
    case SOURCE_OWN_COUNTED:
        return (int64_t)f->figures.all[figure->counted];
    default:
        row_of_function(&row, f);
        return figure_key(a, &row, by);
    }
}

const report_function **report_sorted(const aggregate *a, ilj_sort_key key) {
    sorted_function *keys = calloc((size_t)a->list.function_count + 1, sizeof *keys);
    const report_function **sorted = calloc((size_t)a->list.function_count + 1, sizeof *sorted);
    if (keys && sorted) {
        report_figure by = figure_of_sort_key(a, key);
        for (uint32_t i = 0; i < a->list.function_count; i++)
            keys[i] =
                (sorted_function){&a->list.functions[i], by == ROW_NAME ? 0 : key_of(a, &a->list.functions[i], by)};
        qsort(keys, a->list.function_count, sizeof *keys, by_key);
        for (uint32_t i = 0; i < a->list.function_count; i++)
            sorted[i] = keys[i].f;
    } else {
        free(sorted);
        sorted = NULL;
    }
    free(keys);
    return sorted;
}
