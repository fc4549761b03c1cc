/* trust.h - how far a time can be trusted, of which the calibrations say between which ends it lies.
 *
 * TIMES_SURE: the ends are near, or what lies between them is little beside the whole. TIMES_ROUGH: they leave open
 * more than a tenth. TIMES_AT_MOST: the low end is less than half of the high one, so that no estimate is worth its
 * name: the time is at most the high end, it counts for the low one where times are put in order or added up, and is
 * shown as `<=` the high one. */
#ifndef ILINJECT_REPORT_MODEL_TRUST_H
#define ILINJECT_REPORT_MODEL_TRUST_H

#include "profile/profile.h"

typedef enum times_trust { TIMES_SURE, TIMES_ROUGH, TIMES_AT_MOST } times_trust;

/* `whole_ns`: the own time of all functions, as estimated. */
static inline times_trust times_trust_of(uint64_t ns, uint64_t low_ns, uint64_t high_ns, uint64_t whole_ns) {
    enum { NOTICEABLE = 10, WORTH_TELLING = 200 }; /* one part in that many: of the time, and of the whole */
    uint64_t range = high_ns > low_ns ? high_ns - low_ns : 0;
    if (range <= whole_ns / WORTH_TELLING)
        return TIMES_SURE;
    if (low_ns < high_ns / 2)
        return TIMES_AT_MOST;
    return range > ns / NOTICEABLE ? TIMES_ROUGH : TIMES_SURE;
}

static inline times_trust times_exclusive_trust(const profile_times *t, uint64_t whole_ns) {
    return times_trust_of(t->exclusive_ns, t->exclusive_low_ns, t->exclusive_high_ns, whole_ns);
}
static inline times_trust times_inclusive_trust(const profile_times *t, uint64_t whole_ns) {
    return times_trust_of(t->inclusive_ns, t->inclusive_low_ns, t->inclusive_high_ns, whole_ns);
}

/* The part of a time that is certain. */
static inline uint64_t times_certain_own(const profile_times *t, uint64_t whole_ns) {
    return times_exclusive_trust(t, whole_ns) == TIMES_AT_MOST ? t->exclusive_low_ns : t->exclusive_ns;
}
static inline uint64_t times_certain_inclusive(const profile_times *t, uint64_t whole_ns) {
    return times_inclusive_trust(t, whole_ns) == TIMES_AT_MOST ? t->inclusive_low_ns : t->inclusive_ns;
}

#endif
