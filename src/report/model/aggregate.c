#include "report/model/aggregate.h"

#include "profile/splice.h"
#include "report/model/logical.h"
#include "report/model/order.h"
#include "report/model/parts.h"
#include "report/model/tests.h"
#include "report/model/ticks.h"
#include "report/model/times.h"
#include "report/model/walk.h"
#include "util/large.h"
#include "util/list.h"
#include "util/text_keep.h"

enum { BUILDER_FRAMES = 3 /* at most, between an async method and its MoveNext */ };
enum { MANY = 1 << 16, AHEAD = 16 /* nodes: where they are many, what they ask of memory is fetched meanwhile */ };

/* ---- The tree --------------------------------------------------------------------------------------------------- */

/* The place that the thread's root gets; FOLD_NONE when memory ran out. */
static uint32_t top_of(aggregate *a, const profile_thread *t, uint32_t run) {
    if (!a->tree.by_thread)
        return 0;
    if (a->tree.thread_count >= FUNCTIONS_MOST ||
        !list_grow((void **)&a->tree.threads, a->tree.thread_count, &a->tree.thread_capacity, sizeof *a->tree.threads))
        return FOLD_NONE;
    report_thread made = {run, t->merged, t->id, t->name, t->count};
    if (!text_keep(&a->list.memory, &made.name))
        return FOLD_NONE;
    a->tree.threads[a->tree.thread_count] = made;
    return fold_child(&a->tree.places, 0, call_tree_key(NODE_THREAD, a->tree.thread_count++));
}

static bool is_plain(const matched_node *n, uint32_t function) {
    return n->machine == PROFILE_PLAIN && n->function == function;
}

/* Room for the nodes of one thread at a time: their places in the tree; and for its async nodes: their places in the
 * async tree. */
typedef struct room {
    uint32_t *places, *async_places;
} room;

/* A later slice waits below the thread's root for its place in the logical order. */
static bool waits(uint32_t key) {
    return key >= call_tree_key(NODE_SLICE, 0);
}

/* The key of a node below its caller's, or below the thread's root when it `waits`. FOLD_PARENT for a machine's
 * MoveNext that its own method's call leads to. Frames of an instrumented builder may stand between: then it is a node
 * of its own. */
static uint32_t key_of(const aggregate *a, const matched_thread *t, uint32_t node, const room *r) {
    const profile_thread *of = &t->corrected.t;
    const matched_node *n = &t->nodes[node];
    uint32_t above = of->parents[node];
    if (n->function == FUNCTION_FOLDED)
        return call_tree_key(NODE_FOLDED, 0);
    if (n->function == FUNCTION_UNSHOWN)
        return FOLD_PARENT;
    const uint64_t place = a->physical ? 0 : profile_number(of, PROFILE_PLACE, node);
    if (place != 0)
        return call_tree_key(NODE_SLICE, r->async_places[place]);
    if (n->machine == PROFILE_PLAIN)
        return call_tree_key(NODE_CALL, n->function);
    if (is_plain(&t->nodes[above], n->function))
        return FOLD_PARENT;
    bool resumed = n->machine == PROFILE_ASYNC && of->ids[above] != PROFILE_ID_FOLDED;
    for (int i = 0; i < BUILDER_FRAMES && resumed; i++) {
        above = of->parents[above];
        resumed = !is_plain(&t->nodes[above], n->function);
    }
    if (resumed && !a->physical)
        return call_tree_key(NODE_UNLINKED, n->function);
    return call_tree_key(resumed ? NODE_RESUMED : NODE_CALL, n->function);
}

static bool fold_nodes(aggregate *a, const matched_thread *t, uint32_t run, const room *r) {
    const profile_thread *of = &t->corrected.t;
    uint32_t top = top_of(a, of, run);
    if (top == FOLD_NONE || !fold_expect(&a->tree.places, of->node_count))
        return false;
    const uint32_t last = of->node_count > MANY ? of->node_count - AHEAD : 0;
    r->places[0] = top;
    for (uint32_t i = 1; i < of->node_count; i++) {
        if (i < last) {
            const uint32_t later = i + AHEAD, above = of->parents[later];
            const uint32_t parent = above < i ? r->places[above] : r->places[i - 1] + above - i + 1;
            fold_foresee(&a->tree.places, parent, key_of(a, t, later, r));
        }
        const uint32_t parent = r->places[of->parents[i]], key = key_of(a, t, i, r);
        r->places[i] = key == FOLD_PARENT ? parent : fold_child(&a->tree.places, waits(key) ? top : parent, key);
        if (r->places[i] == FOLD_NONE)
            return false;
    }
    return call_tree_make_nodes(&a->tree);
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

static void leave_path(aggregate *a, const matched_thread *t, uint32_t from, uint32_t to) {
    for (; from != to; from = t->corrected.t.parents[from])
        if (t->nodes[from].function < FUNCTION_FOLDED)
            a->list.functions[t->nodes[from].function].active--;
}

/* What one node of a profile adds. */
typedef struct addition {
    uint32_t node;
    const profile_thread *of;
    const profile_timing *timing;
    uint64_t calls, steps; /* one of them is 0 */
    uint64_t ticked_calls; /* of them by ticks */
} addition;

static void add_to_function(report_function *f, const addition *more, profile_machine machine, bool folded) {
    const uint64_t open = profile_number(more->of, PROFILE_OPEN, more->node);
    f->calls = profile_add(f->calls, more->calls);
    f->steps = profile_add(f->steps, more->steps);
    f->by_exception = profile_add(f->by_exception, profile_number(more->of, PROFILE_BY_EXCEPTION, more->node));
    f->resynchronised = profile_add(f->resynchronised, profile_number(more->of, PROFILE_RESYNCHRONISED, more->node));
    f->open = profile_add(f->open, open);
    f->open_slices = profile_add(f->open_slices, machine == PROFILE_ASYNC ? open : 0);
    f->probe_ns = profile_add(f->probe_ns, more->timing->probe_ns);
    times_add_exclusive(&f->times, &more->timing->times);
    if (f->active == 0 && !folded)
        times_add_inclusive(&f->times, &more->timing->times);
}

/* The node stands in no call of the same method that it is a part of. A slice or step alone is no call. */
static void add_to_average(report_function *f, const addition *more) {
    f->averaged_calls = profile_add(f->averaged_calls, more->calls);
    times_add_inclusive(&f->averaged, &more->timing->times);
}

static void add_to_totals(report_totals *totals, const profile_run *run, const addition *more) {
    const profile_thread *t = more->of;
    totals->enters = profile_add(totals->enters, profile_add(more->calls, more->steps));
    totals->steps = profile_add(totals->steps, more->steps);
    totals->by_exception = profile_add(totals->by_exception, profile_number(t, PROFILE_BY_EXCEPTION, more->node));
    totals->resynchronised = profile_add(totals->resynchronised, profile_number(t, PROFILE_RESYNCHRONISED, more->node));
    totals->open = profile_add(totals->open, profile_number(t, PROFILE_OPEN, more->node));
    totals->exclusive_ns = profile_add(totals->exclusive_ns, more->timing->times.exclusive_ns);
    totals->recorded_ns = profile_add(totals->recorded_ns, profile_ns(run, profile_number(t, PROFILE_OWN, more->node)));
    if (more->timing->times.exclusive_over_ns > 0)
        totals->recorded_over_ns =
            profile_add(totals->recorded_over_ns, profile_ns(run, profile_number(t, PROFILE_OVER, more->node)));
    totals->probe_ns = profile_add(totals->probe_ns, more->timing->probe_ns);
}

/* All but the times. */
static void add_to_node(call_tree *t, uint32_t node, const addition *more) {
    node_add(t, NODE_CALLS, node, more->calls);
    node_add(t, NODE_TICKED_CALLS, node, more->ticked_calls);
    node_add(t, NODE_STEPS, node, more->steps);
}

/* Adds times of all nodes, the inclusive ones but for parts of calls' nodes, one by one. */
static void add_times_slowly(call_tree *tree, const corrected_thread *c, const uint32_t *places, bool inclusive) {
    for (uint32_t i = 0; i < c->t.node_count; i++) {
        const profile_times more = times_at(&c->timings, i);
        if (!inclusive)
            node_add_exclusive(tree, places[i], &more);
        else if (i == 0 || places[i] != places[c->t.parents[i]])
            node_add_inclusive(tree, places[i], &more);
    }
}

/* Adds the inclusive times, then the exclusive ones: with `uses_up` these are all that is left by then. A part of a
 * call's node has its time in that one's. */
static void add_times(call_tree *tree, corrected_thread *c, const uint32_t *places, bool uses_up) {
    const bool fit = timings_fit(&tree->all_times, &c->timings, TIMES_COLUMNS);
    for (unsigned half = 0; half < 2; half++) {
        const unsigned first = half == 0 ? TIMES_INCLUSIVE : TIMES_EXCLUSIVE;
        const unsigned end = half == 0 ? TIMES_EXCLUSIVE : TIMES_COLUMNS;
        if (!fit)
            add_times_slowly(tree, c, places, half == 0);
        for (unsigned k = first; k < end; k++) {
            if (fit)
                columns_add(&tree->figures, k, places, &c->timings, c->t.node_count, half == 0 ? c->t.parents : NULL);
            if (uses_up)
                columns_drop(&c->timings, k);
        }
    }
}

/* `function`: FUNCTION_FOLDED or FUNCTION_ROOT where it is none. */
static void add_figures(aggregate *a, uint32_t node, uint32_t function, const profile_thread *t, uint32_t i) {
    const profile_figures own = profile_figures_at(t, PROFILE_FIGURE, i),
                          folded = profile_figures_at(t, PROFILE_FOLDED_FIGURE, i);
    node_add_figures(&a->tree, NODE_FIGURE, node, own.all);
    node_add_figures(&a->tree, NODE_ALL_FIGURE, node, folded.all);
    if (function < FUNCTION_FOLDED) {
        profile_add_figures(a->list.functions[function].figures.all, own.all);
        profile_add_figures(a->totals.figures.all, own.all);
    }
}

/* Where the tracker could not see how long threads were blocked, one method is known to have done nothing else. */
static void set_entry_apart(const aggregate *a, const profile_run *run, matched_thread *t) {
    corrected_thread *c = &t->corrected;
    bool known = !a->list.has_entry || profile_tells_waits(run, &c->t);
    for (uint32_t i = 1; i < c->t.node_count && !known; i++) {
        bool outermost = c->t.parents[i] == 0 && t->nodes[i].function < FUNCTION_FOLDED;
        if (!outermost || !match_is_entry(&a->list.functions[t->nodes[i].function]))
            continue;
        profile_timing of = timing_at(&c->timings, i);
        of.blocked_ns = of.times.exclusive_ns;
        of.times.exclusive_ns = of.times.exclusive_low_ns = of.times.exclusive_high_ns = 0;
        timing_set(&c->timings, i, &of);
    }
}

/* Adds a wait of a function, FUNCTION_FOLDED or FUNCTION_ROOT where it is none, at a place. False when memory ran out.
 */
static bool add_waiting(aggregate *a, uint32_t place, uint32_t function, uint64_t ns) {
    uint32_t waiting = call_tree_child(&a->tree, place, NODE_WAITING, 0);
    if (waiting == FOLD_NONE)
        return false;
    profile_times sum = node_times(&a->tree, waiting);
    times_add_sure(&sum, ns);
    times_set(&a->tree.figures, waiting, &sum);
    if (function < FUNCTION_FOLDED) {
        a->list.functions[function].waiting_ns = profile_add(a->list.functions[function].waiting_ns, ns);
        a->totals.waiting_ns = profile_add(a->totals.waiting_ns, ns);
    }
    return true;
}

/* A node of folded calls. A folded step or slice may be a part of a call that has it in its time. False when memory ran
 * out. */
static bool add_own_folded(aggregate *a, uint32_t function, const corrected_fold *fold, const addition *more) {
    if (!list_reserve((void **)&a->own_folded, function + 1, &a->own_folded_capacity, sizeof *a->own_folded))
        return false;
    for (; a->own_folded_count <= function; a->own_folded_count++)
        a->own_folded[a->own_folded_count] = (report_own_folded){.calls = 0};
    report_own_folded *sum = &a->own_folded[function];
    profile_times outer = fold->outer;
    if (more->steps > 0)
        outer.inclusive_ns = outer.inclusive_low_ns = 0;
    else
        times_add_inclusive(&sum->averaged, &fold->all);
    sum->calls = profile_add(sum->calls, more->calls);
    times_add_inclusive(&sum->times, &outer);
    return true;
}

/* Once the tree is complete. */
static void take_own_folded(aggregate *a) {
    for (uint32_t i = 0; i < a->own_folded_count; i++) {
        report_function *f = &a->list.functions[i];
        const report_own_folded *of = &a->own_folded[i];
        times_add_inclusive(&f->times, &of->times);
        f->averaged_calls = profile_add(f->averaged_calls, of->calls);
        times_add_inclusive(&f->averaged, &of->averaged);
    }
}

static bool has_figures(const profile_thread *t) {
    bool any = false;
    for (unsigned k = PROFILE_FIGURE; k < PROFILE_ALL_FIGURE; k++)
        any |= !columns_is_empty(&t->nodes, k);
    return any;
}

/* False when memory ran out. */
static bool add_nodes(aggregate *a, const profile_run *run, const matched_thread *t, const uint32_t *places) {
    const corrected_thread *c = &t->corrected;
    const bool figures = has_figures(&c->t);
    const uint32_t last = c->t.node_count > MANY ? c->t.node_count - AHEAD : 0;
    uint32_t path = 0, fold = 0; /* the innermost node that is being walked, and the next node of folded calls */
    for (uint32_t i = 0; i < c->t.node_count; i++) {
        if (i < last && t->nodes[i + AHEAD].function < FUNCTION_FOLDED)
            function_foresee(&a->list.functions[t->nodes[i + AHEAD].function]);
        const uint64_t calls = profile_number(&c->t, PROFILE_CALLS, i);
        const uint32_t parent = c->t.parents[i];
        const profile_timing timing = timing_at(&c->timings, i);
        const matched_node *means = &t->nodes[i];
        bool plain = means->machine == PROFILE_PLAIN;
        const uint64_t ticked = c->t.has_ticks || c->t.merged ? profile_number(&c->t, PROFILE_TICKED_CALLS, i)
                                : run->clock_ticks > 0        ? calls
                                                              : 0;
        addition more = {i, &c->t, &timing, plain ? calls : 0, plain ? 0 : calls, ticked};
        bool part = i > 0 && places[i] == places[parent];
        leave_path(a, t, path, parent);
        path = i;
        if (means->function == FUNCTION_UNSHOWN)
            continue;
        if (means->function < FUNCTION_FOLDED) {
            report_function *f = &a->list.functions[means->function];
            bool folded = c->t.ids[parent] == PROFILE_ID_FOLDED;
            add_to_function(f, &more, means->machine, folded);
            f->apart |= !part && (!plain || profile_number(&c->t, PROFILE_PLACE, i) != 0);
            if (!part && !folded)
                add_to_average(f, &more);
            if (fold < c->fold_count && c->folds[fold].node == i &&
                !add_own_folded(a, means->function, &c->folds[fold++], &more))
                return false;
            if (plain)
                f->durations.span = profile_span_widened(f->durations.span, correct_span(c, run, i));
            add_to_totals(&a->totals, run, &more);
            f->active++;
        }
        add_to_node(&a->tree, places[i], &more);
        if (figures)
            add_figures(a, places[i], means->function, &c->t, i);
        if (more.timing->blocked_ns > 0 && !add_waiting(a, places[i], means->function, more.timing->blocked_ns))
            return false;
    }
    leave_path(a, t, path, 0);
    return true;
}

/* Nothing is left of a thread but its times, and where its nodes are. */
static void use_up(matched_thread *t, profile_thread *recorded) {
    corrected_thread *c = &t->corrected;
    columns_clear(&recorded->nodes);
    if (c->spliced)
        columns_clear(&c->t.nodes);
    c->spliced = false;
    c->t.nodes = COLUMNS_INIT;
    columns_drop(&c->timings, TIMING_PROBE);
    columns_drop(&c->timings, TIMING_BLOCKED);
    free(t->nodes);
    t->nodes = NULL;
}

static bool add_histograms(aggregate *a, const profile_run *run, const matched_thread *t) {
    const profile_thread *of = &t->corrected.t;
    for (uint32_t i = 0; i < of->histogram_count; i++)
        if (t->histograms[i] != FUNCTION_ROOT &&
            !durations_add(&a->list.functions[t->histograms[i]].durations, &a->list.memory, run, &of->histograms[i]))
            return false;
    return true;
}

/* The thread was matched; `r` has room for its nodes. `recorded` is to be used up, or NULL. False when memory ran out.
 */
static bool add_thread(aggregate *a, const profile_run *run, uint32_t run_position, matched_thread *t, const room *r,
                       profile_thread *recorded) {
    corrected_thread *c = &t->corrected;
    uint64_t enters = a->totals.enters;
    set_entry_apart(a, run, t);
    if (c->timings.failed || !async_add(&a->async, run, t, r->async_places) || !fold_nodes(a, t, run_position, r) ||
        !add_nodes(a, run, t, r->places))
        return false;
    a->totals.probe_ns = profile_add(a->totals.probe_ns, c->spliced_ns);
    a->totals.switched_probe_ns = profile_add(a->totals.switched_probe_ns, c->spliced_ns);
    for (uint32_t i = 0; i < c->t.path_count; i++)
        if (!profile_is_thrown_again(c->t.paths[i].outcome))
            node_add(&a->tree, NODE_THROWN, r->places[c->t.paths[i].thrower], c->t.paths[i].count);
    a->totals.threads = profile_add(a->totals.threads, c->t.count);
    if (!add_histograms(a, run, t) || (!a->physical && !logical_keep_folded(&a->tree, t, r->places)) ||
        !logical_keep_below(&a->tree, t, r->places) || !exceptions_add(&a->exceptions, run, t))
        return false;
    if (recorded)
        use_up(t, recorded);
    add_times(&a->tree, c, r->places, recorded != NULL);
    uint32_t top = r->places[0];
    if (top != 0) { /* a thread's own node: the root has the sum of all */
        const profile_times of_thread = node_times(&a->tree, top);
        columns_set(&a->tree.figures, NODE_CALLS, top, a->totals.enters - enters);
        node_add_inclusive(&a->tree, 0, &of_thread);
    }
    return true;
}

/* ---- A profile -------------------------------------------------------------------------------------------------- */

/* False when memory ran out; `t` has to be cleared all the same. */
static bool match_one(aggregate *a, matching *match, matched_thread *t, const profile_thread *recorded) {
    const profile *p = match->p;
    return correct_thread(&t->corrected, &p->run, recorded, a->offset) && splice_thread(&t->corrected, p) &&
           match_thread(match, t);
}

static bool add_threads(aggregate *a, matching *match, profile *p, uint32_t run, matched_profile *of) {
    uint32_t most = 0, most_async = 0;
    for (size_t i = 0; i < p->thread_count; i++) {
        most = p->threads[i].node_count > most ? p->threads[i].node_count : most;
        most_async = p->threads[i].async_count > most_async ? p->threads[i].async_count : most_async;
    }
    if (of->keep_threads)
        of->threads = calloc(p->thread_count + 1, sizeof *of->threads);
    room r = {large_alloc((size_t)most + 1, sizeof *r.places),
              malloc(((size_t)most_async + 1) * sizeof *r.async_places)};
    bool done = r.places && r.async_places && (of->threads || !of->keep_threads);
    for (size_t i = 0; i < p->thread_count && done; i++) {
        matched_thread one = MATCHED_THREAD_INIT;
        done = match_one(a, match, &one, &p->threads[i]) &&
               add_thread(a, &p->run, run, &one, &r, of->uses_up ? &p->threads[i] : NULL);
        if (of->keep_threads)
            of->threads[of->thread_count++] = one;
        else
            matched_thread_clear(&one);
    }
    free(r.places);
    free(r.async_places);
    return done;
}

/* The methods that were switched, by name, as far as the filter wants them. */
static bool add_switches(aggregate *a, matching *match, uint32_t run) {
    const profile *p = match->p;
    for (uint32_t i = 0; i < p->switch_count; i++) {
        report_switch made = {.run = run, .of = p->switches[i]};
        if (!list_grow((void **)&a->switches, a->switch_count, &a->switch_capacity, sizeof *a->switches) ||
            !match_describe(match, p->switches[i].id, &made.function))
            return false;
        a->switches[a->switch_count++] = made;
    }
    return true;
}

ecma_status aggregate_profile(aggregate *a, profile *p, uint32_t run, matched_profile *matched, diag *d) {
    matching match = MATCHING_INIT;
    matched_profile unwanted = MATCHED_PROFILE_INIT, *of = matched ? matched : &unwanted;
    if (!call_tree_start(&a->tree))
        return diag_no_memory(d);
    const correct_range probes = correct_probes(p);
    ecma_status status = match_start(&match, &a->list, p, d);
    if (status == ECMA_OK && (!add_threads(a, &match, p, run, of) || !match_calls(&match, of) ||
                              !add_switches(a, &match, run) || !sites_add(&a->sites, &match)))
        status = diag_no_memory(d);
    match_end(&match);
    matched_profile_clear(&unwanted);
    a->totals.wall_ns = profile_add(a->totals.wall_ns, profile_ns(&p->run, p->run.wall_ticks));
    a->totals.probe_low_ns = profile_add(a->totals.probe_low_ns, probes.least);
    a->totals.probe_high_ns = profile_add(a->totals.probe_high_ns, probes.most);
    a->totals.probe_ns = profile_add(a->totals.probe_ns, p->run.spliced_ns);
    a->totals.switched_probe_ns = profile_add(a->totals.switched_probe_ns, p->run.spliced_ns);
    a->totals.folded = profile_add(a->totals.folded, p->run.folded);
    a->totals.folded_async = profile_add(a->totals.folded_async, p->run.folded_async);
    a->totals.dropped = profile_add(a->totals.dropped, p->run.dropped);
    a->runs = profile_add(a->runs, profile_runs_in(&p->run));
    a->only_counts = profile_add(a->only_counts, p->run.only_counts);
    profile_add_figures(a->counted.all, p->run.counted.all);
    a->bytes_missing = profile_add(a->bytes_missing, p->run.bytes_missing);
    a->late = profile_add(a->late, p->run.late);
    return status;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

/* A frame of a leaf, or of its text, is a call, be its task awaited or not. */
static bool is_awaited_leaf(const report_function *f) {
    return f->leaf || f->command;
}

/* A method that the runtime suspends enters a frame for each slice: its calls are those that the async tree counts. */
static void split_slices(aggregate *a) {
    for (uint32_t i = 0; i < a->async.method_count && !a->list.raw_names; i++) {
        const async_method *m = &a->async.methods[i];
        report_function *f = &a->list.functions[m->function];
        if (f->machine != PROFILE_PLAIN || is_awaited_leaf(f))
            continue;
        f->machine = PROFILE_RUNTIME_ASYNC;
        if (f->calls > m->figures.calls) {
            f->steps = f->calls - m->figures.calls;
            f->calls = m->figures.calls;
            f->apart = true;
            a->totals.steps = profile_add(a->totals.steps, f->steps);
        }
    }
}

/* Frames of slices whose calls have ended are on the stack as long as what awaited the calls runs on top of them. Of
 * the open frames as many as there are calls that have not ended count as open. */
static void close_ended(aggregate *a) {
    for (uint32_t i = 0; i < a->async.method_count; i++) {
        const async_method *m = &a->async.methods[i];
        report_function *f = &a->list.functions[m->function];
        uint64_t open = async_open(&m->figures);
        if (f->open_slices <= open || is_awaited_leaf(f))
            continue;
        uint64_t ended = f->open_slices - open;
        f->open -= ended;
        a->totals.open -= ended;
        a->totals.ended = profile_add(a->totals.ended, ended);
    }
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Own time of folded calls is in no inclusive time of their function. */
static void keep_inclusive_above(profile_times *t, uint64_t waiting_ns) {
    t->inclusive_ns = larger(t->inclusive_ns, profile_add(t->exclusive_ns, waiting_ns));
    t->inclusive_low_ns = larger(t->inclusive_low_ns, profile_add(t->exclusive_low_ns, waiting_ns));
    t->inclusive_high_ns = larger(t->inclusive_high_ns, profile_add(t->exclusive_high_ns, waiting_ns));
}

/* Nor is all time of folded calls, where the profile does not tell; but its longest call is known. */
static void keep_longest_within(profile_times *t, const report_function *f) {
    if (!durations_has_span(&f->durations) || f->apart || f->displaced)
        return;
    t->inclusive_ns = larger(t->inclusive_ns, f->durations.max_ns);
    t->inclusive_high_ns = larger(t->inclusive_high_ns, t->inclusive_ns);
}

/* Inclusive figures of nodes, and of functions: each call once, also when calls of the same function stand above it. */
static void sum_figures(aggregate *a) {
    const fold_link *nodes = a->tree.places.links;
    for (uint32_t i = a->tree.node_count; i-- > 0;) { /* children stand after their parent */
        const profile_figures own = node_figures(&a->tree, NODE_FIGURE, i);
        node_add_figures(&a->tree, NODE_ALL_FIGURE, i, own.all);
        if (i == 0 || node_kind(&nodes[i]) == NODE_FOLDED) /* the callers have those already */
            continue;
        const profile_figures all = node_figures(&a->tree, NODE_ALL_FIGURE, i);
        node_add_figures(&a->tree, NODE_ALL_FIGURE, nodes[i].parent, all.all);
    }
    for (uint32_t i = 0; i < a->list.function_count; i++)
        a->list.functions[i].active = 0;
    uint32_t last = 0;
    for (uint32_t node = walk_next(nodes, 0); node != 0; node = walk_next(nodes, node)) {
        const fold_link *n = &nodes[node];
        for (; last != n->parent; last = nodes[last].parent)
            if (link_is_call(&nodes[last]))
                a->list.functions[node_function(&nodes[last])].active--;
        last = node;
        if (!link_is_call(n))
            continue;
        report_function *f = &a->list.functions[node_function(n)];
        if (f->active++ > 0 || node_kind(&nodes[n->parent]) == NODE_FOLDED)
            continue;
        const profile_figures all = node_figures(&a->tree, NODE_ALL_FIGURE, node);
        profile_add_figures(f->all_figures.all, all.all);
    }
    for (uint32_t i = 0; i < a->list.function_count; i++) { /* folded calls have their own alone */
        report_function *f = &a->list.functions[i];
        for (int kind = 0; kind < FIGURES; kind++)
            f->all_figures.all[kind] = larger(f->all_figures.all[kind], f->figures.all[kind]);
        f->active = 0;
    }
}

ecma_status aggregate_finish(aggregate *a, diag *d) {
    report_totals *t = &a->totals;
    ticked_own ticked = {0};
    if (!logical_place(&a->tree, &a->async, &a->list) || !parts_find(&a->list) ||
        (a->kept.text_count > 0 && !tests_keep(a)))
        return diag_no_memory(d);
    take_own_folded(a);
    if (profile_any_figure(a->totals.figures.all))
        sum_figures(a);
    for (uint32_t i = a->totals.waiting_ns > 0 ? a->tree.node_count : 0;
         i-- > 1;) { /* children stand after their parent */
        const fold_link *n = &a->tree.places.links[i];
        if (node_kind(n) == NODE_WAITING)
            columns_set(&a->tree.figures, NODE_WAITING_NS, i, node_number(&a->tree, TIMES_INCLUSIVE, i));
        if (node_kind(n) != NODE_FOLDED) /* the callers have that time already */
            node_add(&a->tree, NODE_WAITING_NS, n->parent, node_number(&a->tree, NODE_WAITING_NS, i));
    }
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        profile_times *f = &a->list.functions[i].times;
        keep_inclusive_above(f, a->list.functions[i].waiting_ns);
        keep_longest_within(f, &a->list.functions[i]);
        t->low_ns = profile_add(t->low_ns, f->exclusive_low_ns);
        t->high_ns = profile_add(t->high_ns, f->exclusive_high_ns);
        ticks_add(a, &ticked, i);
    }
    ticks_settle(a, &ticked, t->exclusive_ns, &t->low_ns, &t->high_ns);
    bool done = order_functions(&a->list) && order_children(&a->tree, a->list.functions) &&
                exceptions_finish(&a->exceptions, a->list.functions) &&
                async_finish(&a->async, a->list.functions, a->list.function_count);
    if (done) {
        split_slices(a);
        close_ended(a);
    }
    for (uint32_t i = 0; i < a->list.function_count; i++)
        if (a->list.functions[i].apart || a->list.functions[i].displaced)
            a->list.functions[i].durations = DURATIONS_INIT;
    uint64_t left_open = profile_add(profile_add(t->resynchronised, t->open), t->by_exception);
    t->leaves = t->enters > left_open ? t->enters - left_open : 0;
    done = done && call_tree_settle(&a->tree) && !a->tree.figures.failed;
    return done ? ECMA_OK : diag_no_memory(d);
}

void aggregate_clear(aggregate *a) {
    sites_clear(&a->sites);
    function_list_clear(&a->list);
    call_tree_clear(&a->tree);
    free(a->own_folded);
    free(a->ticked);
    free(a->switches);
    exceptions_clear(&a->exceptions);
    async_clear(&a->async);
    *a = AGGREGATE_INIT;
}
