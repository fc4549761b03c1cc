/* choice.h - which methods are left out so that instrumenting costs no more than was asked for: arithmetic over an
 * array of methods, in integers, without clocks, files or names. The same array gives the same choice.
 *
 * Work is what the program itself does, in picoseconds. It is estimated from counts: a call of a method takes at least
 * CHOICE_IL_PS for each byte of its IL. How far real work is above that differs from program to program, and only a
 * processor time can say it; it is looked at so coarsely (choice_work) that a busy machine does not change the choice.
 */
#ifndef ILINJECT_CHOICE_CHOICE_H
#define ILINJECT_CHOICE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define CHOICE_LEAST_PS 2000000000 /* that may be spent in any case: 2 ms, 20,000 calls on .NET */

enum {
    CHOICE_IL_PS = 130,      /* of a byte of IL, as tight code takes it */
    CHOICE_SHARE_WEIGHT = 1, /* a method with 1/1000 of all work is worth that many methods more */
    CHOICE_CHEAP_PART = 4,   /* a fourth of what is allowed goes to the cheapest methods */
    CHOICE_FIRST_CALLS = 10000,
    CHOICE_SELDOM_CALLS = 30, /* .NET compiles quickly, and once, what is called less often */
};

/* The runtimes that record profiles, and how much they can be asked to record. */
typedef enum choice_runtime { CHOICE_MONO, CHOICE_DOTNET, CHOICE_RUNTIMES } choice_runtime;
typedef enum choice_recorded { CHOICE_EVERYTHING, CHOICE_COUNTS, CHOICE_RECORDED } choice_recorded;

typedef struct choice_cost {
    uint64_t usual_ps, most_ps; /* of a call (cost.def) */
    uint64_t first_ps;          /* of each of the first CHOICE_FIRST_CALLS calls of a method, on top */
    uint64_t lost_ps;           /* of a call, on top, where a method has at most lost_il bytes of IL */
    uint32_t lost_il;
    uint64_t visited_ps; /* of a call of a method that is only visited, in all */
    uint64_t node_ps;    /* of a node of the tree of calls */
    uint64_t method_ps;  /* of a method: more of it is compiled */
} choice_cost;

/* Every program takes that much on top of the work of its calls: for the start of its runtime, and for compiling a
 * method, or finding its code where that was compiled ahead. */
typedef struct choice_program {
    uint64_t start_ps, method_ps, ahead_ps;
} choice_program;

/* What the tracker takes in a run beside calls, and where it was compiled ahead. */
typedef struct choice_tracker {
    uint64_t start_ps, ahead_ps;
} choice_tracker;

/* What it costs, in a run, that a method loses its native code. */
typedef struct choice_lost_code {
    uint64_t seldom_ps, often_ps; /* compiling one that is called less than CHOICE_SELDOM_CALLS times, or more */
    uint64_t
        il_ps; /* on top, of each byte of IL in each of its first CHOICE_FIRST_CALLS calls: its code is slow then */
} choice_lost_code;

extern const choice_lost_code choice_lost;

extern const choice_cost choice_costs[CHOICE_RUNTIMES][CHOICE_RECORDED];
extern const choice_program choice_programs[CHOICE_RUNTIMES];
extern const choice_tracker choice_trackers[CHOICE_RUNTIMES];
extern const uint64_t choice_steps[CHOICE_RUNTIMES]; /* of the reference, see choice_by_reference */

/* One method. Those that come first in the array are kept first when all else is equal. */
typedef struct choice_method {
    uint64_t calls;
    uint64_t cost_ps;               /* that they cost when it is instrumented; 0: it costs nothing, and stays */
    uint64_t outer_calls, outer_ps; /* the same of its outermost calls alone; 0: they cannot be recorded alone */
    uint64_t work_ps;               /* of its calls with all that they call; calls of itself within count once */
    bool calls_others;              /* it is an inner node of the tree of calls */
    bool fixed;                     /* stays in any case */
    bool left_out;                  /* the answer ... */
    bool outermost;                 /* ... and of one that is left out, whether its outermost calls are recorded */
} choice_method;

/* What loses its native code when a method stays, instrumented: it may be a part of that. Of each method
 * list[first[i]] to list[first[i + 1]] are the ones that inlined it. */
typedef struct choice_inliners {
    const uint32_t *first, *list;
    const uint64_t
        *lost_ps; /* what it costs, once, that this method loses its code; 0: it has none, or is not called */
} choice_inliners;

typedef struct choice_sums {
    uint64_t calls, kept_calls, kept_ps;
    uint64_t lost_ps;      /* the part of kept_ps that native code which goes has */
    uint32_t called, kept; /* methods that were called at all, and those of them that stay */
} choice_sums;

/* a + b and a * b, which stop at UINT64_MAX. */
static inline uint64_t choice_add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
static inline uint64_t choice_times(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static inline uint64_t choice_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* whole * part / all; 0 if `all` is 0. */
static inline uint64_t choice_part(uint64_t whole, uint64_t part, uint64_t all) {
    return all ? (uint64_t)((unsigned __int128)whole * part / all) : 0;
}

/* The reference is the machine that all of cost.def was measured on. Returns how long what took `ps` in a run would
 * have taken there: probes, compilers and the program itself are slower by the same, which is how much longer a step of
 * the tracker's loop took (profile_conditions.step_ps); from half of the reference's to eight times that. 0: not known,
 * as fast as the reference. */
uint64_t choice_by_reference(uint64_t ps, uint64_t step_ps, choice_runtime runtime);

/* The work of a run's calls, by the counts (the sum of calls times bytes of IL times CHOICE_IL_PS) and by the processor
 * time that remains when the probes' cost and `guessed_ps`, the start and the compiling, are taken off; 0: not known.
 * One thing alone is asked of the time: how many times the counts it is. From 0.4 times on the work is the counts,
 * below that a fourth of them, below 0.025 times a sixteenth. From twice on the program works in loops or in other
 * code: the work is twice the counts, from 4 times on 4 times and so on, at most the time, and at least half of it.
 * Where most of the time was guessed, the next step is at 40 times: 16 times the counts, from 160 on 64 times and so
 * on. Measured: mcs 0.5, Newtonsoft.Json 0.7, csc 2.8, which compiles for most of its time. A machine that ten
 * processes share makes it up to three times as much. */
uint64_t choice_work(uint64_t counted_ps, uint64_t measured_ps, uint64_t guessed_ps);

/* The given percentage of the work, in ps; at least CHOICE_LEAST_PS. */
uint64_t choice_allowed(uint64_t work_ps, unsigned percent);

/* What is left of it after the tracker's start; at least CHOICE_LEAST_PS, where that is allowed, or a fifth of the
 * start: who pays that would not notice what leaving more out saves. */
uint64_t choice_after_start(uint64_t allowed_ps, uint64_t start_ps);

/* What instrumenting a method adds to compiling it, by a run that compiled that many methods in that time: as much
 * again, in steps of 50, 100 and 200 µs, so that a busy machine seldom changes the choice. 0: not known. */
uint64_t choice_compiling(uint64_t methods, uint64_t took_ps);

/* The part of it that may be spent by the costs of cost.def where compiling took that much of the work. Calls and nodes
 * then cost up to one and a half times as much: their code and data are cold, and .NET puts its better code off. At
 * least CHOICE_LEAST_PS, where that is allowed. */
uint64_t choice_for_calls(uint64_t allowed_ps, uint64_t work_ps, uint64_t compiled_ps);

/* How many nodes a tree that is not there would have for a method's calls. */
uint64_t choice_nodes_of(uint64_t calls);

/* Sets left_out and outermost of each: those that stay cost at most `allowed_ps` together, unless the fixed ones cost
 * more, and no method that is left out would fit beside them. A method is worth 1, and CHOICE_SHARE_WEIGHT for each
 * 1/1000 of `work_ps` that its calls hold; those stay that are worth most for their cost, of equal ones inner nodes
 * before leaves, then the earlier one. A part of the price, CHOICE_CHEAP_PART, goes to the cheapest ones, which show
 * most of the program's shape: methods that are called a few times. The outermost calls of a method that calls itself
 * are worth as much as all of them, and what the others cost on top is worth a method more.
 * With `inliners`, which may be NULL, a method costs as well what is lost with it and was not lost before; and one that
 * was not called stays only where nothing is lost with it. False when memory ran out. */
bool choice_make(choice_method *methods, uint32_t count, const choice_inliners *inliners, uint64_t work_ps,
                 uint64_t allowed_ps, choice_sums *sums);

#endif
