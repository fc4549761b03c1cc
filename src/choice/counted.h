/* counted.h - the methods of profiles with their counts, for those who add (counts.h) and those who estimate
 * (callers.h). */
#ifndef ILINJECT_CHOICE_COUNTED_H
#define ILINJECT_CHOICE_COUNTED_H

#include "base/arena.h"
#include "base/buffer.h"
#include "choice/choice.h"
#include "profile/names.h"

typedef struct counted {
    bytes key;          /* names_key's or image_key's */
    bytes assembly;     /* simple name */
    const names *names; /* a list with it, where it is `method` */
    uint32_t method;
    uint32_t owner;      /* position of the method that it counts for: its own, or that of the one that starts it */
    uint32_t next_alike; /* with the same hash, or UINT32_MAX */
    uint32_t active;
    uint64_t calls, exclusive_ps, inclusive_ps; /* of itself, and of what it starts */
    uint64_t compiled_ps;                       /* its compiling, which is its callers' time */
    uint64_t nodes;                             /* of the trees of all runs */
    uint32_t caller;                            /* 1 + the position of the one that calls it most; 0: not known */
    uint64_t caller_weight;                     /* how often, as far as that is known */
    uint32_t within; /* from counts_choose: 1 + the position of the one that stays and has its time; 0: not known */
    uint64_t outer_calls; /* of one that calls itself: those from outside of that (outermost.h) */
    bool calls_itself;    /* directly, in a tree */
    bool calls_others;
    bool switched_off;    /* by the tracker, for a price: its calls are those up to then */
    bool fixed;           /* for the caller to set before counts_choose: it stays in any case ... */
    bool unselected;      /* ... or is not instrumented anyhow */
    bool left_out;        /* from counts_choose; an owner's holds for what it starts */
    bool outermost;       /* the same: it is left out, but for its outermost calls */
    uint64_t owner_calls; /* the same */
    bool takes_code; /* the same: it is left out as native code that runs would go with it, and it was not called */
} counted;

/* The names of a module that say more of its methods: what their IL calls, or who inlined them. */
typedef struct counted_calls {
    const names *names;
    const uint32_t *positions; /* of each of its methods in counts.list */
    struct counted_calls *next;
} counted_calls;

/* Calls from outside of a method that calls itself. */
typedef struct counted_entry {
    uint32_t callee, caller; /* positions */
    uint64_t calls;
} counted_entry;

typedef struct counts {
    counted *list;
    uint32_t count, capacity;
    uint32_t *buckets; /* by hash: position, or UINT32_MAX */
    uint32_t bucket_count;
    choice_runtime runtime;                  /* the one on which calls cost most */
    uint64_t measured_ps;                    /* processor time without what the probes took at most, see add_run */
    names_room names_room;                   /* of all profiles */
    bool unmeasured;                         /* a profile does not say it */
    uint64_t compiled_methods, compiling_ps; /* just in time, as profiles say it, without waiting; 0: not known */
    uint64_t runs;
    uint64_t threads;      /* of the profile with the most */
    bool has_tree;         /* one of the profiles does */
    counted_calls *called; /* of profiles without a tree */
    bool compiled_again;   /* code that was compiled ahead is made again, before it runs */
    counted_calls *ahead;  /* of modules that could keep native code */
    counted_entry *entries;
    uint32_t entry_count, entry_capacity;
    uint64_t work_ps;    /* from counts_choose */
    uint64_t start_ps;   /* the same: what the tracker takes beside calls */
    uint64_t price_ps;   /* the same: what the price allows, start and calls */
    uint64_t allowed_ps; /* the same: what calls may cost */
    choice_sums sums;    /* the same */
    arena memory;
    buffer scratch;
} counts;

#endif
