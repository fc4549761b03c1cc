/* diff.h - two sides, each of one or more runs: what every method and every path took on each, and what that says.
 *
 * DIFF_INIT, diff_start, diff_add for each run, diff_judge, use, diff_clear. Methods are matched by assembly and full
 * name with parameters, those of the same name by their order; a lambda's name is its method's with its number in it,
 * and a state machine counts for its method, so both are matched by owner and order. Values are per run: a merged
 * profile is one observation, the mean of its runs. Times are in nanoseconds.
 *
 * Noise. A count counts as changed when the ranges of the two sides do not meet. A time's change is judged as a factor,
 * since what disturbs a run multiplies times: by a moderated t statistic on their logarithms. With n and m runs, D the
 * difference of the means of ln(ns + 1) and s the spread within the sides, s is drawn towards the typical one, that of
 * half of all time, as if DIFF_PRIOR more runs had shown that; and D is noise while |D| <= t * s' * sqrt(1/n + 1/m), t
 * for 99 %, two-sided, n + m - 2 + DIFF_PRIOR degrees of freedom. So two runs that happen to agree do not make a small
 * change certain. Where ticks of a clock tell a time, a run has one tick more or less by chance for the root of its
 * ticks: s'^2 is no less than one over their number. With one run a side that alone is known of noise. */
#ifndef ILINJECT_REPORT_DIFF_DIFF_H
#define ILINJECT_REPORT_DIFF_DIFF_H

#include "report/model/figures.h"
#include "report/model/fold.h"

enum { DIFF_PRIOR = 4 };

/* Where nothing is known of noise: what is less than that part of its own time before, or of the program's, is taken
 * for noise where rows are chosen and where a sentence is made. Verdicts and conditions do not. */
#define DIFF_LEAST_OF_OWN   0.1
#define DIFF_LEAST_OF_WHOLE 0.01

typedef enum diff_metric {
#define METRIC(ID, field, node_field, name) DIFF_##ID,
#include "facts/figures.def"
    DIFF_FIGURES,                             /* two for each: of the own code, and with all that is called */
    DIFF_PUBLIC = DIFF_FIGURES + 2 * FIGURES, /* JSON has those before it, and conditions name them */
    DIFF_TAKEN = DIFF_PUBLIC,                 /* the inclusive time; of async calls from their start to their end */
    DIFF_OWN, /* what of it was in no recorded callee: its own work, and what it waited for itself */
    DIFF_METRICS
} diff_metric;

static inline bool diff_is_time(diff_metric m) {
    return m == DIFF_EXCLUSIVE || m == DIFF_INCLUSIVE || m == DIFF_TAKEN || m == DIFF_OWN;
}

static inline diff_metric diff_figure(profile_figure kind, bool inclusive) {
    return (diff_metric)(DIFF_FIGURES + 2 * (int)kind + inclusive);
}

/* The figure of nodes that a metric is of, or FIGURES. */
static inline profile_figure diff_figure_of(diff_metric m) {
    return m < DIFF_FIGURES || m >= DIFF_PUBLIC ? FIGURES : (profile_figure)((m - DIFF_FIGURES) / 2);
}

/* As functions have it; of the public ones. */
report_figure diff_row_of(diff_metric m);

/* A method, or one that stands on a path; of paths parent < own position, the first is the root. */
typedef struct diff_entry {
    uint32_t function; /* of a path: position of the method; NODE_FOLDED, NODE_ROOT: 0 */
    report_node_kind kind;
    uint32_t parent, depth;
    bool seen[2]; /* before, after */
    double pause; /* ns between ticks, over the runs of a profile, where ticks tell its time; else 0 */
} diff_entry;

typedef struct diff_function {
    bytes assembly; /* simple name; empty: of no module */
    bytes name;
    names_parts parts;
    uint32_t ordinal;    /* among those of the same name in one run, from 0 */
    uint32_t next_alike; /* the first one of another name with the same hash, or MAP_NONE */
    uint32_t next_same;  /* the one of the next ordinal, or MAP_NONE */
    bytes path;          /* of its source, as the compiler had it; where `places` asks for it */
    uint32_t line;       /* 0: not known */
    bool renumbered;     /* a lambda with the name of the runs after (lambdas.h) */
    bool switched;       /* the governor switched it off in some run: it has no place in a comparison */
    /* Only for ordinal 0: */
    uint32_t met;       /* how many of this name the run that is being added has had */
    uint32_t coming;    /* the one that it has next, or MAP_NONE */
    uint32_t last_same; /* the one of the highest ordinal */
} diff_function;

/* Entries with a value of each metric in each run: in columns by metric, of each run by itself. Whole numbers stand
 * there as such, other ones as their bits, which are large. */
typedef struct diff_table {
    diff_entry *entries;
    columns *values; /* of each run; those after its last entry are 0 */
    uint32_t count, capacity;
} diff_table;
_Static_assert((int)DIFF_METRICS <= (int)COLUMNS_MOST, "there is room for a column each");

typedef struct diff {
    uint32_t runs[2]; /* observations of each side */
    uint32_t added;
    uint32_t switched;        /* methods that are */
    uint64_t priced[2];       /* methods that a price left out, most of a run, before and after */
    bool without[FIGURES];    /* in some run the figure was not counted: none of it are compared */
    double whole;             /* of DIFF_OWN: that of all methods, on the side that has more; from diff_judge */
    bool methods_only;        /* option: paths are not compared, and there is no story */
    bool places;              /* option: functions have their places, as the last run says */
    bool untimed;             /* in some run calls were only counted: no times are compared */
    diff_function *functions; /* as the entries of `methods` */
    uint32_t function_capacity;
    diff_table methods, paths;
    map function_map;
    fold path_fold;              /* places are positions in `paths` */
    double spread[DIFF_METRICS]; /* of times: the typical one, of logarithms; from diff_judge */
    arena memory;
} diff;

#define DIFF_INIT ((diff){0})

typedef enum diff_verdict { DIFF_SAME, DIFF_MORE, DIFF_LESS, DIFF_NEW, DIFF_GONE } diff_verdict;

/* May a method of that verdict just not have been recorded on the other side, for a price? */
static inline bool diff_may_be_unrecorded(const diff *d, diff_verdict v) {
    return (v == DIFF_NEW && d->priced[0] > 0) || (v == DIFF_GONE && d->priced[1] > 0);
}

/* One entry in one metric. */
typedef struct diff_change {
    double before, after; /* means */
    double change;        /* after - before */
    double noise;         /* of times: up to that much more, 0.1 for 10 %, is noise; 0 when that is not known */
    double least_change;  /* of times: what is left of the change when noise is taken off */
    double least[2], most[2];
    diff_verdict verdict;
} diff_change;

void diff_start(diff *d, uint32_t before, uint32_t after);

/* The key of a method in function_map. */
uint64_t diff_hash_of(bytes assembly, bytes name);

/* The first of that name, of the method at this position and those that next_alike leads to, or MAP_NONE. */
uint32_t diff_first_named(const diff *d, uint32_t at, bytes assembly, bytes name);

/* Adds the next run, those before first. False when memory ran out. */
bool diff_add(diff *d, const aggregate *run, uint64_t runs_in);

/* Finds the typical spreads, and the whole. False when memory ran out. */
bool diff_judge(diff *d);

/* The verdict on a time; DIFF_SAME where it would be taken for noise. */
diff_verdict diff_judged(const diff *d, const diff_change *time);

/* Is anything known of noise? */
static inline bool diff_knows_noise(const diff *d) {
    return d->runs[0] + d->runs[1] > 2;
}

diff_change diff_of(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric);

/* The value in one run, from 0: those before, then those after. */
static inline double diff_value(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric, uint32_t run) {
    (void)d;
    const columns *of = &t->values[run];
    const uint64_t code = entry < of->rows ? columns_at(of, (unsigned)metric, entry) : 0;
    double value;
    if (code <= UINT32_MAX)
        return (double)code;
    memcpy(&value, &code, sizeof value);
    return value;
}

/* How much the change of a count says: all of it where it was 0 on a side, less where there were many on both. */
double diff_weight(const diff_change *c);

/* The mean of the runs after, less what noise may have added. */
double diff_least_after(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric);

void diff_clear(diff *d);

#endif
