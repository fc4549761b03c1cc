#include "report/report.h"

/* What the times of a report are: which part of what was recorded, and how sure. */

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

static void print_share(buffer *out, const report_totals *t) {
    uint64_t probes = t->probe_ns < t->recorded_ns ? t->probe_ns : t->recorded_ns;
    buffer_printf(out, "%s %%", format_percent(probes, t->recorded_ns).text);
}

static void print_calibrated(buffer *out, const report *r, uint64_t runs, uint64_t calibrated) {
    buffer_string(out, "without the probes', about ");
    print_share(out, &r->sum->totals);
    buffer_string(out, " of them");
    const profile_run *run = &r->profiles[0].run;
    if (r->profile_count == 1 && !run->merged) {
        buffer_string(out, ": a call took ");
        print_cost(out, correct_inside(run));
        buffer_string(out, " of its own and ");
        print_cost(out, correct_outside(run));
        buffer_string(out, " of its caller's");
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
        if (calibrated == 0) {
            buffer_string(out, runs == 1 ? ": the profile is not calibrated" : ": no profile is calibrated");
        } else {
            buffer_string(out, ", with the probes', about ");
            print_share(out, &r->sum->totals);
            buffer_string(out, " of them");
        }
    }
}

void times_write(printer *out, const report *r) {
    buffer line = BUFFER_INIT;
    times_describe(&line, r);
    print_fitted(out, r, &line);
    buffer_clear(&line);
}

bool times_are_unsure(uint64_t ns, uint64_t low_ns, uint64_t high_ns, uint64_t whole_ns) {
    enum { NOTICEABLE = 10, WORTH_TELLING = 200 }; /* one part in so many: of the time, and of all */
    uint64_t range = high_ns > low_ns ? high_ns - low_ns : 0;
    return range > ns / NOTICEABLE && range > whole_ns / WORTH_TELLING;
}

figure times_figure(int64_t ns, bool unsure) {
    figure f = format_time((uint64_t)(ns < 0 ? -ns : ns));
    if (ns < 0 || unsure)
        format_mark(&f, ns < 0 ? '-' : '~');
    return f;
}
