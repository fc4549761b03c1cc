#include "profile/waited.h"
#include "report/print/format.h"
#include "report/view/head_lines.h"
#include "report/view/overhead.h"
#include "report/view/runs.h"
#include "report/view/switches.h"
#include "report/view/trust.h"
#include "util/unicode.h"

/* The head in five lines, and those of labels, of a run that did little of its work, and of the runtime's work, where
 * there is some. They should fit into 80 columns. */

enum { BRIEF_NAMES = 3, BRIEF_COLUMNS = 71 /* after the label */, WHOLE_PERMILLE = 1000, PERMILLE_PER_PERCENT = 10 };

/* A runtime's name without what stands in parentheses. */
static bytes short_runtime(bytes runtime) {
    for (size_t i = 1; i < runtime.size; i++)
        if (runtime.data[i] == '(' && runtime.data[i - 1] == ' ')
            return (bytes){runtime.data, i - 1};
    return runtime;
}

static void append_part(buffer *b, const char *before, bytes s) {
    buffer_string(b, s.size > 0 ? before : "");
    buffer_append(b, s.data, s.size);
}

/* The first names of programs, each once, sorted. */
typedef struct named {
    bytes names[BRIEF_NAMES];
    size_t count;
    bool more;
} named;

static void add_name(named *n, bytes name) {
    name = name.size > 0 ? name : bytes_of("(no name)", 9);
    size_t at = 0;
    while (at < n->count && bytes_compare(n->names[at], name) < 0)
        at++;
    if (at < n->count && bytes_equal(n->names[at], name))
        return;
    n->more |= n->count == BRIEF_NAMES;
    if (at == BRIEF_NAMES)
        return;
    n->count += n->count < BRIEF_NAMES;
    memmove(&n->names[at + 1], &n->names[at], (n->count - 1 - at) * sizeof name);
    n->names[at] = name;
}

static named names_of(const report *r) {
    named n = {.count = 0};
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile *p = &r->profiles[i];
        const profile_facts *of = p->run.merged ? &p->runs.facts[PROFILE_FACT_NAME] : NULL;
        if (!of || of->count == 0)
            add_name(&n, p->run.name);
        for (uint32_t k = 0; of && k < of->count; k++)
            add_name(&n, of->values[k].value);
    }
    return n;
}

static void add_program(view_head *h, const report *r) {
    buffer *b = head_begin(h, "Program");
    const named n = names_of(r);
    bool merged = false;
    for (size_t i = 0; i < n.count; i++)
        append_part(b, i > 0 ? ", " : "", n.names[i]);
    buffer_string(b, n.more ? " and more" : "");
    uint64_t runs = view_count_runs(r, &merged);
    const profile_run *run = view_only_run(r);
    if (run) {
        append_part(b, ", ", short_runtime(run->runtime));
        if (run->pid)
            buffer_printf(b, ", process %llu", (unsigned long long)run->pid);
        append_part(b, " on ", run->host);
    } else {
        buffer_printf(b, ", %s run%s", format_count(runs).text, runs == 1 ? "" : "s");
    }
    head_end(h, VIEW_LINE_WHOLE);
}

/* How many times as long as without other programs the threads took, those times with them that they were blocked, in
 * tenths; 0: nothing that is worth a word. */
static uint64_t slower_tenths(const profile_run *run, uint64_t blocked_ns) {
    enum { LONGER = 1100, NOTICEABLE = 50 };
    const uint64_t ran = run->machine.ran_ns, extra = correct_waiting(run) - WHOLE_PERMILLE;
    const unsigned __int128 taken = (unsigned __int128)(ran > 0 ? ran : 1) + blocked_ns;
    const uint64_t longer = WHOLE_PERMILLE + (uint64_t)((unsigned __int128)(ran > 0 ? ran : 1) * extra / taken);
    return longer >= LONGER && view_used_by_others(run) >= NOTICEABLE ? (longer + 50) / 100 : 0;
}

/* How much the line of times says, from all on. */
typedef enum times_room { TIMES_ALL, TIMES_SHORT, TIMES_NO_COUNT, TIMES_NO_PROCESSOR, TIMES_ROOMS } times_room;

static void append_times(buffer *b, const report *r, const profile_run *run, times_room room) {
    const report_totals *t = &r->sum->totals;
    const bool waits = view_has_waits(r);
    const uint64_t tenths = run ? slower_tenths(run, t->waiting_ns) : 0;
    figure wall = format_time(view_span_of(r).wall_ns), blocked = format_time(t->waiting_ns);
    buffer_printf(b, "%s%s", format_trimmed(&wall), run ? "" : " in all runs");
    if (tenths > 0)
        buffer_printf(b, ", slowed %llu.%llu times by other%s", (unsigned long long)(tenths / 10),
                      (unsigned long long)(tenths % 10), room == TIMES_ALL ? " programs" : "s");
    if (run && run->machine.cpu_ns > 0 && room != TIMES_NO_PROCESSOR) {
        figure cpu = format_time(run->machine.cpu_ns);
        buffer_printf(b, "; processor %s", format_trimmed(&cpu));
    }
    if (!waits || room != TIMES_NO_COUNT)
        buffer_printf(b, "; %s thread%s", format_count(t->threads).text, t->threads == 1 ? "" : "s");
    if (waits)
        buffer_printf(b, "%s blocked %s", room == TIMES_NO_COUNT ? ";" : "", format_trimmed(&blocked));
}

static void add_time(view_head *h, const report *r) {
    const profile_run *run = view_only_run(r);
    buffer line = BUFFER_INIT;
    for (times_room room = TIMES_ALL; room < TIMES_ROOMS; room++) {
        line.size = 0;
        append_times(&line, r, run, room);
        if (unicode_width(buffer_bytes(&line)) <= BRIEF_COLUMNS)
            break;
    }
    buffer *b = head_begin(h, "Time");
    buffer_append(b, buffer_bytes(&line).data, line.size);
    b->failed |= line.failed;
    buffer_clear(&line);
    head_end(h, VIEW_LINE_WHOLE);
}

/* Where most of the processor time passed in no call that was recorded: a thread of the program may only wait for a
 * library's. Recorded times are longer than those of the processor, as threads wait for one. */
static void add_unseen(view_head *h, const report *r) {
    enum { LEAST_NS = 500000000, MOST_SEEN = 3 /* one part in that many */ };
    const profile_run *run = view_only_run(r);
    if (!run || run->machine.cpu_ns < LEAST_NS || aggregate_only_counts(r->sum))
        return;
    const uint64_t cpu = run->machine.cpu_ns,
                   recorded = profile_add(r->sum->totals.exclusive_ns, r->sum->totals.probe_ns);
    const unsigned __int128 worked = (unsigned __int128)recorded * WHOLE_PERMILLE / correct_waiting(run);
    const unsigned __int128 known = worked + run->machine.tracker_ns;
    if (known >= cpu / MOST_SEEN)
        return;
    buffer *b = head_begin(h, "Unseen");
    buffer_printf(b, "%s %% of the processor time was in no recorded call: threads of packages (--all), of the runtime",
                  format_percent(cpu - (uint64_t)known, cpu).text);
    head_end(h, VIEW_LINE_WHOLE);
}

static void add_calls(view_head *h, const report *r) {
    const report_totals *t = &r->sum->totals;
    const aggregate *a = r->sum;
    const struct {
        uint64_t count;
        const char *what;
    } ways[] = {
        {t->by_exception, "left by exception"}, {t->open, "open"}, {t->folded, "folded"}, {t->dropped, "dropped"}};
    uint64_t methods = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        methods += a->list.functions[i].module != NO_MODULE && !a->list.functions[i].scope;
    buffer *b = head_begin(h, "Calls");
    buffer_printf(b, "%s of %s method", format_count(t->enters).text, format_count(methods).text);
    buffer_string(b, methods == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].count > 0)
            buffer_printf(b, ", %s %s", format_count(ways[i].count).text, ways[i].what);
    buffer_string(b, r->sum->late > 0 ? ", and more after the profile" : "");
    head_end(h, VIEW_LINE_WHOLE);
}

/* Where the run that counted has left little to do. */
static void add_work(view_head *h, const report *r) {
    enum { MUCH_LESS = 2, FEW = 1000 };
    const uint64_t calls = r->sum->work.calls, counted = r->sum->work.counted;
    if (counted < FEW || calls > counted / MUCH_LESS)
        return;
    buffer_printf(head_begin(h, "Work"), "%s %% of the calls of the run that counted; if that one did it all: --once",
                  format_percent(calls, counted).text);
    head_end(h, VIEW_LINE_WHOLE);
}

static uint32_t switched_off(const report *r) {
    uint32_t off = 0;
    for (uint32_t i = 0; i < view_switch_count(r); i++)
        off += view_switch_at(r, i).off == VIEW_OFF_BY_GOVERNOR;
    return off;
}

/* Is recording so cheap that it is of no interest? A price that was asked for is always of interest. */
static bool is_cheap(const report *r, const profile_run *run) {
    enum { USUAL_PERCENT = 100, PART = 100 };
    const report_totals *t = &r->sum->totals;
    if (run && run->governor.percent > 0)
        return run->governor.percent == USUAL_PERCENT && run->governor.call_ps > 0 &&
               run->governor.permille < WHOLE_PERMILLE / PART && switched_off(r) == 0;
    return t->probe_ns < t->recorded_ns / PART;
}

/* Of a run with a governor that had a price to keep: what all of it took. */
static void append_governed(buffer *b, const report *r, const profile_governor *g) {
    const uint32_t off = switched_off(r);
    if (g->call_ps > 0 && g->permille == 0)
        buffer_string(b, "less than 0.1 % of the processor time, of");
    else if (g->call_ps > 0)
        buffer_printf(b, "%llu.%llu %% of the processor time, of", (unsigned long long)(g->permille / 10),
                      (unsigned long long)(g->permille % 10));
    buffer_printf(b, "%s%llu %% %sallowed", g->call_ps > 0 ? " " : "", (unsigned long long)g->percent,
                  g->call_ps > 0 ? "" : "of the processor time ");
    if (off > 0)
        buffer_printf(b, "; %s method%s switched off", format_count(off).text, off == 1 ? "" : "s");
    else if (g->settled == 0 && g->permille > g->percent * PERMILLE_PER_PERCENT)
        buffer_string(b, "; the run was too short");
}

/* Of a run: for compiling what had been compiled ahead; 0: not known, or below a hundredth. */
static uint64_t again_ns(const report *r, const profile_run *run, uint64_t methods) {
    enum { PART = 100 };
    const uint64_t ns = run && !aggregate_only_counts(r->sum) ? head_compiled_again_ns(run, methods) : 0;
    return ns < (run ? run->machine.cpu_ns : 0) / PART ? 0 : ns;
}

static void add_price(view_head *h, const report *r) {
    const report_totals *t = &r->sum->totals;
    const profile_run *run = view_only_run(r);
    enum { WORTH_IT = 10 }; /* one part in that many of the time is worth the names */
    const uint64_t again = again_ns(r, run, head_compiled_again(r));
    const bool is_governed = run && run->governor.percent > 0;
    if (again == 0 && (aggregate_only_counts(r->sum) || (t->probe_ns == 0 && !is_governed) || is_cheap(r, run)))
        return;
    buffer *b = head_begin(h, "Price");
    if (is_governed) {
        append_governed(b, r, &run->governor);
    } else if (t->probe_ns > 0) {
        uint64_t probes = t->probe_ns < t->recorded_ns ? t->probe_ns : t->recorded_ns;
        buffer_printf(b, "recording took %s %% of the time", format_percent(probes, t->recorded_ns).text);
        buffer_string(b, r->options->offset == ILJ_OFFSET_CALIBRATED ? " (taken off)" : " (included)");
        overhead o = overhead_of(r->sum);
        if (o.count > 0 && t->probe_high_ns > t->recorded_ns / WORTH_IT)
            buffer_string(b, "; to lower it: --verbose");
    }
    const bool alone = !is_governed && t->probe_ns == 0;
    if (again > 0)
        buffer_printf(b, "%scompiling again%s %s %%%s", alone ? "" : "; ", alone ? " took" : "",
                      format_percent(again, run->machine.cpu_ns).text, alone ? " of the processor time" : "");
    head_end(h, VIEW_LINE_WHOLE);
}

static void add_trust(view_head *h, const report *r) {
    uint64_t calibrated = 0, runs = 0;
    for (size_t i = 0; i < r->profile_count; i++) {
        runs = profile_add(runs, profile_runs_in(&r->profiles[i].run));
        calibrated = profile_add(calibrated, profile_calibrated_in(&r->profiles[i].run));
    }
    buffer *b = head_begin(h, "Trust");
    if (aggregate_only_counts(r->sum))
        buffer_string(b, "calls are exact; they were only counted, so there are no times");
    else if (r->options->offset != ILJ_OFFSET_CALIBRATED)
        buffer_string(b, "times are as recorded");
    else if (calibrated == 0 && view_clock_step(r) == 0)
        buffer_string(b, "times are as recorded: what recording cost was not measured");
    else
        view_describe_trust(b, r, BRIEF_COLUMNS);
    if (r->options->offset == ILJ_OFFSET_CALIBRATED && calibrated > 0 && calibrated < runs)
        buffer_printf(b, "; %s of %s runs are as recorded", format_count(runs - calibrated).text,
                      format_count(runs).text);
    head_end(h, VIEW_LINE_WHOLE);
}

bool view_head_make_brief(view_head *h, const report *r) {
    add_program(h, r);
    head_add_labels(h, r, false);
    add_time(h, r);
    add_unseen(h, r);
    add_calls(h, r);
    add_work(h, r);
    add_price(h, r);
    if (view_only_run(r))
        head_add_runtime_work(h, VIEW_LINE_WHOLE, view_only_run(r));
    add_trust(h, r);
    h->failed |= h->text.failed;
    return !h->failed;
}
