/* runs.h - the runs that a report is of. */
#ifndef ILINJECT_REPORT_VIEW_RUNS_H
#define ILINJECT_REPORT_VIEW_RUNS_H

#include "report/model/model.h"
#include "report/view/facts.h"

/* All that is said of each run, a merged profile's being those that it lists. Starts all zero but for `r`. */
typedef struct view_runs {
    const report *r;
    size_t profile; /* the next one's */
    uint32_t listed;
} view_runs;
/* Makes the next run's facts; false after the last. */
bool view_next_run(view_runs *walk, view_facts *facts);

/* The facts of a profile, merged or not: a run's. */
void view_profile(const report *r, size_t position, view_facts *facts);

/* The number of all runs; `merged`: of a profile that may not list all of them. */
uint64_t view_count_runs(const report *r, bool *merged);

/* How many of them are of a profile. */
uint32_t view_runs_of(const report *r, size_t position);

/* The program and the process of a profile. */
typedef struct view_program {
    bytes name;
    uint64_t pid;
} view_program;
view_program view_program_of(const report *r, size_t position);

/* The start of the first run, and the wall time of all together. */
typedef struct view_span {
    uint64_t start_ns, wall_ns;
} view_span;
view_span view_span_of(const report *r);

/* Is the report of one run, so that a fact of it is one of the whole? NULL: of several. */
const profile_run *view_only_run(const report *r);

#endif
