#include "report/text/times.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/figures.h"
#include "report/text/lines.h"
#include "report/view/trust.h"

static figure at_most(figure f) {
    figure marked;
    snprintf(marked.text, sizeof marked.text, "\u2264 %.30s", f.text);
    marked.columns = f.columns + 2;
    return marked;
}

figure times_figure(int64_t ns, uint64_t high_ns, times_trust trust) {
    if (trust == TIMES_AT_MOST || (trust == TIMES_OPEN && ns == 0))
        return at_most(format_time(high_ns));
    figure f = format_time((uint64_t)(ns < 0 ? -ns : ns));
    if (ns < 0 || trust != TIMES_SURE)
        format_mark(&f, ns < 0 ? '-' : '~');
    return f;
}

figure times_exclusive_figure(const report *r, const profile_times *t) {
    return times_figure(report_exclusive(t), t->exclusive_high_ns,
                        times_exclusive_trust(t, r->sum->totals.exclusive_ns));
}

figure times_inclusive_figure(const report *r, const profile_times *t) {
    return times_figure(report_inclusive(t), t->inclusive_high_ns,
                        times_inclusive_trust(t, r->sum->totals.exclusive_ns));
}

figure times_counted(profile_figure kind, uint64_t value) {
    switch (figure_kinds[kind].form) {
    case FORM_TIME_IF_ANY:
        return value > 0 ? format_time(value) : (figure){"", 0};
    case FORM_BYTES:
        return format_bytes(value);
    default:
        return format_count(value);
    }
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static uint64_t permille(uint64_t part, uint64_t whole) {
    return whole ? (uint64_t)((unsigned __int128)part * 1000 / whole) : 0;
}

/* A time or a sum of them, with its ends. */
typedef struct bounds {
    uint64_t low, ns, high;
} bounds;

/* The rest of the whole is at its low end where the part is at its high one, and the other way round. */
static figure share_of(bounds part, bounds whole, times_trust trust) {
    enum { NOTICEABLE = 10 }; /* permille of the whole */
    uint64_t most_of = profile_add(part.high, less(whole.low, part.low));
    uint64_t least_of = profile_add(part.low, less(whole.high, part.high));
    if (trust == TIMES_AT_MOST) /* no more than the time beside it is of the whole as estimated */
        return at_most(format_percent(part.high, whole.ns > most_of ? whole.ns : most_of));
    uint64_t ns = part.ns < whole.ns ? part.ns : whole.ns;
    uint64_t share = permille(ns, whole.ns), least = permille(part.low, least_of), most = permille(part.high, most_of);
    figure f = format_percent(ns, whole.ns);
    if (most >= least + NOTICEABLE && (least * 10 < share * 8 || most * 10 > share * 12))
        format_mark(&f, '~');
    return f;
}

figure times_share(const report *r, const profile_times *t) {
    const report_totals *all = &r->sum->totals;
    return share_of((bounds){t->exclusive_low_ns, t->exclusive_ns, t->exclusive_high_ns},
                    (bounds){all->low_ns, all->exclusive_ns, all->high_ns},
                    times_exclusive_trust(t, all->exclusive_ns));
}

figure times_time_share(const report *r, const profile_times *t, uint64_t waiting_ns, uint64_t all_waiting_ns) {
    const report_totals *all = &r->sum->totals;
    bounds part = {profile_add(t->exclusive_low_ns, waiting_ns), profile_add(t->exclusive_ns, waiting_ns),
                   profile_add(t->exclusive_high_ns, waiting_ns)};
    bounds whole = {profile_add(all->low_ns, all_waiting_ns), profile_add(all->exclusive_ns, all_waiting_ns),
                    profile_add(all->high_ns, all_waiting_ns)};
    return share_of(part, whole, times_trust_of(part.ns, part.low, part.high, whole.ns));
}

figure times_inclusive_share(const report *r, const profile_times *t, const profile_times *whole) {
    return share_of((bounds){t->inclusive_low_ns, t->inclusive_ns, t->inclusive_high_ns},
                    (bounds){whole->inclusive_low_ns, whole->inclusive_ns, whole->inclusive_high_ns},
                    times_inclusive_trust(t, r->sum->totals.exclusive_ns));
}

void times_mark(times_marks *marks, times_trust trust) {
    marks->rough |= trust == TIMES_ROUGH || trust == TIMES_OPEN;
    marks->at_most |= trust == TIMES_AT_MOST;
}

void times_explain(printer *out, const report *r, times_marks marks) {
    buffer line = BUFFER_INIT, why = BUFFER_INIT;
    if (!marks.rough && !marks.at_most)
        return;
    print_set_style(out, PRINT_DIM);
    bool known = view_why_open(&why, r);
    if (marks.rough) {
        buffer_string(&line, "~ may be off by more than 10 %");
        buffer_string(&line, known ? ": " : "");
        buffer_append(&line, why.data, why.size);
        print_fitted(out, r, &line);
    }
    if (marks.at_most) {
        buffer_string(&line, "\u2264 at most this time, perhaps none");
        buffer_string(&line, known && !marks.rough ? ": " : "");
        buffer_append(&line, why.data, marks.rough ? 0 : why.size);
        print_fitted(out, r, &line);
    }
    print_set_style(out, PRINT_PLAIN);
    out->no_memory |= why.failed;
    buffer_clear(&line);
    buffer_clear(&why);
}
