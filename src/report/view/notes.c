#include "report/view/notes.h"

#include <stdlib.h>

#include "report/view/names.h"

enum { MOST_NAMED = 100 };

bool view_notes_make(view_notes *n, const report *r) {
    *n = (view_notes){.r = r};
    n->switches = view_switches(r, &n->switch_count);
    n->has_counts = r->sum->only_counts > 0;
    n->named = n->switch_count < MOST_NAMED ? n->switch_count : MOST_NAMED;
    n->count = n->named + (n->has_counts ? 1u : 0) + (n->switch_count > 0 ? 1u : 0);
    return n->switches != NULL;
}

void view_notes_clear(view_notes *n) {
    free(n->switches);
    n->switches = NULL;
}

static void counted(buffer *b, const aggregate *a) {
    buffer_string(b, "calls were only counted");
    if (!aggregate_only_counts(a))
        buffer_printf(b, " in %llu of %llu runs: they have no times", (unsigned long long)a->only_counts,
                      (unsigned long long)a->runs);
    else
        buffer_string(b, ": there are no times");
}

static void switched(buffer *b, const view_notes *n) {
    uint32_t governor = 0;
    for (uint32_t i = 0; i < n->switch_count; i++)
        governor += n->switches[i].off == VIEW_OFF_BY_GOVERNOR;
    buffer_printf(b, "%u method%s switched off while the program ran", n->switch_count,
                  n->switch_count == 1 ? " was" : "s were");
    if (governor > 0)
        buffer_printf(b, ", %u of them by the governor: %s their callers'", governor,
                      governor == 1 ? "its time is" : "their times are");
    if (n->named < n->switch_count)
        buffer_printf(b, "; the %u with the most calls till then:", n->named);
}

static void one_switch(buffer *b, const view_switch *s) {
    static const char *const states[] = {
        [VIEW_ON_AGAIN] = "off for a time after ",
        [VIEW_OFF_BY_USER] = "off by hand after ",
        [VIEW_OFF_BY_GOVERNOR] = "off by the governor after ",
    };
    buffer name = BUFFER_INIT;
    view_text(&name, s->function->name);
    buffer_string(b, states[s->off]);
    buffer_printf(b, "%llu call%s: ", (unsigned long long)s->calls, s->calls == 1 ? "" : "s");
    buffer_append(b, name.data, name.size);
    b->failed |= name.failed;
    buffer_clear(&name);
}

void view_note(buffer *b, const view_notes *n, uint32_t note) {
    b->size = 0;
    uint32_t at = note;
    if (n->has_counts && at-- == 0)
        counted(b, n->r->sum);
    else if (at == 0)
        switched(b, n);
    else
        one_switch(b, &n->switches[at - 1]);
}
