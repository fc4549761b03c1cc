#include "report/view/one_call.h"

#include <stdlib.h>

enum {
    NOTICEABLE = 50, /* one part in that many of all time, at least */
    UNLIKE = 10,     /* that many times as long as the others on average */
};

/* Also true of two calls that differ as their work does, were it not for the third condition. */
static bool stands_out(const aggregate *a, const report_function *f) {
    const durations *d = &f->durations;
    if (f->calls < 2 || f->machine != PROFILE_PLAIN || !f->wanted || !durations_has_span(d))
        return false;
    uint64_t others = f->times.inclusive_ns > d->max_ns ? f->times.inclusive_ns - d->max_ns : 0;
    return d->max_ns > 0 && d->max_ns >= a->totals.recorded_ns / NOTICEABLE && d->max_ns >= others &&
           d->max_ns / UNLIKE >= others / (f->calls - 1);
}

bool *view_one_call_find(const aggregate *a) {
    bool *found = calloc((size_t)a->list.function_count + 1, sizeof *found);
    uint64_t *sums = calloc((size_t)a->list.function_count + 1, sizeof *sums);
    bool *callers = calloc((size_t)a->list.function_count + 1, sizeof *callers);
    for (uint32_t i = 0; found && sums && callers && i < a->list.function_count; i++)
        found[i] = stands_out(a, &a->list.functions[i]);
    for (uint32_t i = 1; found && sums && callers && i < a->tree.node_count; i++) {
        const fold_link *n = &a->tree.places.links[i], *above = &a->tree.places.links[n->parent];
        const uint32_t callee = node_function(n), caller = node_function(above);
        if (!link_is_call(n) || !found[callee])
            continue;
        sums[callee] = profile_add(sums[callee], node_number(&a->tree, TIMES_INCLUSIVE, i));
        if (link_is_call(above) && caller != callee && found[caller] &&
            a->list.functions[callee].durations.max_ns >= a->list.functions[caller].durations.max_ns / 5 * 4)
            callers[caller] = true;
    }
    for (uint32_t i = 0; found && sums && callers && i < a->list.function_count; i++)
        found[i] = found[i] && !callers[i] && sums[i] <= a->list.functions[i].times.inclusive_ns;
    if (!sums || !callers) {
        free(found);
        found = NULL;
    }
    free(sums);
    free(callers);
    return found;
}

const report_function *view_one_call_take(const report *r, bool *found) {
    const aggregate *a = r->sum;
    const report_function *most = NULL;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        if (!found[i] || (f->parts.helper && !r->options->helpers))
            continue;
        if (!most || f->durations.max_ns > most->durations.max_ns ||
            (f->durations.max_ns == most->durations.max_ns && f->rank < most->rank))
            most = f;
    }
    if (most)
        found[most - a->list.functions] = false;
    return most;
}

enum { LARGE = 5 }; /* one part in that many of all time */

bool view_one_call_is_large(const report *r, const report_function *f) {
    return f->durations.max_ns >= r->sum->totals.recorded_ns / LARGE;
}
