/* gate.h - conditions under which a comparison fails: `PATTERN: METRIC > LIMIT [and LIMIT]...`.
 *
 * The pattern is one of docs/configuration.md, of the names as they are shown; METRIC is calls, exclusive, inclusive,
 * exceptions, or a figure that is counted, as bytes or inclusive-bytes. LIMIT is `+10%` or `+5ms`, `+100`: how much
 * more than before; or `5ms`, `100`: how much after. It is held against what is certain: of counts the least of the
 * runs after against the most of those before, of times what noise leaves at least. A method that is new has no before:
 * for it `+10%` says nothing, other limits count from 0. Each of the limits that `and` joins has to be exceeded. */
#ifndef ILINJECT_REPORT_DIFF_GATE_H
#define ILINJECT_REPORT_DIFF_GATE_H

#include "report/diff/diff.h"
#include "select/pattern.h"

typedef enum diff_limit_kind { DIFF_LIMIT_PERCENT, DIFF_LIMIT_MORE, DIFF_LIMIT_VALUE } diff_limit_kind;

typedef struct diff_limit {
    diff_limit_kind kind;
    double value; /* a percentage, nanoseconds or a count */
} diff_limit;

enum { DIFF_LIMITS = 4 }; /* in one condition */

typedef struct diff_gate {
    const char *text; /* as it was given, borrowed */
    pattern pattern;
    diff_metric metric;
    diff_limit limits[DIFF_LIMITS];
    uint32_t limit_count;
    uint32_t named; /* methods that the pattern names; counted by who asks */
    bool untimed;   /* it asks for a time, and there is none */
    bool uncounted; /* it asks for a figure that was not counted */
    uint32_t held;  /* those for which it held */
} diff_gate;

/* Returns ECMA_OK, ECMA_CONFIG (`fault` gets what is wrong, at most DIFF_FAULT bytes), ECMA_NO_MEMORY. */
enum { DIFF_FAULT = 200 };
ecma_status diff_gate_parse(diff_gate *g, const char *text, arena *a, char fault[DIFF_FAULT]);

/* Does the condition hold for this method, so that the comparison fails? Compares counts and times, but no names. */
bool diff_gate_holds(const diff_gate *g, const diff *d, uint32_t method);

/* Does the pattern name it? False without memory, too: `scratch` has then failed. */
bool diff_gate_names(const diff_gate *g, const diff_function *f, buffer *scratch);

#endif
