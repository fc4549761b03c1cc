#include "report/model/bounds.h"

#include "report/model/logical.h"
#include "report/model/ticks.h"
#include "report/model/waiting.h"

/* How far all own times are open. */
static uint64_t open_ns(const aggregate *a) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const profile_times *t = &a->list.functions[i].times;
        if (t->exclusive_high_ns > t->exclusive_low_ns)
            sum = profile_add(sum, t->exclusive_high_ns - t->exclusive_low_ns);
    }
    return sum;
}

/* What they are open by more than before is due to this. */
static void note(aggregate *a, range_cause cause, uint64_t *before) {
    uint64_t now = open_ns(a);
    a->totals.open_ns[cause] = now > *before ? now - *before : 0;
    *before = now;
}

static uint64_t capped(uint64_t high, uint64_t ns, uint64_t most) {
    return high > most ? (ns > most ? ns : most) : high;
}

static void cap(profile_times *t, uint64_t most) {
    t->exclusive_high_ns = capped(t->exclusive_high_ns, t->exclusive_ns, most);
    t->inclusive_high_ns = capped(t->inclusive_high_ns, t->inclusive_ns, most);
}

/* The wall time on each thread. Of several runs it is that of all on the threads of all, as it is once they are merged.
 */
static uint64_t most_of(const report_totals *t) {
    unsigned __int128 most = (unsigned __int128)t->wall_ns * t->threads;
    return most == 0 || most > PROFILE_MAX ? PROFILE_MAX : (uint64_t)most;
}

bool bounds_set(aggregate *a, const profile *profiles, size_t count) {
    uint64_t before = 0, most = most_of(&a->totals);
    if (!logical_place(&a->tree, &a->async, &a->list))
        return false;
    note(a, RANGE_BY_RECORDING, &before);
    if (a->offset == ILJ_OFFSET_CALIBRATED)
        waiting_widen(a, profiles, count);
    note(a, RANGE_BY_WAITING, &before);
    if (!ticks_widen(a, profiles, count))
        return false;
    note(a, RANGE_BY_TICKS, &before);
    for (uint32_t i = 0; i < a->list.function_count; i++)
        cap(&a->list.functions[i].times, most);
    for (uint32_t i = 0; i < a->tree.node_count; i++) {
        const columns *f = &a->tree.figures;
        if (times_high_at(f, TIMES_INCLUSIVE, i, columns_at(f, TIMES_INCLUSIVE, i)) <= most &&
            times_high_at(f, TIMES_EXCLUSIVE, i, columns_at(f, TIMES_EXCLUSIVE, i)) <= most)
            continue;
        profile_times of = node_times(&a->tree, i);
        cap(&of, most);
        times_set(&a->tree.figures, i, &of);
    }
    return !a->tree.figures.failed;
}
