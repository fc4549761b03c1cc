/* runs.h - which runs were merged: their number, sums, the first ones by themselves, and in how many runs a fact
 * had which value.
 *
 * Lists are bounded by keeping what comes first in a total order. An entry that falls out of a part's list would have
 * fallen out of the whole's, so that the order in which runs are added does not matter. */
#ifndef ILINJECT_REPORT_MERGE_RUNS_H
#define ILINJECT_REPORT_MERGE_RUNS_H

#include "base/buffer.h"
#include "profile/correct.h"

enum { MERGE_LISTED = 100 }; /* runs, values of a fact, threads' names */

/* A run's facts as they stand in the file, owned. */
typedef struct merge_run {
    uint64_t start_ns;
    bytes packed;
} merge_run;

typedef struct merge_runs {
    profile_run sum;                /* by each key's rule (facts/run_keys.def); its ticks are nanoseconds */
    merge_run listed[MERGE_LISTED]; /* the first ones by start, then by what is packed */
    uint32_t listed_count;
    profile_fact facts[PROFILE_FACTS][MERGE_LISTED]; /* the first values by their bytes, owned */
    uint32_t fact_counts[PROFILE_FACTS];
    uint64_t others[PROFILE_FACTS]; /* runs with other values */
} merge_runs;

/* Adds what a profile says of its run, or of those that it was merged from. False when memory ran out. */
bool merge_runs_add(merge_runs *m, const profile *p);

/* The payloads of RUN and RUNS. */
void merge_runs_put_sums(buffer *b, const merge_runs *m);
void merge_runs_put_list(buffer *b, const merge_runs *m);
void merge_runs_clear(merge_runs *m);

/* A copy of a text, malloc's; false when memory ran out. */
bool merge_copy(bytes *copy, bytes text);
/* `str`. */
void merge_string(buffer *b, bytes text);

#endif
