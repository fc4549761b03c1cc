#include "report/model/durations.h"

typedef unsigned __int128 wide;

static uint32_t bucket_of(uint64_t ns) {
    if (ns < 8)
        return (uint32_t)ns;
    uint32_t log2 = 63 - (uint32_t)__builtin_clzll(ns);
    return 4 * (log2 - 1) + (uint32_t)(ns >> (log2 - 2) & 3);
}

/* Adds `count` calls that took from `low` to `high` - 1 ns, evenly: each bucket gets its share. */
static void spread(durations *d, uint64_t low, uint64_t high, uint64_t count) {
    uint64_t given = 0;
    for (uint32_t b = bucket_of(low); b < PROFILE_BUCKETS && given < count; b++) {
        uint64_t end = profile_bucket_low(b + 1);
        uint64_t upto = end >= high ? count : (uint64_t)((wide)count * (end - low) / (high - low));
        d->counts[b] = profile_add(d->counts[b], upto - given);
        given = upto;
    }
}

bool durations_add(durations *d, arena *memory, const profile_run *run, const profile_histogram *h) {
    if (!d->counts)
        d->counts = arena_alloc_array(memory, PROFILE_BUCKETS, sizeof *d->counts);
    if (!d->counts)
        return false;
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->counts[i] == 0)
            continue;
        uint64_t low = profile_ns(run, profile_bucket_low(h->first + i));
        uint64_t high = profile_ns(run, profile_bucket_low(h->first + i + 1));
        spread(d, low, high > low ? high : low + 1, h->counts[i]);
        d->total = profile_add(d->total, h->counts[i]);
    }
    return true;
}

bool durations_try_percentile(const durations *d, unsigned percent, uint64_t *ns) {
    if (d->total == 0)
        return false;
    uint64_t rank = (uint64_t)(((wide)d->total * percent + 99) / 100); /* from 1 */
    uint64_t before = 0;
    uint32_t b = 0;
    while (b < PROFILE_BUCKETS - 1 && rank - before > d->counts[b])
        before += d->counts[b++];
    uint64_t low = profile_bucket_low(b), width = profile_bucket_low(b + 1) - low;
    /* Sums that have stopped at the largest number may leave ranks after the last bucket. */
    uint64_t place = rank - before < d->counts[b] ? rank - before : d->counts[b];
    uint64_t found =
        place == 0 ? low : low + (uint64_t)((wide)width * (2 * (wide)place - 1) / (2 * (wide)d->counts[b]));
    if (durations_has_span(d))
        found = found < d->min_ns ? d->min_ns : found > d->max_ns ? d->max_ns : found;
    *ns = found;
    return true;
}
