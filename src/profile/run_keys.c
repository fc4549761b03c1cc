#include "profile/run_keys.h"

#include <stddef.h>

#define NUMBER(field) RUN_NUMBER, offsetof(profile_run, field)
#define TEXT(field)   RUN_TEXT, offsetof(profile_run, field)
#define MODE(field)   RUN_MODE, 0
#define UNREAD(field) RUN_UNREAD, 0

const run_key run_keys[RUN_KEYS] = {
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) {#key, RUN_##MERGED, place, KIND(field)},
#include "facts/run_keys.def"
#undef RUN_KEY
};

_Static_assert((0
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) | UINT64_C(1) << (place)
#include "facts/run_keys.def"
#undef RUN_KEY
                ) == (UINT64_C(2) << RUN_PLACES) - 1,
               "the places in RUNS are 1 and up, a key each");

uint64_t profile_ns(const profile_run *run, uint64_t ticks) {
    enum { NS = 1000000000 };
    if (run->ticks_per_second == NS)
        return ticks > PROFILE_MAX ? PROFILE_MAX : ticks;
    if (ticks <= UINT64_MAX / NS) /* the usual, without a long division */
        return ticks * NS / run->ticks_per_second > PROFILE_MAX ? PROFILE_MAX : ticks * NS / run->ticks_per_second;
    unsigned __int128 ns = (unsigned __int128)ticks * NS / run->ticks_per_second;
    return ns > PROFILE_MAX ? PROFILE_MAX : (uint64_t)ns;
}
