#include <stdlib.h>
#include <string.h>

#include "report/print/format.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/view/one_call.h"

/* Methods with one call that took most of their time, as text. */

enum { MOST_SHOWN = 3 };

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

bool one_call_write(printer *out, const report *r, bool rest) {
    bool *found = view_one_call_find(r->sum);
    const report_function *first = NULL;
    if (found && rest && (first = view_one_call_take(r, found)) != NULL && !view_one_call_is_large(r, first))
        found[first - r->sum->list.functions] = true;
    for (int shown = 0; found && shown < MOST_SHOWN; shown++) {
        const report_function *most = view_one_call_take(r, found);
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
    bool *found = view_one_call_find(r->sum);
    const report_function *most = found ? view_one_call_take(r, found) : NULL;
    if (most && view_one_call_is_large(r, most))
        print_one(out, r, most, "One call ");
    bool done = found != NULL;
    free(found);
    return done;
}
