#include "report/model/timeline.h"

#include <stdlib.h>

#include "util/list.h"

#define NONE UINT32_MAX

/* A call that has ended, and what it called. */
typedef struct ended {
    profile_event event;
    uint32_t first_child, next_sibling, parent; /* positions, or NONE */
} ended;

typedef struct forest {
    const profile_thread *t;
    ended *calls;
    uint32_t last_root; /* of the roots, linked backwards by next_sibling, as they have no next one yet */
} forest;

uint64_t timeline_last(const profile_thread *t) {
    uint64_t end = 0;
    for (uint32_t k = 0; k < t->stream_count; k++) {
        const profile_stream *s = &t->streams[k];
        if (s->event_count > 0 && s->events[s->event_count - 1].end > end)
            end = s->events[s->event_count - 1].end;
        if (s->open_count > 0 && s->open[s->open_count - 1].start > end)
            end = s->open[s->open_count - 1].start;
    }
    return end;
}

static bool is_folded(const profile_thread *t, uint32_t node) {
    return t->ids[t->parents[node]] == PROFILE_ID_FOLDED;
}

/* Did `e`, which ended later, call `s`? One that took no time and is where `e` begins may as well be one before it. */
static bool has_called(const profile_thread *t, const profile_event *e, const profile_event *s) {
    if (s->start != e->start || s->end > s->start)
        return s->start >= e->start;
    return is_folded(t, s->node) || t->depths[s->node] > t->depths[e->node];
}

/* The next call to end, at position `at`: the last roots that it called become its children. */
static void add(forest *f, uint32_t at, const profile_event *event) {
    ended *e = &f->calls[at];
    *e = (ended){*event, NONE, NONE, NONE};
    while (f->last_root != NONE && has_called(f->t, event, &f->calls[f->last_root].event)) {
        uint32_t child = f->last_root;
        f->last_root = f->calls[child].next_sibling;
        f->calls[child].parent = at;
        f->calls[child].next_sibling = e->first_child;
        e->first_child = child;
    }
    e->next_sibling = f->last_root;
    f->last_root = at;
}

/* The first root; from now on roots are linked forwards. */
static uint32_t turn_round(forest *f) {
    uint32_t first = NONE;
    while (f->last_root != NONE) {
        uint32_t root = f->last_root;
        f->last_root = f->calls[root].next_sibling;
        f->calls[root].next_sibling = first;
        first = root;
    }
    return first;
}

bool timeline_calls(timeline_call **calls, uint32_t *count, const profile_thread *t, const profile_stream *s,
                    uint64_t end) {
    size_t total = (size_t)s->event_count + s->open_count;
    forest f = {t, calloc(total + 1, sizeof *f.calls), NONE};
    timeline_call *ordered = calloc(total + 1, sizeof *ordered);
    uint32_t *depths = calloc(total + 1, sizeof *depths); /* by position in the forest */
    if (!f.calls || !ordered || !depths || total >= NONE) {
        free(f.calls);
        free(ordered);
        free(depths);
        return false;
    }
    for (uint32_t i = 0; i < s->event_count; i++)
        add(&f, i, &s->events[i]);
    for (uint32_t i = s->open_count; i-- > 0;) /* the innermost would end first */
        add(&f, s->event_count + (s->open_count - 1 - i), &(profile_event){s->open[i].node, s->open[i].start, end});
    uint32_t made = 0;
    for (uint32_t at = turn_round(&f); at != NONE;) {
        const ended *e = &f.calls[at];
        if (!is_folded(t, e->event.node))
            depths[at] = t->depths[e->event.node] - 1;
        else
            depths[at] = e->parent == NONE ? 0 : depths[e->parent] + 1;
        ordered[made++] =
            (timeline_call){e->event.node, depths[at], e->event.start, e->event.end, at >= s->event_count};
        if (e->first_child != NONE) {
            at = e->first_child;
            continue;
        }
        while (at != NONE && f.calls[at].next_sibling == NONE)
            at = f.calls[at].parent;
        at = at == NONE ? NONE : f.calls[at].next_sibling;
    }
    free(f.calls);
    free(depths);
    *calls = ordered;
    *count = made;
    return true;
}

/* ---- By samples ----------------------------------------------------------------------------------------------------
 */

typedef struct sampled {
    const profile_thread *t;
    timeline_call *calls;
    uint32_t count, capacity;
    uint32_t *open; /* positions of the calls that are under way, outermost first */
    uint32_t open_count, open_capacity;
    uint32_t *path; /* nodes to be opened, innermost first */
    uint32_t path_count, path_capacity;
} sampled;

static void close_above(sampled *s, uint32_t depth, uint64_t now) {
    while (s->open_count > depth)
        s->calls[s->open[--s->open_count]].end = now;
}

static uint32_t node_at(const sampled *s, uint32_t depth) {
    return s->calls[s->open[depth - 1]].node;
}

static bool open_path(sampled *s, uint64_t now) {
    while (s->path_count > 0) {
        const timeline_call call = {s->path[--s->path_count], s->open_count, now, now, false};
        if (!list_grow((void **)&s->calls, s->count, &s->capacity, sizeof *s->calls) ||
            !list_grow((void **)&s->open, s->open_count, &s->open_capacity, sizeof *s->open))
            return false;
        s->open[s->open_count++] = s->count;
        s->calls[s->count++] = call;
    }
    return true;
}

/* Closes what is not on the path to the node, and opens what is. */
static bool go_to(sampled *s, uint32_t node, uint64_t now) {
    uint32_t depth = s->t->depths[node];
    while (depth > 0 && (depth > s->open_count || node_at(s, depth) != node)) {
        if (!list_grow((void **)&s->path, s->path_count, &s->path_capacity, sizeof *s->path))
            return false;
        s->path[s->path_count++] = node;
        node = s->t->parents[node];
        depth--;
    }
    close_above(s, depth, now);
    return open_path(s, now);
}

bool timeline_sampled(timeline_call **calls, uint32_t *count, const profile_thread *t, const profile_stream *of) {
    sampled s = {.t = t};
    uint64_t last = 0;
    bool done = true;
    for (uint32_t i = 0; i < of->event_count && done; i++) {
        const profile_event *e = &of->events[i];
        const uint64_t start = e->start > last ? e->start : last;
        if (start > last) /* meanwhile nothing ran, or was recorded */
            close_above(&s, 0, last);
        done = go_to(&s, e->node, start);
        last = e->end > start ? e->end : start;
    }
    close_above(&s, 0, last);
    free(s.open);
    free(s.path);
    if (!done) {
        free(s.calls);
        return false;
    }
    *calls = s.calls;
    *count = s.count;
    return true;
}
