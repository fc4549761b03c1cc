/* correct.h - the probes' own cost is taken off the times of a profile's nodes.
 *
 * Each call has cost its own frame a part (inside) and its caller another (outside). A processor works on what stands
 * before and after a probe while this waits for the clock, so both are less where the method, or its caller, does
 * something: the run says how much where nothing is done (empty), where enough is (work), and outside also where the
 * caller leaves at once (last). Which of them holds follows from the node's times; low and high are what is left when
 * the largest, or the least, is taken. A frame that no leave of its own has closed counts as half a call. Nothing falls
 * below 0. The rules are in docs/profile-format.md. */
#ifndef ILINJECT_REPORT_CORRECT_H
#define ILINJECT_REPORT_CORRECT_H

#include "ilinject.h"
#include "report/profile.h"

typedef struct correct_range {
    uint64_t least, most;
} correct_range;

/* What a call costs within its frame, and in its caller's, in picoseconds. */
correct_range correct_inside(const profile_run *run);
correct_range correct_outside(const profile_run *run);

/* Fills in the times of the thread's nodes, in nanoseconds: as ILJ_OFFSET_CALIBRATED when the run is calibrated, and
 * as recorded otherwise. With ILJ_OFFSET_ARTICLE they are as recorded, and the offsets say what that rule takes off.
 * Of merged threads, where each run was corrected by itself, the times are chosen likewise. */
void correct_thread(const profile_run *run, profile_thread *t, ilj_offset offset);

/* For merging: the times without the probes' cost and the offsets of the article's rule, too; the nodes' ticks and own
 * ticks become what was recorded, in nanoseconds. False when memory ran out: the thread is then as it was. */
bool correct_thread_both(const profile_run *run, profile_thread *t);

#endif
