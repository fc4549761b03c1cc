#include "report/waiting.h"

#include "report/correct.h"

enum { WHOLE = 1000 }; /* permille */

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t waiting_of(const profile_run *run) {
    return profile_is_calibrated(run) && correct_waits_apart(run) ? correct_waiting(run) : WHOLE;
}

static uint64_t part_of(uint64_t ns, uint64_t permille) {
    return (uint64_t)((unsigned __int128)ns * WHOLE / permille);
}

static void take_off(profile_times *t, uint64_t permille) {
    t->exclusive_low_ns = part_of(t->exclusive_low_ns, permille);
    t->inclusive_low_ns = part_of(t->inclusive_low_ns, permille);
}

void waiting_take_off(aggregate *a, const profile *profiles, size_t count) {
    uint64_t permille = WHOLE;
    for (size_t i = 0; i < count; i++) {
        const profile *p = &profiles[i];
        if (!p->run.merged)
            permille = larger(permille, waiting_of(&p->run));
        for (size_t k = 0; p->run.merged && k < p->runs.count; k++)
            permille = larger(permille, waiting_of(&p->runs.listed[k]));
    }
    for (uint32_t i = 0; i < a->function_count && permille > WHOLE; i++)
        take_off(&a->functions[i].times, permille);
    for (uint32_t i = 0; i < a->node_count && permille > WHOLE; i++)
        take_off(&a->nodes[i].times, permille);
}
