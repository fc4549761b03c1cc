#include <time.h>

#include "report/print/format.h"
#include "report/view/head_lines.h"

/* The head of a merged profile: what its runs have in common, and in what they differ. */

enum { VALUES_SHOWN = 3 };

static void append_day(buffer *out, const char *before, uint64_t ns) {
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm t;
    if (ns > 0 && gmtime_r(&seconds, &t))
        buffer_printf(out, "%s%04d-%02d-%02d %02d:%02d:%02d", before, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                      t.tm_hour, t.tm_min, t.tm_sec);
}

/* "a", "a (900), b (100)", "a (1), b (1), c (1) and 97 more"; false when no run says. */
static bool append_fact(buffer *out, const char *before, const profile_facts *f) {
    bool any = false, several = f->count > 1 || f->others > 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < f->count && shown < VALUES_SHOWN; i++) {
        if (f->values[i].value.size == 0 && !several)
            continue;
        buffer_string(out, any ? ", " : before);
        any = true;
        shown++;
        if (f->values[i].value.size > 0)
            buffer_append(out, f->values[i].value.data, f->values[i].value.size);
        else
            buffer_string(out, "(not known)");
        if (several)
            buffer_printf(out, " (%s)", format_count(f->values[i].runs).text);
    }
    if (shown < f->count)
        buffer_printf(out, " and %s%s more", f->others > 0 ? "at least " : "", format_count(f->count - shown).text);
    else if (f->others > 0)
        buffer_string(out, " and more");
    return any;
}

void head_add_merged(view_head *h, const profile *p) {
    const profile_run *run = &p->run;
    const profile_facts *facts = p->runs.facts;
    buffer *out = head_begin(h, "Program");
    if (!append_fact(out, "", &facts[PROFILE_FACT_NAME]))
        buffer_string(out, "(no name)");
    buffer_printf(out, ", %s run%s", format_count(run->merged).text, run->merged == 1 ? "" : "s");
    head_end(h, VIEW_LINE_WHOLE);
    head_begin(h, "File");
    buffer_append(out, p->file, strlen(p->file));
    append_fact(out, ", written at: ", &facts[PROFILE_FACT_REASON]);
    append_fact(out, ", tracker ", &facts[PROFILE_FACT_TRACKER]);
    head_end(h, VIEW_LINE_WHOLE);
    head_begin(h, "Host");
    if (append_fact(out, "", &facts[PROFILE_FACT_HOST])) {
        append_fact(out, "; ", &facts[PROFILE_FACT_RUNTIME]);
        head_end(h, VIEW_LINE_WHOLE);
    } else {
        head_drop(h);
    }
    figure wall = format_time(profile_ns(run, run->wall_ticks));
    head_begin(h, "Wall");
    buffer_printf(out, "%s of all runs", format_trimmed(&wall));
    append_day(out, ", from ", run->start_ns);
    append_day(out, " to ", run->end_ns);
    if (run->start_ns > 0)
        buffer_string(out, " UTC");
    append_fact(out, ", clock ", &facts[PROFILE_FACT_CLOCK]);
    head_end(h, VIEW_LINE_WHOLE);
    if (run->timelines > 0) {
        head_begin(h, "");
        buffer_printf(out, "%s timeline%s left out in merging", format_count(run->timelines).text,
                      run->timelines == 1 ? " was" : "s were");
        head_end(h, VIEW_LINE_WHOLE);
    }
    if (run->calls > 0) {
        head_begin(h, "");
        buffer_printf(out, "%s call%s left out in merging", format_count(run->calls).text,
                      run->calls == 1 ? " with its values was" : "s with their values were");
        head_end(h, VIEW_LINE_WHOLE);
    }
}
