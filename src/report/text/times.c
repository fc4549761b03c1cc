#include "report/text/times.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/model/figures.h"
#include "report/text/lines.h"

static figure at_most(figure f) {
    figure marked;
    snprintf(marked.text, sizeof marked.text, "\u2264 %.30s", f.text);
    marked.columns = f.columns + 2;
    return marked;
}

figure times_figure(int64_t ns, uint64_t high_ns, times_trust trust) {
    if (trust == TIMES_AT_MOST)
        return at_most(format_time(high_ns));
    figure f = format_time((uint64_t)(ns < 0 ? -ns : ns));
    if (ns < 0 || trust == TIMES_ROUGH)
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
    bool is_time = figure_kinds[kind].form == FORM_TIME_IF_ANY;
    return !is_time ? format_count(value) : value > 0 ? format_time(value) : (figure){"", 0};
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static uint64_t permille(uint64_t part, uint64_t whole) {
    return whole ? (uint64_t)((unsigned __int128)part * 1000 / whole) : 0;
}

/* A time or a sum of them: its ends, and as far as it is certain. */
typedef struct bounds {
    uint64_t low, certain, high;
} bounds;

/* The rest of the whole is at its low end where the part is at its high one, and the other way round. */
static figure share_of(bounds part, bounds whole, times_trust trust) {
    enum { NOTICEABLE = 10 }; /* permille of the whole */
    uint64_t most_of = profile_add(part.high, less(whole.low, part.low));
    uint64_t least_of = profile_add(part.low, less(whole.high, part.high));
    if (trust == TIMES_AT_MOST)
        return at_most(format_percent(part.high, most_of));
    uint64_t certain = part.certain < whole.certain ? part.certain : whole.certain;
    uint64_t share = permille(certain, whole.certain), least = permille(part.low, least_of);
    uint64_t most = permille(part.high, most_of);
    if (most < least + NOTICEABLE || (least * 10 >= share * 8 && most * 10 <= share * 12))
        return format_percent(certain, whole.certain);
    figure f;
    int size = snprintf(f.text, sizeof f.text, "%llu\u2013%llu", (unsigned long long)(least + 5) / 10,
                        (unsigned long long)(most + 5) / 10);
    f.columns = (unsigned)size - 2; /* the dash has three bytes */
    return f;
}

figure times_share(const report *r, const profile_times *t) {
    const report_totals *all = &r->sum->totals;
    return share_of((bounds){t->exclusive_low_ns, t->exclusive_ns, t->exclusive_high_ns},
                    (bounds){all->low_ns, all->certain_ns, all->high_ns}, times_exclusive_trust(t, all->exclusive_ns));
}

figure times_working_share(const report *r, const report_node *n) {
    uint64_t all = r->sum->totals.exclusive_ns;
    const profile_times root = node_working(&r->sum->tree.nodes[0]), t = node_working(n);
    return share_of((bounds){t.inclusive_low_ns, t.inclusive_ns, t.inclusive_high_ns},
                    (bounds){root.inclusive_low_ns, times_certain_inclusive(&root, all), root.inclusive_high_ns},
                    times_inclusive_trust(&t, all));
}

void times_mark(times_marks *marks, times_trust trust) {
    marks->rough |= trust == TIMES_ROUGH;
    marks->at_most |= trust == TIMES_AT_MOST;
}

void times_explain(printer *out, const report *r, times_marks marks) {
    buffer line = BUFFER_INIT;
    if (!marks.rough && !marks.at_most)
        return;
    print_set_style(out, PRINT_DIM);
    if (marks.rough)
        print_string(out, "~ this time may be wrong by more than 10 %\n");
    if (marks.at_most) {
        buffer_printf(&line, "\u2264 at most this time, since %s; sorted %s",
                      r->sum->by_ticks         ? "few ticks fell into it, or recording took much of it"
                      : view_clock_step(r) > 0 ? "the clock goes in steps"
                                               : "recording took much of it",
                      r->sum->by_ticks ? "as estimated" : "by the certain part");
        print_fitted(out, r, &line);
    }
    print_set_style(out, PRINT_PLAIN);
    buffer_clear(&line);
}
