#include "profile/waited.h"

/* How long a run's threads waited for a processor. */

typedef unsigned __int128 wide;

uint64_t correct_passing(const profile_run *run) {
    enum { WHOLE = 1000, MOST = 1000000 };
    const profile_conditions *m = &run->machine;
    wide ran = m->ran_ns, needed = ran + m->ready_ns;
    if (ran == 0)
        needed = ran = 1;
    uint64_t left = m->stolen_permille < WHOLE ? WHOLE - m->stolen_permille : WHOLE;
    wide permille = needed * WHOLE * WHOLE / (ran * left);
    return permille > MOST ? MOST : (uint64_t)permille;
}

uint64_t correct_waiting(const profile_run *run) {
    enum { WHOLE = 1000 };
    static const char cpu[] = "cpu"; /* this clock does not go on while a thread waits */
    return bytes_equal(run->clock, bytes_of(cpu, sizeof cpu - 1)) ? WHOLE : correct_passing(run);
}

bool correct_waits_apart(const profile_run *run) {
    enum { SLICE_NS = 1000000, LEAST_WAITING = 1100 };
    const profile_conditions *m = &run->machine;
    return m->slices > 0 && m->ran_ns / m->slices < SLICE_NS && correct_waiting(run) >= LEAST_WAITING;
}
