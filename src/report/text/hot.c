#include <stdlib.h>

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/text/times.h"
#include "report/view/hot_path.h"
#include "report/view/left_out.h"
#include "util/unicode.h"

/* The text report's hot path. Frames of a recursion in a row are one line. */

enum { LEAST_NAME = 16, MOST_LINES = 60 };

static table_row row_of(const view_hot *p, uint32_t at) {
    const report_node its = call_tree_node(p->tree, at), *n = &its;
    const profile_times times = view_hot_times(p, at), whole = view_hot_times(p, 0);
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
static void walk(const view_hot *p, table *t, printer *out, bool bare, buffer *name, times_marks *marks) {
    const report *r = p->r;
    const aggregate *a = r->sum;
    uint32_t depth = 0, frames;
    for (uint32_t at = view_hot_next(p, 0); at != 0 && depth < MOST_LINES; at = view_hot_next(p, at)) {
        const report_node its = call_tree_node(&a->tree, at), *n = &its;
        table_row row = row_of(p, at);
        times_mark(marks, times_inclusive_trust(&n->times, a->totals.exclusive_ns));
        times_mark(marks, times_exclusive_trust(&n->times, a->totals.exclusive_ns));
        at = view_hot_last(p, at, &frames);
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
static bool is_bare(const view_hot *p, const table *t) {
    const aggregate *a = p->r->sum;
    uint32_t depth = 0, frames;
    bool bare = false;
    for (uint32_t at = view_hot_next(p, 0); at != 0 && depth < MOST_LINES; at = view_hot_next(p, at)) {
        at = view_hot_last(p, at, &frames);
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
    view_hot p;
    if (!view_hot_begin(&p, r))
        return false;
    walk(&p, &t, NULL, false, &name, &marks);
    table_head(&t, out, "Hot path", r->options->width);
    walk(&p, &t, out, is_bare(&p, &t), &name, &marks);
    times_explain(out, r, marks);
    bool done = !name.failed;
    buffer_clear(&name);
    view_hot_end(&p);
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
static bool sum_own(const view_hot *p, uint64_t **sums) {
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
static bool sum_below(const view_hot *p, uint32_t function, const frame_list *l, uint64_t *sums) {
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

/* Is no place in the tree the one that has nearly all time of the function? */
static bool is_spread(const view_hot *p, uint32_t function) {
    uint64_t all = 0, most = 0;
    for (uint32_t at = 1; at < p->r->sum->tree.node_count; at++) {
        if (!link_is_call(&p->nodes[at]) || node_function(&p->nodes[at]) != function)
            continue;
        const uint64_t ns = node_number(p->tree, TIMES_EXCLUSIVE, at);
        all = profile_add(all, ns);
        most = ns > most ? ns : most;
    }
    return most < all - all / 4;
}

/* Where many call the function that takes most, it stands below what all its callers have in common. */
static bool add_spread(const view_hot *p, frame_list *l) {
    enum { MUCH = 3 }; /* one part in that many of all time */
    const function_list *list = &p->r->sum->list;
    uint64_t *own;
    uint32_t most = 0, count = l->count;
    if (!sum_own(p, &own))
        return false;
    for (uint32_t i = 0; i < list->function_count; i++)
        if (own[i] > own[most] || (own[i] == own[most] && list->functions[i].rank < list->functions[most].rank))
            most = i;
    bool wanted = list->function_count > 0 && own[most] >= view_hot_taken(p, 0) / MUCH && is_spread(p, most);
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
static void add_left_out(const view_hot *p, frame_list *l) {
    const fold_link *last = &p->nodes[l->nodes[l->count - 1]];
    if (!link_is_call(last) || l->count > MOST_LINES)
        return;
    const report_function *f = &p->r->sum->list.functions[node_function(last)];
    const size_t from = function_space(f);
    buffer names = BUFFER_INIT;
    static const char label[] = "left out: ";
    if (view_left_out_within(&names, p->r, bytes_of(f->name.data + from, f->parts.parameters - from))) {
        bytes all = buffer_bytes(&names), first = all;
        for (size_t i = 0, depth = 0; i < all.size && first.size == all.size; i++) {
            depth += all.data[i] == '<' || all.data[i] == '{';
            depth -= (all.data[i] == '>' || all.data[i] == '}') && depth > 0;
            if (depth == 0 && (all.data[i] == ',' || all.data[i] == ' '))
                first.size = i;
        }
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
    view_hot p;
    if (r->sum->tree.node_count == 0 || aggregate_only_counts(r->sum) || r->options->by == ILJ_BY_PART ||
        r->options->pattern_count > 0)
        return true;
    if (!view_hot_begin(&p, r))
        return false;
    uint32_t frames;
    for (uint32_t at = view_hot_next(&p, 0); at != 0 && l.count < MOST_LINES; at = view_hot_next(&p, at)) {
        const uint32_t first = at;
        at = view_hot_last(&p, at, &frames);
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
    view_hot_end(&p);
    return done;
}
