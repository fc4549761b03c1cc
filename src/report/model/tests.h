/* tests.h - the trees of what a framework calls: a test, what sets it up, a fixture; of endpoints; and of the roots
 * that the user named. A call of such a method that stands in no other one's is a tree's root. All other code is one
 * row, so that the inclusive times of all rows add up to the whole. What completes an async test goes on with the
 * framework's code in the frame of the test's last slice: what that frame took beyond the end of the call is other
 * code's. */
#ifndef ILINJECT_REPORT_MODEL_TESTS_H
#define ILINJECT_REPORT_MODEL_TESTS_H

#include "report/model/model.h"

typedef struct test_row {
    const report_function *function; /* NULL: code that is in no such tree */
    uint8_t kind;                    /* its root; 0 as well */
    uint64_t calls;                  /* of the roots of its trees: rows of a theory are calls */
    uint64_t below;                  /* calls of methods in them, the roots' too */
    uint64_t thrown;                 /* the same that an exception left */
    profile_times times;             /* inclusive of the trees; exclusive of the method itself */
    uint64_t waiting_ns;             /* while threads were blocked: a part of the inclusive time */
    uint64_t self_waiting_ns;        /* of it in the method itself */
    uint64_t running_ns;             /* of an async method: its slices, till its calls ended; else 0 */
    uint64_t awaiting_ns;            /* between suspensions of the method and what ran next */
    uint64_t duration_ns;            /* from start to end: of an async method by its calls that ended, else inclusive */
    uint64_t set_up_ns; /* durations of what sets up and ends its objects, in equal parts for each call that uses it */
    uint64_t figures[FIGURES];     /* of the trees */
    const report_function *reason; /* the one that has most of the time; NULL: none has any */
    uint64_t reason_ns;            /* of that: own time, blocked and awaiting */
    bool reason_waits;             /* most of it was not own time */
    uint32_t rank;
} test_row;

typedef struct test_rows {
    test_row *rows; /* tests, named roots and requests; then what sets up and ends; the other code last, if any */
    uint32_t count;
    uint32_t tests;    /* of them the first ones */
    uint32_t *row_of;  /* by node: a position in rows */
    uint64_t whole_ns; /* inclusive times of all rows */
} test_rows;

/* Is there a test, a root that was named, or a request among the functions? */
bool tests_any(const aggregate *a);

/* All zero, tests_make, use, tests_clear. Sorted as the options ask: by duration where that names none of the figures
 * here. False: memory ran out. */
bool tests_make(test_rows *t, const report *r);
void tests_clear(test_rows *t);

/* Is it something that runs by itself: a test, a root that was named, a request? */
static inline bool test_is_one(uint8_t kind) {
    return kind == NAMES_ROOT_TEST || kind == NAMES_ROOT_OWN || kind == NAMES_ROOT_REQUEST;
}

/* "test", "set-up" and so on; of 0 "other". */
const char *test_kind_name(uint8_t kind);

/* The display name, else the full name. */
bytes test_name(const report_function *f);

/* Fills in, for each of the first t->tests rows, whether it ran one of the functions, or what sets it up did. `wanted`:
 * by function. False: memory ran out. */
bool tests_that_ran(bool *ran, const test_rows *t, const report *r, const bool *wanted);

/* Leaves nothing in the tree, the functions and the totals but the trees of the tests that are asked for: a part of
 * aggregate_finish. False: memory ran out. */
bool tests_keep(aggregate *a);

#endif
