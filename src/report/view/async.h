/* async.h - what a report says of async methods, and of their calls as a tree. */
#ifndef ILINJECT_REPORT_VIEW_ASYNC_H
#define ILINJECT_REPORT_VIEW_ASYNC_H

#include "report/model/model.h"
#include "report/view/facts.h"

/* An async method, or its calls by one way of async callers. */
typedef struct view_async {
    uint32_t function; /* position */
    uint32_t depth;    /* 1: outermost */
    uint64_t calls, completed, failed, cancelled, open;
    uint64_t suspensions, unlinked; /* unlinked: slices of calls that are not known */
    uint64_t running_ns, awaiting_ns, wall_ns, average_ns;
    bool sums;                    /* all ends are in these figures, also those of unlinked slices */
    bool has_average;             /* else nothing is known of it */
    bool awaiting_sure, all_sure; /* a time of 0 is one; all: wall time and average */
    uint64_t more;                /* in place of that many, with these calls: nothing else is there */
} view_async;

uint32_t view_async_count(const report *r);
view_async view_async_method(const report *r, uint32_t i);

/* The tree in pre-order. Starts all zero but for `r` and the options. */
typedef struct view_async_walk {
    const report *r;
    uint32_t top, below; /* the most of outermost ones, and below one; 0: all */
    uint32_t parent, position, node;
    bool begun;
} view_async_walk;
bool view_next_async(view_async_walk *walk, view_async *row);

/* All but the function and the depth. */
void view_async_facts(const view_async *row, view_facts *facts);

#endif
