/* overhead.h - the few methods with most of the cost of all probes. */
#ifndef ILINJECT_REPORT_VIEW_OVERHEAD_H
#define ILINJECT_REPORT_VIEW_OVERHEAD_H

#include "report/model/model.h"

enum { OVERHEAD_MOST = 10 };

typedef struct overhead {
    const report_function *functions[OVERHEAD_MOST]; /* most first */
    uint32_t count;
    uint64_t weight, whole; /* of these and of all: nanoseconds of probes; calls when the profile is not calibrated */
    bool by_calls;
} overhead;

overhead overhead_of(const aggregate *a);

/* The patterns that leave out all of a method: itself and the state machine that it starts. Each is appended to a
 * cleared `b`, and `each` is called; with no bytes for a method that no pattern can name. */
void overhead_patterns(const report_function *f, buffer *b, void (*each)(void *user, bytes pattern), void *user);

/* "28.5 ns", or "24.1 to 28.5 ns": what a call's probes took. */
void view_describe_call(buffer *out, const profile_run *run);

#endif
