#include "report/text/times.h"

#include <stdio.h>
#include <stdlib.h>

#include "profile/correct.h"
#include "report/text/lines.h"
#include "util/root.h"

/* The times of a report: which part of what was recorded, and how sure. */

static unsigned long long tenths_of_ns(uint64_t ps) {
    return (ps + 50) / 100;
}

/* "28.5 ns", or "24.1 to 28.5 ns" of two that are not the same. */
static void print_cost(buffer *out, correct_range ps) {
    unsigned long long least = tenths_of_ns(ps.least), most = tenths_of_ns(ps.most);
    if (least != most)
        buffer_printf(out, "%llu.%llu to ", least / 10, least % 10);
    buffer_printf(out, "%llu.%llu ns", most / 10, most % 10);
}

void times_describe_call(buffer *out, const profile_run *run) {
    correct_range inside = correct_inside(run), outside = correct_outside(run);
    print_cost(out, (correct_range){profile_add(inside.least, outside.least), profile_add(inside.most, outside.most)});
}

static void print_share(buffer *out, const report_totals *t) {
    uint64_t probes = t->probe_ns < t->recorded_ns ? t->probe_ns : t->recorded_ns;
    buffer_printf(out, "%s %%", format_percent(probes, t->recorded_ns).text);
}

static void print_calibrated(buffer *out, const report *r, uint64_t runs, uint64_t calibrated) {
    buffer_string(out, "overhead removed, about ");
    print_share(out, &r->sum->totals);
    const profile_run *run = &r->profiles[0].run;
    if (r->profile_count == 1 && !run->merged) {
        buffer_string(out, ": recording a call took ");
        print_cost(out, correct_inside(run));
        buffer_string(out, " inside of it and ");
        print_cost(out, correct_outside(run));
        buffer_string(out, " in its caller");
    } else if (calibrated < runs) {
        buffer_printf(out, "; not calibrated, as recorded: %s of %s runs", format_count(runs - calibrated).text,
                      format_count(runs).text);
    }
}

static void print_article(buffer *out, const report *r) {
    buffer_string(out, "less two clock readings for each call below");
    if (r->profile_count == 1 && !r->profiles[0].run.merged) {
        buffer_string(out, ", of ");
        uint64_t read_ps = r->profiles[0].run.clock_read_ps;
        print_cost(out, (correct_range){read_ps, read_ps});
    }
    buffer_string(out, "; below 0 that was too much");
}

/* The longest step of a clock; 0: all go evenly, as far as is known. */
static uint64_t clock_step(const report *r) {
    uint64_t longest = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.clock_step_ns > longest)
            longest = r->profiles[i].run.clock_step_ns;
    return longest;
}

/* A run's own ticks; those of merged runs have widened their ranges, and are not said again. */
static bool ticks(const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.clock_ticks > 0)
            return true;
    return false;
}

/* Two standard deviations of a second's ticks, in percent of it. */
static void print_ticks(buffer *out, uint64_t step_ns) {
    enum { SECOND = 1000000000, TWICE_PERCENT = 200 };
    figure step = format_time(step_ns);
    uint64_t percent = root_of((unsigned __int128)step_ns * TWICE_PERCENT * TWICE_PERCENT / SECOND);
    buffer_printf(out, "; by ticks, one in %s: a second in short calls is right to %llu %%", format_trimmed(&step),
                  (unsigned long long)percent);
}

static void print_step(buffer *out, uint64_t step_ns) {
    figure step = format_time(step_ns);
    buffer_printf(out, " by a clock that goes in steps of %s: shorter calls are counted, and hardly timed",
                  format_trimmed(&step));
}

void times_describe(buffer *out, const report *r) {
    uint64_t runs = 0, calibrated = 0, read = 0;
    for (size_t i = 0; i < r->profile_count; i++) {
        runs = profile_add(runs, profile_runs_in(&r->profiles[i].run));
        calibrated = profile_add(calibrated, profile_calibrated_in(&r->profiles[i].run));
        read = profile_add(read, profile_clock_read_in(&r->profiles[i].run));
    }
    buffer_string(out, "Times    ");
    if (r->options->offset == ILJ_OFFSET_ARTICLE && read > 0) {
        print_article(out, r);
    } else if (r->options->offset == ILJ_OFFSET_CALIBRATED && calibrated > 0) {
        print_calibrated(out, r, runs, calibrated);
    } else {
        buffer_string(out, "as recorded");
        uint64_t step_ns = clock_step(r);
        if (step_ns > 0 && !ticks(r))
            print_step(out, step_ns);
        if (calibrated == 0 && step_ns == 0) {
            buffer_string(out, runs == 1 ? ": the profile is not calibrated" : ": no profile is calibrated");
        } else if (calibrated > 0) {
            buffer_string(out, ", overhead included, about ");
            print_share(out, &r->sum->totals);
        }
    }
    if (ticks(r))
        print_ticks(out, clock_step(r));
}

void times_write(printer *out, const report *r) {
    buffer line = BUFFER_INIT;
    if (aggregate_only_counts(r->sum))
        buffer_string(&line, "Times    none: calls were only counted");
    else
        times_describe(&line, r);
    bool mixed = false;
    for (size_t i = 0; i < r->profile_count; i++)
        mixed |= r->profiles[i].run.mixed;
    if (!aggregate_only_counts(r->sum) && (mixed || r->sum->only_counts > 0))
        buffer_string(&line, "; calls that were only counted have none, and stand outermost");
    print_fitted(out, r, &line);
    buffer_clear(&line);
}

/* ---- Single times ------------------------------------------------------------------------------------------------ */

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
    const profile_times root = aggregate_working(&r->sum->nodes[0]), t = aggregate_working(n);
    return share_of((bounds){t.inclusive_low_ns, t.inclusive_ns, t.inclusive_high_ns},
                    (bounds){root.inclusive_low_ns, times_certain_inclusive(&root, all), root.inclusive_high_ns},
                    times_inclusive_trust(&t, all));
}

bool times_has_waits(const report *r) {
    enum { NOTICEABLE = 100 }; /* one part in that many of the whole */
    const report_totals *t = &r->sum->totals;
    return t->waiting_ns > profile_add(t->exclusive_ns, t->waiting_ns) / NOTICEABLE;
}

void times_write_waits(printer *out, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* one part in that many of the waiting is worth a name */ };
    if (!times_has_waits(r))
        return;
    const report_function **sorted = report_sorted(r->sum, ILJ_SORT_WAITING);
    if (!sorted) {
        out->no_memory = true;
        return;
    }
    buffer line = BUFFER_INIT;
    uint64_t all = r->sum->totals.waiting_ns;
    figure time = format_time(all);
    buffer_printf(&line, "Waiting  %s in which threads were blocked", format_trimmed(&time));
    for (uint32_t i = 0; i < MOST && i < r->sum->function_count && sorted[i]->waiting_ns >= all / NOTICEABLE; i++) {
        buffer_printf(&line, "%s%s %% in ", i == 0 ? ": " : ", ", format_percent(sorted[i]->waiting_ns, all).text);
        buffer_append(&line, sorted[i]->name.data, sorted[i]->name.size);
    }
    buffer_string(&line, "; no part of exclusive times");
    free(sorted);
    print_fitted(out, r, &line);
    buffer_clear(&line);
}

void times_write_bytes(printer *out, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    buffer line = BUFFER_INIT;
    if (a->bytes_missing > 0) {
        buffer_string(&line, "Bytes    not counted");
        if (a->runs > 1)
            buffer_printf(&line, " in %s of %s runs", format_count(a->bytes_missing).text, format_count(a->runs).text);
        buffer_string(&line, ": the runtime does not tell what a thread has allocated");
        print_fitted(out, r, &line);
    }
    const report_function **sorted = a->bytes_counted > 0 ? report_sorted(a, ILJ_SORT_BYTES) : NULL;
    if (sorted) {
        uint64_t all = a->totals.bytes;
        buffer_printf(&line, "Bytes    %s allocated", format_count(all).text);
        for (uint32_t i = 0; i < MOST && i < a->function_count && all > 0 && sorted[i]->bytes >= all / NOTICEABLE;
             i++) {
            buffer_printf(&line, "%s%s %% in ", i == 0 ? ": " : ", ", format_percent(sorted[i]->bytes, all).text);
            buffer_append(&line, sorted[i]->name.data, sorted[i]->name.size);
        }
        print_fitted(out, r, &line);
    } else if (a->bytes_counted > 0) {
        out->no_memory = true;
    }
    free(sorted);
    buffer_clear(&line);
}

void times_write_objects(printer *out, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    const report_type **sorted = a->objects_counted > 0 ? sites_types_sorted(&a->sites) : NULL;
    if (!sorted)
        return;
    buffer line = BUFFER_INIT;
    buffer_printf(&line, "Objects  %s allocated", format_count(a->totals.objects).text);
    if (a->objects_counted < a->runs)
        buffer_printf(&line, " in %s of %s runs", format_count(a->objects_counted).text, format_count(a->runs).text);
    for (uint32_t i = 0; i < MOST && i < a->sites.type_count && sorted[i]->objects >= a->sites.objects / NOTICEABLE;
         i++) {
        buffer_printf(&line, "%s%s %% ", i == 0 ? ": " : ", ",
                      format_percent(sorted[i]->objects, a->sites.objects).text);
        buffer_append(&line, sorted[i]->name.data, sorted[i]->name.size);
        buffer_string(&line, sorted[i]->kind == NAMES_SITE_BOX ? " (boxed)" : "");
    }
    print_fitted(out, r, &line);
    free(sorted);
    buffer_clear(&line);
}

/* By their pauses where these are known, else by their number. */
void times_write_collections(printer *out, const report *r) {
    enum { MOST = 2, NOTICEABLE = 10 /* as above */ };
    const aggregate *a = r->sum;
    if (a->collections_counted == 0)
        return;
    bool timed = a->pauses_counted > 0;
    const report_function **sorted = report_sorted(a, timed ? ILJ_SORT_PAUSE : ILJ_SORT_COLLECTIONS);
    if (!sorted) {
        out->no_memory = true;
        return;
    }
    profile_figure kind = timed ? FIGURE_PAUSE : FIGURE_COLLECTIONS;
    uint64_t all = a->totals.figures[kind], count = a->totals.collections;
    figure pause = format_time(a->totals.pause_ns);
    buffer line = BUFFER_INIT;
    buffer_printf(&line, "Garbage  %s collection%s while calls ran", format_count(count).text, count == 1 ? "" : "s");
    if (timed && count > 0)
        buffer_printf(&line, ", %s of pauses", format_trimmed(&pause));
    if (a->collections_counted < a->runs)
        buffer_printf(&line, " in %s of %s runs", format_count(a->collections_counted).text,
                      format_count(a->runs).text);
    for (uint32_t i = 0; i < MOST && i < a->function_count && all > 0 && sorted[i]->figures[kind] >= all / NOTICEABLE;
         i++) {
        buffer_printf(&line, "%s%s %% in ", i == 0 ? ": " : ", ", format_percent(sorted[i]->figures[kind], all).text);
        buffer_append(&line, sorted[i]->name.data, sorted[i]->name.size);
    }
    print_fitted(out, r, &line);
    free(sorted);
    buffer_clear(&line);
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
        buffer_printf(&line, "\u2264 at most this time, since %s; sorted by the certain part",
                      ticks(r)            ? "few ticks fell into it, or recording took much of it"
                      : clock_step(r) > 0 ? "the clock goes in steps"
                                          : "recording took much of it");
        print_fitted(out, r, &line);
    }
    print_set_style(out, PRINT_PLAIN);
    buffer_clear(&line);
}
