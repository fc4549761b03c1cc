#include <time.h>

#include "report/print/format.h"
#include "report/text/text.h"

/* The head of a merged profile: what its runs have in common, and in what they differ. */

enum { VALUES_SHOWN = 3 };

static void print_day(printer *out, const char *before, uint64_t ns) {
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm t;
    if (ns > 0 && gmtime_r(&seconds, &t))
        print_format(out, "%s%04d-%02d-%02d %02d:%02d:%02d", before, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec);
}

/* "a", "a (900), b (100)", "a (1), b (1), c (1) and 97 more"; false when no run says. */
static bool print_fact(printer *out, const char *before, const profile_facts *f) {
    bool any = false, several = f->count > 1 || f->others > 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < f->count && shown < VALUES_SHOWN; i++) {
        if (f->values[i].value.size == 0 && !several)
            continue;
        print_string(out, any ? ", " : before);
        any = true;
        shown++;
        if (f->values[i].value.size > 0)
            print_shown(out, f->values[i].value);
        else
            print_string(out, "(not known)");
        if (several)
            print_format(out, " (%s)", format_count(f->values[i].runs).text);
    }
    if (shown < f->count)
        print_format(out, " and %s%s more", f->others > 0 ? "at least " : "", format_count(f->count - shown).text);
    else if (f->others > 0)
        print_string(out, " and more");
    return any;
}

void merged_write(printer *out, const profile *p) {
    const profile_run *run = &p->run;
    const profile_facts *facts = p->runs.facts;
    if (!print_fact(out, "Program  ", &facts[PROFILE_FACT_NAME]))
        print_string(out, "Program  (no name)");
    print_format(out, ", %s run%s", format_count(run->merged).text, run->merged == 1 ? "" : "s");
    print_string(out, "\nFile     ");
    print_shown(out, bytes_of(p->file, strlen(p->file)));
    print_fact(out, ", written at: ", &facts[PROFILE_FACT_REASON]);
    print_fact(out, ", tracker ", &facts[PROFILE_FACT_TRACKER]);
    if (print_fact(out, "\nHost     ", &facts[PROFILE_FACT_HOST]))
        print_fact(out, "; ", &facts[PROFILE_FACT_RUNTIME]);
    figure wall = format_time(profile_ns(run, run->wall_ticks));
    print_format(out, "\nWall     %s of all runs", format_trimmed(&wall));
    print_day(out, ", from ", run->start_ns);
    print_day(out, " to ", run->end_ns);
    if (run->start_ns > 0)
        print_string(out, " UTC");
    print_fact(out, ", clock ", &facts[PROFILE_FACT_CLOCK]);
    print_string(out, "\n");
    if (run->timelines > 0)
        print_format(out, "         %s timeline%s left out in merging\n", format_count(run->timelines).text,
                     run->timelines == 1 ? " was" : "s were");
    if (run->calls > 0)
        print_format(out, "         %s call%s left out in merging\n", format_count(run->calls).text,
                     run->calls == 1 ? " with its values was" : "s with their values were");
}
