/* questions.h - what is asked about tests: which functions a question is about. */
#ifndef ILINJECT_REPORT_QUESTIONS_H
#define ILINJECT_REPORT_QUESTIONS_H

#include "base/diag.h"
#include "report/model/model.h"

/* Before profiles are read: the tests that the report is about. Returns ECMA_OK, ECMA_CONFIG (reported),
 * ECMA_NO_MEMORY. */
ecma_status questions_begin(aggregate *sum, const ilj_test_questions *asked, diag *d);

/* *wanted: by function, those that tests are asked for, to be freed; NULL: nothing is asked. Files of diffs that have
 * no method are reported, and calls of those functions that are in the tree of no test. Returns ECMA_OK, ECMA_CONFIG,
 * ECMA_IO, ECMA_NO_MEMORY. */
ecma_status questions_find(bool **wanted, const report *r, diag *d);

#endif
