#include "choice/choice.h"

#include <stdlib.h>

#define MACHINE(runtime, step)
#define TRACKER(runtime, start, ahead)
#define PROGRAM(runtime, start, method, ahead)
#define LOST_CODE(seldom, often, il)
#define COST(runtime, recorded, usual, most, first, lost, lost_il, visited, node, method)                              \
    [CHOICE_##runtime][CHOICE_##recorded] = {usual, most, first, lost, lost_il, visited, node, method},
const choice_cost choice_costs[CHOICE_RUNTIMES][CHOICE_RECORDED] = {
#include "choice/cost.def"
};
#undef PROGRAM
#undef COST
#define COST(runtime, recorded, usual, most, first, lost, lost_il, visited, node, method)
#define PROGRAM(runtime, start, method, ahead) [CHOICE_##runtime] = {start, method, ahead},
const choice_program choice_programs[CHOICE_RUNTIMES] = {
#include "choice/cost.def"
};
#undef PROGRAM
#undef TRACKER
#define PROGRAM(runtime, start, method, ahead)
#define TRACKER(runtime, start, ahead) [CHOICE_##runtime] = {start, ahead},
const choice_tracker choice_trackers[CHOICE_RUNTIMES] = {
#include "choice/cost.def"
};
#undef LOST_CODE
#undef TRACKER
#define TRACKER(runtime, start, ahead)
#define LOST_CODE(seldom, often, il)                                                                                   \
    { seldom, often, il }
const choice_lost_code choice_lost =
#include "choice/cost.def"
    ;
#undef LOST_CODE
#undef MACHINE
#define LOST_CODE(seldom, often, il)
#define MACHINE(runtime, step) [CHOICE_##runtime] = step,
const uint64_t choice_steps[CHOICE_RUNTIMES] = {
#include "choice/cost.def"
};
#undef MACHINE
#undef LOST_CODE
#undef TRACKER
#undef PROGRAM
#undef COST

uint64_t choice_by_reference(uint64_t ps, uint64_t step_ps, choice_runtime runtime) {
    enum { FASTEST_PART = 2, SLOWEST = 8 };
    const uint64_t reference = choice_steps[runtime];
    if (step_ps == 0)
        return ps;
    if (step_ps < reference / FASTEST_PART)
        step_ps = reference / FASTEST_PART;
    if (step_ps > reference * SLOWEST)
        step_ps = reference * SLOWEST;
    const unsigned __int128 by_reference = (unsigned __int128)ps * reference / step_ps;
    return by_reference > UINT64_MAX ? UINT64_MAX : (uint64_t)by_reference;
}

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

uint64_t choice_after_start(uint64_t allowed_ps, uint64_t start_ps) {
    enum { LITTLE = 5 };
    const uint64_t little = start_ps / LITTLE > CHOICE_LEAST_PS ? start_ps / LITTLE : CHOICE_LEAST_PS;
    const uint64_t least = allowed_ps < little ? allowed_ps : little;
    return allowed_ps > choice_add(start_ps, least) ? allowed_ps - start_ps : least;
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
    uint64_t cost, worth; /* what is lost with it is in the cost */
    uint32_t position;
    bool calls_others, outermost;
} candidate;

enum { METHOD_WORTH = 1000 }; /* of a method */

/* The choice that is being made. */
typedef struct choice {
    choice_method *methods;
    uint32_t count;
    uint64_t work_ps;
    choice_sums *sums;
    candidate *waiting;
    uint32_t waiting_count;
    const choice_inliners *inliners; /* NULL: there are none */
    bool *lost;                      /* of each method: its code is gone, or will be with what is looked at */
    uint32_t *path;
} choice;

/* ---- Native code ------------------------------------------------------------------------------------------------ */

/* What is lost with a method that was not lost before. Where `for_good`, it is lost from now on. One that is lost has
 * taken along all that inlined it. */
static uint64_t lose(choice *c, uint32_t method, bool for_good) {
    uint32_t found = 0;
    uint64_t cost = 0;
    if (!c->inliners || c->lost[method])
        return 0;
    c->path[found++] = method;
    c->lost[method] = true;
    for (uint32_t i = 0; i < found; i++) {
        cost = choice_add(cost, c->inliners->lost_ps[c->path[i]]);
        for (uint32_t k = c->inliners->first[c->path[i]]; k < c->inliners->first[c->path[i] + 1]; k++) {
            const uint32_t inliner = c->inliners->list[k];
            if (c->lost[inliner])
                continue;
            c->lost[inliner] = true;
            c->path[found++] = inliner;
        }
    }
    for (uint32_t i = 0; i < found && !for_good; i++)
        c->lost[c->path[i]] = false;
    return cost;
}

/* ---- The order -------------------------------------------------------------------------------------------------- */

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

static void keep(choice *c, uint32_t position) {
    choice_method *m = &c->methods[position];
    choice_sums *sums = c->sums;
    const uint64_t lost = lose(c, position, true);
    sums->kept_calls = choice_add(sums->kept_calls, m->calls) - (m->outermost ? m->outer_calls : 0);
    sums->kept_ps = choice_add(choice_add(sums->kept_ps, m->cost_ps) - (m->outermost ? m->outer_ps : 0), lost);
    sums->lost_ps = choice_add(sums->lost_ps, lost);
    sums->kept += m->calls > 0;
    m->left_out = m->outermost = false;
}

static void keep_outermost(choice *c, choice_method *m) {
    c->sums->kept_calls = choice_add(c->sums->kept_calls, m->outer_calls);
    c->sums->kept_ps = choice_add(c->sums->kept_ps, m->outer_ps);
    m->outermost = true;
}

static void add_candidate(choice *c, uint32_t position, bool alone, bool outermost) {
    const choice_method *m = &c->methods[position];
    uint64_t cost = m->cost_ps;
    if (outermost)
        cost = m->outer_ps;
    else if (alone)
        cost -= m->outer_ps;
    if (!outermost)
        cost = choice_add(cost, lose(c, position, false));
    c->waiting[c->waiting_count++] = (candidate){cost, outermost || !alone ? worth_of(m, c->work_ps) : METHOD_WORTH,
                                                 position, m->calls_others, outermost};
}

/* Makes the list of those that are left out. */
static void find_candidates(choice *c) {
    c->waiting_count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const choice_method *m = &c->methods[i];
        if (!m->left_out || m->calls == 0)
            continue;
        const bool alone = m->outer_ps > 0 && m->outer_ps < m->cost_ps;
        if (alone && !m->outermost)
            add_candidate(c, i, alone, true);
        add_candidate(c, i, alone, false);
    }
}

/* Keeps those that fit, in this order. */
static void keep_those(choice *c, int (*order)(const void *, const void *), uint64_t allowed_ps) {
    find_candidates(c);
    qsort(c->waiting, c->waiting_count, sizeof *c->waiting, order);
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        const uint32_t position = c->waiting[i].position;
        choice_method *m = &c->methods[position];
        uint64_t spent = m->outermost ? c->sums->kept_ps - m->outer_ps : c->sums->kept_ps;
        if (!m->left_out)
            continue;
        if (c->waiting[i].outermost) {
            if (!m->outermost && choice_add(spent, m->outer_ps) <= allowed_ps)
                keep_outermost(c, m);
        } else if (choice_add(spent, m->cost_ps) <= allowed_ps &&
                   choice_add(choice_add(spent, m->cost_ps), lose(c, position, false)) <= allowed_ps) {
            keep(c, position);
        }
    }
}

/* Of those that share what is lost with them, the next ones are cheaper after the first: they are weighed again. */
static void keep_in_rounds(choice *c, uint64_t allowed_ps) {
    enum { ROUNDS = 4 };
    const uint64_t by_worth_ps = allowed_ps - allowed_ps / CHOICE_CHEAP_PART;
    for (unsigned i = c->inliners ? 1 : ROUNDS; i <= ROUNDS; i++)
        keep_those(c, by_worth, by_worth_ps / ROUNDS * i + by_worth_ps % ROUNDS * (i == ROUNDS));
    for (unsigned i = c->inliners ? 1 : ROUNDS; i <= ROUNDS; i++)
        keep_those(c, by_cost, allowed_ps);
}

bool choice_make(choice_method *methods, uint32_t count, const choice_inliners *inliners, uint64_t work_ps,
                 uint64_t allowed_ps, choice_sums *sums) {
    choice c = {.methods = methods,
                .count = count,
                .work_ps = work_ps,
                .sums = sums,
                .inliners = inliners,
                .waiting = calloc(2 * (size_t)count + 1, sizeof *c.waiting),
                .lost = calloc((size_t)count + 1, sizeof *c.lost),
                .path = calloc((size_t)count + 1, sizeof *c.path)};
    const bool done = c.waiting && c.lost && c.path;
    *sums = (choice_sums){0};
    for (uint32_t i = 0; i < count && done; i++) {
        choice_method *m = &methods[i];
        sums->calls = choice_add(sums->calls, m->calls);
        sums->called += m->calls > 0;
        m->outermost = false;
        m->left_out = !m->fixed && (m->cost_ps > 0 || (m->calls == 0 && inliners));
        if (!m->left_out)
            keep(&c, i);
    }
    if (done)
        keep_in_rounds(&c, allowed_ps);
    for (uint32_t i = 0; i < count && done; i++)
        if (methods[i].left_out && methods[i].calls == 0 && methods[i].cost_ps == 0 && lose(&c, i, false) == 0)
            keep(&c, i);
    free(c.path);
    free(c.lost);
    free(c.waiting);
    return done;
}
