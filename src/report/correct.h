/* correct.h - the probes' own cost is taken off the times of a profile's nodes.
 *
 * Each call has cost its own frame a part (inside) and its caller another (outside); the run says how much, on calls of
 * an empty method and of one that works for CORRECT_WORK_PS. What holds between the two is drawn as a line; low and
 * high are what is left when the larger, or the smaller, of the two is taken. A frame that no leave of its own has
 * closed counts as half a call. Nothing falls below 0. */
#ifndef ILINJECT_REPORT_CORRECT_H
#define ILINJECT_REPORT_CORRECT_H

#include "ilinject.h"
#include "report/profile.h"

enum { CORRECT_WORK_PS = 60000 };

/* Fills in the times of the thread's nodes, in nanoseconds: as ILJ_OFFSET_CALIBRATED when the run is calibrated, and
 * as recorded otherwise. With ILJ_OFFSET_ARTICLE they are as recorded, and the offsets say what that rule takes off.
 * Of merged threads, where each run was corrected by itself, the times are chosen likewise. */
void correct_thread(const profile_run *run, profile_thread *t, ilj_offset offset);

/* For merging: the times without the probes' cost and the offsets of the article's rule, too; the nodes' ticks and own
 * ticks become what was recorded, in nanoseconds. False when memory ran out: the thread is then as it was. */
bool correct_thread_both(const profile_run *run, profile_thread *t);

#endif
