#include "profile/beside.h"

#include <stdlib.h>

#include "profile/amounts.h"
#include "profile/waited.h"

/* The calls of a method by ticks, in all threads. */
typedef struct leaf {
    uint64_t calls, own_ns, probed_ns;
    bool calls_others;
} leaf;

typedef struct methods {
    leaf *of; /* by id from PROFILE_ID_FIRST on */
    uint32_t count;
} methods;

/* More methods than that are not looked at. */
enum { MOST_METHODS = 1 << 20 };

static uint32_t methods_in(const profile *p) {
    uint64_t end = PROFILE_ID_FIRST;
    for (size_t i = 0; i < p->module_count; i++)
        end = most(end, (uint64_t)p->modules[i].base + p->modules[i].method_count);
    return end - PROFILE_ID_FIRST > MOST_METHODS ? 0 : (uint32_t)(end - PROFILE_ID_FIRST);
}

static leaf *method_of(const methods *m, const profile_thread *t, uint32_t node) {
    const uint32_t at = t->ids[node] - PROFILE_ID_FIRST; /* the root's and the folded root's are large then */
    return at < m->count ? &m->of[at] : NULL;
}

static void add_node(const methods *m, const profile_run *run, const profile_thread *t, uint32_t node) {
    leaf *of = method_of(m, t, node), *caller = method_of(m, t, t->parents[node]);
    const uint64_t calls = profile_number(t, PROFILE_CALLS, node);
    if (caller)
        caller->calls_others = true;
    if (!of || t->ids[t->parents[node]] == PROFILE_ID_FOLDED)
        return;
    of->calls_others |= profile_number(t, PROFILE_FOLDED_TICKS, node) > 0;
    if (calls == 0 || profile_number(t, PROFILE_TICKED_CALLS, node) < calls)
        return;
    const uint64_t own_ns = profile_ns(run, profile_number(t, PROFILE_OWN, node)),
                   probed_ns = profile_ns(run, profile_number(t, PROFILE_PROBED, node));
    of->calls = profile_add(of->calls, calls);
    of->own_ns = profile_add(of->own_ns, own_ns - least(own_ns, probed_ns));
    of->probed_ns = profile_add(of->probed_ns, probed_ns);
}

/* An own time of a call, and of how many. */
typedef struct own_time {
    uint64_t ps, calls;
} own_time;

static int compare(const void *a, const void *b) {
    const own_time *x = a, *y = b;
    return (x->ps > y->ps) - (x->ps < y->ps);
}

/* Half of the calls took at most that. */
static uint64_t median(own_time *times, uint32_t count) {
    uint64_t all = 0, below = 0;
    qsort(times, count, sizeof *times, compare);
    for (uint32_t i = 0; i < count; i++)
        all = profile_add(all, times[i].calls);
    for (uint32_t i = 0; i < count; i++) {
        below = profile_add(below, times[i].calls);
        if (below >= all - all / 2)
            return times[i].ps;
    }
    return 0;
}

static uint64_t median_of(const methods *m, const profile_run *run) {
    enum { LEAST_TICKS = 30, SMALL = 6, WHOLE = 1000 };
    const wide least_ns = (wide)run->clock_step_ns * LEAST_TICKS;
    const uint64_t most_ps = stopped((wide)run->beside_probes_ps * SMALL * correct_waiting(run) / WHOLE);
    uint32_t count = 0;
    own_time *times = calloc((size_t)m->count + 1, sizeof *times);
    for (uint32_t i = 0; i < m->count && times; i++) {
        const leaf *of = &m->of[i];
        if (of->calls_others || of->calls == 0 || (wide)of->own_ns + of->probed_ns < least_ns)
            continue;
        times[count] = (own_time){stopped(divided((wide)of->own_ns * PS_PER_NS, of->calls)), of->calls};
        count += times[count].ps <= most_ps;
    }
    const uint64_t ps = times ? median(times, count) : 0;
    free(times);
    return ps;
}

uint64_t beside_of_leaves(const profile *p) {
    bool any = false;
    for (size_t i = 0; i < p->thread_count; i++)
        any |= p->threads[i].has_probed;
    if (!any || p->run.beside_probes_ps == 0)
        return 0;
    methods m = {.count = methods_in(p)};
    m.of = calloc((size_t)m.count + 1, sizeof *m.of);
    for (size_t i = 0; i < p->thread_count && m.of; i++)
        for (uint32_t node = 1; node < p->threads[i].node_count; node++)
            add_node(&m, &p->run, &p->threads[i], node);
    const uint64_t ps = m.of ? median_of(&m, &p->run) : 0;
    free(m.of);
    return ps;
}
