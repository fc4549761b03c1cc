/* head_lines.h - between the files that make a head's lines (head.h). */
#ifndef ILINJECT_REPORT_VIEW_HEAD_LINES_H
#define ILINJECT_REPORT_VIEW_HEAD_LINES_H

#include "report/view/head.h"

enum { HEAD_COLUMN = 9 }; /* where what follows a title stands */

/* Begins a line; "" as title: it belongs to the one above. The text is to be appended to what is returned. */
buffer *head_begin(view_head *h, const char *title);
void head_end(view_head *h, view_line_kind kind);
/* Takes the line back that was begun. */
void head_drop(view_head *h);
/* Ends the text before a function's name; head_end_function ends what stands after it. */
void head_function(view_head *h, const report_function *f);
void head_end_function(view_head *h, size_t taken, size_t least);

/* Of one run: what it was, and how the machine was. */
void head_add_merged(view_head *h, const profile *p);
void head_add_machine(view_head *h, const report *r, const profile_run *run);
/* Just-in-time compiling and garbage collections, where they took a tenth of the run's time. */
void head_add_runtime_work(view_head *h, view_line_kind kind, const profile_run *run);
/* The price of recording that the governor had to keep in the profile at `position`. */
void head_add_governor(view_head *h, const report *r, uint32_t position);

/* Of all: the labels; `own`: also those that runs have without being given one. Nothing where there are none. */
void head_add_labels(view_head *h, const report *r, bool own);

/* How many methods were called that had been compiled ahead, as far as the names say, and the processor time of a run
 * that compiled them: the part that they have of all that it compiled. 0: not known. */
uint64_t head_compiled_again(const report *r);
uint64_t head_compiled_again_ns(const profile_run *run, uint64_t methods);

/* Of all: methods that had been compiled ahead of time and were compiled again, where just-in-time compiling took a
 * tenth of the time in a run, or is not known. */
void head_add_compiled_again(view_head *h, const report *r);
void head_add_times(view_head *h, const report *r);
/* How long threads were blocked, and where most; how many bytes they allocated, and where most; the objects of
 * the program's own code, by type; and the garbage collections. */
void head_add_waits(view_head *h, const report *r);
void head_add_bytes(view_head *h, const report *r);
void head_add_objects(view_head *h, const report *r);
void head_add_collections(view_head *h, const report *r);
/* Where probes may have taken more than a tenth of the time, each call at the most that was measured: how much that is,
 * the few methods that most of it comes from, and the command that writes a configuration without them. */
void head_add_overhead(view_head *h, const report *r);

#endif
