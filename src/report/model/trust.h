/* trust.h - how far a time can be trusted, which lies between two ends.
 *
 * TIMES_SURE: the ends are near, or what lies between them is little beside the whole. TIMES_ROUGH: they leave open
 * more than a tenth. TIMES_OPEN: the low end is less than half of the high one. TIMES_AT_MOST: so it is, and the
 * estimate is next to nothing, so that the high end alone says something.
 *
 * Times are put in order and added up as they are estimated, however far they can be trusted. */
#ifndef ILINJECT_REPORT_MODEL_TRUST_H
#define ILINJECT_REPORT_MODEL_TRUST_H

#include "profile/profile.h"

typedef enum times_trust { TIMES_SURE, TIMES_ROUGH, TIMES_OPEN, TIMES_AT_MOST } times_trust;

/* `whole_ns`: the own time of all functions, as estimated. */
static inline times_trust times_trust_of(uint64_t ns, uint64_t low_ns, uint64_t high_ns, uint64_t whole_ns) {
    /* One part in that many: of the time, of the whole, and of the high end. */
    enum { NOTICEABLE = 10, WORTH_TELLING = 200, NOTHING = 100 };
    uint64_t range = high_ns > low_ns ? high_ns - low_ns : 0;
    if (range <= whole_ns / WORTH_TELLING)
        return TIMES_SURE;
    if (low_ns < high_ns / 2)
        return ns < high_ns / NOTHING ? TIMES_AT_MOST : TIMES_OPEN;
    return range > ns / NOTICEABLE ? TIMES_ROUGH : TIMES_SURE;
}

static inline times_trust times_exclusive_trust(const profile_times *t, uint64_t whole_ns) {
    return times_trust_of(t->exclusive_ns, t->exclusive_low_ns, t->exclusive_high_ns, whole_ns);
}
static inline times_trust times_inclusive_trust(const profile_times *t, uint64_t whole_ns) {
    return times_trust_of(t->inclusive_ns, t->inclusive_low_ns, t->inclusive_high_ns, whole_ns);
}

#endif
