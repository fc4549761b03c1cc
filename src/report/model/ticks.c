#include "report/model/ticks.h"

#include <stdlib.h>

#include "util/root.h"

static uint64_t longer(uint64_t pause, const profile_run *run) {
    return run->clock_ticks > 0 && run->clock_step_ns > pause ? run->clock_step_ns : pause;
}

static uint64_t longest_pause(const profile *profiles, size_t count) {
    uint64_t pause = 0;
    for (size_t i = 0; i < count; i++) {
        pause = longer(pause, &profiles[i].run);
        for (size_t k = 0; profiles[i].run.merged && k < profiles[i].runs.count; k++)
            pause = longer(pause, &profiles[i].runs.listed[k]);
    }
    return pause;
}

/* How far a time in that many pieces may be off: by two standard deviations, of ticks that come by chance or of two
 * ends for each piece, whichever is less. */
static uint64_t error_of(uint64_t ns, uint64_t pieces, uint64_t pause) {
    unsigned __int128 by_chance = (unsigned __int128)ns * pause * 4;
    unsigned __int128 by_ends = (unsigned __int128)pause * pause * (pieces < PROFILE_MAX ? pieces : PROFILE_MAX);
    uint64_t error = root_of(by_chance < by_ends ? by_chance : by_ends);
    return error > PROFILE_MAX ? PROFILE_MAX : error;
}

static uint64_t low_of(uint64_t low, uint64_t pieces, uint64_t pause) {
    uint64_t error = error_of(low, pieces, pause);
    return low > error ? low - error : 0;
}

/* A time that saw no tick may have had up to three. */
static uint64_t high_of(uint64_t high, uint64_t pieces, uint64_t pause) {
    return pieces == 0 ? high
                       : profile_add(profile_add(high, pause), error_of(profile_add(high, pause), pieces, pause));
}

static void widen(profile_times *t, uint64_t calls, uint64_t pieces, uint64_t pause) {
    t->exclusive_low_ns = low_of(t->exclusive_low_ns, pieces, pause);
    t->exclusive_high_ns = high_of(t->exclusive_high_ns, pieces, pause);
    t->inclusive_low_ns = low_of(t->inclusive_low_ns, calls, pause);
    t->inclusive_high_ns = high_of(t->inclusive_high_ns, calls, pause);
    if (t->inclusive_high_ns < t->exclusive_high_ns)
        t->inclusive_high_ns = t->exclusive_high_ns;
    if (t->inclusive_low_ns < t->exclusive_low_ns)
        t->inclusive_low_ns = t->exclusive_low_ns;
}

bool ticks_widen(aggregate *a, const profile *profiles, size_t count) {
    const uint64_t pause = longest_pause(profiles, count);
    if (pause == 0)
        return true;
    /* An own time has the pieces between a call's callees. */
    uint64_t *of_nodes = calloc(a->tree.node_count, sizeof *of_nodes);
    uint64_t *of_functions = calloc((size_t)a->list.function_count + 1, sizeof *of_functions);
    bool ready = of_nodes && of_functions;
    for (uint32_t i = 0; i < a->tree.node_count && ready; i++) {
        const report_node *n = &a->tree.nodes[i];
        uint64_t calls = profile_add(n->calls, n->steps);
        of_nodes[i] = profile_add(of_nodes[i], calls);
        if (i == 0)
            continue;
        of_nodes[n->parent] = profile_add(of_nodes[n->parent], calls);
        const report_node *caller = &a->tree.nodes[n->parent];
        if (caller->kind == NODE_CALL || caller->kind == NODE_RESUMED)
            of_functions[caller->function] = profile_add(of_functions[caller->function], calls);
    }
    for (uint32_t i = 0; i < a->tree.node_count && ready; i++)
        widen(&a->tree.nodes[i].times, profile_add(a->tree.nodes[i].calls, a->tree.nodes[i].steps), of_nodes[i], pause);
    for (uint32_t i = 0; i < a->list.function_count && ready; i++) {
        report_function *f = &a->list.functions[i];
        uint64_t calls = profile_add(f->calls, f->steps);
        widen(&f->times, calls, profile_add(calls, of_functions[i]), pause);
        widen(&f->averaged, f->averaged_calls, f->averaged_calls, pause);
    }
    free(of_nodes);
    free(of_functions);
    return ready;
}
