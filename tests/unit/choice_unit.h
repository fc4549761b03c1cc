/* choice_unit.h - methods that a choice is made of, for its unit tests. */
#ifndef CHOICE_UNIT_H
#define CHOICE_UNIT_H

#include "choice/choice.h"

#define COSTS(n)                                                                                                       \
    { .calls = (n), .cost_ps = (n) }

/* The next number of a row that `seed` begins; below 2^16. */
static inline uint32_t next_number(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

#endif
