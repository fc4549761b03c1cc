/* text.h - the report for people, and its parts. A part that has nothing to say prints nothing. Each
 * function that returns a bool returns false when memory ran out. */
#ifndef ILINJECT_REPORT_TEXT_TEXT_H
#define ILINJECT_REPORT_TEXT_TEXT_H

#include "report/model/model.h"
#include "report/model/rows.h"
#include "report/print/print.h"

/* Two of the formats; the parts of the first follow. */
bool text_write(printer *out, const report *r);
bool calltree_write(printer *out, const report *r);

/* What dominates, in five lines at most (report/view/brief.h). */
bool brief_write(printer *out, const report *r);

/* The table of functions, or of what they are parts of. */
/* What the text calls an idle node: the name of the first of `count`, and the place of its wait. */
void idle_describe(buffer *b, const aggregate *a, uint32_t node, uint32_t count);
/* Below the table: what waited while others worked (report/model/idle.h), if anything did. False when memory ran out. */
bool idle_write_row(printer *out, const report *r, const report_rows *rows);
bool functions_write(printer *out, const report *r);
/* REPORT_COLUMN is told when one of these columns is not known; NULL is well. */
ecma_status text_check_columns(const char *columns, diag *d);

/* Methods of which a single call took most of the time, where there are any. */
/* `rest`: but for the one that the line has. */
bool one_call_write(printer *out, const report *r, bool rest);
/* The longest one as a line, if it took a large part of all time. */
bool one_call_write_line(printer *out, const report *r);

/* The table of the methods that were switched off while the program ran, if there are any; false: memory ran out. */
bool switched_write(printer *out, const report *r);
void left_out_write(printer *out, const report *r);

/* From where the functions were called that took most of the time, or that the filter wants. */
bool callers_write(printer *out, const report *r);
/* The objects that were counted, by type; with more than `most` types the rest is a line, and with all there are the
 * places that have allocated them below each type. After an empty line; nothing when there are none. */
bool objects_write(printer *out, const report *r, uint32_t most);
/* The methods that were never called. */
bool never_write(printer *out, const report *r);
/* Calls that were seen with their values. */
bool calls_write(printer *out, const report *r);

/* The table of tests, with what sets them up and all other code. */
bool tests_write(printer *out, const report *r);
/* The names of the tests that ran one of r->wanted, a line each. */
bool tests_write_that_ran(printer *out, const report *r);

/* The path that took most of the time. */
bool hot_write(printer *out, const report *r);
/* The same as two lines at most, which have its end; nothing when it has one frame, or a filter is asked for. */
bool hot_write_line(printer *out, const report *r);

/* The call tree without what is very deep, or below 1 % of the whole; below 2, 5 or 10 % when more than `most` nodes
 * would be left. */
bool tree_write_main(printer *out, const report *r, uint32_t most);

/* The exceptions, and the async methods with their logical call tree when it is asked for, each after an empty
 * line; nothing when there are none. */
void exceptions_write(printer *out, const report *r);
void async_write(printer *out, const report *r);
/* The logical call tree alone, likewise. */
void async_write_tree(printer *out, const report *r);

#endif
