#include <stdlib.h>

#include "report/model/idle.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "report/view/left_out.h"
#include "util/unicode.h"

/* The text report's hot path: from the top always on to the callee that took most of the time, as estimated, while that
 * is a quarter of its caller's and no less than half of the caller's own. Waits count, but for those of what only
 * waits. Frames of a recursion in a row are one line. */

enum { LEAST_NAME = 16, MOST_LINES = 60, PART = 4 };

/* What the tree's nodes took. */
typedef struct hot_path {
    const report *r;
    const call_tree *tree;
    const fold_link *nodes;
    uint64_t *idle_ns; /* per node: of its inclusive time, what only waited */
    idle waits;
} hot_path;

static void end(hot_path *p) {
    free(p->idle_ns);
    idle_clear(&p->waits);
}

static bool begin(hot_path *p, const report *r) {
    const call_tree *t = &r->sum->tree;
    *p = (hot_path){r, t, t->places.links, calloc((size_t)t->node_count + 1, sizeof *p->idle_ns), {0}};
    if (!p->idle_ns || (!r->options->idle && !idle_find(&p->waits, r->sum))) {
        end(p);
        return false;
    }
    const unsigned char *parts = p->waits.parts;
    for (uint32_t at = t->node_count; parts && at-- > 1;) { /* children stand after their parents */
        if (parts[at] == IDLE_TOP || parts[at] == IDLE_MORE)
            p->idle_ns[at] = node_number(t, TIMES_INCLUSIVE, at);
        if (parts[at] != IDLE_BELOW)
            p->idle_ns[p->nodes[at].parent] = profile_add(p->idle_ns[p->nodes[at].parent], p->idle_ns[at]);
    }
    return true;
}

/* A node's times without what only waited below it. */
static profile_times times_of(const hot_path *p, uint32_t at) {
    profile_times t = node_times(p->tree, at);
    const uint64_t idle_ns = p->idle_ns[at];
    t.inclusive_ns -= t.inclusive_ns < idle_ns ? t.inclusive_ns : idle_ns;
    t.inclusive_low_ns -= t.inclusive_low_ns < idle_ns ? t.inclusive_low_ns : idle_ns;
    t.inclusive_high_ns -= t.inclusive_high_ns < idle_ns ? t.inclusive_high_ns : idle_ns;
    return t;
}

static uint64_t taken(const hot_path *p, uint32_t at) {
    const uint64_t all = node_number(p->tree, TIMES_INCLUSIVE, at), idle_ns = p->idle_ns[at];
    return all - (all < idle_ns ? all : idle_ns);
}

/* The node that the path goes on to; 0: it ends here. Of two that took as long the first one. */
static uint32_t next_of(const hot_path *p, uint32_t at) {
    uint32_t most = 0;
    uint64_t own = node_number(p->tree, TIMES_EXCLUSIVE, at);
    for (uint32_t child = p->nodes[at].first_child; child != 0; child = p->nodes[child].next_sibling)
        if (node_kind(&p->nodes[child]) == NODE_WAITING)
            own = profile_add(own, taken(p, child));
        else if (most == 0 || taken(p, child) > taken(p, most))
            most = child;
    if (most == 0 || node_kind(&p->nodes[most]) == NODE_FOLDED)
        return 0;
    uint64_t below = taken(p, most);
    return at == 0 || (below >= own / 2 && below >= taken(p, at) / PART) ? most : 0;
}

/* The last node of the recursion that starts here. */
static uint32_t last_of_run(const hot_path *p, uint32_t at, uint32_t *frames) {
    const fold_link *nodes = p->nodes;
    *frames = 1;
    for (uint32_t next = next_of(p, at); next != 0 && link_is_call(&nodes[at]) && link_is_call(&nodes[next]) &&
                                         node_function(&nodes[next]) == node_function(&nodes[at]);
         next = next_of(p, at)) {
        at = next;
        ++*frames;
    }
    return at;
}

static table_row row_of(const hot_path *p, uint32_t at) {
    const report_node its = call_tree_node(p->tree, at), *n = &its;
    const profile_times times = times_of(p, at), whole = times_of(p, 0);
    return (table_row){{format_count(n->kind == NODE_RESUMED ? n->steps : n->calls),
                        times_inclusive_figure(p->r, &times),
                        format_time(n->waiting_ns - (n->waiting_ns < p->idle_ns[at] ? n->waiting_ns : p->idle_ns[at])),
                        times_exclusive_figure(p->r, &times), times_inclusive_share(p->r, &times, &whole)}};
}

/* `room`: columns. `frames` of it in a row are this line. */
static void print_node(printer *out, const report *r, const report_node *n, size_t room, uint32_t frames, bool bare,
                       buffer *name) {
    if (n->kind == NODE_THREAD) {
        name->size = 0;
        thread_describe(name, r, &r->sum->tree.threads[n->function]);
        print_name(out, buffer_bytes(name), name->size, name->size, room);
        return;
    }
    const report_function *f = &r->sum->list.functions[n->function];
    print_short_function(out, f, bare, room);
    if (frames > 1)
        print_format(out, " \u00d7 %s deep", format_count(frames).text);
}

/* With `out` NULL the rows are measured. */
static void walk(const hot_path *p, table *t, printer *out, bool bare, buffer *name, times_marks *marks) {
    const report *r = p->r;
    const aggregate *a = r->sum;
    uint32_t depth = 0, frames;
    for (uint32_t at = next_of(p, 0); at != 0 && depth < MOST_LINES; at = next_of(p, at)) {
        const report_node its = call_tree_node(&a->tree, at), *n = &its;
        table_row row = row_of(p, at);
        times_mark(marks, times_inclusive_trust(&n->times, a->totals.exclusive_ns));
        times_mark(marks, times_exclusive_trust(&n->times, a->totals.exclusive_ns));
        at = last_of_run(p, at, &frames);
        depth++;
        if (!out) {
            table_measure(t, &row);
            continue;
        }
        table_figures(t, out, &row);
        print_node(out, r, n, table_indent(t, out, depth), frames, bare, name);
        print_string(out, "\n");
    }
}

/* Has some name no room for its namespace? */
static bool is_bare(const hot_path *p, const table *t) {
    const aggregate *a = p->r->sum;
    uint32_t depth = 0, frames;
    bool bare = false;
    for (uint32_t at = next_of(p, 0); at != 0 && depth < MOST_LINES; at = next_of(p, at)) {
        at = last_of_run(p, at, &frames);
        const fold_link *n = &a->tree.places.links[at];
        depth++;
        bare |= link_is_call(n) && function_is_long(&a->list.functions[node_function(n)], table_room(t, depth));
    }
    return bare;
}

bool hot_write(printer *out, const report *r) {
    buffer name = BUFFER_INIT;
    table t = {.titles = {"Calls", "Inclusive", "Waiting", "Exclusive", "%"}, .least_name = LEAST_NAME};
    t.hidden[2] = !view_has_waits(r);
    times_marks marks = {0};
    hot_path p;
    if (!begin(&p, r))
        return false;
    walk(&p, &t, NULL, false, &name, &marks);
    table_head(&t, out, "Hot path", r->options->width);
    walk(&p, &t, out, is_bare(&p, &t), &name, &marks);
    times_explain(out, r, marks);
    bool done = !name.failed;
    buffer_clear(&name);
    end(&p);
    return done;
}

/* ---- As a line ----------------------------------------------------------------------------------------------------
 */

enum { LABEL = 9, ARROW = 3, LINES = 2 };

/* A frame with its calls, as "500 \u00d7 Orders.Load". */
static void append_frame(buffer *b, const report *r, const report_node *n, uint32_t frames) {
    uint64_t calls = n->kind == NODE_RESUMED ? n->steps : n->calls;
    if (n->kind == NODE_THREAD) {
        thread_describe(b, r, &r->sum->tree.threads[n->function]);
        return;
    }
    const report_function *f = &r->sum->list.functions[n->function];
    const size_t from = function_space(f);
    if (calls > 1)
        buffer_printf(b, "%s \u00d7 ", format_count(calls).text);
    buffer_append(b, f->name.data + from, f->parts.parameters - from);
    if (frames > 1)
        buffer_printf(b, ", %s deep", format_count(frames).text);
}

/* The frames of a path, one after the other in a text. */
typedef struct frame_list {
    buffer text;
    uint32_t count;
    size_t start[MOST_LINES + 2];
    uint32_t nodes[MOST_LINES + 1]; /* of each the first one */
} frame_list;

static bytes frame_at(const frame_list *l, uint32_t i) {
    return (bytes){l->text.data + l->start[i], l->start[i + 1] - l->start[i]};
}

/* Prints the frames from `first` on, with `out` NULL nothing. Returns how many lines they take. */
static unsigned print_frames(printer *out, const frame_list *l, uint32_t first, size_t width) {
    unsigned lines = 1;
    size_t column = LABEL + (first > 0 ? 1 + ARROW : 0);
    if (out && first > 0)
        print_string(out, "\u2026 \u2192 ");
    for (uint32_t i = first; i < l->count; i++) {
        bytes text = frame_at(l, i);
        const size_t arrow = i + 1 < l->count ? ARROW - 1 : 0, columns = unicode_width(text) + arrow;
        const bool wraps = i > first && column + columns > width;
        if (out && i > first && wraps)
            print_format(out, "\n%*s", (int)LABEL, "");
        else if (out && i > first)
            print_string(out, " ");
        lines += wraps;
        column = (wraps ? LABEL : column) + columns + 1;
        if (!out)
            continue;
        print_name(out, text, text.size, text.size, width - LABEL - arrow);
        print_string(out, arrow > 0 ? " \u2192" : "");
    }
    return lines;
}

static void add_frame(frame_list *l, uint32_t node) {
    l->nodes[l->count++] = node;
    l->start[l->count] = l->text.size;
}

/* Its own time with waiting, of each function. False when memory ran out. */
static bool sum_own(const hot_path *p, uint64_t **sums) {
    const aggregate *a = p->r->sum;
    *sums = calloc((size_t)a->list.function_count + 1, sizeof **sums);
    for (uint32_t at = 1; *sums && at < a->tree.node_count; at++) {
        const fold_link *n = &p->nodes[at], *of = node_kind(n) == NODE_WAITING ? &p->nodes[n->parent] : n;
        if (!link_is_call(of) || (p->waits.parts && p->waits.parts[at] != IDLE_NOT))
            continue;
        uint64_t *sum = &(*sums)[node_function(of)];
        *sum = profile_add(*sum, node_number(p->tree, TIMES_EXCLUSIVE, at));
    }
    return *sums != NULL;
}

/* How much of a function's time is below the path's first frames and no further ones, for each number of frames: into
 * `sums`. False when memory ran out. */
static bool sum_below(const hot_path *p, uint32_t function, const frame_list *l, uint64_t *sums) {
    const uint32_t count = p->r->sum->tree.node_count;
    uint32_t *frames = calloc((size_t)count + 1, sizeof *frames); /* of the path that are on the way to the node */
    for (uint32_t at = 1; frames && at < count; at++) {
        const fold_link *n = &p->nodes[at];
        uint32_t passed = frames[n->parent];
        frames[at] = passed + (passed < l->count && l->nodes[passed] == at);
        if (link_is_call(n) && node_function(n) == function)
            sums[frames[at]] = profile_add(sums[frames[at]], node_number(p->tree, TIMES_EXCLUSIVE, at));
    }
    const bool done = frames != NULL;
    free(frames);
    return done;
}

/* Where many call the function that takes most, it stands below what all its callers have in common. */
static bool add_spread(const hot_path *p, frame_list *l) {
    enum { MUCH = 3 }; /* one part in that many of all time */
    const function_list *list = &p->r->sum->list;
    uint64_t *own;
    uint32_t most = 0, count = l->count;
    if (!sum_own(p, &own))
        return false;
    for (uint32_t i = 0; i < list->function_count; i++)
        if (own[i] > own[most] || (own[i] == own[most] && list->functions[i].rank < list->functions[most].rank))
            most = i;
    bool wanted = list->function_count > 0 && own[most] >= taken(p, 0) / MUCH;
    free(own);
    for (uint32_t i = 0; i < l->count; i++)
        wanted &= !link_is_call(&p->nodes[l->nodes[i]]) || node_function(&p->nodes[l->nodes[i]]) != most;
    uint64_t sums[MOST_LINES + 2] = {0}, all = 0;
    if (wanted && !sum_below(p, most, l, sums))
        return false;
    for (uint32_t i = 0; i <= l->count; i++)
        all = profile_add(all, sums[i]);
    for (uint64_t below = sums[count]; wanted && count > 0 && below < all - all / 4; below += sums[count])
        count--;
    if (!wanted || count == 0)
        return true;
    const report_function *f = &list->functions[most];
    const size_t from = function_space(f);
    l->count = count;
    l->text.size = l->start[count];
    buffer_printf(&l->text, "\u2026 \u2192 %s \u00d7 ", format_count(f->calls).text);
    buffer_append(&l->text, f->name.data + from, f->parts.parameters - from);
    add_frame(l, 0);
    return true;
}

/* Where a price left out what the last frame of the path calls, that is named as one more. */
static void add_left_out(const hot_path *p, frame_list *l) {
    const fold_link *last = &p->nodes[l->nodes[l->count - 1]];
    if (!link_is_call(last) || l->count > MOST_LINES)
        return;
    const report_function *f = &p->r->sum->list.functions[node_function(last)];
    const size_t from = function_space(f);
    buffer names = BUFFER_INIT;
    static const char label[] = "left out: ";
    if (view_left_out_within(&names, p->r, bytes_of(f->name.data + from, f->parts.parameters - from))) {
        bytes all = buffer_bytes(&names), first = all;
        for (size_t i = 0; i < all.size && first.size == all.size; i++)
            if (all.data[i] == ',' || all.data[i] == ' ')
                first.size = i;
        bool fits = p->r->options->width == 0 || unicode_width(all) + LABEL + sizeof label - 1 <= p->r->options->width;
        buffer_string(&l->text, label);
        buffer_append(&l->text, all.data, fits ? all.size : first.size);
        buffer_string(&l->text, fits || first.size == all.size ? "" : " and more");
        add_frame(l, 0);
    }
    l->text.failed |= names.failed;
    buffer_clear(&names);
}

static void print_path(printer *out, const report *r, const frame_list *l) {
    enum { LEAST_WIDTH = 40 };
    const size_t asked = r->options->width == 0 ? SIZE_MAX : r->options->width;
    const size_t width = asked < LEAST_WIDTH ? LEAST_WIDTH : asked;
    uint32_t first = 0;
    while (first + 1 < l->count && print_frames(NULL, l, first, width) > LINES)
        first++;
    print_string(out, "Hot path ");
    print_frames(out, l, first, width);
    print_string(out, "\n");
}

bool hot_write_line(printer *out, const report *r) {
    frame_list l = {.text = BUFFER_INIT};
    hot_path p;
    if (r->sum->tree.node_count == 0 || aggregate_only_counts(r->sum) || r->options->by == ILJ_BY_PART ||
        r->options->pattern_count > 0)
        return true;
    if (!begin(&p, r))
        return false;
    uint32_t frames;
    for (uint32_t at = next_of(&p, 0); at != 0 && l.count < MOST_LINES; at = next_of(&p, at)) {
        const uint32_t first = at;
        at = last_of_run(&p, at, &frames);
        const report_node n = call_tree_node(p.tree, first);
        append_frame(&l.text, r, &n, frames);
        add_frame(&l, first);
    }
    bool done = add_spread(&p, &l);
    if (l.count > 0)
        add_left_out(&p, &l);
    done = done && !l.text.failed;
    if (done && l.count > 1)
        print_path(out, r, &l);
    buffer_clear(&l.text);
    end(&p);
    return done;
}
