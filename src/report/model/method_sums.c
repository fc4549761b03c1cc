#include "report/model/method_sums.h"

#include <stdlib.h>

#include "profile/splice.h"

/* Of one function, in a line of a processor's cache. */
typedef struct method_sum {
    uint64_t calls, steps, by_exception;
    uint64_t inclusive_ns, exclusive_ns, waiting_ns;
    uint32_t active; /* nodes of it on the path that is being walked */
} method_sum;

typedef struct summing {
    method_sum *sums; /* by function, once all nodes are matched */
    const matched_thread *t;
    const profile_run *run;
    function_list *list;
} summing;

static bool is_method(const matched_node *n) {
    return n->function < FUNCTION_FOLDED;
}

static void leave_path(const summing *s, uint32_t from, uint32_t to) {
    for (; from != to; from = s->t->corrected.t.parents[from])
        if (is_method(&s->t->nodes[from]))
            s->sums[s->t->nodes[from].function].active--;
}

/* A step stands in a call of its own method, or apart. */
static bool is_part(const matched_thread *t, uint32_t node) {
    const matched_node *above = &t->nodes[t->corrected.t.parents[node]];
    return above->machine == PROFILE_PLAIN && above->function == t->nodes[node].function;
}

/* `fold`: the time of its folded calls, NULL where it is not of folded ones. */
static void add_node(const summing *s, uint32_t i, const corrected_fold *fold) {
    const corrected_thread *c = &s->t->corrected;
    const matched_node *means = &s->t->nodes[i];
    method_sum *sum = &s->sums[means->function];
    const uint64_t calls = profile_number(&c->t, PROFILE_CALLS, i);
    const bool plain = means->machine == PROFILE_PLAIN;
    if (plain)
        sum->calls = profile_add(sum->calls, calls);
    else
        sum->steps = profile_add(sum->steps, calls);
    sum->by_exception = profile_add(sum->by_exception, profile_number(&c->t, PROFILE_BY_EXCEPTION, i));
    sum->exclusive_ns = profile_add(sum->exclusive_ns, columns_at(&c->timings, TIMES_EXCLUSIVE, i));
    sum->waiting_ns = profile_add(sum->waiting_ns, columns_at(&c->timings, TIMING_BLOCKED, i));
    if (sum->active == 0 && c->t.ids[c->t.parents[i]] != PROFILE_ID_FOLDED)
        sum->inclusive_ns = profile_add(sum->inclusive_ns, columns_at(&c->timings, TIMES_INCLUSIVE, i));
    if (fold && plain)
        sum->inclusive_ns = profile_add(sum->inclusive_ns, fold->outer.inclusive_ns);
    report_function *f = &s->list->functions[means->function];
    if (!plain)
        f->apart |= !is_part(s->t, i);
    else if (c->t.has_spans || c->t.has_corrected_spans)
        f->durations.span = profile_span_widened(f->durations.span, correct_span(c, s->run, i));
    sum->active++;
}

static void add_nodes(const summing *s) {
    const corrected_thread *c = &s->t->corrected;
    uint32_t path = 0, fold = 0;
    for (uint32_t i = 0; i < c->t.node_count; i++) {
        leave_path(s, path, c->t.parents[i]);
        path = i;
        if (!is_method(&s->t->nodes[i]))
            continue;
        const bool folds = fold < c->fold_count && c->folds[fold].node == i;
        add_node(s, i, folds ? &c->folds[fold] : NULL);
        fold += folds;
    }
    leave_path(s, path, 0);
}

/* Is a function's time the sum of its nodes' whatever tree they are put into? */
static bool thread_fits(const matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    bool fits = of->async_count == 0 && columns_is_empty(&of->nodes, PROFILE_PLACE);
    for (unsigned k = PROFILE_FIGURE; k < PROFILE_ALL_FIGURE; k++)
        fits &= columns_is_empty(&of->nodes, k);
    for (uint32_t i = 0; i < of->node_count && fits; i++)
        fits = t->nodes[i].machine == PROFILE_PLAIN || t->nodes[i].machine == PROFILE_ITERATOR;
    return fits;
}

static void take(function_list *list, const method_sum *sums) {
    for (uint32_t i = 0; i < list->function_count; i++) {
        report_function *f = &list->functions[i];
        profile_times *t = &f->times;
        f->calls = profile_add(f->calls, sums[i].calls);
        f->steps = profile_add(f->steps, sums[i].steps);
        f->by_exception = profile_add(f->by_exception, sums[i].by_exception);
        f->waiting_ns = profile_add(f->waiting_ns, sums[i].waiting_ns);
        t->inclusive_ns = profile_add(t->inclusive_ns, sums[i].inclusive_ns);
        t->exclusive_ns = profile_add(t->exclusive_ns, sums[i].exclusive_ns);
        t->inclusive_low_ns = t->inclusive_high_ns = t->inclusive_ns;
        t->exclusive_low_ns = t->exclusive_high_ns = t->exclusive_ns;
    }
}

static bool add_thread(aggregate *a, matching *match, const profile *p, const profile_thread *recorded, bool *fits) {
    matched_thread one = MATCHED_THREAD_INIT;
    summing s = {.t = &one, .run = &p->run, .list = &a->list};
    bool done = correct_thread(&one.corrected, &p->run, recorded, a->offset) && splice_thread(&one.corrected, p) &&
                match_thread(match, &one);
    *fits = done && thread_fits(&one);
    if (*fits) {
        s.sums = calloc((size_t)a->list.function_count + 1, sizeof *s.sums);
        done = s.sums != NULL;
    }
    if (s.sums) {
        add_nodes(&s);
        take(&a->list, s.sums);
        a->totals.threads = profile_add(a->totals.threads, one.corrected.t.count);
    }
    free(s.sums);
    matched_thread_clear(&one);
    return done;
}

ecma_status method_sums_profile(aggregate *a, const profile *p, bool *fits, diag *d) {
    matching match = MATCHING_INIT;
    *fits = true;
    if (!call_tree_start(&a->tree))
        return diag_no_memory(d);
    ecma_status status = match_start(&match, &a->list, p, d);
    bool done = true;
    for (size_t i = 0; i < p->thread_count && status == ECMA_OK && done && *fits; i++)
        done = add_thread(a, &match, p, &p->threads[i], fits);
    done = done && call_tree_make_nodes(&a->tree);
    if (status == ECMA_OK && !done)
        status = diag_no_memory(d);
    match_end(&match);
    *fits &= !a->list.has_entry && p->switch_count == 0;
    a->totals.wall_ns = profile_add(a->totals.wall_ns, profile_ns(&p->run, p->run.wall_ticks));
    a->runs = profile_add(a->runs, profile_runs_in(&p->run));
    a->only_counts = profile_add(a->only_counts, p->run.only_counts);
    return status;
}
