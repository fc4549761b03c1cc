/* profile.h - one profile file as it was written (docs/profile-format.md, section 3): a checked view.
 *
 * Life cycle: PROFILE_INIT, profile_read, use, profile_clear. After profile_read nothing changes it but
 * profile_keep_run: the stages after it (correct.h, match.h) have types of their own. All strings and blobs borrow
 * from the file's bytes, which must outlive the profile; they are claimed to be UTF-8, nobody has checked. Times are in
 * ticks but where it says ns.
 */
#ifndef ILINJECT_PROFILE_PROFILE_H
#define ILINJECT_PROFILE_PROFILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "profile/calls.h"
#include "util/columns.h"

enum { PROFILE_ID_ROOT = 0, PROFILE_ID_FOLDED = 1, PROFILE_ID_FIRST = 1 << 24 };

/* Counts and times stop here instead of wrapping; it is also the largest integer that JSON readers agree on. */
#define PROFILE_MAX ((uint64_t)INT64_MAX)

static inline uint64_t profile_add(uint64_t a, uint64_t b) {
    uint64_t sum = a + b; /* wraps only where a or b is above */
    return (int64_t)(a | b | sum) < 0 ? PROFILE_MAX : sum;
}

/* Each node may have these beside its calls and times, each kind in a section of its own (src/facts/figures.def). */
typedef enum profile_figure {
#define COUNTED_FIGURE(ID, ...) FIGURE_##ID,
#include "facts/figures.def"
    FIGURES,
} profile_figure;

/* One number for each kind: by it, and by name. */
typedef union profile_figures {
    uint64_t all[FIGURES];
    struct {
        uint64_t bytes, objects, collections, pause_ns;
    };
} profile_figures;

static inline bool profile_any_figure(const uint64_t figures[FIGURES]) {
    uint64_t any = 0;
    for (int kind = 0; kind < FIGURES; kind++)
        any |= figures[kind];
    return any != 0;
}

/* Most nodes have none. */
static inline void profile_add_figures(uint64_t sum[FIGURES], const uint64_t more[FIGURES]) {
    if (!profile_any_figure(more))
        return;
    for (int kind = 0; kind < FIGURES; kind++)
        sum[kind] = profile_add(sum[kind], more[kind]);
}

/* The cost of a call, in picoseconds: within its frame's time, and in its caller's; of methods that do nothing, of
 * those that work before and after it, and when the caller leaves at once. All 0: not known. */
typedef struct profile_costs {
    uint64_t inside_empty_ps, outside_empty_ps, inside_work_ps, outside_work_ps, outside_last_ps;
} profile_costs;

static inline bool profile_costs_known(const profile_costs *c) {
    return (c->inside_empty_ps | c->outside_empty_ps | c->inside_work_ps | c->outside_work_ps) != 0;
}

/* The machine as it was during the run. A number is 0 when it is not known, or 0. */
typedef struct profile_conditions {
    uint64_t cpu_ns; /* processor time of the process, user and system, over wall_ticks */
    /* The program's threads, by samples: they were ready to run, and did not; they ran; how often they were put onto
     * a processor. A running thread took (ran + ready) / ran times as long as on a free machine. ran_ns 0: not known.
     */
    uint64_t ready_ns, ran_ns, slices;
    uint64_t stolen_permille; /* part of the machine's busy time that its host gave to others */
    uint64_t processors;      /* logical ones */
    uint64_t load_permille;   /* part of the processors' time that was not idle, by anybody */
    uint64_t jit_methods, jit_ns;
    uint64_t collections, collection_ns; /* of memory: how many, and how long the program stood still for them */
    uint64_t tracker_ns; /* processor time of the tracker's own thread: its start, calibrations, samples */
    uint64_t step_ps;    /* how fast it is: what a step of the tracker's loop takes, in code of the run's compiler */
} profile_conditions;

/* The price of recording, as the tracker's governor reckoned it: parts of the processor time that was not recording's.
 * percent 0: nobody asked for a price; other figures 0: not known, or nothing. */
typedef struct profile_governor {
    uint64_t percent;  /* the price that was asked for */
    uint64_t call_ps;  /* what a call was taken to cost */
    uint64_t permille; /* over the whole run */
    uint64_t settled;  /* 1 + the same from the first second on, in permille; 0: the run was too short */
} profile_governor;

/* Section RUN. Strings are empty and numbers 0 when the key is absent; ticks_per_second is never 0. */
typedef struct profile_run {
    bytes name, host, clock, runtime, reason, tracker;
    bytes id; /* a random number of the run's, where it said one */
    uint64_t pid;
    uint64_t start_ns; /* Unix time */
    uint64_t wall_ticks, ticks_per_second;
    uint64_t stopped_ticks; /* part of wall_ticks in which nothing was recorded */
    uint64_t folded, folded_async, dropped;
    profile_costs quiet;       /* where the machine was quietest. All 0: not calibrated */
    profile_costs mean;        /* over the whole run, each calibration by the time that it stands for */
    profile_costs high;        /* not exceeded in nine tenths of the run's time */
    uint64_t calibrations;     /* at how many moments: of these are mean and high */
    uint64_t clock_read_ps;    /* one reading of the clock */
    uint64_t beside_probes_ps; /* of a call's cost: what no tick of a clock that ticks sees as a probe's */
    /* The cost of a call that was folded, within its frame and in its caller's; of one that was taken back, and of one
     * that was not recorded at all, in its caller's. 0: not known. */
    uint64_t inside_folded_ps, outside_folded_ps, taken_back_ps, skipped_ps;
    profile_conditions machine;
    uint64_t only_counts; /* how many of the runs have no times, as calls were only counted: 1 or 0 when not merged */
    bool mixed;           /* calls of some modules were only counted */
    profile_governor governor;
    uint64_t shortest_wait_ns; /* shorter waits may count for a neighbour; 0: waits are not known */
    profile_figures counted;   /* 1 or 0 when not merged */
    uint64_t bytes_missing;    /* in how many runs they were asked for, and the runtime does not count them */
    uint64_t late;             /* in how many runs calls at the end may have come after the last writing */
    uint64_t clock_step_ns;    /* the clock stands still in between; 0: it goes on evenly, as far as is known */
    uint64_t clock_ticks; /* of a clock that a thread ticks: how often it has; the step is then between two ticks */
    /* For runs that were merged; all 0 in a profile as its tracker wrote it. */
    uint64_t merged;                          /* how many */
    uint64_t end_ns;                          /* Unix time of the last one's end */
    uint64_t timelines;                       /* how many had a timeline, which is not merged */
    uint64_t calls;                           /* how many calls they had with their values, which are not merged */
    uint64_t calibrated;                      /* how many were calibrated */
    uint64_t clock_read;                      /* of how many clock_read_ps is known */
    uint64_t probes_least_ns, probes_most_ns; /* that their probes have cost; 0: an earlier version does not tell */
    uint64_t spliced_ns;                      /* what probes have cost of calls that were taken out; part of no node */
    uint64_t leaf_ps;                         /* beside_of_leaves; no file has it */
} profile_run;

static inline bool profile_is_calibrated(const profile_run *run) {
    return profile_costs_known(&run->quiet);
}

/* How many runs a profile is of, how many of them are calibrated, and of how many a reading of the clock is known. */
static inline uint64_t profile_runs_in(const profile_run *run) {
    return run->merged ? run->merged : 1;
}
static inline uint64_t profile_calibrated_in(const profile_run *run) {
    return run->merged ? run->calibrated : profile_is_calibrated(run);
}
static inline uint64_t profile_clock_read_in(const profile_run *run) {
    return run->merged ? run->clock_read : run->clock_read_ps != 0;
}

/* Facts in which merged runs may differ. */
typedef enum profile_fact_kind {
    PROFILE_FACT_NAME,
    PROFILE_FACT_HOST,
    PROFILE_FACT_CLOCK,
    PROFILE_FACT_RUNTIME,
    PROFILE_FACT_REASON,
    PROFILE_FACT_TRACKER,
    PROFILE_FACTS,
} profile_fact_kind;

/* In that many runs the fact has this value. */
typedef struct profile_fact {
    bytes value;
    uint64_t runs;
} profile_fact;

/* The values of one kind, in the order of their bytes; there are more when `others` is not 0. */
typedef struct profile_facts {
    profile_fact *values;
    uint32_t count;
    uint64_t others; /* runs with values that are not listed */
} profile_facts;

/* A label, and in how many of the runs it has which value; section LABL. */
typedef struct profile_label {
    bytes name;
    profile_facts of;
} profile_label;

/* Section RUNS: of merged runs the first ones, as far as they are listed. Their ticks are nanoseconds. */
typedef struct profile_runs {
    profile_run *listed;
    uint32_t count;
    profile_facts facts[PROFILE_FACTS];
} profile_runs;

static inline bytes *profile_fact_of(profile_run *run, profile_fact_kind kind) {
    bytes *const facts[PROFILE_FACTS] = {&run->name,    &run->host,   &run->clock,
                                         &run->runtime, &run->reason, &run->tracker};
    return facts[kind];
}

/* One entry of section MODS. Its methods have the ids base to base + method_count - 1. */
typedef struct profile_module {
    uint32_t base, method_count;
    bytes assembly;      /* full name */
    const uint8_t *mvid; /* 16 bytes: of the loaded module */
    bytes names;         /* the names resource, unread; empty when it could not be had */
} profile_module;

/* Times in nanoseconds, and between what they are when probes cost the most, or the least, that the calibrations say.
 * Offsets are 0 but with ILJ_OFFSET_ARTICLE: they are to be taken off, maybe to below 0. */
typedef struct profile_times {
    uint64_t inclusive_ns, inclusive_low_ns, inclusive_high_ns;
    uint64_t exclusive_ns, exclusive_low_ns, exclusive_high_ns;
    uint64_t exclusive_over_ns; /* by ticks: what own times are below 0, to be taken off a sum of many nodes */
    uint64_t inclusive_offset_ns, exclusive_offset_ns;
} profile_times;

/* The shortest and the longest call, in nanoseconds; min above max: not known. */
typedef struct profile_span {
    uint64_t min_ns, max_ns;
} profile_span;

static inline profile_span profile_span_widened(profile_span a, profile_span b) {
    return b.min_ns > b.max_ns
               ? a
               : (profile_span){a.min_ns < b.min_ns ? a.min_ns : b.min_ns, a.max_ns > b.max_ns ? a.max_ns : b.max_ns};
}
#define PROFILE_NO_SPAN ((profile_span){UINT64_MAX, 0})

/* A span in two columns: `least`, and the next one, the length with 1 added; 0: not known. */
static inline profile_span profile_span_at(const columns *t, unsigned least, uint32_t row) {
    uint64_t length = columns_at(t, least + 1, row), from = columns_at(t, least, row);
    return length == 0 ? PROFILE_NO_SPAN : (profile_span){from, from + length - 1};
}
static inline void profile_set_span(columns *t, unsigned least, uint32_t row, profile_span span) {
    if (span.min_ns > span.max_ns)
        return;
    columns_set(t, least, row, span.min_ns);
    columns_set(t, least + 1, row, span.max_ns - span.min_ns + 1);
}

/* How long the calls of a node took, and what their probes have cost, them and their callers. */
typedef struct profile_timing {
    profile_times times;
    uint64_t probe_ns;
    uint64_t blocked_ns; /* of the own time; correct_thread takes it off that */
} profile_timing;

/* One node of a thread's call tree, put together from its columns (profile_node_at). Nodes stand in pre-order: parent <
 * own position. */
typedef struct profile_node {
    uint32_t parent; /* position; the root's is 0 */
    uint32_t id;
    uint64_t calls;
    uint64_t ticks;        /* raw inclusive; the root's is the sum of its children without the folded ones */
    uint64_t own;          /* exclusive ticks, never negative */
    uint64_t over;         /* what its callees have more than it: by ticks they may */
    uint64_t ticked_calls; /* of its calls: those whose times are known by ticks: section TICK */
    uint64_t folded_ticks;
    uint64_t resynchronised, open;
    uint64_t by_exception;          /* frames left by an exception: section EXCP */
    uint64_t min_ticks, max_ticks;  /* of the inclusive times of closed frames: section SPAN. min above: not known */
    uint64_t blocked_ticks;         /* part of the own time in which the thread was blocked: section WAIT */
    profile_figures figures;        /* of the node's own code */
    profile_figures folded_figures; /* of callees that were folded */
    profile_figures all_figures;    /* both, and those of its callees; the root's as its ticks */
    uint32_t place; /* of later slices of async calls: position in the thread's `async`; 0: none, or not known */
} profile_node;

/* The columns of a thread's nodes. Corrected spans are without the probes' cost, of merged runs (section COST). */
typedef enum profile_column {
    PROFILE_CALLS,
    PROFILE_TICKS,
    PROFILE_OWN,
    PROFILE_OVER,
    PROFILE_TICKED_CALLS,
    PROFILE_PROBED,
    PROFILE_FOLDED_TICKS,
    PROFILE_RESYNCHRONISED,
    PROFILE_OPEN,
    PROFILE_BY_EXCEPTION,
    PROFILE_BLOCKED,
    PROFILE_PLACE,
    PROFILE_LEAST,
    PROFILE_LENGTH,
    PROFILE_CORRECTED_LEAST,
    PROFILE_CORRECTED_LENGTH,
    PROFILE_FIGURE, /* and the other kinds after it */
    PROFILE_FOLDED_FIGURE = PROFILE_FIGURE + FIGURES,
    PROFILE_ALL_FIGURE = PROFILE_FOLDED_FIGURE + FIGURES,
    PROFILE_COLUMNS = PROFILE_ALL_FIGURE + FIGURES,
} profile_column;
_Static_assert((int)PROFILE_COLUMNS <= (int)COLUMNS_MOST, "there is room for a column each");

/* The relation of a node's method to the function that the node counts for. */
typedef enum profile_machine {
    PROFILE_PLAIN,    /* the function itself */
    PROFILE_ITERATOR, /* MoveNext of the iterator that it makes */
    PROFILE_ASYNC,    /* MoveNext of the state machine that it starts */
    PROFILE_ASYNC_ITERATOR,
    PROFILE_RUNTIME_ASYNC, /* of a function alone: its own slices, that the runtime suspends */
} profile_machine;

/* How an exception's way ended; values above are of a later version. */
typedef enum profile_outcome {
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) PROFILE_##ID = value,
#include "facts/outcomes.def"
#undef OUTCOME
    PROFILE_OUTCOMES,
} profile_outcome;

static inline bool profile_is_thrown_again(uint32_t outcome) {
    return outcome >= PROFILE_STORED_AGAIN && outcome <= PROFILE_LEFT_AGAIN;
}

enum { PROFILE_MESSAGES = 3 };

/* The exceptions of one type that took one path: section EXCP. */
typedef struct profile_path {
    uint32_t type;             /* 0: not known, else 1 + position in exception_types */
    uint32_t thrower, catcher; /* positions of nodes: the catcher is the thrower or above it */
    uint32_t outcome;          /* a profile_outcome, or more */
    uint64_t count;
    uint64_t ticks, search_ticks;             /* first seen to caught; the first pass alone */
    uint64_t frames_searched, frames_unwound; /* sums */
    bytes messages[PROFILE_MESSAGES];         /* of the first ones */
    uint32_t message_count;
} profile_path;

/* One node of a thread's part of the logical call tree of async methods: section ASYN. In pre-order. */
typedef struct profile_async {
    uint32_t parent; /* position; the root's is 0 */
    uint32_t id;     /* of MoveNext; PROFILE_ID_ROOT of the root */
    uint64_t calls, suspensions, completed, failed, cancelled;
    uint64_t running_ticks, awaiting_ticks; /* its slices; between a suspension and the next slice */
    uint64_t wall_ticks;                    /* from the first slice to the end, of those that ended */
    uint64_t unlinked;                      /* slices of calls that are not known */
    bool taken;                             /* a plain method that is out of the trees of calls (splice.h) */
} profile_async;

/* A histogram of inclusive times in ticks has four buckets for each power of two: bucket b < 8 holds the time b, the
 * others those from profile_bucket_low(b) to profile_bucket_low(b + 1) - 1. */
enum { PROFILE_BUCKETS = 248 };

/* `bucket` at most PROFILE_BUCKETS, which gives 2^63. */
static inline uint64_t profile_bucket_low(uint32_t bucket) {
    return bucket < 8 ? bucket : (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

/* How long the calls of one method took, in one thread: section HIST. */
typedef struct profile_histogram {
    uint32_t id;
    uint32_t first, count; /* its buckets: first to first + count - 1, below PROFILE_BUCKETS */
    uint64_t *counts;
} profile_histogram;

/* One call: section TIME. Ticks since the run's start, without the time in which nothing was recorded; start <= end. */
typedef struct profile_event {
    uint32_t node; /* position in the thread's nodes, not the root's */
    uint64_t start, end;
} profile_event;

/* The calls of one real thread; those of `overwritten` earlier ones were not kept. */
typedef struct profile_stream {
    uint64_t thread_id; /* managed */
    bytes name;
    uint64_t overwritten;
    profile_event *events; /* in order of end; of those with the same end the callee comes first */
    uint32_t event_count;
    uint32_t open_count;
    profile_event *open; /* calls that had not ended when this was written, outermost first; their end is their start */
} profile_stream;

/* Calls without nodes: section FOLD. The first four are of each node that made some, and 0 in merged profiles; the
 * others of the node of a method that was folded. */
typedef struct profile_fold {
    uint32_t node;
    uint64_t calls, all;                /* folded ones that the node's own code made, and all below the node */
    uint64_t taken_back, skipped;       /* that its own code made; with the former those below them */
    uint64_t ticks;                     /* inclusive time of all its frames, as recorded */
    uint64_t outer_ticks;               /* of those that have no frame of the same method below them on the stack */
    uint64_t outer_frames, outer_below; /* how many these are, and the folded calls below them */
    profile_times times, outer;         /* of merged runs: the inclusive ones, without the probes' cost */
} profile_fold;

/* Methods that were folded below a node: section BELO. */
typedef struct profile_below {
    uint64_t calls; /* of all of them */
    uint32_t node;
    uint32_t count;
    uint32_t *ids; /* in their order */
} profile_below;

/* One section THRD, or TREE: there the threads of all merged runs that have this name. */
typedef struct profile_thread {
    bool merged;
    uint64_t id; /* managed thread id; 0: folded from ended threads, or merged */
    bytes name;
    uint64_t count;                      /* threads in it */
    uint32_t node_count;                 /* at least 1: the root */
    uint32_t *parents, *ids;             /* of each node */
    uint32_t *depths;                    /* the same, the root's is 0; NULL without sections TIME, SAMP and EXCP */
    columns nodes;                       /* by profile_column */
    columns timings;                     /* of merged ones, without the probes' cost (timings.h) */
    bool has_costs, has_corrected_spans; /* section COST: timings, and spans */
    bool has_spans, has_ticks, has_probed, has_waits; /* sections SPAN, TICK, PROB and WAIT */
    profile_fold *folds;                              /* in order of nodes; NULL: no section FOLD */
    uint32_t fold_count;
    profile_below *below; /* in order of nodes */
    uint32_t below_count;
    bool has_figures[FIGURES];     /* sections BYTE, OBJS, COLL and PAUS */
    profile_histogram *histograms; /* NULL: not recorded */
    profile_stream *streams;       /* NULL: no timeline. One of a live thread, of the ended ones one each */
    uint32_t histogram_count, stream_count;
    uint64_t events_lost;    /* calls of ended threads that have no stream any more */
    profile_stream *samples; /* what ran at each tick of the clock: `events` are from one to the next; none is open */
    uint32_t sampled_count;
    uint64_t samples_lost;
    bytes *exception_types; /* full names */
    profile_path *paths;
    uint32_t exception_type_count, path_count;
    profile_async *async;
    uint32_t async_count; /* 0: none, else with the root */
    bool has_slices;      /* the nodes of later slices have their places: section SLIC */
} profile_thread;

static inline uint64_t profile_number(const profile_thread *t, profile_column column, uint32_t node) {
    return columns_at(&t->nodes, column, node);
}

static inline profile_figures profile_figures_at(const profile_thread *t, profile_column first, uint32_t node) {
    profile_figures f = {.all = {0}};
    for (unsigned kind = 0; kind < FIGURES && !columns_are_empty(&t->nodes, first, FIGURES); kind++)
        f.all[kind] = columns_at(&t->nodes, first + kind, node);
    return f;
}

ALWAYS_INLINE profile_node profile_node_at(const profile_thread *t, uint32_t node) {
    const profile_span span = profile_span_at(&t->nodes, PROFILE_LEAST, node);
    return (profile_node){.parent = t->parents[node],
                          .id = t->ids[node],
                          .calls = profile_number(t, PROFILE_CALLS, node),
                          .ticks = profile_number(t, PROFILE_TICKS, node),
                          .own = profile_number(t, PROFILE_OWN, node),
                          .over = profile_number(t, PROFILE_OVER, node),
                          .ticked_calls = profile_number(t, PROFILE_TICKED_CALLS, node),
                          .folded_ticks = profile_number(t, PROFILE_FOLDED_TICKS, node),
                          .resynchronised = profile_number(t, PROFILE_RESYNCHRONISED, node),
                          .open = profile_number(t, PROFILE_OPEN, node),
                          .by_exception = profile_number(t, PROFILE_BY_EXCEPTION, node),
                          .min_ticks = span.min_ns,
                          .max_ticks = span.max_ns,
                          .blocked_ticks = profile_number(t, PROFILE_BLOCKED, node),
                          .figures = profile_figures_at(t, PROFILE_FIGURE, node),
                          .folded_figures = profile_figures_at(t, PROFILE_FOLDED_FIGURE, node),
                          .all_figures = profile_figures_at(t, PROFILE_ALL_FIGURE, node),
                          .place = (uint32_t)profile_number(t, PROFILE_PLACE, node)};
}

/* Why a method is off, and in the same bits above PROFILE_WAS_OFF why it was. */
enum { PROFILE_BY_GOVERNOR = 1, PROFILE_BY_USER = 2, PROFILE_OFF = 3, PROFILE_WAS_OFF = 4 };

/* A method that was switched off while the program ran, and perhaps on again: section SWCH. */
typedef struct profile_switch {
    uint32_t id;
    uint32_t reasons;
    uint64_t at_ns; /* when it was switched last, since the run's start */
    uint64_t calls; /* that it had had till then */
} profile_switch;

/* The objects that one place in a module's IL has allocated: section SITE. */
typedef struct profile_site {
    uint32_t module; /* position among the profile's */
    uint32_t site;   /* position among those of the module's names */
    uint64_t objects;
} profile_site;

typedef struct profile {
    /* Option: gets the parts of the file that nothing borrows from, once they have been read. */
    void (*used)(const void *data, size_t size);
    const char *file; /* the diag's; borrowed */
    profile_run run;
    profile_runs runs;     /* when run.merged */
    profile_label *labels; /* by name; of a run with the version of its entry assembly */
    uint32_t label_count;
    bool labels_more;        /* there are further ones, which are not listed */
    profile_module *modules; /* in order of base, not overlapping */
    size_t module_count;
    profile_thread *threads;
    size_t thread_count;
    profile_switch *switches; /* in order of id; NULL: no such section */
    uint32_t switch_count;
    profile_site *sites; /* by module, then by site; NULL: no such section */
    uint32_t site_count;
    calls calls;
    arena memory;
} profile;

#define PROFILE_INIT ((profile){0})

/* Reads and checks a whole profile. On failure nothing needs to be cleared.
 * Returns ECMA_OK, ECMA_BAD_FILE (NOT_PROFILE, PROFILE_DAMAGED), ECMA_UNSUPPORTED (PROFILE_VERSION), ECMA_NO_MEMORY. */
ecma_status profile_read(profile *p, bytes file, diag *d);
void profile_clear(profile *p);

/* The same without what the run has recorded: its facts, labels and modules. The rest of the file is not looked at. */
ecma_status profile_read_run(profile *p, bytes file, diag *d);

/* The label of this name; NULL: there is none. */
const profile_label *profile_label_of(const profile *p, bytes name);

/* Keeps what is known of the run alone, in memory of its own: the file's bytes are no longer needed. False when memory
 * ran out; the profile is then as it was. */
bool profile_keep_run(profile *p);

/* The module whose ids `id` is one of, or NULL. */
const profile_module *profile_module_of(const profile *p, uint32_t id);

static inline bool profile_module_has(const profile_module *m, uint32_t id) {
    return id - m->base < m->method_count;
}

/* Could the run see how long this thread was blocked? */
static inline bool profile_tells_waits(const profile_run *run, const profile_thread *t) {
    return run->shortest_wait_ns != 0 || t->has_waits;
}

/* Ticks to nanoseconds, rounded down, at most PROFILE_MAX. */
uint64_t profile_ns(const profile_run *run, uint64_t ticks);

#endif
