/* aggregate.h - profiles merged into one: functions with totals, one call tree over all threads or one of each, what
 * exceptions did, and who started which async method.
 *
 * AGGREGATE_INIT, aggregate_profile for each, aggregate_finish once, use, aggregate_clear. Functions are matched by the
 * input module's MVID and the MethodDef row, trees by path. MoveNext of an iterator or async method counts for the
 * method that the user wrote, unless raw names are asked for. Times are in nanoseconds; sums stop at PROFILE_MAX.
 *
 * Times are without the probes' cost, each profile's by its own calibration (correct.h); the low and high ones say how
 * sure that is. For profiles without calibration, or when nothing is to be taken off, they are the recorded ones. */
#ifndef ILINJECT_REPORT_MODEL_AGGREGATE_H
#define ILINJECT_REPORT_MODEL_AGGREGATE_H

#include "ilinject.h"
#include "report/model/async.h"
#include "report/model/exceptions.h"
#include "report/model/fold.h"
#include "report/model/match.h"
#include "report/model/sites.h"

/* Threads of one profile: a live one, or all that have ended. */
typedef struct report_thread {
    uint32_t run; /* position of the profile */
    bool merged;  /* those of all its runs that have this name */
    uint64_t id;  /* 0: ended ones, or merged */
    bytes name;
    uint64_t count;
} report_thread;

typedef enum report_node_kind {
    NODE_CALL,
    NODE_RESUMED, /* slices of an async method that do not stand below its call */
    NODE_THREAD,
    NODE_FOLDED,
    NODE_DEEP,    /* from cut_deep alone: what lies deeper, by function */
    NODE_WAITING, /* the time in which threads were blocked in the parent's own code */
    NODE_ROOT,
    /* Until logical_place has found where they belong; none of them is in a report. */
    NODE_SLICE,    /* later slices of the calls at one place of the async tree */
    NODE_UNLINKED, /* later slices of one function, whose calls are not known */
} report_node_kind;

/* A node of the merged tree. Children are made after their parent: parent < own position. A MoveNext that its own
 * method's call leads to, and an iterator's steps, are part of that method's node. */
typedef struct report_node {
    uint32_t function; /* NODE_THREAD: position of the thread; NODE_FOLDED, NODE_DEEP, NODE_ROOT: 0; NODE_SLICE: that of
                          the node of the async tree */
    report_node_kind kind;
    uint32_t parent, first_child, next_sibling; /* positions; 0: none, the root is nobody's child */
    uint32_t depth;                             /* the root's is 0 */
    uint64_t calls, steps;
    union {
        profile_times times;
        struct {
            PROFILE_TIMES
        };
    };
    uint64_t thrown;            /* exceptions that were first seen here; of a root those whose place is not known */
    PROFILE_FIGURES(figures, ); /* of its own code */
    PROFILE_FIGURES(all_figures,
                    all_); /* with those of its callees; before aggregate_finish those of folded callees alone */
    uint64_t waiting_ns;   /* of its inclusive time, what the NODE_WAITING below it have. From aggregate_finish */
} report_node;

/* Time of callees that were folded, at a node: a part of its inclusive time that is in no child. */
typedef struct report_folded {
    uint32_t node;
    profile_times times; /* the inclusive ones alone */
} report_folded;

/* The folded calls of a function, which have no place in the tree: their inclusive time where no other call of the
 * function was below them, and for its average. */
typedef struct report_own_folded {
    profile_times times, averaged; /* the inclusive ones alone */
    uint64_t calls;
} report_own_folded;

/* A method of one profile that was switched off while the program ran. It has no figures as a function here. */
typedef struct report_switch {
    report_function function;
    uint32_t run; /* position of the profile */
    profile_switch of;
} report_switch;

typedef struct report_totals {
    uint64_t enters; /* steps too */
    uint64_t steps;
    uint64_t leaves; /* normal ones */
    uint64_t by_exception, resynchronised, open, folded, folded_async, dropped;
    uint64_t ended; /* frames of async calls that had ended, which were still on the stack: among the leaves */
    uint64_t threads;
    uint64_t exclusive_ns;
    PROFILE_FIGURES(figures, );           /* of the functions' own code */
    uint64_t waiting_ns;                  /* in which threads were blocked in the functions' own code */
    uint64_t recorded_ns;                 /* the same with what probes have cost */
    uint64_t probe_ns;                    /* of all calls */
    uint64_t switched_probe_ns;           /* of those of methods that the governor switched off */
    uint64_t probe_low_ns, probe_high_ns; /* where each call cost the least, or the most, that was measured */
    /* Own times of all functions: each as far as it is certain, and their low and high ends. From aggregate_finish. */
    uint64_t certain_ns, low_ns, high_ns;
} report_totals;

typedef struct aggregate {
    bool by_thread;    /* option: the root's children are threads */
    bool as_called;    /* option: children in the order of their first calls, as far as it is known: those of one thread
                          are */
    bool physical;     /* option: slices stay where they ran, below what completed their awaits (logical.h) */
    ilj_offset offset; /* option */
    union {
        function_list list;
        struct {
            FUNCTION_LIST
        };
    };
    fold tree;
    report_node *nodes; /* by place in the tree; nodes[0] is the root */
    uint32_t node_count, node_capacity;
    report_thread *threads; /* filled when by_thread */
    uint32_t thread_count, thread_capacity;
    report_switch *switches; /* in the order of the profiles, and of ids */
    uint32_t switch_count, switch_capacity;
    report_folded *folded;
    uint32_t folded_count, folded_capacity;
    report_own_folded *own_folded; /* of the first that many functions */
    uint32_t own_folded_count, own_folded_capacity;
    report_totals totals;
    PROFILE_COUNTED; /* as of profile_run */
    uint64_t bytes_missing, late;
    report_sites sites;
    uint64_t runs, only_counts; /* how many there are, and how many of them have no times: calls were only counted */
    exceptions exceptions;
    async_tree async;
} aggregate;

#define AGGREGATE_INIT ((aggregate){0})

/* Are there no times and no tree, as calls were only counted in all runs? */
static inline bool aggregate_only_counts(const aggregate *a) {
    return a->only_counts > 0 && a->only_counts >= a->runs;
}

/* Adds one profile, the `run`th. Tells PROFILE_NAMES for each module whose names are missing or damaged. Nothing of the
 * profile or its bytes is kept, but in *matched what match.h says, to be cleared in any case; NULL: it is not wanted.
 * Returns ECMA_OK, ECMA_NO_MEMORY (also for more than 2^32 - 2 nodes or 2^28 - 2 functions or threads). */
ecma_status aggregate_profile(aggregate *a, const profile *p, uint32_t run, matched_profile *matched, diag *d);

/* Ranks the functions and orders each node's children: most inclusive time first as far as it is certain (trust.h),
 * then calls, then name; or as_called. */
ecma_status aggregate_finish(aggregate *a, diag *d);

void aggregate_clear(aggregate *a);

/* Begins a new tree, of a root alone; the nodes of the old one are the caller's. False when memory ran out. */
bool aggregate_begin_tree(aggregate *a);

/* A node's times without what was waited below it. */
static inline profile_times aggregate_working(const report_node *n) {
    profile_times t = n->times;
    t.inclusive_ns -= t.inclusive_ns < n->waiting_ns ? t.inclusive_ns : n->waiting_ns;
    t.inclusive_low_ns -= t.inclusive_low_ns < n->waiting_ns ? t.inclusive_low_ns : n->waiting_ns;
    t.inclusive_high_ns -= t.inclusive_high_ns < n->waiting_ns ? t.inclusive_high_ns : n->waiting_ns;
    return t;
}

/* Is it of a function? */
static inline bool aggregate_is_call(const report_node *n) {
    return n->kind == NODE_CALL || n->kind == NODE_RESUMED;
}

/* The child of this kind, made when there is none; FOLD_NONE when memory ran out. */
uint32_t aggregate_child(aggregate *a, uint32_t parent, report_node_kind kind, uint32_t function);

/* The same, but 0 when there is none. */
uint32_t aggregate_find(const aggregate *a, uint32_t parent, report_node_kind kind, uint32_t function);

#endif
