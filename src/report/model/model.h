/* model.h - the content of a report, and the questions that several formats have. A format includes
 * this file, and no header of another format. */
#ifndef ILINJECT_REPORT_MODEL_MODEL_H
#define ILINJECT_REPORT_MODEL_MODEL_H

#include "profile/calls.h"
#include "report/model/aggregate.h"
#include "report/model/trust.h"

/* The content. */
typedef struct report {
    const aggregate *sum;
    const profile *profiles;        /* of all formats their runs, else as the format asks */
    const matched_profile *matched; /* of each profile: what its nodes and calls count for, as far as it is there */
    size_t profile_count;
    const struct report *before; /* what a page compares with; NULL: nothing */
    const ilj_report_options *options;
    const bool *wanted;        /* by function: tests that ran these are asked for; NULL: nothing is asked */
    const struct trend *trend; /* trend.h; NULL: the format has none */
} report;

/* The functions by a key, most first (names: alphabetical), times as they are estimated, equal ones by name. To be
 * freed; NULL without memory. */
const report_function **report_sorted(const aggregate *a, ilj_sort_key key);

/* "async", "iterator", "async iterator", "runtime async", or nothing: what the machine of a function is. */
const char *report_machine_name(uint32_t machine);

/* The times that a report shows of a function or node: without what is still to be taken off. */
static inline int64_t report_exclusive(const profile_times *t) {
    return (int64_t)t->exclusive_ns - (int64_t)t->exclusive_offset_ns;
}
static inline int64_t report_inclusive(const profile_times *t) {
    return (int64_t)t->inclusive_ns - (int64_t)t->inclusive_offset_ns;
}
/* Inclusive time per call: of all its calls, also those below others of its own. Where slices or steps of its calls
 * stand apart it is what all of them took. Of a function whose calls were all folded, by a tracker that tells their own
 * time alone, the average is no less than the shortest call. */
static inline int64_t report_average(const report_function *f) {
    if (f->apart || f->averaged_calls == 0) {
        int64_t known = f->calls ? report_inclusive(&f->times) / (int64_t)f->calls : 0;
        bool folded = !f->apart && durations_has_span(&f->durations);
        return folded && known < (int64_t)f->durations.min_ns ? (int64_t)f->durations.min_ns : known;
    }
    return report_inclusive(&f->averaged) / (int64_t)f->averaged_calls;
}
/* How far it can be trusted, and its ends; the high one rounded up. */
static inline times_trust report_average_trust(const aggregate *a, const report_function *f) {
    bool own = !f->apart && f->averaged_calls > 0;
    return times_inclusive_trust(own ? &f->averaged : &f->times, a->totals.exclusive_ns);
}
static inline uint64_t report_average_low(const report_function *f) {
    bool own = !f->apart && f->averaged_calls > 0;
    uint64_t calls = own ? f->averaged_calls : f->calls;
    return calls ? (own ? &f->averaged : &f->times)->inclusive_low_ns / calls : 0;
}
static inline uint64_t report_average_high(const report_function *f) {
    bool own = !f->apart && f->averaged_calls > 0;
    uint64_t calls = own ? f->averaged_calls : f->calls;
    return calls ? profile_add((own ? &f->averaged : &f->times)->inclusive_high_ns, calls - 1) / calls : 0;
}

/* The functions of a call that was seen with its values, one of r->profiles, and of its caller, or FUNCTION_ROOT. */
static inline uint32_t report_called(const report *r, const profile *p, const calls_call *call) {
    return r->matched[p - r->profiles].methods[call->method];
}
static inline uint32_t report_caller(const report *r, const profile *p, const calls_call *call) {
    return r->matched[p - r->profiles].callers[call - p->calls.list];
}

/* Appends the name of a thread: `Thread 7 name`, with its program when there are several profiles. */
void thread_describe(buffer *b, const report *r, const report_thread *t);

/* Calls that were seen with their values; all of them in the order of time, to be freed, NULL: memory ran out. */
typedef struct calls_shown {
    const profile *p;
    const calls_call *call;
} calls_shown;
calls_shown *calls_sorted(const report *r, uint32_t *count);

#endif
