/* sites.h - the places in methods' IL that allocate objects, of all profiles: how many objects of which type each has
 * allocated. A place is the same in two profiles when its method and its offset are, and the type, and the
 * lines of calls of leaves. */
#ifndef ILINJECT_REPORT_MODEL_SITES_H
#define ILINJECT_REPORT_MODEL_SITES_H

#include "report/model/leaf_lines.h"

typedef struct report_site {
    uint32_t function; /* position; of a state machine the method that it belongs to. FUNCTION_ROOT: all calls of the
                          method were taken back */
    uint32_t type;     /* position in report_sites.types */
    uint32_t row;      /* of the method in MethodDef: a state machine's MoveNext */
    uint32_t offset;   /* in its IL before instrumenting */
    uint8_t kind;      /* NAMES_SITE_NEW, NAMES_SITE_ARRAY, NAMES_SITE_BOX */
    uint64_t objects;
    const names *names;  /* of the module */
    uint32_t file, line; /* text of the names; 0: the line is not known */
} report_site;

/* Objects of one type and one kind: boxes of a type stand apart. */
typedef struct report_type {
    bytes name;
    uint8_t kind;
    uint64_t objects;
    uint32_t next_alike; /* with the same hash, or MAP_NONE */
} report_type;

/* Starts all zero. */
typedef struct report_sites {
    report_site *list;
    uint32_t count, capacity;
    report_type *types;
    uint32_t type_count, type_capacity;
    uint64_t objects; /* of all */
    map site_map, method_map, type_map;
    uint32_t method_count;
    leaf_lines leaves;
} report_sites;

/* Adds those of the profile that is being matched. Places of modules without names are left out. False when memory ran
 * out. */
bool sites_add(report_sites *s, const matching *match);

/* In the order of a report, most objects first; of as many, in the order of names and places. To be freed with free;
 * NULL when memory ran out. */
const report_type **sites_types_sorted(const report_sites *s);
const report_site **sites_sorted(const report_sites *s, const report_function *functions);

/* "new", "array" or "box". */
const char *site_kind_name(uint8_t kind);

void sites_clear(report_sites *s);

#endif
