/* ahead.h - what goes of the code that was compiled ahead (ReadyToRun) when a method is instrumented: its own, and that
 * of all that inlined it, as the names of a module that counts calls alone have it. */
#ifndef ILINJECT_CHOICE_AHEAD_H
#define ILINJECT_CHOICE_AHEAD_H

#include "choice/counted.h"

typedef struct ahead {
    choice_inliners inliners; /* without `first`: nothing is known of such code */
    uint64_t compiling_ps;    /* what it costs to compile all of it again, as a run that counts does */
    uint64_t compiled_ps;     /* the part of counted.compiled_ps that is of methods which had such code */
} ahead;

/* Finds it for the methods in this order. All belongs to the arena of `c`. False when memory ran out. */
bool ahead_find(ahead *found, counts *c, counted *const *order, uint32_t count);

#endif
