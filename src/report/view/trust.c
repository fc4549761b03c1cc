#include "report/view/trust.h"

#include "report/model/idle.h"
#include "report/print/format.h"
#include "report/view/head.h"
#include "util/unicode.h"

#include <stdio.h>

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

static const char *words_of(const report *r, range_cause cause, bool few) {
    switch (cause) {
    case RANGE_BY_WAITING:
        return others_ran(r) ? "other programs" : few ? "waiting to run" : "waiting for a processor";
    case RANGE_BY_TICKS:
        return few ? "few ticks" : "few ticks of the clock";
    default:
        return view_clock_step(r) == 0 || view_clock_ticks(r) ? "recording"
               : few                                          ? "a coarse clock"
                                                              : "a clock that goes in steps";
    }
}

/* Appends what a fifth of the ranges and more is due to, most first; in few words those that fit into `most` columns.
 */
static bool append_causes(buffer *out, const report *r, bool few, size_t most) {
    enum { FIFTH = 5 };
    const uint64_t *open_ns = r->sum->totals.open_ns;
    uint64_t all = 0;
    bool named[RANGE_CAUSES] = {false}, any = false;
    for (int cause = 0; cause < RANGE_CAUSES; cause++)
        all = profile_add(all, open_ns[cause]);
    for (int count = 0; count < RANGE_CAUSES; count++) {
        int next = -1;
        for (int cause = 0; cause < RANGE_CAUSES; cause++)
            if (!named[cause] && (next < 0 || open_ns[cause] > open_ns[next]))
                next = cause;
        const char *between = !any ? "" : few ? ", " : " and ", *words = words_of(r, (range_cause)next, few);
        if (open_ns[next] == 0 || open_ns[next] < all / FIFTH || strlen(between) + strlen(words) > most)
            break;
        named[next] = any = true;
        most -= strlen(between) + strlen(words);
        buffer_string(out, between);
        buffer_string(out, words);
    }
    return any;
}

bool view_why_open(buffer *out, const report *r) {
    return append_causes(out, r, false, SIZE_MAX);
}

/* Appends the sentence and its causes, in few words where it would not fit into `most` columns otherwise. */
static void describe(buffer *out, const report *r, const char *sentence, const char *few, size_t most) {
    const size_t from = out->size;
    buffer_string(out, sentence);
    append_causes(out, r, false, SIZE_MAX);
    size_t columns = out->failed ? 0 : unicode_width(bytes_of(out->data + from, out->size - from));
    if (columns <= most)
        return;
    out->size = from;
    buffer_string(out, few);
    columns = unicode_width(bytes_of(few, strlen(few)));
    append_causes(out, r, true, most > columns ? most - columns : 0);
}

/* How long threads were blocked, which is known for sure; not what only waited while others worked. False
 * without memory. */
static bool waited(uint64_t *sum, const aggregate *a) {
    idle idle = {0};
    bool done = a->totals.waiting_ns == 0 || idle_find(&idle, a);
    *sum = 0;
    if (done && a->totals.waiting_ns > 0)
        for (uint32_t at = 1; at < a->tree.node_count; at++) {
            if (node_kind(&a->tree.places.links[at]) == NODE_WAITING && (!idle.parts || idle.parts[at] == IDLE_NOT))
                *sum = profile_add(*sum, node_number(&a->tree, TIMES_EXCLUSIVE, at));
        }
    idle_clear(&idle);
    return done;
}

void view_describe_trust(buffer *out, const report *r, size_t most) {
    enum { TENTH = 10, PERCENT = 100 };
    char sentence[80], few[80];
    const aggregate *a = r->sum;
    uint64_t rough = 0, open = 0, nothing = 0, blocked;
    out->failed |= !waited(&blocked, a);
    const uint64_t worked = a->totals.exclusive_ns, all = profile_add(worked, blocked);
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const profile_times *t = &a->list.functions[i].times;
        times_trust trust = times_exclusive_trust(t, worked);
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
        describe(out, r,
                 "low: methods with \u2264 may have taken more: ", "low: rows with \u2264 may have more: ", most);
        return;
    }
    const char *word = open > all / 2 ? "low" : "fair", *by = half ? "half" : "a tenth";
    const unsigned percent = (unsigned)((unsigned __int128)part * PERCENT / all);
    snprintf(sentence, sizeof sentence, "%s: %u %% of the time may be off by %s: ", word, percent, by);
    snprintf(few, sizeof few, "%s: %u %% may be off by %s: ", word, percent, by);
    describe(out, r, sentence, few, most);
}
