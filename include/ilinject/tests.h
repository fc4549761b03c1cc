/* tests.h - questions that a report answers about tests: methods that a test framework calls, or that were named as
 * roots when they were instrumented (docs/tasks/tests.md). */
#ifndef ILINJECT_TESTS_H
#define ILINJECT_TESTS_H

#include <stddef.h>

/* Names are patterns as of ilj_rule, or a part of a test's name. */
typedef struct ilj_test_questions {
    const char *const *tests; /* the report is about these alone, in every format */
    size_t test_count;
    const char *const *covers; /* text: the tests that ran one of these methods */
    size_t covers_count;
    const char *const *changes; /* text: the tests that ran a method which these unified diffs change: paths */
    size_t change_count;
} ilj_test_questions;

#endif
