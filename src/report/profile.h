/* profile.h - one profile file as it was written (docs/profile-format.md, section 3): a checked view.
 *
 * Life cycle: PROFILE_INIT, profile_read, use, profile_clear. All strings and blobs borrow from the file's bytes, which
 * must outlive the profile; they are claimed to be UTF-8, nobody has checked. Times are in ticks. */
#ifndef ILINJECT_REPORT_PROFILE_H
#define ILINJECT_REPORT_PROFILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"

enum { PROFILE_ID_ROOT = 0, PROFILE_ID_FOLDED = 1, PROFILE_ID_FIRST = 1 << 24 };

/* Counts and times stop here instead of wrapping; it is also the largest integer that JSON readers agree on. */
#define PROFILE_MAX ((uint64_t)INT64_MAX)

static inline uint64_t profile_add(uint64_t a, uint64_t b) {
    return b > PROFILE_MAX || a > PROFILE_MAX - b ? PROFILE_MAX : a + b;
}

/* Section RUN. Strings are empty and numbers 0 when the key is absent; ticks_per_second is never 0. */
typedef struct profile_run {
    bytes name, host, clock, runtime, reason, tracker;
    uint64_t pid;
    uint64_t start_ns; /* Unix time */
    uint64_t wall_ticks, ticks_per_second;
    uint64_t folded, dropped;
} profile_run;

/* One entry of section MODS. Its methods have the ids base to base + method_count - 1. */
typedef struct profile_module {
    uint32_t base, method_count;
    bytes assembly;      /* full name */
    const uint8_t *mvid; /* 16 bytes: of the loaded module */
    bytes names;         /* the names resource, unread; empty when it could not be had */
} profile_module;

/* One node of a thread's call tree. Nodes stand in pre-order: parent < own position. */
typedef struct profile_node {
    uint32_t parent; /* position; the root's is 0 */
    uint32_t depth;  /* the root's is 0 */
    uint32_t id;
    uint32_t pending; /* of use to the reader only: children still to come */
    uint64_t calls;
    uint64_t ticks; /* raw inclusive; the root's is the sum of its children without the folded ones */
    uint64_t own;   /* exclusive ticks, never negative */
    uint64_t resynchronised, open;
    uint32_t function; /* for the aggregation */
} profile_node;

/* One section THRD. */
typedef struct profile_thread {
    uint64_t id; /* managed thread id; 0: folded from ended threads */
    bytes name;
    uint64_t count; /* threads in it */
    profile_node *nodes;
    uint32_t node_count; /* at least 1: the root */
} profile_thread;

typedef struct profile {
    const char *file; /* the diag's; borrowed */
    profile_run run;
    profile_module *modules; /* in order of base, not overlapping */
    size_t module_count;
    profile_thread *threads;
    size_t thread_count;
    arena memory;
} profile;

#define PROFILE_INIT ((profile){0})

/* Reads and checks a whole profile. On failure nothing needs to be cleared.
 * Returns ECMA_OK, ECMA_BAD_FILE (NOT_PROFILE, PROFILE_DAMAGED), ECMA_UNSUPPORTED (PROFILE_VERSION), ECMA_NO_MEMORY. */
ecma_status profile_read(profile *p, bytes file, diag *d);
void profile_clear(profile *p);

/* Frees what is large: modules and threads. The run stays. */
void profile_drop_trees(profile *p);

/* The module whose ids `id` is one of, or NULL. */
const profile_module *profile_module_of(const profile *p, uint32_t id);

/* Ticks to nanoseconds, rounded down, at most PROFILE_MAX. */
uint64_t profile_ns(const profile_run *run, uint64_t ticks);

#endif
