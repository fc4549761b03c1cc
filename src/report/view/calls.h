/* calls.h - what a report says of a call that was seen with its values. */
#ifndef ILINJECT_REPORT_VIEW_CALLS_H
#define ILINJECT_REPORT_VIEW_CALLS_H

#include "report/model/model.h"

/* Values are as the profile has them; calls_append_text and calls_append_json read them. */
typedef struct view_call {
    const calls_call *call;
    const calls_method *method;
    size_t profile;    /* position */
    uint32_t function; /* position */
    bool has_caller;
    uint32_t caller;
    uint64_t thread, start_ns, ns;
    uint64_t synchronous_ns; /* up to the return to its caller */
    bool awaited, unended, lost, cancelled, thrown;
    bool went_on; /* after that return */
    bool has_arguments;
    uint32_t argument_count;
    bool has_this, has_result;
    bytes self, result;
    bool result_by_type; /* its type says that values are not kept */
    bytes exception;     /* when thrown; empty: not known */
} view_call;

view_call view_call_of(const report *r, const calls_shown *shown);

typedef struct view_argument {
    bytes name;
    bool has_before, has_after;
    bytes before, after; /* what it was, and what it became */
    bool by_type;        /* its type says that values are not kept */
    bool absent;         /* it has no value before the call */
} view_argument;

view_argument view_argument_of(const view_call *c, uint32_t i);

/* Has any profile a section of such calls? */
bool view_has_calls(const report *r);

#endif
