#include "report/view/runs.h"

static void add_costs(view_facts *f, const profile_costs *c) {
    view_add_number(f, VIEW_JSON, "inside_empty_ps", c->inside_empty_ps);
    view_add_number(f, VIEW_JSON, "outside_empty_ps", c->outside_empty_ps);
    view_add_number(f, VIEW_JSON, "inside_work_ps", c->inside_work_ps);
    view_add_number(f, VIEW_JSON, "outside_work_ps", c->outside_work_ps);
    view_add_number(f, VIEW_JSON, "outside_last_ps", c->outside_last_ps);
}

static void add_other_costs(view_facts *f, const char *key, const profile_costs *c) {
    if (!profile_costs_known(c)) {
        view_add_null(f, VIEW_JSON, key);
        return;
    }
    view_begin(f, VIEW_JSON, key);
    add_costs(f, c);
    view_end(f, VIEW_JSON);
}

static void add_calibration(view_facts *f, const profile_run *run) {
    if (!profile_is_calibrated(run)) {
        view_add_null(f, VIEW_JSON, "calibration");
        return;
    }
    view_begin(f, VIEW_JSON, "calibration");
    add_costs(f, &run->quiet);
    view_add_number(f, VIEW_JSON, "clock_read_ps", run->clock_read_ps);
    view_add_number(f, VIEW_JSON, "calibrations", run->calibrations);
    add_other_costs(f, "mean", &run->mean);
    add_other_costs(f, "high", &run->high);
    view_end(f, VIEW_JSON);
}

static void add_machine(view_facts *f, const profile_run *run) {
    const struct {
        const char *key;
        uint64_t value;
    } all[] = {
#define MACHINE(key, field) {#key, run->field},
#define RUN(key, field)
#define CALIBRATIONS(key, field)
#define GOVERNOR(key, field)
#define SUMS(key, field)
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) GROUP(key, field)
#include "facts/run_keys.def"
#undef RUN_KEY
    };
    enum { COUNT = sizeof all / sizeof all[0] };
    bool known = false;
    for (unsigned i = 0; i < COUNT; i++)
        known |= all[i].value != 0;
    if (!known) {
        view_add_null(f, VIEW_JSON, "machine");
        return;
    }
    view_begin(f, VIEW_JSON, "machine");
    for (unsigned i = 0; i < COUNT; i++)
        view_add_number(f, VIEW_JSON, all[i].key, all[i].value);
    view_end(f, VIEW_JSON);
}

static void add_governor(view_facts *f, const profile_governor *g) {
    if (g->percent == 0)
        return;
    view_begin(f, VIEW_JSON, "governor");
    view_add_number(f, VIEW_JSON, "percent", g->percent);
    view_add_number(f, VIEW_JSON, "call_ps", g->call_ps);
    view_add_number(f, VIEW_JSON, "permille", g->permille);
    view_add_known(f, VIEW_JSON, "settled_permille", g->settled > 0, g->settled - 1);
    view_end(f, VIEW_JSON);
}

static void add_run(view_facts *f, const profile *p, const profile_run *run) {
    f->count = 0;
    view_add_text(f, VIEW_EACH, "name", run->name);
    view_add_number(f, VIEW_EACH, "pid", run->pid);
    view_add_text(f, VIEW_EACH, "host", run->host);
    view_add_number(f, VIEW_EACH, "start_ns", run->start_ns);
    view_add_number(f, VIEW_EACH, "wall_ns", profile_ns(run, run->wall_ticks));
    view_add_text(f, VIEW_EACH, "clock", run->clock);
    if (run->clock_step_ns > 0)
        view_add_number(f, VIEW_JSON, "clock_step_ns", run->clock_step_ns);
    if (run->clock_ticks > 0)
        view_add_number(f, VIEW_JSON, "clock_ticks", run->clock_ticks);
    if (run->only_counts || run->mixed)
        view_add_word(f, VIEW_JSON, "mode", run->mixed ? "mixed" : "counts");
    if (run->counted.bytes + run->bytes_missing > 0)
        view_add_word(f, VIEW_JSON, "bytes", run->counted.bytes > 0 ? "counted" : "missing");
    add_calibration(f, run);
    add_machine(f, run);
    add_governor(f, &run->governor);
    view_add_text(f, VIEW_EACH, "runtime", run->runtime);
    view_add_text(f, VIEW_EACH, "reason", run->reason);
    view_add_text(f, VIEW_JSON, "tracker", run->tracker);
    view_add_text(f, VIEW_EACH, "file", bytes_of(p->file, strlen(p->file)));
}

uint32_t view_runs_of(const report *r, size_t position) {
    const profile *p = &r->profiles[position];
    return p->run.merged ? p->runs.count : 1;
}

bool view_next_run(view_runs *walk, view_facts *facts) {
    for (; walk->profile < walk->r->profile_count; walk->profile++, walk->listed = 0) {
        const profile *p = &walk->r->profiles[walk->profile];
        if (walk->listed == view_runs_of(walk->r, walk->profile))
            continue;
        add_run(facts, p, p->run.merged ? &p->runs.listed[walk->listed] : &p->run);
        walk->listed++;
        return true;
    }
    return false;
}

void view_profile(const report *r, size_t position, view_facts *facts) {
    add_run(facts, &r->profiles[position], &r->profiles[position].run);
}

uint64_t view_count_runs(const report *r, bool *merged) {
    uint64_t all = 0;
    *merged = false;
    for (size_t i = 0; i < r->profile_count; i++) {
        all = profile_add(all, profile_runs_in(&r->profiles[i].run));
        *merged |= r->profiles[i].run.merged != 0;
    }
    return all;
}

view_program view_program_of(const report *r, size_t position) {
    const profile_run *run = &r->profiles[position].run;
    return (view_program){run->name, run->pid};
}

view_span view_span_of(const report *r) {
    view_span span = {.start_ns = UINT64_MAX};
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile_run *run = &r->profiles[i].run;
        span.start_ns = run->start_ns < span.start_ns ? run->start_ns : span.start_ns;
        span.wall_ns = profile_add(span.wall_ns, profile_ns(run, run->wall_ticks));
    }
    return span;
}

const profile_run *view_only_run(const report *r) {
    return r->profile_count == 1 && !r->profiles[0].run.merged ? &r->profiles[0].run : NULL;
}
