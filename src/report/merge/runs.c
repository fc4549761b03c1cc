#include "report/merge/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/run_keys.h"
#include "util/list.h"

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
        merge_drop(made.packed);
        return;
    }
    if (m->listed_count == MERGE_LISTED)
        merge_drop(m->listed[--m->listed_count].packed);
    memmove(&m->listed[at + 1], &m->listed[at], (m->listed_count - at) * sizeof *m->listed);
    m->listed[at] = made;
    m->listed_count++;
}

/* Up to the last that is not 0: a run that has none of them is packed as before there were any. */
static void put_later(buffer *b, const profile_run *run) {
    uint64_t later[RUN_PLACES];
    for (const run_key *key = run_keys; key < run_keys + RUN_KEYS; key++)
        if (key->place != 0)
            later[key->place - 1] = run_number(run, key);
    size_t count = RUN_PLACES;
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
    const uint64_t calibration[] = {run->quiet.inside_empty_ps, run->quiet.outside_empty_ps, run->quiet.inside_work_ps,
                                    run->quiet.outside_work_ps, run->quiet.outside_last_ps,  run->clock_read_ps};
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

static bool add_one(merge_runs *m, const profile_run *run) {
    bool done = pack(m, run);
    profile_run copy = *run;
    for (int kind = 0; kind < PROFILE_FACTS && done; kind++)
        done = merge_facts_add(&m->facts[kind], *profile_fact_of(&copy, (profile_fact_kind)kind), 1);
    return done;
}

static bool add_merged(merge_runs *m, const profile_runs *runs) {
    bool done = true;
    for (uint32_t i = 0; i < runs->count && done; i++)
        done = pack(m, &runs->listed[i]);
    for (int kind = 0; kind < PROFILE_FACTS && done; kind++)
        done = merge_facts_join(&m->facts[kind], &runs->facts[kind]);
    return done;
}

/* What a merged profile of this one alone says, in all keys that it has. */
static profile_run in_sums(const profile *p) {
    profile_run run = p->run;
    const correct_range probes = correct_probes(p);
    bool timeline = false;
    for (size_t i = 0; i < p->thread_count; i++)
        timeline |= p->threads[i].streams != NULL;
    run.wall_ticks = profile_ns(&p->run, run.wall_ticks);
    run.stopped_ticks = profile_ns(&p->run, run.stopped_ticks);
    run.ticks_per_second = 1000000000;
    run.calibrated = profile_calibrated_in(&p->run);
    run.clock_read = profile_clock_read_in(&p->run);
    run.probes_least_ns = probes.least;
    run.probes_most_ns = probes.most;
    if (!run.merged) {
        run.end_ns = run.start_ns ? profile_add(run.start_ns, run.wall_ticks) : 0;
        run.timelines = timeline;
        run.calls = p->calls.count;
    }
    run.merged = profile_runs_in(&p->run);
    return run;
}

static uint64_t merged_by(run_key_merged rule, uint64_t sum, uint64_t one) {
    if (rule == RUN_LEAST)
        return one != 0 && (sum == 0 || one < sum) ? one : sum;
    if (rule == RUN_MOST)
        return one > sum ? one : sum;
    return profile_add(sum, one);
}

static bool is_summed(const run_key *key) {
    return key->kind == RUN_NUMBER && key->merged != RUN_ALONE;
}

bool merge_runs_add(merge_runs *m, const profile *p) {
    profile_run one = in_sums(p);
    for (const run_key *key = run_keys; key < run_keys + RUN_KEYS; key++)
        if (is_summed(key)) {
            uint64_t *sum = run_number_at(&m->sum, key);
            *sum = merged_by((run_key_merged)key->merged, *sum, run_number(&one, key));
        }
    return merge_labels_add(&m->labels, p) && (p->run.merged ? add_merged(m, &p->runs) : add_one(m, &p->run));
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static bool is_written(const run_key *key, const profile_run *sum) {
    return is_summed(key) && (key->merged == RUN_TOTAL || run_number(sum, key) != 0);
}

void merge_runs_put_sums(buffer *b, const merge_runs *m) {
    unsigned count = 0;
    for (const run_key *key = run_keys; key < run_keys + RUN_KEYS; key++)
        count += is_written(key, &m->sum);
    buffer_varuint(b, count);
    for (const run_key *key = run_keys; key < run_keys + RUN_KEYS; key++) {
        if (!is_written(key, &m->sum))
            continue;
        char digits[24];
        int size = snprintf(digits, sizeof digits, "%" PRIu64, run_number(&m->sum, key));
        merge_string(b, bytes_of(key->key, strlen(key->key)));
        merge_string(b, bytes_of(digits, (size_t)size));
    }
}

void merge_runs_put_list(buffer *b, const merge_runs *m) {
    buffer_varuint(b, m->listed_count);
    for (uint32_t i = 0; i < m->listed_count; i++)
        merge_string(b, m->listed[i].packed);
    for (int kind = 0; kind < PROFILE_FACTS; kind++)
        merge_facts_put(b, &m->facts[kind]);
}

void merge_runs_clear(merge_runs *m) {
    for (uint32_t i = 0; i < m->listed_count; i++)
        merge_drop(m->listed[i].packed);
    for (int kind = 0; kind < PROFILE_FACTS; kind++)
        merge_facts_clear(&m->facts[kind]);
    merge_labels_clear(&m->labels);
    *m = (merge_runs){0};
}
