/* times.h - times for people: how far each can be trusted, its part of the whole, and what all of them are. */
#ifndef ILINJECT_REPORT_TEXT_TIMES_H
#define ILINJECT_REPORT_TEXT_TIMES_H

#include "report/model/model.h"
#include "report/print/format.h"
#include "report/print/print.h"

/* A time with ~ before what is rough, or "≤ " and its high end. */
figure times_figure(int64_t ns, uint64_t high_ns, times_trust trust);
figure times_exclusive_figure(const report *r, const profile_times *t);
figure times_inclusive_figure(const report *r, const profile_times *t);

/* A figure of a node. */
figure times_counted(profile_figure kind, uint64_t value);

/* The part of all own time that this own time is, in percent: "12.5"; "≤ 12.5" when it is at most its high end; "9–14"
 * where the ends of this and the others leave open more than a fifth of the part. */
figure times_share(const report *r, const profile_times *t);
/* The same of a node's inclusive time without what was waited below it, of all that the tree's root has. */
figure times_working_share(const report *r, const report_node *n);

/* The lines below a table that say what its marks mean. */
typedef struct times_marks {
    bool rough, at_most;
} times_marks;
void times_mark(times_marks *marks, times_trust trust);
void times_explain(printer *out, const report *r, times_marks marks);

/* The line of the head that says what the times are. */
void times_describe(buffer *b, const report *r);
void times_write(printer *out, const report *r);
/* Did threads wait for a part of the whole that is worth telling? Then the head has a line about that. */
bool times_has_waits(const report *r);
void times_write_waits(printer *out, const report *r);
/* The lines about what was allocated, or why nobody knows, and about collections. Nothing where nobody has asked. */
void times_write_objects(printer *out, const report *r);
void times_write_bytes(printer *out, const report *r);
void times_write_collections(printer *out, const report *r);
/* The cost of a call, it and its caller together: "54.0 to 79.5 ns". */
void times_describe_call(buffer *out, const profile_run *run);

#endif
