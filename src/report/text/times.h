/* times.h - times for people: how far each can be trusted, its part of the whole, and what all of them are. */
#ifndef ILINJECT_REPORT_TEXT_TIMES_H
#define ILINJECT_REPORT_TEXT_TIMES_H

#include "report/model/model.h"
#include "report/print/format.h"
#include "report/print/print.h"
#include "report/view/head.h"

/* A time with ~ before an estimate that may be wrong by more than a tenth, or "≤ " and its high end where there is
 * nothing else. */
figure times_figure(int64_t ns, uint64_t high_ns, times_trust trust);
figure times_exclusive_figure(const report *r, const profile_times *t);
figure times_inclusive_figure(const report *r, const profile_times *t);

/* A figure of a node. */
figure times_counted(profile_figure kind, uint64_t value);

/* The part of all own time that this own time is, in percent: "12.5"; "≤ 12.5" when it is at most its high end; "~12.5"
 * where the ends of this and the others leave open more than a fifth of the part. */
figure times_share(const report *r, const profile_times *t);
/* The same of own time and waiting, of the own time of all and `all_waiting_ns`. */
figure times_time_share(const report *r, const profile_times *t, uint64_t waiting_ns, uint64_t all_waiting_ns);
/* The same of inclusive times. */
figure times_inclusive_share(const report *r, const profile_times *t, const profile_times *whole);

/* The lines below a table that say what its marks mean. */
typedef struct times_marks {
    bool rough, at_most;
} times_marks;
void times_mark(times_marks *marks, times_trust trust);
void times_explain(printer *out, const report *r, times_marks marks);

#endif
