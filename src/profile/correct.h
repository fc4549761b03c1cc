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
 * than 20 ns a call, which a compiler may inline, and of its caller it is without 2 ns more for each such call, as the
 * call itself would not be there. A frame that no leave of its own has closed counts as half a call. Nothing falls
 * below 0. The rules are in docs/profile-format.md. */
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
 * In merged threads, where each run was corrected by itself, the times are chosen likewise. False when memory ran out,
 * as below; `c` has to be cleared all the same. */
bool correct_thread(corrected_thread *c, const profile_run *run, const profile_thread *t, ilj_offset offset);

/* For merging: the times without the probes' cost, the offsets of the article's rule, and the recorded times. Exclusive
 * times hold those in which the thread was blocked. */
bool correct_thread_both(corrected_thread *c, const profile_run *run, const profile_thread *t);

/* The shortest and the longest closed call of a node with its times, each less what the probes have cost a call of the
 * node on average, as its inclusive time is, and at most that. */
profile_span correct_span_known(const corrected_thread *c, const profile_run *run, uint32_t node);
static inline profile_span correct_span(const corrected_thread *c, const profile_run *run, uint32_t node) {
    return c->t.has_spans || c->t.has_corrected_spans ? correct_span_known(c, run, node) : PROFILE_NO_SPAN;
}

/* The times of the folded calls at a node; NULL: not known. */
const corrected_fold *correct_fold_at(const corrected_thread *c, uint32_t node);

void corrected_clear(corrected_thread *c);

#endif
