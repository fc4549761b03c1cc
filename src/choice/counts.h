/* counts.h - how often methods were called, by name, as profiles say it, and the choice that follows (choice.h).
 *
 * COUNTS_INIT, counts_add for each profile, marks, counts_choose, use, counts_clear. Methods are matched by assembly,
 * full metadata name and parameters, so that a profile is good for the next build as well. The MoveNext of an async
 * method or iterator counts for the method that starts it. No time but a run's processor time is looked at.
 * Where a profile has counts and no tree, what a method calls is taken from its IL (callers.h).
 * The outcome is the same in whatever order the profiles are added. */
#ifndef ILINJECT_CHOICE_COUNTS_H
#define ILINJECT_CHOICE_COUNTS_H

#include "base/buffer.h"
#include "choice/choice.h"
#include "input/image.h"
#include "profile/names.h"
#include "profile/profile.h"

typedef struct counted {
    bytes key;          /* names_key's or image_key's */
    bytes assembly;     /* simple name */
    const names *names; /* a list with it, where it is `method` */
    uint32_t method;
    uint32_t owner;      /* position of the method that it counts for: its own, or that of the one that starts it */
    uint32_t next_alike; /* with the same hash, or UINT32_MAX */
    uint32_t active;
    uint64_t calls, exclusive_ps, inclusive_ps; /* of itself, and of what it starts */
    uint64_t nodes;                             /* of the trees of all runs */
    bool calls_others;
    bool switched_off;    /* by the tracker, for a price: its calls are those up to then */
    bool fixed;           /* for the caller to set before counts_choose: it stays in any case ... */
    bool unselected;      /* ... or is not instrumented anyhow */
    bool left_out;        /* from counts_choose; an owner's holds for what it starts */
    uint64_t owner_calls; /* likewise */
} counted;

/* The calls in the IL of a module's methods. */
typedef struct counted_calls {
    const names *names;        /* with a list of calls */
    const uint32_t *positions; /* of each of its methods in counts.list */
    struct counted_calls *next;
} counted_calls;

typedef struct counts {
    counted *list;
    uint32_t count, capacity;
    uint32_t *buckets; /* by hash: position, or UINT32_MAX */
    uint32_t bucket_count;
    choice_runtime runtime; /* the one on which calls cost most */
    uint64_t measured_ps;   /* processor time without what the probes took at most, see add_run */
    bool unmeasured;        /* a profile does not say it */
    uint64_t runs;
    counted_calls *called; /* of profiles without a tree */
    uint64_t work_ps;      /* from counts_choose */
    uint64_t allowed_ps;   /* likewise */
    choice_sums sums;      /* likewise */
    arena memory;
    buffer scratch;
} counts;

#define COUNTS_INIT ((counts){0})

/* Adds what was read; nothing of it is kept. Names that are missing or damaged are told (PROFILE_NAMES), their methods
 * have no part in the choice. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status counts_add(counts *c, const profile *p, diag *d);

/* Reads the file and adds it. Also returns what profile_read returns, and ECMA_IO. */
ecma_status counts_add_file(counts *c, diag *d);

/* Chooses for so many percent. False when memory ran out. */
bool counts_choose(counts *c, unsigned percent);

/* The method with this key, or NULL: no profile knows it. */
const counted *counts_find(const counts *c, bytes key);

/* For sorting: by their keys. */
int counts_compare(const counted *a, const counted *b);

/* Makes the key of a method the content of `b`. */
void counts_key(buffer *b, const ilj_image *image, uint32_t method_row);

void counts_clear(counts *c);

#endif
