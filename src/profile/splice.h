/* splice.h - methods that the governor switched off are taken out of a thread's tree, as if they had never been
 * instrumented: figures from before and after would give a wrong average.
 *
 * A node's callees become its caller's, and so does its own time; what the probes of its calls have cost was taken off
 * before (correct.h), where it was. Its calls, frames, histogram and events are dropped; an exception that was seen
 * first or caught there was so in its caller. The time of one that has no caller is nobody's. A plain method on the way
 * to an async call is marked (profile_async), as its node is gone. */
#ifndef ILINJECT_PROFILE_SPLICE_H
#define ILINJECT_PROFILE_SPLICE_H

#include "profile/correct.h"

/* Is the method with this id to be taken out of the profile's trees? Not out of those that were merged: each run has
 * done it by itself. */
bool splice_takes(const profile *p, uint32_t id);

/* Takes such nodes out of `c`, a corrected thread of `p`, whose arrays are then its own as far as they differ from the
 * profile's. The other nodes keep their order; two of them may now be the same method's with the same caller. False
 * when memory ran out: `c` is then of no more use than to be cleared. */
bool splice_thread(corrected_thread *c, const profile *p);

#endif
