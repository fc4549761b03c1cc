/* calls_place.h - which call of a timeline (section TIME) is which call that was seen with its values (section CALL).
 *
 * Values are read before the probe at a method's head and after those at its end. So a call with values begins no
 * later than its event, lasts no shorter, and no event of that method and thread begins between the two. */
#ifndef ILINJECT_REPORT_MODEL_CALLS_PLACE_H
#define ILINJECT_REPORT_MODEL_CALLS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct calls_event {
    uint64_t thread;       /* managed id */
    uint64_t start, ticks; /* of one profile's clock */
    uint32_t function;     /* for the aggregation */
    bool seen;             /* it is a call with values, not an event */
    uint32_t index;        /* the caller's; callers of events before what they call */
    uint32_t other;        /* the index of what it belongs to, or CALLS_NO_OTHER */
} calls_event;

#define CALLS_NO_OTHER UINT32_MAX

/* Sorts the events of one profile and sets `other` of those that are one call. */
void calls_place(calls_event *events, size_t count);

#endif
