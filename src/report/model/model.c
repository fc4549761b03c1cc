#include "report/model/model.h"

#include <stdlib.h>

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
