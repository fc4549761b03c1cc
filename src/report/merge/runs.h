/* runs.h - which runs were merged: their number, sums, the first ones by themselves, and in how many runs a fact
 * or a label had which value. Lists are bounded as those of facts.h. */
#ifndef ILINJECT_REPORT_MERGE_RUNS_H
#define ILINJECT_REPORT_MERGE_RUNS_H

#include "profile/correct.h"
#include "report/merge/facts.h"

/* A run's facts as they stand in the file, owned. */
typedef struct merge_run {
    uint64_t start_ns;
    bytes packed;
} merge_run;

typedef struct merge_runs {
    profile_run sum;                /* by each key's rule (facts/run_keys.def); its ticks are nanoseconds */
    merge_run listed[MERGE_LISTED]; /* the first ones by start, then by what is packed */
    uint32_t listed_count;
    merge_facts facts[PROFILE_FACTS];
    merge_labels labels;
} merge_runs;

/* Adds what a profile says of its run, or of those that it was merged from. False when memory ran out. */
bool merge_runs_add(merge_runs *m, const profile *p);

/* The payloads of RUN and RUNS. */
void merge_runs_put_sums(buffer *b, const merge_runs *m);
void merge_runs_put_list(buffer *b, const merge_runs *m);
void merge_runs_clear(merge_runs *m);

#endif
