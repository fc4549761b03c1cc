/* brief.h - what dominates a report, in a few findings: for the brief view, and for assistants (src/mcp). */
#ifndef ILINJECT_REPORT_VIEW_BRIEF_H
#define ILINJECT_REPORT_VIEW_BRIEF_H

#include "base/buffer.h"
#include "report/model/model.h"

enum { VIEW_FINDING_METHODS = 3, VIEW_FINDINGS = 5 };

typedef enum view_finding_kind {
    VIEW_MOST_TIME,  /* own time, working and blocked; ns */
    VIEW_MOST_CALLS, /* where nothing has a time */
    VIEW_MOST_WAITING,
    VIEW_MOST_BYTES,
    VIEW_MOST_OBJECTS, /* where bytes were not counted */
    VIEW_MOST_THROWN,  /* exceptions, by the method that they were thrown in */
    VIEW_ONE_CALL,     /* the longest call of a method, which is a large part of all time; ns */
} view_finding_kind;

typedef struct view_finding {
    view_finding_kind kind;
    uint64_t whole; /* that the parts are of */
    bytes type;     /* of VIEW_MOST_THROWN: the type of most exceptions; empty: not known */
    const report_function *functions[VIEW_FINDING_METHODS]; /* most first */
    uint64_t parts[VIEW_FINDING_METHODS];
    uint32_t count; /* at least 1 */
} view_finding;

typedef struct view_brief {
    view_finding findings[VIEW_FINDINGS];
    uint32_t count;
} view_brief;

/* Finds what has most of each kind; what is small beside the whole is no finding. The functions are the report's.
 * False when memory ran out. */
bool view_brief_make(view_brief *b, const report *r);

/* "own_time", "ns" and "Own time": for programs, and for people. */
const char *view_finding_key(view_finding_kind kind);
const char *view_finding_unit(view_finding_kind kind);
const char *view_finding_title(view_finding_kind kind);

/* Makes the content of `b` the finding in words: "62.1 % Orders.Load (Shop.cs:12), 500 calls; 20.0 % Orders.Read". */
void view_finding_describe(buffer *b, const report *r, const view_finding *f);

/* A function's name without its namespace and parameters. */
bytes view_short_name(const report_function *f);

#endif
