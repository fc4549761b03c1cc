#include <stdlib.h>

#include "report/print/format.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "util/list.h"

/* The table of the methods that were switched off while the program ran. */

enum { MOST_SHOWN = 20 };

static bool is_by_governor(const report_switch *s) {
    return (s->of.reasons & PROFILE_BY_GOVERNOR) != 0;
}

static int by_calls(const void *left, const void *right) {
    const report_switch *a = *(const report_switch *const *)left, *b = *(const report_switch *const *)right;
    int order = list_compare(b->of.calls, a->of.calls);
    if (order == 0)
        order = list_compare(a->run, b->run);
    return order ? order : list_compare(a->of.id, b->of.id);
}

static const char *state_of(const report_switch *s) {
    if (is_by_governor(s))
        return "by the governor";
    return s->of.reasons & PROFILE_BY_USER ? "by hand" : "on again";
}

static void print_row(printer *out, const report *r, const report_switch *s) {
    enum { LEAST_NAME = 24, STATE = 15 };
    figure calls = format_count(s->of.calls), at = format_time(s->of.at_ns);
    format_trimmed(&at);
    int pad = calls.columns < 13 ? 13 - (int)calls.columns : 0, state = STATE;
    print_format(out, "  %*s%s calls  %-*s at ", pad, "", calls.text, state, state_of(s));
    print_string(out, at.text);
    print_string(out, "  ");
    size_t taken = 15 + 6 + 2 + STATE + 4 + at.columns + 2, width = r->options->width;
    print_name(out, s->function.name, s->function.parts.parameters, s->function.parts.suffix,
               width == 0                   ? SIZE_MAX
               : width > taken + LEAST_NAME ? width - taken
                                            : LEAST_NAME);
    print_string(out, "\n");
}

const report_switch **report_switches(const aggregate *a, uint32_t *count) {
    const report_switch **sorted = calloc((size_t)a->switch_count + 1, sizeof *sorted);
    *count = 0;
    if (!sorted)
        return NULL;
    for (uint32_t i = 0; i < a->switch_count; i++)
        if (a->switches[i].function.wanted)
            sorted[(*count)++] = &a->switches[i];
    qsort(sorted, *count, sizeof *sorted, by_calls);
    return sorted;
}

bool switched_write(printer *out, const report *r) {
    uint32_t count = 0, shown = 0;
    const report_switch **sorted = report_switches(r->sum, &count);
    if (!sorted)
        return false;
    if (count > 0) {
        buffer line = BUFFER_INIT;
        buffer_string(&line, "Switched off while the program ran, with the calls till then; of those by the governor "
                             "the time is their callers'");
        print_string(out, "\n");
        print_fitted(out, r, &line);
        buffer_clear(&line);
    }
    uint32_t most = r->options->top == 0 ? count : MOST_SHOWN;
    for (; shown < count && shown < most; shown++)
        print_row(out, r, sorted[shown]);
    if (shown < count)
        print_format(out, "  and %s more\n", format_count(count - shown).text);
    free(sorted);
    return true;
}
