#include "profile/parse.h"
#include "profile/timings.h"

/* Sections that may follow a THRD, of how long calls took, or waited, and what was counted meanwhile: SPAN, TICK, WAIT,
 * BYTE, OBJS, COLL, PAUS, HIST and TIME; and of calls without nodes: FOLD and BELO. */

enum {
    MIN_SPAN_BYTES = 3,
    MIN_FOLD_BYTES = 9,
    MIN_FIGURE_BYTES = 2,
    MIN_HISTOGRAM_BYTES = 3,
    MIN_STREAM_BYTES = 5,
    MIN_EVENT_BYTES = 3,
    MIN_OPEN_BYTES = 2,
};

/* ---- SPAN ------------------------------------------------------------------------------------------------------- */

/* The position of a node that is not the root; `before` is that of the entry before, from which the file counts. */
static ecma_status read_next_node(parser *p, uint32_t *node, const profile_thread *t, uint32_t before) {
    size_t at = parse_offset(p);
    uint64_t step = parse_number(p, "a node");
    if (p->in.failed)
        return parse_missing(p);
    if (step == 0 || step >= t->node_count - before)
        return parse_damaged_at(p, at, "a node of the section THRD before, after that of the entry before");
    *node = before + (uint32_t)step;
    return ECMA_OK;
}

/* Into the column `least` and the next one. */
static ecma_status read_spans(parser *p, profile_thread *t, profile_column least) {
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_SPAN_BYTES, "a number of nodes");
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        status = read_next_node(p, &node, t, node);
        if (status != ECMA_OK)
            break;
        uint64_t from = parse_quantity(p, "a node's least ticks");
        uint64_t to = profile_add(from, parse_quantity(p, "a node's most ticks above the least"));
        profile_set_span(&t->nodes, least, node, (profile_span){from, to});
        status = p->in.failed ? parse_missing(p) : ECMA_OK;
    }
    return status;
}

ecma_status parse_spans(parser *p) {
    p->thread->has_spans = true;
    return read_spans(p, p->thread, PROFILE_LEAST);
}

ecma_status parse_corrected_spans(parser *p) {
    p->thread->has_corrected_spans = true;
    return read_spans(p, p->thread, PROFILE_CORRECTED_LEAST);
}

/* ---- FOLD ------------------------------------------------------------------------------------------------------- */

static void read_fold(parser *p, profile_fold *f) {
    f->calls = parse_quantity(p, "a node's folded calls");
    f->all = parse_quantity(p, "all folded calls below a node");
    f->taken_back = parse_quantity(p, "a node's calls that were taken back");
    f->skipped = parse_quantity(p, "a node's calls that were not recorded");
    f->ticks = parse_quantity(p, "a folded method's ticks");
    f->outer_ticks = parse_quantity(p, "the ticks of a folded method's outermost frames");
    f->outer_frames = parse_quantity(p, "a folded method's outermost frames");
    f->outer_below = parse_quantity(p, "the folded calls below a folded method's outermost frames");
}

static void read_merged_fold(parser *p, profile_fold *f) {
    f->ticks = parse_quantity(p, "a folded method's time");
    f->outer_ticks = parse_quantity(p, "the time of a folded method's outermost frames");
    parse_range(p, &f->times.inclusive_low_ns, &f->times.inclusive_ns, &f->times.inclusive_high_ns);
    parse_range(p, &f->outer.inclusive_low_ns, &f->outer.inclusive_ns, &f->outer.inclusive_high_ns);
}

ecma_status parse_folds(parser *p) {
    profile_thread *t = p->thread;
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_FOLD_BYTES, "a number of nodes");
    if (status != ECMA_OK)
        return status;
    t->folds = arena_alloc_array(&p->out->memory, count, sizeof *t->folds);
    if (!t->folds)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count; i++) {
        status = read_next_node(p, &node, t, node);
        if (status != ECMA_OK)
            return status;
        t->folds[i] = (profile_fold){.node = node};
        (t->merged ? read_merged_fold : read_fold)(p, &t->folds[i]);
        if (p->in.failed)
            return parse_missing(p);
    }
    t->fold_count = count;
    return ECMA_OK;
}

/* ---- BELO ------------------------------------------------------------------------------------------------------- */

static ecma_status read_ids(parser *p, profile_below *b) {
    enum { MIN_ID_BYTES = 1 };
    uint64_t id = 0;
    ecma_status status = parse_count(p, &b->count, MIN_ID_BYTES, "a number of methods");
    if (status != ECMA_OK)
        return status;
    b->ids = arena_alloc_array(&p->out->memory, b->count, sizeof *b->ids);
    if (!b->ids)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < b->count; i++) {
        size_t at = parse_offset(p);
        uint64_t step = parse_number(p, "a method that was folded");
        if (p->in.failed)
            return parse_missing(p);
        if (step == 0 || step > INT32_MAX - id || (i == 0 && step < PROFILE_ID_FIRST))
            return parse_damaged_at(p, at, "ids of methods in their order, below 2^31");
        b->ids[i] = (uint32_t)(id += step);
    }
    return ECMA_OK;
}

ecma_status parse_below(parser *p) {
    enum { MIN_BYTES = 3 };
    profile_thread *t = p->thread;
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_BYTES, "a number of nodes");
    if (status != ECMA_OK)
        return status;
    t->below = arena_alloc_array(&p->out->memory, count, sizeof *t->below);
    if (!t->below)
        return diag_no_memory(p->d);
    for (; t->below_count < count && status == ECMA_OK; t->below_count += status == ECMA_OK) {
        profile_below *b = &t->below[t->below_count];
        status = read_next_node(p, &node, t, node);
        if (status != ECMA_OK)
            break;
        b->node = node;
        b->calls = parse_quantity(p, "a node's folded calls");
        status = read_ids(p, b);
    }
    return status;
}

/* ---- TICK, PROB and WAIT ---------------------------------------------------------------------------------------- */

/* What stands at a node of a section that has an entry for some of them. */
typedef void take_entry(parser *p, profile_thread *t, uint32_t node);

static ecma_status read_entries(parser *p, take_entry *take) {
    enum { MIN_BYTES = 2 };
    profile_thread *t = p->thread;
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_BYTES, "a number of nodes");
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        status = read_next_node(p, &node, t, node);
        if (status != ECMA_OK)
            break;
        take(p, t, node);
        status = p->in.failed ? parse_missing(p) : ECMA_OK;
    }
    return status;
}

static void take_ticked(parser *p, profile_thread *t, uint32_t node) {
    columns_set(&t->nodes, PROFILE_TICKED_CALLS, node, parse_quantity(p, "a node's calls by ticks"));
    uint64_t over_ns = t->merged ? parse_quantity(p, "what a node's own times are below 0") : 0;
    if (t->has_costs)
        columns_set(&t->timings, TIMES_OVER, node, over_ns);
}

static void take_over(parser *p, profile_thread *t, uint32_t node) {
    columns_set(&t->nodes, PROFILE_OVER, node, parse_quantity(p, "what a node's recorded own times are below 0"));
}

/* Sums of several runs do not say what each node of each run was below 0; earlier versions have no list of that. */
ecma_status parse_ticked(parser *p) {
    profile_thread *t = p->thread;
    t->has_ticks = true;
    ecma_status status = read_entries(p, take_ticked);
    if (status != ECMA_OK || !t->merged || reader_left(&p->in) == 0)
        return status;
    columns_drop(&t->nodes, PROFILE_OVER);
    return read_entries(p, take_over);
}

static void take_probed(parser *p, profile_thread *t, uint32_t node) {
    columns_set(&t->nodes, PROFILE_PROBED, node, parse_quantity(p, "the ticks in which a node's probes ran"));
}

ecma_status parse_probed(parser *p) {
    p->thread->has_probed = true;
    return read_entries(p, take_probed);
}

static void take_wait(parser *p, profile_thread *t, uint32_t node) {
    columns_set(&t->nodes, PROFILE_BLOCKED, node, parse_quantity(p, "the ticks in which a node's thread was blocked"));
}

ecma_status parse_waits(parser *p) {
    p->thread->has_waits = true;
    return read_entries(p, take_wait);
}

/* ---- BYTE, OBJS, COLL and PAUS ---------------------------------------------------------------------------------- */

static ecma_status read_figures(parser *p, profile_thread *t, profile_column column, profile_figure kind) {
    static const char *const whats[FIGURES] = {
#define COUNTED_FIGURE(ID, name, title, FORM, field, SECT, node, ...) node,
#include "facts/figures.def"
    };
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_FIGURE_BYTES, "a number of nodes");
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        status = read_next_node(p, &node, t, node);
        if (status != ECMA_OK)
            break;
        columns_set(&t->nodes, column, node, parse_quantity(p, whats[kind]));
        status = p->in.failed ? parse_missing(p) : ECMA_OK;
    }
    return status;
}

/* Calls that were folded right below the root are those that no other node has called. */
static void sum_figures(profile_thread *t, profile_figure kind) {
    const unsigned own = PROFILE_FIGURE + kind, below = PROFILE_FOLDED_FIGURE + kind, sum = PROFILE_ALL_FIGURE + kind;
    columns *n = &t->nodes;
    uint64_t folded = 0, called = 0;
    for (uint32_t i = 1; i < t->node_count; i++) {
        called = profile_add(called, columns_at(n, below, i));
        if (t->ids[t->parents[i]] == PROFILE_ID_FOLDED)
            folded = profile_add(folded, columns_at(n, own, i));
    }
    columns_set(n, below, 0, folded > called ? folded - called : 0);
    for (uint32_t i = t->node_count; i-- > 0;) { /* children stand after their parent */
        uint64_t all = profile_add(columns_at(n, sum, i), profile_add(columns_at(n, own, i), columns_at(n, below, i)));
        columns_set(n, sum, i, all);
        if (i > 0 && t->ids[i] != PROFILE_ID_FOLDED) /* the callers have those already */
            columns_set(n, sum, t->parents[i], profile_add(columns_at(n, sum, t->parents[i]), all));
    }
}

ecma_status parse_figures(parser *p) {
    profile_thread *t = p->thread;
    profile_figure kind = section_figure(p->kind);
    t->has_figures[kind] = true;
    ecma_status status = read_figures(p, t, PROFILE_FIGURE + kind, kind);
    if (status == ECMA_OK)
        status = read_figures(p, t, PROFILE_FOLDED_FIGURE + kind, kind);
    if (status == ECMA_OK)
        sum_figures(t, kind);
    return status;
}

/* ---- HIST ------------------------------------------------------------------------------------------------------- */

static ecma_status read_histogram(parser *p, arena *memory, profile_histogram *h) {
    size_t at = parse_offset(p);
    uint64_t id = parse_number(p, "a method's id");
    uint64_t first = parse_number(p, "a histogram's first bucket");
    uint64_t count = parse_number(p, "a histogram's bucket count");
    if (p->in.failed)
        return parse_missing(p);
    if (id > INT32_MAX || id < PROFILE_ID_FIRST)
        return parse_damaged_at(p, at, "an id from 2^24 to 2^31 - 1");
    if (first >= PROFILE_BUCKETS || count > PROFILE_BUCKETS - first)
        return parse_damaged_at(p, at, "buckets below 248");
    if (count > reader_left(&p->in))
        return parse_damaged_at(p, at, "a bucket count that fits the section's size");
    h->counts = arena_alloc_array(memory, (size_t)count, sizeof *h->counts);
    if (!h->counts)
        return diag_no_memory(p->d);
    h->id = (uint32_t)id;
    h->first = (uint32_t)first;
    h->count = (uint32_t)count;
    for (uint32_t i = 0; i < h->count; i++)
        h->counts[i] = parse_quantity(p, "a bucket's count");
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

ecma_status parse_histograms(parser *p) {
    arena *memory = &p->out->memory;
    profile_thread *t = p->thread;
    uint32_t count = 0;
    ecma_status status = parse_count(p, &count, MIN_HISTOGRAM_BYTES, "a number of histograms");
    if (status != ECMA_OK)
        return status;
    t->histograms = arena_alloc_array(memory, count, sizeof *t->histograms);
    if (!t->histograms)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++)
        status = read_histogram(p, memory, &t->histograms[i]);
    t->histogram_count = count;
    return status;
}

/* ---- TIME ------------------------------------------------------------------------------------------------------- */

static ecma_status read_called(parser *p, uint32_t *node, const profile_thread *t) {
    size_t at = parse_offset(p);
    ecma_status status = parse_position(p, node, t, "a node");
    return status == ECMA_OK && *node == 0 ? parse_damaged_at(p, at, "a node other than the root") : status;
}

static ecma_status read_events(parser *p, arena *memory, const profile_thread *t, profile_stream *s) {
    uint32_t count = 0;
    ecma_status status = parse_count(p, &count, MIN_EVENT_BYTES, "a number of events");
    if (status != ECMA_OK)
        return status;
    s->events = arena_alloc_array(memory, count, sizeof *s->events);
    if (!s->events)
        return diag_no_memory(p->d);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        profile_event *e = &s->events[i];
        status = read_called(p, &e->node, t);
        if (status != ECMA_OK)
            return status;
        end = profile_add(end, parse_quantity(p, "an event's end"));
        size_t at = parse_offset(p);
        uint64_t duration = parse_quantity(p, "an event's duration");
        if (p->in.failed)
            return parse_missing(p);
        if (duration > end)
            return parse_damaged_at(p, at, "a duration that begins with the run or later");
        e->start = end - duration;
        e->end = end;
    }
    s->event_count = count;
    return ECMA_OK;
}

static ecma_status read_open(parser *p, arena *memory, const profile_thread *t, profile_stream *s) {
    uint32_t count = 0;
    ecma_status status = parse_count(p, &count, MIN_OPEN_BYTES, "a number of open calls");
    if (status != ECMA_OK)
        return status;
    s->open = arena_alloc_array(memory, count, sizeof *s->open);
    if (!s->open)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        status = read_called(p, &s->open[i].node, t);
        s->open[i].start = s->open[i].end = parse_quantity(p, "an open call's start");
        if (status == ECMA_OK && p->in.failed)
            status = parse_missing(p);
    }
    s->open_count = count;
    return status;
}

static ecma_status read_streams(parser *p, profile_stream **streams, uint32_t *stream_count, uint64_t *lost) {
    arena *memory = &p->out->memory;
    profile_thread *t = p->thread;
    uint32_t count = 0;
    *lost = parse_quantity(p, "a number of lost events");
    ecma_status status =
        p->in.failed ? parse_missing(p) : parse_count(p, &count, MIN_STREAM_BYTES, "a number of streams");
    if (status != ECMA_OK)
        return status;
    *streams = arena_alloc_array(memory, count, sizeof **streams);
    if (!*streams || !parse_depths(p))
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        profile_stream *s = &(*streams)[i];
        s->thread_id = parse_quantity(p, "a thread's id");
        s->name = parse_string(p, "a thread's name");
        s->overwritten = parse_quantity(p, "a number of overwritten events");
        status = p->in.failed ? parse_missing(p) : read_events(p, memory, t, s);
        if (status == ECMA_OK)
            status = read_open(p, memory, t, s);
    }
    *stream_count = count;
    return status;
}

ecma_status parse_timeline(parser *p) {
    profile_thread *t = p->thread;
    return read_streams(p, &t->streams, &t->stream_count, &t->events_lost);
}

ecma_status parse_samples(parser *p) {
    profile_thread *t = p->thread;
    return read_streams(p, &t->samples, &t->sampled_count, &t->samples_lost);
}
