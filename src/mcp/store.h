/* store.h - profiles that were read, kept in memory between calls as long as there is room for them, and read again
 * when their files change; and the numbers that calls name profiles and methods by.
 *
 * All zero but for `most`; store_find or profile_load with store_add, store_trim after each call, store_close. */
#ifndef ILINJECT_MCP_STORE_H
#define ILINJECT_MCP_STORE_H

#include "report/model/model.h"

/* A profile, and the report that is made of it. */
typedef struct mcp_profile {
    uint32_t id;     /* position among the store's paths */
    int64_t changed; /* when its file was, and how large it was then */
    uint64_t bytes;
    bool methods_only; /* without a tree: for comparing (report/model/method_sums.h) */
    aggregate sum;
    profile of; /* of its run alone */
    matched_profile matched;
    ilj_report_options options;
    report r;
    uint64_t *hashes; /* of each function's assembly and name: to find a method by */
    uint64_t held;    /* bytes of memory */
    uint64_t used;    /* by the store's count of calls */
} mcp_profile;

typedef struct mcp_method {
    bytes assembly, name; /* simple name; full name with parameters */
    uint32_t next_alike;  /* with the same hash, or MAP_NONE */
} mcp_method;

typedef struct mcp_store {
    uint64_t most; /* bytes that profiles may take between calls */
    uint64_t calls, held;
    mcp_profile **profiles;
    uint32_t profile_count, profile_capacity;
    char **paths; /* of files that were named so far, absolute: "p1" is the first */
    uint32_t path_count, path_capacity;
    mcp_method *methods; /* that were named so far: "m1" is the first */
    uint32_t method_count, method_capacity;
    map method_map;
    arena memory; /* their texts */
} mcp_store;

enum { STORE_NONE = UINT32_MAX };

/* The number of a path, which is given one when it has none; STORE_NONE: memory ran out. */
uint32_t store_path(mcp_store *s, const char *path);

/* The number of a method, in the same way; STORE_NONE. */
uint32_t store_method(mcp_store *s, bytes assembly, bytes name);

/* Where the method stands in a profile; NULL: it is not there. */
const report_function *store_function(const mcp_store *s, uint32_t method, const mcp_profile *p);

/* The simple name of a function's assembly; empty: of none. */
bytes store_assembly(const function_list *list, const report_function *f);

/* A profile in memory that is as its file is now; NULL: it has to be loaded. `tree`: one with a tree. */
mcp_profile *store_find(mcp_store *s, uint32_t id, bool tree);

/* One profile to load. */
typedef struct profile_loading {
    const char *path;
    uint32_t id;
    bool methods_only; /* option: without a tree, where the profile allows that */
    mcp_profile *made; /* NULL: it failed, and `problem` says why, or memory ran out */
    buffer problem;
    bool no_memory;
} profile_loading;

/* Loads it. Uses nothing of a store, so that two can be loaded at a time. */
void profile_load(profile_loading *l);

/* Takes a profile over, in the place of what it has of the same file. False when memory ran out; the profile is then
 * freed. */
bool store_add(mcp_store *s, mcp_profile *p);

/* Loads a file that is likely to be asked for, if it is not there and its profile fits beside what is. What is wrong
 * with it is said once it is asked for. */
void store_read_ahead(mcp_store *s, uint32_t id);

/* Frees the profiles that were used longest ago, until the others fit. */
void store_trim(mcp_store *s);
void store_close(mcp_store *s);

#endif
