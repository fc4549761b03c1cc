/* waited.h - how much the threads of a run had to wait for a processor, and times with them. */
#ifndef ILINJECT_PROFILE_WAITED_H
#define ILINJECT_PROFILE_WAITED_H

#include "profile/profile.h"

/* How many thousandths of its running time a thread took because it waited for a processor, and because the machine's
 * host gave the processor to others: 1000 when it did not wait, when nothing is known, and with a clock that stands
 * still meanwhile; at most 1000000. */
uint64_t correct_waiting(const profile_run *run);
/* The same of a time that passed, whatever the run's clock. */
uint64_t correct_passing(const profile_run *run);

/* Did the threads run for less than a millisecond at a time? Then they wait where they are woken up, at a lock or for
 * the network, and not as much everywhere: some methods have all of the waiting in their times, others none. */
bool correct_waits_apart(const profile_run *run);

#endif
