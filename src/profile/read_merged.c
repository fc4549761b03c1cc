#include "profile/parse.h"
#include "profile/run_keys.h"
#include "profile/timings.h"

/* Parts that only merged profiles have: which runs were merged, and times that each run has corrected by itself. */

enum { MIN_RUN_BYTES = 1, MIN_FACT_BYTES = 2 };

/* As far as there are any: those after the last that is not 0 are left out. */
static void read_later(parser *p, profile_run *run) {
    const run_key *later[RUN_PLACES];
    for (const run_key *key = run_keys; key < run_keys + RUN_KEYS; key++)
        if (key->place != 0)
            later[key->place - 1] = key;
    for (size_t i = 0; i < RUN_PLACES && reader_left(&p->in) > 0; i++)
        *run_number_at(run, later[i]) = parse_quantity(p, "a run's machine");
}

/* The facts of one run are a string of their own, so that a later version may add some. */
static ecma_status read_listed(parser *p, profile_run *run) {
    bytes packed = parse_string(p, "a run");
    if (p->in.failed)
        return parse_missing(p);
    reader behind = p->in;
    p->in = reader_of(packed);
    run->ticks_per_second = 1000000000;
    run->start_ns = parse_quantity(p, "a run's start");
    run->name = parse_string(p, "a run's name");
    run->pid = parse_quantity(p, "a run's process");
    run->host = parse_string(p, "a run's host");
    run->wall_ticks = parse_quantity(p, "a run's wall time");
    run->clock = parse_string(p, "a run's clock");
    run->runtime = parse_string(p, "a run's runtime");
    run->reason = parse_string(p, "a run's reason");
    run->tracker = parse_string(p, "a run's tracker");
    run->quiet.inside_empty_ps = parse_quantity(p, "a run's calibration");
    run->quiet.outside_empty_ps = parse_quantity(p, "a run's calibration");
    run->quiet.inside_work_ps = parse_quantity(p, "a run's calibration");
    run->quiet.outside_work_ps = parse_quantity(p, "a run's calibration");
    run->quiet.outside_last_ps = parse_quantity(p, "a run's calibration");
    run->clock_read_ps = parse_quantity(p, "a run's clock reading");
    read_later(p, run);
    if (p->in.failed)
        return parse_missing(p);
    p->in = behind;
    return ECMA_OK;
}

ecma_status parse_facts(parser *p, profile_facts *facts) {
    arena *memory = &p->out->memory;
    ecma_status status = parse_count(p, &facts->count, MIN_FACT_BYTES, "a number of values");
    if (status != ECMA_OK)
        return status;
    facts->values = arena_alloc_array(memory, facts->count, sizeof *facts->values);
    if (!facts->values)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < facts->count; i++) {
        facts->values[i].value = parse_string(p, "a value");
        facts->values[i].runs = parse_quantity(p, "a value's runs");
    }
    facts->others = parse_quantity(p, "the runs with other values");
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

ecma_status parse_runs(parser *p) {
    arena *memory = &p->out->memory;
    profile_runs *runs = &p->out->runs;
    uint32_t count = 0;
    ecma_status status = parse_count(p, &count, MIN_RUN_BYTES, "a number of runs");
    if (status != ECMA_OK)
        return status;
    runs->listed = arena_alloc_array(memory, count, sizeof *runs->listed);
    if (!runs->listed)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++)
        status = read_listed(p, &runs->listed[i]);
    runs->count = count;
    for (int kind = 0; kind < PROFILE_FACTS && status == ECMA_OK; kind++)
        status = parse_facts(p, &runs->facts[kind]);
    return status;
}

ecma_status parse_costs(parser *p) {
    profile_thread *t = p->thread;
    if (!columns_extend(&t->timings, t->node_count))
        return diag_no_memory(p->d);
    t->has_costs = true;
    for (uint32_t i = 0; i < t->node_count && !p->in.failed; i++) {
        profile_timing of = {.blocked_ns = 0};
        parse_range(p, &of.times.inclusive_low_ns, &of.times.inclusive_ns, &of.times.inclusive_high_ns);
        parse_range(p, &of.times.exclusive_low_ns, &of.times.exclusive_ns, &of.times.exclusive_high_ns);
        of.times.inclusive_offset_ns = parse_quantity(p, "a node's inclusive offset");
        of.times.exclusive_offset_ns = parse_quantity(p, "a node's exclusive offset");
        of.probe_ns = parse_quantity(p, "a node's probes");
        timing_set(&t->timings, i, &of);
    }
    if (p->in.failed)
        return parse_missing(p);
    return reader_left(&p->in) > 0 ? parse_corrected_spans(p) : ECMA_OK; /* earlier versions have none */
}
