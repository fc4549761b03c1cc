#include <stdlib.h>
#include <string.h>

#include "report/print/format.h"
#include "report/text/lines.h"
#include "report/text/text.h"

/* Methods of which one call took most of the time: a first call, that compiles and loads, a collection that it met, or
 * a pause of the machine. An average says nothing of such a method. */

enum {
    MOST_SHOWN = 3,
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

/* Which functions stand out, without those that have it from what they call, and without recursive ones: of these the
 * outermost call holds the others. NULL without memory. */
static bool *find(const aggregate *a) {
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

/* Of those that were found the one with the longest call, which is then taken out; NULL: there is none. */
static const report_function *take_most(const report *r, bool *found) {
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

static void print_one(printer *out, const report *r, const report_function *f, const char *label) {
    enum { LEAST_NAME = 24 };
    uint64_t longest = f->durations.max_ns, all = f->times.inclusive_ns > longest ? f->times.inclusive_ns : longest;
    figure one = format_time(longest), sum = format_time(all), calls = format_count(f->calls);
    format_trimmed(&one);
    format_trimmed(&sum);
    print_format(out, "%s%s of %s", label, one.text, sum.text);
    print_format(out, " in 1 of %s calls: ", calls.text);
    print_function(out, r, f, strlen(label) + one.columns + 4 + sum.columns + 9 + calls.columns + 8, LEAST_NAME);
    print_string(out, "\n");
}

enum { LARGE = 5 }; /* one part in that many of all time is a line above the table */

static bool is_large(const report *r, const report_function *f) {
    return f->durations.max_ns >= r->sum->totals.recorded_ns / LARGE;
}

bool one_call_write(printer *out, const report *r, bool rest) {
    bool *found = find(r->sum);
    const report_function *first = NULL;
    if (found && rest && (first = take_most(r, found)) != NULL && !is_large(r, first))
        found[first - r->sum->list.functions] = true;
    for (int shown = 0; found && shown < MOST_SHOWN; shown++) {
        const report_function *most = take_most(r, found);
        if (!most)
            break;
        buffer line = BUFFER_INIT;
        if (shown == 0) {
            print_string(out, "\n");
            buffer_string(&line, "One call took most of it: a first call, a collection, or a pause of the machine");
            print_fitted(out, r, &line);
        }
        buffer_clear(&line);
        print_one(out, r, most, "  ");
    }
    bool done = found != NULL;
    free(found);
    return done;
}

bool one_call_write_line(printer *out, const report *r) {
    bool *found = find(r->sum);
    const report_function *most = found ? take_most(r, found) : NULL;
    if (most && is_large(r, most))
        print_one(out, r, most, "One call ");
    bool done = found != NULL;
    free(found);
    return done;
}
