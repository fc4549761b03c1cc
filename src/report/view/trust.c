#include "report/view/trust.h"

#include "report/print/format.h"
#include "report/view/head.h"

enum { WHOLE = 1000 /* permille */ };

uint64_t view_used_by_others(const profile_run *run) {
    const profile_conditions *m = &run->machine;
    unsigned __int128 all = (unsigned __int128)profile_ns(run, run->wall_ticks) * m->processors;
    if (all == 0 || m->cpu_ns == 0)
        return 0;
    unsigned __int128 own = (unsigned __int128)m->cpu_ns * WHOLE / all;
    return own < m->load_permille ? m->load_permille - (uint64_t)own : 0;
}

static bool others_ran(const report *r) {
    enum { NOTICEABLE = 50 };
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile *p = &r->profiles[i];
        if (view_used_by_others(&p->run) >= NOTICEABLE || p->run.machine.stolen_permille >= NOTICEABLE)
            return true;
        for (size_t k = 0; p->run.merged && k < p->runs.count; k++)
            if (view_used_by_others(&p->runs.listed[k]) >= NOTICEABLE)
                return true;
    }
    return false;
}

static const char *words_of(const report *r, range_cause cause) {
    switch (cause) {
    case RANGE_BY_WAITING:
        return others_ran(r) ? "other programs" : "waiting for a processor";
    case RANGE_BY_TICKS:
        return "few ticks of the clock";
    default:
        return view_clock_step(r) > 0 && !view_clock_ticks(r) ? "a clock that goes in steps" : "recording";
    }
}

bool view_why_open(buffer *out, const report *r) {
    enum { FIFTH = 5 };
    const uint64_t *open_ns = r->sum->totals.open_ns;
    uint64_t all = 0;
    bool named[RANGE_CAUSES] = {false}, any = false;
    for (int cause = 0; cause < RANGE_CAUSES; cause++)
        all = profile_add(all, open_ns[cause]);
    for (int count = 0; count < RANGE_CAUSES; count++) {
        int most = -1;
        for (int cause = 0; cause < RANGE_CAUSES; cause++)
            if (!named[cause] && (most < 0 || open_ns[cause] > open_ns[most]))
                most = cause;
        if (open_ns[most] == 0 || open_ns[most] < all / FIFTH)
            break;
        named[most] = true;
        buffer_string(out, any ? " and " : "");
        buffer_string(out, words_of(r, (range_cause)most));
        any = true;
    }
    return any;
}

void view_describe_trust(buffer *out, const report *r) {
    enum { TENTH = 10, PERCENT = 100 };
    const aggregate *a = r->sum;
    uint64_t all = a->totals.exclusive_ns, rough = 0, open = 0, nothing = 0;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const profile_times *t = &a->list.functions[i].times;
        times_trust trust = times_exclusive_trust(t, all);
        rough = profile_add(rough, trust == TIMES_SURE ? 0 : t->exclusive_ns);
        open = profile_add(open, trust >= TIMES_OPEN ? t->exclusive_ns : 0);
        nothing = profile_add(nothing, trust == TIMES_AT_MOST ? t->exclusive_high_ns : 0);
    }
    bool half = open > all / TENTH;
    uint64_t part = half ? open : rough;
    if (part <= all / TENTH && nothing <= all / TENTH) {
        buffer_string(out, "good: times are right to a tenth");
        return;
    }
    if (part <= all / TENTH) { /* no estimate is far off, but where next to nothing is estimated there may be more */
        buffer_string(out, "low: methods with \u2264 may have taken more: ");
        view_why_open(out, r);
        return;
    }
    buffer_printf(out, "%s: %llu %% of the time may be off by ", open > all / 2 ? "low" : "fair",
                  (unsigned long long)((unsigned __int128)part * PERCENT / all));
    buffer_string(out, half ? "half: " : "a tenth: ");
    view_why_open(out, r);
}
