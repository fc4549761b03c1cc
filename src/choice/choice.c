#include "choice/choice.h"

#include <stdlib.h>

#define PROGRAM(runtime, start, method)
#define COST(runtime, recorded, usual, most, first, lost, lost_il, node, method)                                       \
    [CHOICE_##runtime][CHOICE_##recorded] = {usual, most, first, lost, lost_il, node, method},
const choice_cost choice_costs[CHOICE_RUNTIMES][CHOICE_RECORDED] = {
#include "choice/cost.def"
};
#undef PROGRAM
#undef COST
#define COST(runtime, recorded, usual, most, first, lost, lost_il, node, method)
#define PROGRAM(runtime, start, method) [CHOICE_##runtime] = {start, method},
const choice_program choice_programs[CHOICE_RUNTIMES] = {
#include "choice/cost.def"
};
#undef PROGRAM
#undef COST

uint64_t choice_work(uint64_t counted_ps, uint64_t measured_ps, uint64_t guessed_ps) {
    enum { STEP = 4, FAR_FROM = 40, FAR = 16, KNOWN_FROM = 2, KNOWN_STEP = 2, GUESSED_PART = 3 };
    if (measured_ps == 0 || counted_ps == 0)
        return counted_ps;
    uint64_t work = counted_ps, tenths = choice_times(measured_ps, 10);
    for (uint64_t least = choice_times(counted_ps, 4); least > tenths && work > counted_ps / (STEP * STEP);
         least /= STEP * STEP)
        work /= STEP;
    if (measured_ps / KNOWN_FROM >= counted_ps && measured_ps / GUESSED_PART >= guessed_ps) {
        for (work = choice_times(counted_ps, KNOWN_FROM); work <= measured_ps / KNOWN_STEP;)
            work = choice_times(work, KNOWN_STEP);
        return work;
    }
    uint64_t far = choice_times(counted_ps, FAR_FROM);
    if (work < counted_ps || measured_ps < far)
        return work;
    for (work = choice_times(counted_ps, FAR); far <= measured_ps / STEP; far *= STEP)
        work = choice_times(work, STEP);
    return work;
}

uint64_t choice_allowed(uint64_t work_ps, unsigned percent) {
    unsigned __int128 allowed = (unsigned __int128)work_ps * percent / 100;
    if (allowed < CHOICE_LEAST_PS)
        return CHOICE_LEAST_PS;
    return allowed > UINT64_MAX ? UINT64_MAX : (uint64_t)allowed;
}

uint64_t choice_compiling(uint64_t methods, uint64_t took_ps) {
    enum { LEAST = 50000000, STEP = 2, STEPS = 3 };
    if (methods == 0 || took_ps == 0)
        return 0;
    uint64_t compiling = LEAST;
    for (int i = 1; i < STEPS && took_ps / methods > compiling; i++)
        compiling *= STEP;
    return compiling;
}

uint64_t choice_for_calls(uint64_t allowed_ps, uint64_t work_ps, uint64_t compiled_ps) {
    uint64_t least = allowed_ps < CHOICE_LEAST_PS ? allowed_ps : CHOICE_LEAST_PS;
    uint64_t with_compiling = choice_add(work_ps, compiled_ps / 2);
    uint64_t part = with_compiling ? (uint64_t)((unsigned __int128)allowed_ps * work_ps / with_compiling) : 0;
    return part > least ? part : least;
}

/* Programs that were measured have a node for NODE_CALLS calls. Where there are many calls of a method, they come by
 * the same paths again. */
uint64_t choice_nodes_of(uint64_t calls) {
    enum { NODE_CALLS = 8, PATHS = 256, PATH_CALLS = 64 };
    uint64_t few = calls / NODE_CALLS + 1, many = calls / PATH_CALLS + PATHS;
    return few < many ? few : many;
}

/* A method while it waits for its turn, or its outermost calls alone. */
typedef struct candidate {
    uint64_t cost, worth;
    uint32_t position;
    bool calls_others, outermost;
} candidate;

enum { METHOD_WORTH = 1000 }; /* of a method */

/* In thousandths of a method. */
static uint64_t worth_of(const choice_method *m, uint64_t work_ps) {
    enum { SHARE = 1000 };
    uint64_t inside = m->work_ps < work_ps ? m->work_ps : work_ps;
    uint64_t share = work_ps ? (uint64_t)((unsigned __int128)inside * SHARE * METHOD_WORTH / work_ps) : 0;
    return METHOD_WORTH + CHOICE_SHARE_WEIGHT * share;
}

/* The method that is worth more for its cost comes first. */
static int by_worth(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    unsigned __int128 first = (unsigned __int128)a->worth * b->cost, second = (unsigned __int128)b->worth * a->cost;
    if (first != second)
        return first > second ? -1 : 1;
    if (a->calls_others != b->calls_others)
        return a->calls_others ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* The cheaper one comes first. */
static int by_cost(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    return a->cost != b->cost ? a->cost < b->cost ? -1 : 1 : by_worth(left, right);
}

static void keep(choice_method *m, choice_sums *sums) {
    sums->kept_calls = choice_add(sums->kept_calls, m->calls) - (m->outermost ? m->outer_calls : 0);
    sums->kept_ps = choice_add(sums->kept_ps, m->cost_ps) - (m->outermost ? m->outer_ps : 0);
    sums->kept += m->calls > 0;
    m->left_out = m->outermost = false;
}

static void keep_outermost(choice_method *m, choice_sums *sums) {
    sums->kept_calls = choice_add(sums->kept_calls, m->outer_calls);
    sums->kept_ps = choice_add(sums->kept_ps, m->outer_ps);
    m->outermost = true;
}

/* Keeps those that fit, in this order. */
static void keep_those(choice_method *methods, candidate *waiting, uint32_t count,
                       int (*order)(const void *, const void *), uint64_t allowed_ps, choice_sums *sums) {
    qsort(waiting, count, sizeof *waiting, order);
    for (uint32_t i = 0; i < count; i++) {
        choice_method *m = &methods[waiting[i].position];
        uint64_t spent = m->outermost ? sums->kept_ps - m->outer_ps : sums->kept_ps;
        if (waiting[i].outermost && m->left_out && !m->outermost && choice_add(spent, m->outer_ps) <= allowed_ps)
            keep_outermost(m, sums);
        else if (!waiting[i].outermost && m->left_out && choice_add(spent, m->cost_ps) <= allowed_ps)
            keep(m, sums);
    }
}

bool choice_make(choice_method *methods, uint32_t count, uint64_t work_ps, uint64_t allowed_ps, choice_sums *sums) {
    candidate *candidates = calloc(2 * (size_t)count + 1, sizeof *candidates);
    uint32_t waiting = 0;
    *sums = (choice_sums){0};
    if (!candidates)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        choice_method *m = &methods[i];
        sums->calls = choice_add(sums->calls, m->calls);
        sums->called += m->calls > 0;
        bool alone = m->outer_ps > 0 && m->outer_ps < m->cost_ps;
        m->left_out = !m->fixed && m->cost_ps > 0;
        m->outermost = false;
        if (!m->left_out) {
            keep(m, sums);
            continue;
        }
        if (alone)
            candidates[waiting++] = (candidate){m->outer_ps, worth_of(m, work_ps), i, m->calls_others, true};
        candidates[waiting++] = (candidate){alone ? m->cost_ps - m->outer_ps : m->cost_ps,
                                            alone ? METHOD_WORTH : worth_of(m, work_ps), i, m->calls_others, false};
    }
    keep_those(methods, candidates, waiting, by_worth, allowed_ps - allowed_ps / CHOICE_CHEAP_PART, sums);
    keep_those(methods, candidates, waiting, by_cost, allowed_ps, sums);
    free(candidates);
    return true;
}
