#include "report/merge/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/list.h"

/* ---- Texts ------------------------------------------------------------------------------------------------------ */

bool merge_copy(bytes *copy, bytes text) {
    uint8_t *data = malloc(text.size + 1);
    if (!data)
        return false;
    if (text.size)
        memcpy(data, text.data, text.size);
    *copy = (bytes){data, text.size};
    return true;
}

static void drop(bytes text) {
    free((void *)(uintptr_t)text.data);
}

void merge_string(buffer *b, bytes text) {
    buffer_varuint(b, text.size);
    buffer_append(b, text.data, text.size);
}

/* ---- Adding ----------------------------------------------------------------------------------------------------- */

/* Takes `made.packed`, which is a buffer's. */
static void list_run(merge_runs *m, merge_run made) {
    uint32_t at = m->listed_count;
    while (at > 0) {
        const merge_run *before = &m->listed[at - 1];
        int order = list_compare(before->start_ns, made.start_ns);
        if (order == 0)
            order = bytes_compare(before->packed, made.packed);
        if (order <= 0)
            break;
        at--;
    }
    if (at == MERGE_LISTED) {
        drop(made.packed);
        return;
    }
    if (m->listed_count == MERGE_LISTED)
        drop(m->listed[--m->listed_count].packed);
    memmove(&m->listed[at + 1], &m->listed[at], (m->listed_count - at) * sizeof *m->listed);
    m->listed[at] = made;
    m->listed_count++;
}

/* Up to the last that is not 0: a run that has none of them is packed as before there were any. */
static void put_later(buffer *b, const profile_run *run) {
    const uint64_t later[] = {
#define RUN_KEY(key, field) run->field,
#include "profile/run_keys.def"
#undef RUN_KEY
    };
    size_t count = sizeof later / sizeof later[0];
    while (count > 0 && later[count - 1] == 0)
        count--;
    for (size_t i = 0; i < count; i++)
        buffer_varuint(b, later[i]);
}

static bool pack(merge_runs *m, const profile_run *run) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, run->start_ns);
    merge_string(&b, run->name);
    buffer_varuint(&b, run->pid);
    merge_string(&b, run->host);
    buffer_varuint(&b, profile_ns(run, run->wall_ticks));
    merge_string(&b, run->clock);
    merge_string(&b, run->runtime);
    merge_string(&b, run->reason);
    merge_string(&b, run->tracker);
    const uint64_t calibration[] = {run->inside_empty_ps, run->outside_empty_ps, run->inside_work_ps,
                                    run->outside_work_ps, run->outside_last_ps,  run->clock_read_ps};
    for (size_t i = 0; i < sizeof calibration / sizeof calibration[0]; i++)
        buffer_varuint(&b, calibration[i]);
    put_later(&b, run);
    if (b.failed) {
        buffer_clear(&b);
        return false;
    }
    list_run(m, (merge_run){run->start_ns, buffer_bytes(&b)});
    return true;
}

static bool add_fact(merge_runs *m, profile_fact_kind kind, bytes value, uint64_t runs) {
    profile_fact *facts = m->facts[kind];
    uint32_t at = m->fact_counts[kind];
    int order = 1;
    while (at > 0 && (order = bytes_compare(facts[at - 1].value, value)) > 0)
        at--;
    if (order == 0) {
        facts[at - 1].runs = profile_add(facts[at - 1].runs, runs);
        return true;
    }
    if (at == MERGE_LISTED) {
        m->others[kind] = profile_add(m->others[kind], runs);
        return true;
    }
    bytes copy;
    if (!merge_copy(&copy, value))
        return false;
    if (m->fact_counts[kind] == MERGE_LISTED) {
        const profile_fact *last = &facts[--m->fact_counts[kind]];
        m->others[kind] = profile_add(m->others[kind], last->runs);
        drop(last->value);
    }
    memmove(&facts[at + 1], &facts[at], (m->fact_counts[kind] - at) * sizeof *facts);
    facts[at] = (profile_fact){copy, runs};
    m->fact_counts[kind]++;
    return true;
}

static bool add_one(merge_runs *m, const profile_run *run) {
    bool done = pack(m, run);
    profile_run copy = *run;
    for (int kind = 0; kind < PROFILE_FACTS && done; kind++)
        done = add_fact(m, (profile_fact_kind)kind, *profile_fact_of(&copy, (profile_fact_kind)kind), 1);
    return done;
}

static bool add_merged(merge_runs *m, const profile_runs *runs) {
    bool done = true;
    for (uint32_t i = 0; i < runs->count && done; i++)
        done = pack(m, &runs->listed[i]);
    for (int kind = 0; kind < PROFILE_FACTS && done; kind++) {
        const profile_facts *f = &runs->facts[kind];
        for (uint32_t i = 0; i < f->count && done; i++)
            done = add_fact(m, (profile_fact_kind)kind, f->values[i].value, f->values[i].runs);
        m->others[kind] = profile_add(m->others[kind], f->others);
    }
    return done;
}

bool merge_runs_add(merge_runs *m, const profile *p) {
    const profile_run *run = &p->run;
    uint64_t wall_ns = profile_ns(run, run->wall_ticks);
    uint64_t end_ns = run->merged ? run->end_ns : run->start_ns ? profile_add(run->start_ns, wall_ns) : 0;
    if (run->start_ns != 0 && (m->start_ns == 0 || run->start_ns < m->start_ns))
        m->start_ns = run->start_ns;
    if (end_ns > m->end_ns)
        m->end_ns = end_ns;
    m->count = profile_add(m->count, profile_runs_in(run));
    m->wall_ns = profile_add(m->wall_ns, wall_ns);
    m->stopped_ns = profile_add(m->stopped_ns, profile_ns(run, run->stopped_ticks));
    m->folded = profile_add(m->folded, run->folded);
    m->folded_async = profile_add(m->folded_async, run->folded_async);
    m->dropped = profile_add(m->dropped, run->dropped);
    bool timeline = false;
    for (size_t i = 0; i < p->thread_count; i++)
        timeline |= p->threads[i].streams != NULL;
    m->timelines = profile_add(m->timelines, run->merged ? run->timelines : timeline);
    m->calls = profile_add(m->calls, run->merged ? run->calls : p->calls.count);
    m->calibrated = profile_add(m->calibrated, profile_calibrated_in(run));
    m->clock_read = profile_add(m->clock_read, profile_clock_read_in(run));
    const correct_range probes = correct_probes(p);
    m->probes = (correct_range){profile_add(m->probes.least, probes.least), profile_add(m->probes.most, probes.most)};
    m->spliced_ns = profile_add(m->spliced_ns, run->spliced_ns);
    m->only_counts = profile_add(m->only_counts, run->only_counts);
    profile_add_figures(m->counted, run->counted);
    m->bytes_missing = profile_add(m->bytes_missing, run->bytes_missing);
    m->late = profile_add(m->late, run->late);
    return run->merged ? add_merged(m, &p->runs) : add_one(m, run);
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

void merge_runs_put_sums(buffer *b, const merge_runs *m) {
    const struct {
        const char *key;
        uint64_t value;
        bool always;
    } pairs[] = {
        {"merged", m->count, true},
        {"ticks_per_second", 1000000000, true},
        {"start", m->start_ns, false},
        {"end", m->end_ns, false},
        {"wall_ticks", m->wall_ns, true},
        {"stopped_ticks", m->stopped_ns, false},
        {"folded", m->folded, false},
        {"folded_async", m->folded_async, false},
        {"dropped", m->dropped, false},
        {"timelines", m->timelines, false},
        {"calls", m->calls, false},
        {"calibrated", m->calibrated, false},
        {"clock_read", m->clock_read, false},
        {"probes_least_ns", m->probes.least, false},
        {"probes_most_ns", m->probes.most, false},
        {"spliced_ns", m->spliced_ns, false},
        {"only_counts", m->only_counts, false},
        {"bytes_counted", m->counted[FIGURE_BYTES], false},
        {"bytes_missing", m->bytes_missing, false},
        {"objects_counted", m->counted[FIGURE_OBJECTS], false},
        {"collections_counted", m->counted[FIGURE_COLLECTIONS], false},
        {"pauses_counted", m->counted[FIGURE_PAUSE], false},
        {"late", m->late, false},
    };
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    unsigned count = 0;
    for (int i = 0; i < PAIRS; i++)
        count += pairs[i].always || pairs[i].value != 0;
    buffer_varuint(b, count);
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i].always || pairs[i].value != 0) {
            char digits[24];
            int size = snprintf(digits, sizeof digits, "%" PRIu64, pairs[i].value);
            merge_string(b, bytes_of(pairs[i].key, strlen(pairs[i].key)));
            merge_string(b, bytes_of(digits, (size_t)size));
        }
}

void merge_runs_put_list(buffer *b, const merge_runs *m) {
    buffer_varuint(b, m->listed_count);
    for (uint32_t i = 0; i < m->listed_count; i++)
        merge_string(b, m->listed[i].packed);
    for (int kind = 0; kind < PROFILE_FACTS; kind++) {
        buffer_varuint(b, m->fact_counts[kind]);
        for (uint32_t i = 0; i < m->fact_counts[kind]; i++) {
            merge_string(b, m->facts[kind][i].value);
            buffer_varuint(b, m->facts[kind][i].runs);
        }
        buffer_varuint(b, m->others[kind]);
    }
}

void merge_runs_clear(merge_runs *m) {
    for (uint32_t i = 0; i < m->listed_count; i++)
        drop(m->listed[i].packed);
    for (int kind = 0; kind < PROFILE_FACTS; kind++)
        for (uint32_t i = 0; i < m->fact_counts[kind]; i++)
            drop(m->facts[kind][i].value);
    *m = (merge_runs){0};
}
