/* outermost.h - methods that call themselves and cost too much to record: what their outermost calls alone cost.
 *
 * A module that counts calls says how often each of its methods calls such a method from outside of the circle; in a
 * tree those are the calls that have no call of the same method above them. They are recorded where they are made, so
 * that the calls within cost nothing; a caller that is left out itself makes none that could be recorded. */
#ifndef ILINJECT_CHOICE_OUTERMOST_H
#define ILINJECT_CHOICE_OUTERMOST_H

#include "choice/counted.h"

/* Both are positions in counts.list. False when memory ran out. */
bool outermost_add(counts *c, uint32_t callee, uint32_t caller, uint64_t calls);

/* When all were added: sets outer_calls of each method. */
void outermost_sum(counts *c);

/* What those of the method cost; 0: there are none, or nothing is saved by them. `all_ps`: what all calls cost. */
uint64_t outermost_cost(const counts *c, const counted *m, uint64_t all_ps);

/* After a choice: takes the outermost calls of those back that a method which is left out calls. True if there were
 * any. */
bool outermost_take_back(counts *c);

#endif
