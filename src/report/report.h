/* report.h - the inside of ilj_report: from the bytes of profiles to a report, and the writers of its formats. */
#ifndef ILINJECT_REPORT_REPORT_H
#define ILINJECT_REPORT_REPORT_H

#include "report/aggregate.h"
#include "report/format.h"
#include "report/print.h"

/* One profile. The diag names its file. */
typedef struct report_input {
    bytes content;
    diag *d;
    bool at_path; /* the content is that of the diag's file */
} report_input;

/* Reads all inputs, one after another, tells what is wrong with each, and writes nothing unless all are whole. The last
 * options->before_count of them are those to compare with; there is at least one more. Formats that do not show the
 * profiles' own trees take the memory of one profile and of the merged tree. Returns ECMA_OK, ECMA_BAD_FILE,
 * ECMA_UNSUPPORTED, ECMA_IO (the caller's function refused a write), ECMA_NO_MEMORY. */
ecma_status report_run(const report_input *inputs, size_t count, const ilj_report_options *options, ilj_write_fn *write,
                       void *user);

/* ---- For the writers -------------------------------------------------------------------------------------------- */

/* What is reported. The profiles' trees are there for JSON only. */
typedef struct report {
    const aggregate *sum;
    const profile *profiles;
    size_t profile_count;
    const struct report *before; /* what a page compares with; NULL: nothing */
    const ilj_report_options *options;
} report;

/* The functions by a key, most first (names: alphabetical), times as far as they are certain (trust.h), equal ones by
 * name. To be freed; NULL without memory. */
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
/* The same as far as they are certain: what they are put in order by. */
static inline int64_t report_certain_exclusive(const aggregate *a, const profile_times *t) {
    bool open = times_own_trust(t, a->totals.exclusive_ns) == TIMES_AT_MOST;
    return open ? (int64_t)t->exclusive_low_ns : report_exclusive(t);
}
static inline int64_t report_certain_inclusive(const aggregate *a, const profile_times *t) {
    bool open = times_inclusive_trust(t, a->totals.exclusive_ns) == TIMES_AT_MOST;
    return open ? (int64_t)t->inclusive_low_ns : report_inclusive(t);
}
/* Inclusive time per call. */
static inline int64_t report_average(const report_function *f) {
    return f->calls ? report_inclusive(&f->times) / (int64_t)f->calls : 0;
}

/* A time with ~ before what is rough, or "≤ " and its high end. */
figure times_figure(int64_t ns, uint64_t high_ns, times_trust trust);
figure times_exclusive_figure(const report *r, const profile_times *t);
figure times_inclusive_figure(const report *r, const profile_times *t);

/* The part of all own time that this own time is, in percent: "12.5"; "≤ 12.5" when it is at most its high end; "9–14"
 * where the ends of this and the others leave open more than a fifth of the part. */
figure times_share(const report *r, const profile_times *t);
/* The same of the inclusive time, of all that the tree's root has. */
figure times_inclusive_share(const report *r, const profile_times *t);

/* The lines below a table that say what its marks mean. */
typedef struct times_marks {
    bool rough, at_most;
} times_marks;
void times_mark(times_marks *marks, times_trust trust);
void times_explain(printer *out, const report *r, times_marks marks);

/* For the head: how the machine was, and what it did beside the program's work, where that matters. */
void machine_write(printer *out, const report *r, const profile_run *run);
/* The same for all profiles: methods that had been compiled ahead of time and were compiled anew, where just-in-time
 * compiling took a tenth of the time in a run, or is not known. */
void compiled_anew_write(printer *out, const report *r);
/* Methods of which a single call took most of the time, where there are any. */
bool one_call_write(printer *out, const report *r);

/* For the head: the price of recording that the governor had to keep in the profile at `position`. */
void governor_write(printer *out, const report *r, const profile *p, uint32_t position);
/* The methods that were switched off while the program ran, as far as the filter wants them, those with the most calls
 * till then first. The array is the caller's to free; NULL: memory ran out. */
const report_switch **report_switches(const aggregate *a, uint32_t *count);
/* The table of them, if there are any; false: memory ran out. */
bool switched_write(printer *out, const report *r);

/* The lines of the head that say of which runs a merged profile is. */
void merged_write(printer *out, const profile *p);

/* The line of the head that says what the times are. */
void times_describe(buffer *b, const report *r);
void times_write(printer *out, const report *r);
/* The cost of a call, it and its caller together: "54.0 to 79.5 ns". */
void times_describe_call(buffer *out, const profile_run *run);

/* How a format is written. */
typedef struct report_format {
    bool (*write)(printer *out, const report *r); /* false: memory ran out; refused writes stay in the printer */
    bool profiles;                                /* it reads the profiles' own trees */
    bool calls;                                   /* it reads their calls that were seen with their values */
    bool threads;                                 /* it always has the threads apart */
    bool as_called;                               /* children in the order of their first calls */
    bool timeline;                                /* it is made of one: some profile has to have it */
    bool cut;                                     /* each line or stack takes its depth: see cut.h */
} report_format;

extern const report_format report_formats[ILJ_REPORT_FORMAT_COUNT]; /* by ilj_report_format */

/* Those for people, and the one for programs that holds all there is. */
bool text_write(printer *out, const report *r);
bool calltree_write(printer *out, const report *r);
bool json_write(printer *out, const report *r);

/* The table of functions, or of what they are parts of. */
bool functions_write(printer *out, const report *r);
/* REPORT_COLUMN is told when one of these columns is not known; NULL is well. */
ecma_status text_check_columns(const char *columns, diag *d);

/* From where the functions were called that took most of the time, or that the filter wants. */
bool callers_write(printer *out, const report *r);
/* In JSON: a member, absent when no profile has such calls. `positions`: those of the functions. */
void json_write_calls(printer *out, const report *r, const uint32_t *positions);

/* Calls that were seen with their values; all of them in the order of time, to be freed, NULL: memory ran out. */
typedef struct calls_shown {
    const profile *p;
    const calls_call *call;
} calls_shown;
bool calls_write(printer *out, const report *r);
calls_shown *calls_sorted(const report *r, uint32_t *count);

/* Appends one of them for people: whole with its name; what its name is followed by where it begins; what it returned,
 * threw and changed, behind a space, or nothing. */
void calls_describe(buffer *b, const report *r, const profile *p, const calls_call *call);
void calls_describe_begin(buffer *b, const calls_method *m, const calls_call *call);
void calls_describe_end(buffer *b, const calls_method *m, const calls_call *call);
/* The path that took most of the time. */
bool hot_write(printer *out, const report *r);

/* Prints a line of the head in as many columns as there are, what has no room below it, and empties `b`. */
void print_fitted(printer *out, const report *r, buffer *b);

/* Prints text that begins at a column in as many lines as it needs, the further ones from there on, at
 * most in so many; what is left out is an ellipsis. `width` 0: unlimited. */
void print_wrapped(printer *out, bytes text, size_t column, size_t width, unsigned lines);

/* What a thread is called: `Thread 7 name`, with its program when there are several profiles. */
void thread_describe(buffer *b, const report *r, const report_thread *t);

/* The call tree without what is very deep, or below 1 % of the whole; below 2, 5 or 10 % when more than `most` nodes
 * would be left. */
bool tree_write_main(printer *out, const report *r, uint32_t most);

/* What exceptions did, and the async methods with their logical call tree when it is asked for, each behind an empty
 * line; nothing when there are none. */
void exceptions_write(printer *out, const report *r);
void async_write(printer *out, const report *r);
/* The logical call tree alone, likewise. */
void async_write_tree(printer *out, const report *r);

#endif
