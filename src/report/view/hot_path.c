#include "report/view/hot_path.h"

#include <stdlib.h>

enum { PART = 4, PART_OF_ALL = 10 };

void view_hot_end(view_hot *p) {
    free(p->idle_ns);
    idle_clear(&p->waits);
}

bool view_hot_begin(view_hot *p, const report *r) {
    const call_tree *t = &r->sum->tree;
    *p = (view_hot){r, t, t->places.links, calloc((size_t)t->node_count + 1, sizeof *p->idle_ns), {0}};
    if (!p->idle_ns || (!r->options->idle && !idle_find(&p->waits, r->sum))) {
        view_hot_end(p);
        return false;
    }
    const unsigned char *parts = p->waits.parts;
    for (uint32_t at = t->node_count; parts && at-- > 1;) { /* children stand after their parents */
        if (parts[at] == IDLE_TOP || parts[at] == IDLE_MORE || parts[at] == IDLE_OWN)
            p->idle_ns[at] = node_number(t, TIMES_INCLUSIVE, at);
        if (parts[at] != IDLE_BELOW)
            p->idle_ns[p->nodes[at].parent] = profile_add(p->idle_ns[p->nodes[at].parent], p->idle_ns[at]);
    }
    return true;
}

profile_times view_hot_times(const view_hot *p, uint32_t at) {
    profile_times t = node_times(p->tree, at);
    const uint64_t idle_ns = p->idle_ns[at];
    t.inclusive_ns -= t.inclusive_ns < idle_ns ? t.inclusive_ns : idle_ns;
    t.inclusive_low_ns -= t.inclusive_low_ns < idle_ns ? t.inclusive_low_ns : idle_ns;
    t.inclusive_high_ns -= t.inclusive_high_ns < idle_ns ? t.inclusive_high_ns : idle_ns;
    return t;
}

uint64_t view_hot_taken(const view_hot *p, uint32_t at) {
    const uint64_t all = node_number(p->tree, TIMES_INCLUSIVE, at), idle_ns = p->idle_ns[at];
    return all - (all < idle_ns ? all : idle_ns);
}

uint32_t view_hot_next(const view_hot *p, uint32_t at) {
    uint32_t most = 0;
    uint64_t own = node_number(p->tree, TIMES_EXCLUSIVE, at);
    for (uint32_t child = p->nodes[at].first_child; child != 0; child = p->nodes[child].next_sibling)
        if (node_kind(&p->nodes[child]) == NODE_WAITING)
            own = profile_add(own, view_hot_taken(p, child));
        else if (most == 0 || view_hot_taken(p, child) > view_hot_taken(p, most))
            most = child;
    if (most == 0 || node_kind(&p->nodes[most]) == NODE_FOLDED)
        return 0;
    const uint64_t below = view_hot_taken(p, most), all = view_hot_taken(p, 0);
    return at == 0 || (below >= own / 2 && below >= view_hot_taken(p, at) / PART && below >= all / PART_OF_ALL) ? most
                                                                                                                : 0;
}

uint32_t view_hot_last(const view_hot *p, uint32_t at, uint32_t *frames) {
    const fold_link *nodes = p->nodes;
    *frames = 1;
    for (uint32_t next = view_hot_next(p, at); next != 0 && link_is_call(&nodes[at]) && link_is_call(&nodes[next]) &&
                                               node_function(&nodes[next]) == node_function(&nodes[at]);
         next = view_hot_next(p, at)) {
        at = next;
        ++*frames;
    }
    return at;
}
