/* tests.h - what a framework calls, in a page: a row each of its table. */
#ifndef ILINJECT_REPORT_PAGE_TESTS_H
#define ILINJECT_REPORT_PAGE_TESTS_H

#include "report/model/model.h"
#include "report/print/print.h"

/* A member, absent where there are none. `text` is written over. False: memory ran out. */
bool page_tests_write(printer *out, const report *r, buffer *text);

#endif
