/* merge.h - any number of profiles folded into one: memory by what comes out, not by how many went in.
 *
 * MERGE_INIT (calloc'd or static: it is large), merge_add for each, merge_write, merge_clear. The outcome is the same
 * to the byte whatever the order and however it was folded before: merge(a, merge(b, c)) is merge(merge(a, b), c).
 * For that, ticks become nanoseconds where they are read, numbers are added, and all else is resolved by a total order
 * (docs/profile-format.md, "Merged profiles"). */
#ifndef ILINJECT_REPORT_MERGE_MERGE_H
#define ILINJECT_REPORT_MERGE_MERGE_H

#include "report/merge/runs.h"
#include "report/merge/tree.h"
#include "report/model/durations.h"

/* Modules are the same when all that a profile says of them is. Its methods have the numbers from `first` on. */
typedef struct merge_module {
    uint32_t first, method_count;
    bytes assembly, names;
    uint8_t mvid[16];
    uint32_t next_alike; /* the next module with the same hash, or MAP_NONE */
} merge_module;

typedef struct merge_type {
    bytes name;
    uint32_t next_alike;
} merge_type;

/* How long the calls of one method took, of all threads. */
typedef struct merge_histogram {
    uint32_t number;
    durations sum;
} merge_histogram;

/* A method that was switched off in some run: calls of all, the earliest time, all reasons. */
typedef struct merge_switch {
    uint32_t number;
    profile_switch sum;
} merge_switch;

/* The objects that one place in a module's IL has allocated. */
typedef struct merge_site {
    uint32_t number; /* of the module's first method */
    uint32_t site;   /* position among the module's */
    uint64_t objects;
} merge_site;

typedef struct merge {
    merge_module *modules;
    uint32_t module_count, module_capacity;
    merge_type *types; /* of exceptions */
    uint32_t type_count, type_capacity;
    merge_tree *trees; /* one a thread's name and whether its run tells waits; of names but the empty one the
                          first MERGE_LISTED by their bytes, of either */
    uint32_t tree_count, tree_capacity;
    uint32_t next_number; /* 0: PROFILE_ID_FIRST */
    merge_histogram *histograms;
    uint32_t histogram_count, histogram_capacity;
    merge_switch *switches;
    uint32_t switch_count, switch_capacity;
    merge_site *sites;
    uint32_t site_count, site_capacity;
    map module_map, type_map, histogram_map, switch_map, site_map;
    merge_runs runs;
    arena memory; /* texts of modules and types, histograms */
} merge;

#define MERGE_INIT ((merge){0})

/* Adds a profile that was read; nothing of it is kept. Returns ECMA_OK, ECMA_UNSUPPORTED
 * (MERGE_LIMIT: more modules or methods than one profile can hold; nothing was added), ECMA_NO_MEMORY (what was merged
 * so far is then lost). */
ecma_status merge_add(merge *m, const profile *p, diag *d);

/* Appends the merged profile's bytes. Returns ECMA_OK, ECMA_UNSUPPORTED (MERGE_LIMIT), ECMA_NO_MEMORY. */
ecma_status merge_write(buffer *out, const merge *m, diag *d);
void merge_clear(merge *m);

#endif
