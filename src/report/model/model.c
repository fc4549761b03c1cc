#include "report/model/model.h"

#include <stdlib.h>

#include "report/model/rows.h"

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

const report_function **report_sorted(const aggregate *a, ilj_sort_key key) {
    sorted_function *keys = calloc((size_t)a->function_count + 1, sizeof *keys);
    const report_function **sorted = calloc((size_t)a->function_count + 1, sizeof *sorted);
    if (keys && sorted) {
        report_figure by = figure_of_sort_key(a, key);
        for (uint32_t i = 0; i < a->function_count; i++) {
            report_row row;
            keys[i].f = &a->functions[i];
            if (by == ROW_NAME)
                continue;
            row_of_function(&row, keys[i].f);
            keys[i].key = figure_key(a, &row, by);
        }
        qsort(keys, a->function_count, sizeof *keys, by_key);
        for (uint32_t i = 0; i < a->function_count; i++)
            sorted[i] = keys[i].f;
    } else {
        free(sorted);
        sorted = NULL;
    }
    free(keys);
    return sorted;
}

const char *report_machine_name(uint32_t machine) {
    static const char *const names[] = {
        [PROFILE_PLAIN] = "",
        [PROFILE_ITERATOR] = "iterator",
        [PROFILE_ASYNC] = "async",
        [PROFILE_ASYNC_ITERATOR] = "async iterator",
        [PROFILE_RUNTIME_ASYNC] = "runtime async",
    };
    return names[machine];
}

/* In the order of time; those of one profile before those of the next. */
static int by_start(const void *left, const void *right) {
    const calls_shown *a = left, *b = right;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    if (a->call->start != b->call->start)
        return a->call->start < b->call->start ? -1 : 1;
    if (a->call->ticks != b->call->ticks) /* the caller before what it calls */
        return a->call->ticks > b->call->ticks ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

calls_shown *calls_sorted(const report *r, uint32_t *count) {
    size_t most = 0;
    *count = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        most += r->profiles[i].calls.count;
    calls_shown *list = calloc(most + 1, sizeof *list);
    for (size_t i = 0; i < r->profile_count && list; i++)
        for (uint32_t k = 0; k < r->profiles[i].calls.count; k++)
            list[(*count)++] = (calls_shown){&r->profiles[i], &r->profiles[i].calls.list[k]};
    if (list)
        qsort(list, *count, sizeof *list, by_start);
    return list;
}
