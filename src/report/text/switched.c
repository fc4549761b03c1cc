#include <stdlib.h>

#include "report/print/format.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/view/left_out.h"
#include "report/view/switches.h"

/* The table of the methods that were switched off while the program ran. */

enum { MOST_SHOWN = 20 };

static const char *const states[] = {
    [VIEW_ON_AGAIN] = "on again",
    [VIEW_OFF_BY_USER] = "by hand",
    [VIEW_OFF_BY_GOVERNOR] = "by the governor",
};

static void print_row(printer *out, const report *r, const view_switch *s) {
    enum { LEAST_NAME = 24, STATE = 15 };
    figure calls = format_count(s->calls), at = format_time(s->at_ns);
    format_trimmed(&at);
    int pad = calls.columns < 13 ? 13 - (int)calls.columns : 0, state = STATE;
    print_format(out, "  %*s%s calls  %-*s at ", pad, "", calls.text, state, states[s->off]);
    print_string(out, at.text);
    print_string(out, "  ");
    print_function(out, r, s->function, 15 + 6 + 2 + STATE + 4 + at.columns + 2, LEAST_NAME);
    print_string(out, "\n");
}

void left_out_write(printer *out, const report *r) {
    enum { MOST_SENTENCES = 3 };
    buffer line = BUFFER_INIT, sentence = BUFFER_INIT;
    for (uint32_t i = 0; i < MOST_SENTENCES && view_left_out(&sentence, r, i); i++) {
        line.size = 0;
        if (i == 0)
            print_string(out, "\n");
        buffer_string(&line, "Left out for the price: ");
        buffer_append(&line, sentence.data, sentence.size);
        print_fitted(out, r, &line);
    }
    buffer_clear(&sentence);
    buffer_clear(&line);
}

bool switched_write(printer *out, const report *r) {
    uint32_t count = 0, shown = 0;
    view_switch *sorted = view_switches(r, &count);
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
        print_row(out, r, &sorted[shown]);
    if (shown < count)
        print_format(out, "  and %s more\n", format_count(count - shown).text);
    free(sorted);
    return true;
}
