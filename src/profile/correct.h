/* correct.h - the probes' own cost is taken off the times of a profile's nodes.
 *
 * Each call has cost its own frame a part (inside) and its caller another (outside). A processor works on what stands
 * before and after a probe while this waits for the clock, so both are less where the method, or its caller, does
 * something: the run says how much where nothing is done (empty), where enough is (work), and outside also where the
 * caller leaves at once (last). Which of them holds follows from the node's times.
 *
 * The cost that is taken off is the mean over the run where that is known, else what a call costs where the machine
 * is quiet; times as much as the program's threads had to wait for a processor, since probes waited as the rest did.
 * The high end of a time is what is left when a call costs the least that was measured, the low end when it costs the
 * most. The low end is 0 of a method so small that nothing is left where a compiler has inlined it. For one of less
 * than 20 ns a call, which a compiler may inline, and of its caller it is without 2 ns more for each such call, as
 * the call itself would not be there. A frame that no leave of its own has closed counts as half a call. Nothing
 * falls below 0.
 *
 *     own time  - calls x inside - calls of the children x outside        what is below 0 is 0
 *     inclusive = own time + the inclusive times of the children + folded ticks
 *
 * Each quantity is the mean over the run where that is known, else the quiet one, times (ran + ready) / ran and
 * 1000 / (1000 - stolen permille) where those are known (with the clock `cpu` neither counts).
 *
 * - inside: `empty` where the node's time per call is that or less, `work` from half of |empty - work| above it on,
 *   and on a line between. (A method does in parallel with the probe what takes less time than that gap.)
 * - outside: `empty` where the own time of the calling node, per call of its children, is that or less, w from twice
 *   |empty - w| above it on, and on a line between. w is `work`, but in 4 of 5 frames of the caller the last call
 *   counts as `last`: w = work + (last - work) x 4/5 x calls of the caller / calls of its children (at most 1).
 * - low and high: the largest inside and outside and a sixteenth more, or the least and a sixteenth less. The
 *   largest is of the five quantities, their means and their high values, the last two times the factors above; the
 *   least is of the five quantities and their means.
 * - An own time of a node has 0 as its low end when it is less per call than the range of inside among the five
 *   quantities, a sixteenth more and less, or than 5 ns. A compiler that inlines the method may save all of it.
 * - With PROB the ticks in a node's probes are taken off its own time. What lies beside them the program's own small
 *   methods show (beside.h): inside is the median of theirs, at least a quarter of beside_probes_ps times the waiting,
 *   outside three quarters of that; half of each in the high figure, half more in the low one. Where it is more than
 *   twice beside_probes_ps times the waiting, or not known, both are half of that; 0 in the high figure, twice that in
 *   the low one. Only then are the 2 ns of an inlined call reckoned.
 * - Folded calls cost inside_folded_ps and outside_folded_ps. In the own time of the node that made them, calls
 *   that were taken back cost taken_back_ps, those that were not recorded skipped_ps. All of these count times the
 *   waiting; half more of that at the low end, and half of them without the waiting at the high one. Folded ticks
 *   are without the cost of all folded calls within them. Where a key is missing, it is the mean of empty calls, at
 *   most four times that.
 * - Without FOLD the caller of a folded call is not known. It pays outside itself (in the high figure no node
 *   does), and folded ticks shrink as the thread's folded calls do. The low end of a node with folded ticks is as
 *   if it had made all of them.
 * - Where (ran + ready) / ran is at least 1.1 ranges are wider: if ran / slices is below 1 ms, low ends are divided
 *   by it; else they go by how many waits fell into a time (waited.h). */
#ifndef ILINJECT_PROFILE_CORRECT_H
#define ILINJECT_PROFILE_CORRECT_H

#include "ilinject.h"
#include "profile/corrected.h"

typedef struct correct_range {
    uint64_t least, most;
} correct_range;

/* The cost of a call within its frame, and in its caller's, in picoseconds: the least and the most that was measured,
 * as the same run has waited. */
correct_range correct_inside(const profile_run *run);
correct_range correct_outside(const profile_run *run);

/* The cost of the probes of all calls of a profile, in nanoseconds; both 0 when it is not calibrated. */
correct_range correct_probes(const profile *p);

/* Makes the times of the nodes of `t`, a thread of that run, exclusive ones without the time in which the thread was
 * blocked, which stands apart: as ILJ_OFFSET_CALIBRATED when the run is calibrated, and
 * as recorded otherwise. With ILJ_OFFSET_ARTICLE they are as recorded, and the offsets say what that rule takes off.
 * In merged threads, where each run was corrected by itself, the times are chosen likewise. False when memory ran
 * out, as below; `c` has to be cleared all the same. */
bool correct_thread(corrected_thread *c, const profile_run *run, const profile_thread *t, ilj_offset offset);

/* For merging: the times without the probes' cost, the offsets of the article's rule, and the recorded times.
 * Exclusive times hold those in which the thread was blocked. */
bool correct_thread_both(corrected_thread *c, const profile_run *run, const profile_thread *t);

/* The shortest and the longest closed call of a node with its times, each less what the probes have cost a call of
 * the node on average, as its inclusive time is, and at most that. */
profile_span correct_span_known(const corrected_thread *c, const profile_run *run, uint32_t node);
static inline profile_span correct_span(const corrected_thread *c, const profile_run *run, uint32_t node) {
    return c->t.has_spans || c->t.has_corrected_spans ? correct_span_known(c, run, node) : PROFILE_NO_SPAN;
}

/* The times of the folded calls at a node; NULL: not known. */
const corrected_fold *correct_fold_at(const corrected_thread *c, uint32_t node);

void corrected_clear(corrected_thread *c);

#endif
