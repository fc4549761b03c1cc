#include "profile/correct.h"
#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/overhead.h"
#include "report/view/runs.h"
#include "util/root.h"

/* What the times of a report are: which part of what was recorded. */

static unsigned long long tenths_of_ns(uint64_t ps) {
    return (ps + 50) / 100;
}

/* "28.5 ns", or "24.1 to 28.5 ns" of two that are not the same. */
static void append_cost(buffer *out, correct_range ps) {
    unsigned long long least = tenths_of_ns(ps.least), most = tenths_of_ns(ps.most);
    if (least != most)
        buffer_printf(out, "%llu.%llu to ", least / 10, least % 10);
    buffer_printf(out, "%llu.%llu ns", most / 10, most % 10);
}

void view_describe_call(buffer *out, const profile_run *run) {
    correct_range inside = correct_inside(run), outside = correct_outside(run);
    append_cost(out, (correct_range){profile_add(inside.least, outside.least), profile_add(inside.most, outside.most)});
}

static void append_share(buffer *out, const report_totals *t) {
    uint64_t probes = t->probe_ns < t->recorded_ns ? t->probe_ns : t->recorded_ns;
    buffer_printf(out, "%s %%", format_percent(probes, t->recorded_ns).text);
}

static void append_calibrated(buffer *out, const report *r, uint64_t runs, uint64_t calibrated) {
    buffer_string(out, "overhead removed, about ");
    append_share(out, &r->sum->totals);
    const profile_run *run = view_only_run(r);
    if (run) {
        buffer_string(out, ": recording a call took ");
        append_cost(out, correct_inside(run));
        buffer_string(out, " inside of it and ");
        append_cost(out, correct_outside(run));
        buffer_string(out, " in its caller");
    } else if (calibrated < runs) {
        buffer_printf(out, "; not calibrated, as recorded: %s of %s runs", format_count(runs - calibrated).text,
                      format_count(runs).text);
    }
}

static void append_article(buffer *out, const report *r) {
    buffer_string(out, "less two clock readings for each call below");
    const profile_run *run = view_only_run(r);
    if (run) {
        buffer_string(out, ", of ");
        uint64_t read_ps = run->clock_read_ps;
        append_cost(out, (correct_range){read_ps, read_ps});
    }
    buffer_string(out, "; below 0 that was too much");
}

uint64_t view_clock_step(const report *r) {
    uint64_t longest = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.clock_step_ns > longest)
            longest = r->profiles[i].run.clock_step_ns;
    return longest;
}

bool view_clock_ticks(const report *r) {
    return r->sum->pause_ns > 0;
}

/* Two standard deviations of a second's ticks, in percent of it. */
static void append_ticks(buffer *out, uint64_t step_ns) {
    enum { SECOND = 1000000000, TWICE_PERCENT = 200 };
    figure step = format_time(step_ns);
    uint64_t percent = root_of((unsigned __int128)step_ns * TWICE_PERCENT * TWICE_PERCENT / SECOND);
    buffer_printf(out, "; by ticks, one in %s: a second in short calls is right to %llu %%", format_trimmed(&step),
                  (unsigned long long)percent);
}

static void append_step(buffer *out, uint64_t step_ns) {
    figure step = format_time(step_ns);
    buffer_printf(out, " by a clock that goes in steps of %s: shorter calls are counted, and hardly timed",
                  format_trimmed(&step));
}

void view_describe_times(buffer *out, const report *r) {
    uint64_t runs = 0, calibrated = 0, read = 0;
    for (size_t i = 0; i < r->profile_count; i++) {
        runs = profile_add(runs, profile_runs_in(&r->profiles[i].run));
        calibrated = profile_add(calibrated, profile_calibrated_in(&r->profiles[i].run));
        read = profile_add(read, profile_clock_read_in(&r->profiles[i].run));
    }
    if (r->options->offset == ILJ_OFFSET_ARTICLE && read > 0) {
        append_article(out, r);
    } else if (r->options->offset == ILJ_OFFSET_CALIBRATED && calibrated > 0) {
        append_calibrated(out, r, runs, calibrated);
    } else {
        buffer_string(out, "as recorded");
        uint64_t step_ns = view_clock_step(r);
        if (step_ns > 0 && !view_clock_ticks(r))
            append_step(out, step_ns);
        if (calibrated == 0 && step_ns == 0) {
            buffer_string(out, runs == 1 ? ": the profile is not calibrated" : ": no profile is calibrated");
        } else if (calibrated > 0) {
            buffer_string(out, ", overhead included, about ");
            append_share(out, &r->sum->totals);
        }
    }
    if (view_clock_ticks(r))
        append_ticks(out, r->sum->pause_ns);
}

void head_add_times(view_head *h, const report *r) {
    buffer *line = head_begin(h, "Times");
    if (aggregate_only_counts(r->sum))
        buffer_string(line, "none: calls were only counted");
    else
        view_describe_times(line, r);
    bool mixed = false;
    for (size_t i = 0; i < r->profile_count; i++)
        mixed |= r->profiles[i].run.mixed;
    if (!aggregate_only_counts(r->sum) && (mixed || r->sum->only_counts > 0))
        buffer_string(line, "; calls that were only counted have none, and stand outermost");
    head_end(h, VIEW_LINE);
}
