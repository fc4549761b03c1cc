/* overhead.h - the few methods whose probes cost most of what all probes cost, and how to leave them out. */
#ifndef ILINJECT_REPORT_TEXT_OVERHEAD_H
#define ILINJECT_REPORT_TEXT_OVERHEAD_H

#include "report/model/model.h"
#include "report/print/print.h"

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

/* For the head: where probes may have taken more than a tenth of the time, each call at the most that was measured, how
 * much that is, these methods, and the command that writes a configuration without them. False when memory ran out. */
bool overhead_write(printer *out, const report *r);

/* The rule that leaves out what the pattern names, or, without one, the words that there is none; no end of line. */
void overhead_print_exclude(printer *out, bytes pattern);

/* A configuration file that leaves them out, as `--config` reads it. False when memory ran out. */
bool suggestions_write(printer *out, const report *r);

#endif
