#include "report/model/waiting.h"

#include "profile/waited.h"
#include "util/root.h"

enum { WHOLE = 1000, NOTICEABLE = 1100 /* permille */ };

typedef unsigned __int128 wide;

/* The run that counts. */
typedef struct waiting {
    uint64_t permille; /* of the running time */
    bool apart;
    uint64_t slices, ns; /* so often in that time did its threads get a processor */
} waiting;

static waiting waiting_of(const profile_run *run) {
    const profile_conditions *m = &run->machine;
    if (!profile_is_calibrated(run) || correct_waiting(run) < NOTICEABLE)
        return (waiting){.permille = WHOLE};
    return (waiting){correct_waiting(run), correct_waits_apart(run), m->slices, profile_add(m->ran_ns, m->ready_ns)};
}

static waiting longer(waiting a, waiting b) {
    if (a.apart != b.apart)
        return a.apart ? a : b;
    return a.permille >= b.permille ? a : b;
}

static waiting longest(const profile *profiles, size_t count) {
    waiting w = {.permille = WHOLE};
    for (size_t i = 0; i < count; i++) {
        const profile *p = &profiles[i];
        if (!p->run.merged)
            w = longer(w, waiting_of(&p->run));
        for (size_t k = 0; p->run.merged && k < p->runs.count; k++)
            w = longer(w, waiting_of(&p->runs.listed[k]));
    }
    return w;
}

/* The part of a time's waiting that may be luck, in permille: 3 / sqrt(n). */
static uint64_t luck_of(const waiting *w, uint64_t ns) {
    enum { SQUARE = WHOLE * WHOLE, DEVIATIONS = 3, MANY = 1000000 };
    if (w->apart)
        return WHOLE;
    if (w->slices == 0 || w->ns == 0) /* it is not known how they waited */
        return 0;
    wide waits = (wide)ns * w->slices * SQUARE / w->ns;
    uint64_t root = root_of(waits > (wide)MANY * SQUARE ? (uint64_t)MANY * SQUARE : (uint64_t)waits);
    return root <= DEVIATIONS * WHOLE ? WHOLE : DEVIATIONS * WHOLE * WHOLE / root;
}

static uint64_t low_of(const waiting *w, uint64_t low, uint64_t luck) {
    uint64_t without = (uint64_t)((wide)low * WHOLE / w->permille);
    return low - (uint64_t)((wide)(low - without) * luck / WHOLE);
}

static void widen(profile_times *t, const waiting *w) {
    uint64_t own = luck_of(w, t->exclusive_ns), all = luck_of(w, t->inclusive_ns);
    t->exclusive_low_ns = low_of(w, t->exclusive_low_ns, own);
    t->inclusive_low_ns = low_of(w, t->inclusive_low_ns, all);
}

void waiting_widen(aggregate *a, const profile *profiles, size_t count) {
    const waiting w = longest(profiles, count);
    for (uint32_t i = 0; i < a->list.function_count && w.permille > WHOLE; i++) {
        widen(&a->list.functions[i].times, &w);
        widen(&a->list.functions[i].averaged, &w);
    }
    for (uint32_t i = 0; i < a->tree.node_count && w.permille > WHOLE; i++) {
        profile_times of = node_times(&a->tree, i);
        widen(&of, &w);
        times_set(&a->tree.figures, i, &of);
    }
}
