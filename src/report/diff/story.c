#include "report/diff/story.h"

#include <stdlib.h>

/* ---- Sums over calls of one method ------------------------------------------------------------------------------- */

enum { OUTSIDE, OUTER, INNER }; /* INNER: below a call of the same method that is in the set, too */

/* A set of calls of one method in the tree of paths, and what is called from there. */
typedef struct search {
    const diff *d;
    story_sums *paths;                    /* of each path */
    double *waited[2];                    /* of each path with all below it */
    uint32_t *outermost, outermost_count; /* paths that the root has called */
    uint32_t *source;                     /* of each path: the one that it has its time from, itself or one below */
    bool *has_caller;                     /* of each method: one of its callers is recorded */
    bool *moved;                          /* of each method: its time has changed beyond noise */
    bool *unrecorded;                     /* of each method: of one side nothing is known, for a price */
    uint8_t *set;                         /* of each path */
    uint8_t *next;                        /* the same of the set that comes */
    uint8_t *below;                       /* paths of the subject's calls, and below them */
    story_sums *callee;                   /* of each method */
    uint32_t *touched, touched_count;
    bool *is_touched;
} search;

static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static double size_of(double x) {
    return x < 0 ? -x : x;
}

/* One of a method that the governor switched off says nothing. */
static bool is_call(const search *s, uint32_t path) {
    const diff_entry *e = &s->d->paths.entries[path];
    return (e->kind == NODE_CALL || e->kind == NODE_RESUMED) && !s->d->functions[e->function].switched;
}

static bool is_of(const search *s, uint32_t path, uint32_t function) {
    return is_call(s, path) && s->d->paths.entries[path].function == function;
}

/* `inner`: the calls and all of their time are in the sum already. */
static void add(story_sums *sum, const story_sums *more, bool inner) {
    for (int side = 0; side < 2; side++) {
        sum->taken[side] += inner ? 0 : more->taken[side];
        sum->calls[side] += inner ? 0 : more->calls[side];
        sum->own[side] += more->own[side];
        sum->work[side] += more->work[side];
    }
}

static void forget_callees(search *s) {
    for (uint32_t i = 0; i < s->touched_count; i++) {
        s->callee[s->touched[i]] = (story_sums){.taken = {0, 0}};
        s->is_touched[s->touched[i]] = false;
    }
    s->touched_count = 0;
}

static void add_callee(search *s, uint32_t path) {
    uint32_t f = s->d->paths.entries[path].function;
    if (s->unrecorded[f])
        return;
    if (!s->is_touched[f])
        s->touched[s->touched_count++] = f;
    s->is_touched[f] = true;
    add(&s->callee[f], &s->paths[path], false);
}

/* Sums up what the set's calls have called. */
static void find_callees(search *s) {
    forget_callees(s);
    for (uint32_t i = 1; i < s->d->paths.count; i++)
        if (s->set[i] == OUTSIDE && s->set[s->d->paths.entries[i].parent] != OUTSIDE && is_call(s, i))
            add_callee(s, i);
}

/* The set becomes the calls of a method from there. */
static story_sums enter(search *s, uint32_t function) {
    const diff_entry *paths = s->d->paths.entries;
    story_sums sum = {.taken = {0, 0}};
    memset(s->next, OUTSIDE, s->d->paths.count);
    for (uint32_t i = 1; i < s->d->paths.count; i++) {
        if (!is_of(s, i, function))
            continue;
        if (s->next[paths[i].parent] != OUTSIDE)
            s->next[i] = INNER;
        else if (s->set[paths[i].parent] != OUTSIDE && s->set[i] == OUTSIDE)
            s->next[i] = OUTER;
        if (s->next[i] != OUTSIDE)
            add(&sum, &s->paths[i], s->next[i] == INNER);
    }
    uint8_t *left = s->set;
    s->set = s->next;
    s->next = left;
    return sum;
}

static bool is_repeated(const story_sums *sum) {
    return sum->calls[0] > 1.5 && sum->calls[1] > 1.5;
}

static bool is_steady(const double calls[2]) {
    return calls[0] > 1.5 && calls[1] > 1.5 && size_of(calls[1] - calls[0]) < 0.05 * calls[0];
}

/* Has the time of one call changed, whatever became of their number? It is asked of methods that nothing recorded
 * calls: a load test of a fixed duration makes more or fewer requests. Where there are more calls, they
 * may each take less since the first one took long. */
static bool by_call_changed(const search *s, uint32_t function, const story_sums *sum) {
    if (s->has_caller[function] || !is_repeated(sum) || sum->taken[0] <= 0 || sum->taken[1] <= 0)
        return false;
    double ratio = sum->taken[1] / sum->calls[1] / (sum->taken[0] / sum->calls[0]);
    return ratio > 1.2 || (ratio < 1 / 1.2 && sum->taken[1] < 1.2 * sum->taken[0]);
}

/* Where nothing is known of noise the time alone of a method that is called as before has to be more than that, unless
 * it is an outermost one. */
#define LEAST_OF_TIME_ALONE 0.05

static bool method_moved(const search *s, uint32_t function) {
    const diff *d = s->d;
    diff_change c = diff_of(d, &d->methods, function, DIFF_TAKEN),
                calls = diff_of(d, &d->methods, function, DIFF_CALLS);
    const story_sums sums = {.taken = {c.before, c.after}, .calls = {calls.before, calls.after}};
    diff_verdict v = diff_judged(d, &c);
    if (diff_may_be_unrecorded(d, v))
        return false;
    if (v == DIFF_NEW || v == DIFF_GONE)
        return size_of(c.change) >= DIFF_LEAST_OF_WHOLE * d->whole;
    if (calls.verdict != DIFF_SAME)
        return v != DIFF_SAME || by_call_changed(s, function, &sums);
    return v != DIFF_SAME &&
           (!s->has_caller[function] || diff_knows_noise(d) || size_of(c.change) >= LEAST_OF_TIME_ALONE * d->whole);
}

/* Has the method changed that the path has its time from? */
static bool has_moved(const search *s, uint32_t path) {
    return s->moved[s->d->paths.entries[s->source[path]].function];
}

/* The set becomes what no change is above or at: the outermost methods that have changed are what it has called. What
 * was not recorded on one side is no change. */
static void start_at_root(search *s) {
    memset(s->set, OUTSIDE, s->d->paths.count);
    s->set[0] = OUTER;
    for (uint32_t i = 1; i < s->d->paths.count; i++)
        if (is_call(s, i) && s->set[s->d->paths.entries[i].parent] != OUTSIDE &&
            (!has_moved(s, i) || s->unrecorded[s->d->paths.entries[i].function]))
            s->set[i] = OUTER;
    find_callees(s);
}

static void clear(search *s) {
    free(s->paths);
    free(s->waited[0]);
    free(s->waited[1]);
    free(s->outermost);
    free(s->source);
    free(s->has_caller);
    free(s->moved);
    free(s->unrecorded);
    free(s->set);
    free(s->next);
    free(s->below);
    free(s->callee);
    free(s->touched);
    free(s->is_touched);
}

/* The sums of a path, with the means of one side more. */
static story_sums with_means(const search *s, uint32_t path, int side) {
    const diff *d = s->d;
    story_sums sums = s->paths[path];
    const struct {
        diff_metric metric;
        double *mean;
    } of[] = {{DIFF_TAKEN, &sums.taken[side]},
              {DIFF_OWN, &sums.own[side]},
              {DIFF_EXCLUSIVE, &sums.work[side]},
              {DIFF_CALLS, &sums.calls[side]}};
    for (size_t m = 0; m < sizeof of / sizeof of[0]; m++) {
        for (uint32_t run = 0; run < d->runs[side]; run++)
            *of[m].mean += diff_value(d, &d->paths, path, of[m].metric, run + (side == 0 ? 0 : d->runs[0]));
        *of[m].mean /= d->runs[side];
    }
    return sums;
}

static bool make(search *s, const diff *d) {
    size_t paths = (size_t)d->paths.count + 1, methods = (size_t)d->methods.count + 1;
    *s = (search){.d = d,
                  .paths = calloc(paths, sizeof *s->paths),
                  .waited = {calloc(paths, sizeof(double)), calloc(paths, sizeof(double))},
                  .outermost = calloc(paths, sizeof *s->outermost),
                  .source = calloc(paths, sizeof *s->source),
                  .has_caller = calloc(methods, sizeof *s->has_caller),
                  .moved = calloc(methods, sizeof *s->moved),
                  .unrecorded = calloc(methods, sizeof *s->unrecorded),
                  .set = calloc(paths, 1),
                  .next = calloc(paths, 1),
                  .below = calloc(paths, 1),
                  .callee = calloc(methods, sizeof *s->callee),
                  .touched = calloc(methods, sizeof *s->touched),
                  .is_touched = calloc(methods, sizeof *s->is_touched)};
    if (!s->paths || !s->waited[0] || !s->waited[1] || !s->outermost || !s->source || !s->has_caller || !s->moved ||
        !s->unrecorded || !s->set || !s->next || !s->below || !s->callee || !s->touched || !s->is_touched)
        return false;
    for (uint32_t i = 1; i < d->paths.count; i++) {
        s->source[i] = i;
        for (int side = 0; side < 2; side++)
            s->paths[i] = with_means(s, i, side);
        if (d->paths.entries[i].parent == 0)
            s->outermost[s->outermost_count++] = i;
        else if (is_call(s, i))
            s->has_caller[d->paths.entries[i].function] = true;
    }
    for (uint32_t i = d->paths.count; i-- > 1;) { /* children stand after their parent */
        uint32_t above = d->paths.entries[i].parent;
        for (int side = 0; side < 2 && is_call(s, i); side++) {
            story_sums *of = &s->paths[above];
            s->waited[side][i] += s->paths[i].own[side] - s->paths[i].work[side];
            s->waited[side][above] += s->waited[side][i];
            /* What starts an async call and does not await it is the way to it all the same. */
            if (above == 0 || of->taken[side] >= s->paths[i].taken[side])
                continue;
            of->taken[side] = s->paths[i].taken[side];
            s->source[above] = s->source[i];
        }
    }
    for (uint32_t i = 0; i < d->methods.count; i++) {
        s->unrecorded[i] = diff_may_be_unrecorded(d, diff_of(d, &d->methods, i, DIFF_CALLS).verdict);
        s->moved[i] = !d->functions[i].switched && method_moved(s, i);
    }
    return true;
}

/* ---- The subject ------------------------------------------------------------------------------------------------- */

/* What has changed of a method's time: of as many calls, where they take another time each. */
static double change_of(const search *s, uint32_t function) {
    const story_sums *sum = &s->callee[function];
    if (!by_call_changed(s, function, sum))
        return sum->taken[1] - sum->taken[0];
    double calls = sum->calls[0] > sum->calls[1] ? sum->calls[0] : sum->calls[1];
    return (sum->taken[1] / sum->calls[1] - sum->taken[0] / sum->calls[0]) * calls;
}

/* Is it called once, and waits nearly all the time, as the main method of a service does? */
static bool is_idle(const search *s, uint32_t function) {
    const story_sums *sum = &s->callee[function];
    double waited[2] = {0, 0};
    if (sum->calls[0] > 1.5 || sum->calls[1] > 1.5)
        return false;
    for (uint32_t i = 0; i < s->outermost_count; i++)
        for (int side = 0; side < 2 && is_of(s, s->outermost[i], function); side++)
            waited[side] += s->waited[side][s->outermost[i]];
    int side = sum->taken[1] > sum->taken[0];
    return waited[side] > 0.8 * sum->taken[side];
}

/* Of the outermost methods that have changed the one that has most; STORY_NONE: there is none. */
static uint32_t outermost(const search *s) {
    uint32_t found[2] = {STORY_NONE, STORY_NONE}; /* that work, and that wait */
    double most[2] = {0, 0};
    for (uint32_t i = 0; i < s->touched_count; i++) {
        uint32_t f = s->touched[i];
        double size = size_of(change_of(s, f));
        bool idle = is_idle(s, f);
        if (size > most[idle]) {
            most[idle] = size;
            found[idle] = f;
        }
    }
    return found[0] != STORY_NONE && most[0] >= most[1] / 10 ? found[0] : found[1] != STORY_NONE ? found[1] : found[0];
}

/* The callee that has most of a change of this sign; STORY_NONE. `times`: what each side's figures are multiplied by.
 */
static uint32_t largest(const search *s, double sign, const double times[2], double *change) {
    uint32_t found = STORY_NONE;
    *change = 0;
    for (uint32_t i = 0; i < s->touched_count; i++) {
        const story_sums *c = &s->callee[s->touched[i]];
        double size = (c->taken[1] * times[1] - c->taken[0] * times[0]) * sign;
        if (size > *change) {
            *change = size;
            found = s->touched[i];
        }
    }
    return found;
}

/* How a callee came to take another time: by its number beside its caller's; STORY_SPREAD: not by that. */
static story_kind counted(const diff *d, uint32_t function, const story_sums *c, const double calls[2]) {
    const diff_entry *e = &d->methods.entries[function];
    if (!e->seen[0])
        return STORY_NEW;
    if (!e->seen[1])
        return STORY_GONE;
    double before = c->calls[0] / calls[0], after = c->calls[1] / calls[1];
    if (before <= 0 || after <= 0)
        return before != after ? STORY_COUNT : STORY_SPREAD;
    double ratio = after / before, each = share(c->taken[1] / c->calls[1], c->taken[0] / c->calls[0]);
    bool more = ratio >= 1.5 && ratio >= each, less = ratio <= 1 / 1.5 && ratio <= each;
    return (more || less) && size_of(after - before) * calls[1] >= 0.5 ? STORY_COUNT : STORY_SPREAD;
}

/* Numbers of calls, to divide by. */
static void calls_of(const story_sums *sum, double calls[2]) {
    for (int side = 0; side < 2; side++)
        calls[side] = sum->calls[side] > 0 ? sum->calls[side] : 1;
}

/* Is the callee a better subject than its caller? The first one that is called several times, and then one that is
 * called less often: a router's calls go to several handlers. */
static bool is_nearer(const story_sums *caller, const story_sums *callee) {
    if (!is_repeated(callee))
        return false;
    return !is_repeated(caller) ||
           (callee->calls[0] < 0.95 * caller->calls[0] && callee->calls[1] < 0.95 * caller->calls[1]);
}

/* Goes from the root's callee down while one callee has nearly all of the change and nothing on the way has caused it;
 * the subject is the best that was met. The set is then the subject's calls. */
static void find_subject(search *s, diff_story *story) {
    enum { MOST = 200 };
    static const double as_they_are[2] = {1, 1};
    uint32_t chain[MOST] = {story->subject}, count = 1, chosen = 1;
    story_sums at = enter(s, story->subject);
    double calls[2], sign = at.taken[1] > at.taken[0] ? 1 : -1, change = size_of(at.taken[1] - at.taken[0]), part;
    story->whole = at;
    for (; count < MOST; change = part) {
        find_callees(s);
        uint32_t f = largest(s, sign, as_they_are, &part);
        calls_of(&at, calls);
        if (f == STORY_NONE || part < 0.8 * change || counted(s->d, f, &s->callee[f], calls) != STORY_SPREAD)
            break;
        at = enter(s, f);
        chain[count++] = f;
        if (is_nearer(&story->whole, &at)) {
            story->whole = at;
            chosen = count;
        }
    }
    start_at_root(s);
    for (uint32_t i = 0; i < chosen; i++)
        (void)enter(s, chain[i]);
    story->subject = chain[chosen - 1];
    story->each = is_steady(story->whole.calls) || by_call_changed(s, story->subject, &story->whole);
}

/* ---- The cause --------------------------------------------------------------------------------------------------- */

static void give(diff_story *story, story_kind kind, uint32_t cause, uint32_t caller, const story_sums *sums) {
    story->kind = kind;
    story->cause = cause;
    story->caller = caller;
    story->of_cause = *sums;
}

/* The method below the subject that has half of the change in its own code, wherever it is called. */
static void find_leaf(search *s, diff_story *story, double change, double sign, const double times[2]) {
    forget_callees(s);
    for (uint32_t i = 1; i < s->d->paths.count; i++)
        if (s->below[i] && is_call(s, i))
            add_callee(s, i);
    double most = 0, calls[2];
    uint32_t found = STORY_NONE;
    for (uint32_t i = 0; i < s->touched_count; i++) {
        const story_sums *c = &s->callee[s->touched[i]];
        double size = (c->own[1] * times[1] - c->own[0] * times[0]) * sign;
        if (size > most) {
            most = size;
            found = s->touched[i];
        }
    }
    if (found == STORY_NONE || most < change / 2)
        return;
    story_sums sums = s->callee[found];
    memcpy(sums.taken, sums.own, sizeof sums.taken);
    calls_of(&story->whole, calls);
    story_kind kind = counted(s->d, found, &sums, calls);
    give(story, kind == STORY_SPREAD ? STORY_ITSELF : kind, found, STORY_NONE, &sums);
}

/* From the subject's calls down. */
static void find_cause(search *s, diff_story *story) {
    double times[2] = {1, 1}, calls[2];
    calls_of(&story->whole, calls);
    for (int side = 0; side < 2 && story->each; side++)
        times[side] = 1 / calls[side];
    for (uint32_t i = 1; i < s->d->paths.count; i++)
        s->below[i] = s->set[i] != OUTSIDE || s->below[s->d->paths.entries[i].parent];
    story_sums at = story->whole;
    uint32_t function = story->subject, caller = STORY_NONE, callee;
    double whole = at.taken[1] * times[1] - at.taken[0] * times[0], sign = whole < 0 ? -1 : 1, change = whole * sign;
    for (int depth = 0; depth < 1000; depth++) {
        if ((at.own[1] * times[1] - at.own[0] * times[0]) * sign >= change / 2) {
            give(story, STORY_ITSELF, function, caller, &at);
            return;
        }
        find_callees(s);
        double part;
        callee = largest(s, sign, times, &part);
        if (callee == STORY_NONE || part < change / 2)
            break;
        calls_of(&at, calls);
        story_kind kind = counted(s->d, callee, &s->callee[callee], calls);
        if (kind != STORY_SPREAD) {
            memcpy(story->callers, at.calls, sizeof story->callers);
            give(story, kind, callee, function, &s->callee[callee]);
            return;
        }
        at = enter(s, callee);
        caller = function;
        function = callee;
        change = part;
    }
    find_leaf(s, story, whole * sign, sign, times);
}

/* Where no time has changed: of the methods that are called otherwise the one with most change of time and number; one
 * that only compilers made where no other one is. */
static void find_count(const diff *d, diff_story *story) {
    double most = 0;
    bool made = true;
    for (uint32_t i = 0; i < d->methods.count; i++) {
        diff_change c = diff_of(d, &d->methods, i, DIFF_CALLS);
        double time = d->untimed ? 0 : size_of(diff_of(d, &d->methods, i, DIFF_TAKEN).change);
        double size = time + diff_weight(&c);
        const bool helper = d->functions[i].parts.helper;
        if (c.verdict == DIFF_SAME || diff_may_be_unrecorded(d, c.verdict) || d->functions[i].switched ||
            (helper && !made) || (size <= most && helper == made))
            continue;
        most = size;
        made = helper;
        story_sums sums = {.calls = {c.before, c.after}};
        give(story,
             c.verdict == DIFF_NEW    ? STORY_NEW
             : c.verdict == DIFF_GONE ? STORY_GONE
                                      : STORY_COUNT,
             i, STORY_NONE, &sums);
    }
}

/* The one caller of the subject, with its calls; STORY_NONE: there are several, or none is recorded. */
static uint32_t find_caller(const search *s, diff_story *story) {
    uint32_t found = STORY_NONE;
    for (uint32_t i = 1; i < s->d->paths.count; i++) {
        uint32_t above = s->d->paths.entries[i].parent, function = s->d->paths.entries[above].function;
        if (!is_of(s, i, story->subject) || s->set[above] == OUTSIDE)
            continue;
        if (!is_call(s, above) || (found != STORY_NONE && found != function))
            return STORY_NONE;
        found = function;
        for (int side = 0; side < 2; side++)
            story->callers[side] += s->paths[above].calls[side];
    }
    return found;
}

bool story_find(diff_story *story, const diff *d) {
    search s;
    *story = (diff_story){.subject = STORY_NONE, .cause = STORY_NONE, .caller = STORY_NONE};
    if (d->methods_only)
        return true;
    bool done = make(&s, d);
    if (done && !d->untimed && d->paths.count > 0) {
        start_at_root(&s);
        story->subject = outermost(&s);
    }
    if (done && story->subject != STORY_NONE) {
        static const double once[2] = {1, 1};
        story_sums sums = s.callee[story->subject];
        story_kind kind =
            by_call_changed(&s, story->subject, &sums) ? STORY_SPREAD : counted(d, story->subject, &sums, once);
        story->kind = STORY_SPREAD;
        if (kind != STORY_SPREAD) {
            story->whole = sums;
            give(story, kind, story->subject, find_caller(&s, story), &sums);
        } else {
            find_subject(&s, story);
            find_cause(&s, story);
        }
    } else if (done) {
        find_count(d, story);
    }
    clear(&s);
    return done;
}
