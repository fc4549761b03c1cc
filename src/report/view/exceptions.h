/* exceptions.h - what a report says of exceptions: rows from a type over its ends down to where it was thrown. */
#ifndef ILINJECT_REPORT_VIEW_EXCEPTIONS_H
#define ILINJECT_REPORT_VIEW_EXCEPTIONS_H

#include "report/model/model.h"

typedef struct view_exception {
    exception_kind kind;
    uint32_t depth; /* 1: a type */
    bytes type;     /* EXCEPTION_TYPE: its name; empty: not known */
    uint32_t outcome;
    const report_function *function; /* EXCEPTION_FRAME; EXCEPTION_END: that caught it; NULL: none */
    uint32_t least, most;            /* EXCEPTION_FRAME: how often in a row; EXCEPTION_GAP: how many frames */
    bool again;                      /* an await has thrown it again */
    bool thrower;                    /* a frame that exceptions only start in: the row says so */
    bool has_figures;                /* else they are those of the row above */
    uint64_t count, ns, average_ns, search_ns, searched, unwound;
    const bytes *messages;
    uint32_t message_count;
    uint32_t more; /* in place of that many, with this `count`: nothing else is there */
} view_exception;

/* The rows in pre-order. Starts all zero but for `r` and the options. */
typedef struct view_exceptions {
    const report *r;
    bool folds;          /* a row that says all of the one below stands for both */
    bool types;          /* no others than rows of types */
    uint32_t top, below; /* the most of types, and below one row; 0: all */
    uint32_t parent, node, depth, position;
    bool begun;
} view_exceptions;
bool view_next_exception(view_exceptions *walk, view_exception *row);

/* Were there any? */
bool view_has_exceptions(const report *r);

#endif
