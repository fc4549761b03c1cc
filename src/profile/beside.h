/* beside.h - what of a call lies beside its probes, by the program's own small methods. */
#ifndef ILINJECT_PROFILE_BESIDE_H
#define ILINJECT_PROFILE_BESIDE_H

#include "profile/profile.h"

/* Where ticks have seen the probes of a run: of the calls of methods that call nothing, and that many ticks came in,
 * half had at most this own time without what ticks saw of probes, in picoseconds. A small method has hardly more than
 * what lies around its probes: the call, its return, what finds the thread's tree. That differs from program to program
 * and with what else the machine does. 0: not known, also where memory ran out. */
uint64_t beside_of_leaves(const profile *p);

#endif
