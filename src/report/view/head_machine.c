#include "profile/waited.h"
#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/trust.h"

/* The head's lines on the machine during a run: how busy it was, and what the runtime did beside the program's work. */

enum { TENTH = 10, WHOLE = 1000 /* permille */ };

/* "1.5": thousandths with one decimal. */
static void append_ratio(buffer *out, uint64_t permille) {
    unsigned long long tenths = (permille + 50) / 100;
    buffer_printf(out, "%llu.%llu", tenths / 10, tenths % 10);
}

/* The cost of a call of a method that works, it and its caller, in thousandths of that on the quiet machine. */
static uint64_t ratio_of(const profile_run *run, const profile_costs *c) {
    uint64_t quiet = profile_add(run->quiet.inside_work_ps, run->quiet.outside_work_ps);
    uint64_t cost = profile_add(c->inside_work_ps, c->outside_work_ps);
    if (quiet == 0 || cost < quiet)
        return WHOLE;
    unsigned __int128 ratio = (unsigned __int128)cost * WHOLE / quiet;
    return ratio > PROFILE_MAX ? PROFILE_MAX : (uint64_t)ratio;
}

static void append_busy(buffer *out, const profile_run *run, uint64_t others) {
    enum { NOTICEABLE = 50 };
    const profile_conditions *m = &run->machine;
    const char *before = "";
    if (m->processors > 0) {
        buffer_printf(out, "%s%s processor", before, format_count(m->processors).text);
        buffer_string(out, m->processors == 1 ? "" : "s");
        before = ", ";
    }
    if (m->load_permille > 0) {
        buffer_printf(out, "%s%llu %% busy", before, (unsigned long long)(m->load_permille + 5) / 10);
        if (others >= NOTICEABLE)
            buffer_printf(out, " (%llu %% with other programs)", (unsigned long long)(others + 5) / 10);
        before = ", ";
    }
    if (m->stolen_permille >= NOTICEABLE) {
        buffer_printf(out, "%s%llu %% of that time taken by the host for other machines", before,
                      (unsigned long long)(m->stolen_permille + 5) / 10);
        before = ", ";
    }
    if (m->ran_ns > 0) {
        figure ran = format_time(m->ran_ns), waited = format_time(m->ready_ns);
        buffer_printf(out, "%sthreads waited %s for a processor", before, format_trimmed(&waited));
        buffer_printf(out, " in %s of work", format_trimmed(&ran));
        before = ", ";
    }
    buffer_string(out, *before ? ": " : "");
}

/* Nothing is said of a machine that changes the times by less than a tenth. */
static void add_conditions(view_head *h, const report *r, const profile_run *run) {
    enum { LONGER = 1100, DEARER = 1250, WORSE = 1500, CROWDED = 200, STOLEN = 50, ALONE = 50 };
    uint64_t waiting = correct_waiting(run), others = view_used_by_others(run);
    uint64_t mean = ratio_of(run, &run->mean), high = ratio_of(run, &run->high);
    bool longer = waiting >= LONGER, dearer = mean >= DEARER || high >= WORSE;
    bool crowded = run->machine.ran_ns == 0 && others >= CROWDED;
    /* No other program had the processors that these threads waited for. */
    bool alone = run->machine.load_permille > 0 && run->machine.cpu_ns > 0 && others < ALONE &&
                 run->machine.stolen_permille < STOLEN;
    if (!longer && !dearer && !crowded && run->machine.stolen_permille < STOLEN)
        return;
    buffer *line = head_begin(h, "Machine");
    append_busy(line, run, others);
    bool known = longer || crowded || run->machine.ran_ns > 0 || run->machine.stolen_permille > 0;
    if (longer) {
        buffer_string(line, "times are ");
        append_ratio(line, waiting);
        /* Threads wait for one another, too, and nothing says how long for whom. */
        buffer_string(line, alone || r->sum->totals.threads > r->profile_count
                                ? " times as long as with a processor for each of the program's own threads"
                                : " times as long as on a quiet machine");
    } else if (known) {
        buffer_string(line, crowded ? "times may be longer than on a quiet machine"
                                    : "times are about as long as on a quiet machine");
    }
    if (dearer) {
        buffer_string(line, known ? ", a call cost " : "a call cost ");
        append_ratio(line, mean);
        if (high >= mean + 100) {
            buffer_string(line, " to ");
            append_ratio(line, high);
        }
        buffer_string(line, " times as much as at best");
    }
    if (correct_waits_apart(run))
        buffer_string(line, "; which methods waited is not known: each range goes from all of the waiting to none");
    else if ((longer && !alone) || crowded)
        buffer_string(line, "; shares hold as far as their ranges go, seconds do not");
    head_end(h, VIEW_LINE);
}

static bool is_tenth(uint64_t ns, uint64_t whole) {
    return ns > 0 && whole > 0 && ns >= whole / TENTH;
}

/* The processor time in a time that passed, of threads that waited as all did. */
static uint64_t without_waiting(const profile_run *run, uint64_t ns) {
    return (uint64_t)((unsigned __int128)ns * WHOLE / correct_passing(run));
}

/* Work of the runtime beside the program's. */
typedef struct work {
    const char *title, *what;
    uint64_t count, ns;
    uint64_t cpu_ns; /* the part of `ns` to compare with the process's processor time, 0: none */
} work;

/* "…, 35.2 % of the processor time", of the wall time where the first is 0 or not known; nothing below a tenth of both.
 * A part that is more than the whole is of threads that waited more than the others, or ran at the same time: no share
 * is known. The time is what has the share. */
static void add_work(view_head *h, view_line_kind kind, const profile_run *run, const work *w) {
    uint64_t cpu = run->machine.cpu_ns, wall = profile_ns(run, run->wall_ticks);
    if (!is_tenth(w->cpu_ns, cpu) && !is_tenth(w->ns, wall))
        return;
    bool of_cpu = is_tenth(w->cpu_ns, cpu) && w->cpu_ns <= cpu;
    figure time = format_time(of_cpu ? w->cpu_ns : w->ns);
    buffer *line = head_begin(h, w->title);
    buffer_printf(line, "%s", format_count(w->count).text);
    buffer_printf(line, " %s %s", w->what, format_trimmed(&time));
    if (of_cpu || (wall > 0 && w->ns <= wall))
        buffer_printf(line, ", %s %% of the %s time",
                      format_percent(of_cpu ? w->cpu_ns : w->ns, of_cpu ? cpu : wall).text,
                      of_cpu ? "processor" : "wall");
    head_end(h, kind);
}

void head_add_runtime_work(view_head *h, view_line_kind kind, const profile_run *run) {
    const profile_conditions *m = &run->machine;
    const work compiled = {"Compiled", "methods just in time in", m->jit_methods, m->jit_ns,
                           without_waiting(run, m->jit_ns)};
    const work paused = {"Paused", "garbage collections took", m->collections, m->collection_ns, 0};
    add_work(h, kind, run, &compiled);
    add_work(h, kind, run, &paused);
}

/* A short run pays for the tracker's start, which is in no call. From a twentieth on: there, all in all, it comes to
 * a tenth, as the program's threads compile the tracker's methods, too. */
static void add_tracker(view_head *h, const profile_run *run) {
    enum { NOTICEABLE = 20 };
    const profile_conditions *m = &run->machine;
    if (m->cpu_ns == 0 || m->tracker_ns < m->cpu_ns / NOTICEABLE)
        return;
    figure time = format_time(m->tracker_ns);
    buffer *line = head_begin(h, "Tracker");
    buffer_printf(line, "its start, calibrations and samples took %s", format_trimmed(&time));
    if (m->tracker_ns <= m->cpu_ns) /* else its start waited for a processor: that is time that passed */
        buffer_printf(line, ", %s %% of the processor time", format_percent(m->tracker_ns, m->cpu_ns).text);
    buffer_string(line, "; a longer run has less of it");
    head_end(h, VIEW_LINE);
}

void head_add_machine(view_head *h, const report *r, const profile_run *run) {
    add_conditions(h, r, run);
    head_add_runtime_work(h, VIEW_LINE, run);
    add_tracker(h, run);
}

static bool may_matter(const report *r) {
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile_run *run = &r->profiles[i].run;
        uint64_t ns = run->machine.jit_ns;
        if (ns == 0 || is_tenth(without_waiting(run, ns), run->machine.cpu_ns) ||
            is_tenth(ns, profile_ns(run, run->wall_ticks)))
            return true;
    }
    return false;
}

uint64_t head_compiled_again(const report *r) {
    const aggregate *a = r->sum;
    uint64_t called = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        called += a->list.functions[i].names && a->list.functions[i].names->compiled_ahead;
    return called;
}

uint64_t head_compiled_again_ns(const profile_run *run, uint64_t methods) {
    const profile_conditions *m = &run->machine;
    if (methods == 0 || m->jit_methods < methods)
        return 0;
    const unsigned __int128 ns = (unsigned __int128)without_waiting(run, m->jit_ns) * methods / m->jit_methods;
    return ns < m->cpu_ns ? (uint64_t)ns : m->cpu_ns;
}

void head_add_compiled_again(view_head *h, const report *r) {
    const uint64_t called = head_compiled_again(r);
    if (called == 0 || !may_matter(r))
        return;
    buffer *line = head_begin(h, "Compiled");
    buffer_printf(line, "%s of these methods again", format_count(called).text);
    buffer_string(line, ": the input's code that was compiled ahead (ReadyToRun) is lost when it is instrumented");
    head_end(h, VIEW_LINE);
}
