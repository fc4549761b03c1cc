#include "report/model/calls_place.h"

#include <stdlib.h>

#include "util/list.h"

static int by_thread_and_function(const calls_event *a, const calls_event *b) {
    int order = list_compare(a->thread, b->thread);
    return order ? order : list_compare(a->function, b->function);
}

/* Calls of a thread and function are in the order of time; those with values before events that begin at the same tick,
 * and callers, which last longer, before what they call. */
static int by_time(const void *left, const void *right) {
    const calls_event *a = left, *b = right;
    int order = by_thread_and_function(a, b);
    if (order == 0)
        order = list_compare(a->start, b->start);
    if (order == 0 && a->seen != b->seen)
        return a->seen ? -1 : 1;
    if (order == 0 && a->seen)
        order = list_compare(b->ticks, a->ticks);
    return order ? order : list_compare(a->index, b->index);
}

void calls_place(calls_event *events, size_t count) {
    if (count > 0)
        qsort(events, count, sizeof *events, by_time);
    size_t waiting = 0, end = 0; /* calls with values from `waiting` to `end` - 1 have no event yet */
    for (size_t i = 0; i < count; i++) {
        calls_event *e = &events[i];
        e->other = CALLS_NO_OTHER;
        if (i > 0 && by_thread_and_function(e, &events[i - 1]) != 0)
            waiting = end = i;
        if (e->seen) {
            /* The call that an earlier one waits for was not kept. */
            if (waiting == end || events[waiting].start != e->start || end != i)
                waiting = i;
            end = i + 1;
        } else if (waiting < end) {
            calls_event *seen = &events[waiting];
            if (seen->ticks >= e->ticks) {
                seen->other = e->index;
                e->other = seen->index;
            }
            waiting++;
        }
    }
}
