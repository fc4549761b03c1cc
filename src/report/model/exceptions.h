/* exceptions.h - what exceptions did, merged over threads and profiles: a tree from the type over where it ended down
 * to where it was thrown.
 *
 * The root's children are types; theirs the ends (who caught it, or what else became of it); below each stand the
 * frames that it left, outer ones first, down to a node that says: thrown here. Equal frames in a row are one node; a
 * long path has a gap in its middle. The messages that come first by their bytes are kept. Times are in nanoseconds;
 * sums stop at PROFILE_MAX. */
#ifndef ILINJECT_REPORT_MODEL_EXCEPTIONS_H
#define ILINJECT_REPORT_MODEL_EXCEPTIONS_H

#include "report/model/match.h"
#include "util/map.h"

#define NO_FUNCTION UINT32_MAX

typedef enum exception_kind {
    EXCEPTION_ROOT,
    EXCEPTION_TYPE,
    EXCEPTION_END,
    EXCEPTION_FRAME,
    EXCEPTION_GAP, /* frames that are not reported one by one */
    EXCEPTION_THROWN,
} exception_kind;

typedef struct exception_figures {
    uint64_t count;             /* of the root and of types without those that an await has thrown again */
    uint64_t ns, search_ns;     /* first seen to caught; the first pass alone */
    uint64_t searched, unwound; /* frames */
} exception_figures;

typedef struct exception_node {
    exception_kind kind;
    uint32_t value;       /* TYPE: position in types; END: a profile_outcome, or PROFILE_OUTCOMES */
    uint32_t function;    /* FRAME: the one left; END: the catcher's, or NO_FUNCTION */
    uint32_t least, most; /* FRAME: how often in a row; GAP: how many frames */
    uint32_t parent, first_child, next_sibling; /* positions; 0: none */
    uint32_t message_count;
    uint32_t messages; /* THROWN: position of its messages, PROFILE_MESSAGES places */
    exception_figures figures;
} exception_node;

typedef struct exception_type {
    bytes name;          /* empty: not known */
    uint32_t next_alike; /* the next type with the same hash, or MAP_NONE */
} exception_type;

typedef struct exceptions {
    exception_node *nodes; /* nodes[0] is the root; parent < own position */
    uint32_t node_count, node_capacity;
    exception_type *types;
    uint32_t type_count, type_capacity;
    bytes *messages;
    uint32_t message_count, message_capacity;
    map node_map, type_map;
    arena memory;    /* texts */
    uint64_t walked; /* nodes of paths that were looked at */
} exceptions;

/* The figures of a profile's path, and sums of figures. */
exception_figures exceptions_figures_of(const profile_run *run, const profile_path *p);
void exceptions_add_figures(exception_figures *sum, const exception_figures *more);

/* Adds the paths of a thread that was matched. False when memory ran out. */
bool exceptions_add(exceptions *e, const profile_run *run, const matched_thread *t);

/* Orders each node's children: most exceptions first, then most time, then by name. The functions have
 * their ranks. */
bool exceptions_finish(exceptions *e, const report_function *functions);

void exceptions_clear(exceptions *e);

#endif
