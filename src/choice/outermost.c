#include "choice/outermost.h"

#include "util/list.h"

bool outermost_add(counts *c, uint32_t callee, uint32_t caller, uint64_t calls) {
    if (c->entry_count == UINT32_MAX ||
        !list_grow((void **)&c->entries, c->entry_count, &c->entry_capacity, sizeof *c->entries))
        return false;
    c->entries[c->entry_count++] = (counted_entry){c->list[callee].owner, c->list[caller].owner, calls};
    return true;
}

void outermost_sum(counts *c) {
    for (uint32_t i = 0; i < c->count; i++)
        c->list[i].outer_calls = 0;
    for (uint32_t i = 0; i < c->entry_count; i++) {
        counted *callee = &c->list[c->entries[i].callee];
        callee->outer_calls = choice_add(callee->outer_calls, c->entries[i].calls);
    }
}

uint64_t outermost_cost(const counts *c, const counted *m, uint64_t all_ps) {
    enum { SAVED_PART = 2 };
    const choice_cost *cost = &choice_costs[c->runtime][CHOICE_EVERYTHING];
    uint64_t first = choice_times(c->runs, CHOICE_FIRST_CALLS), nodes = choice_nodes_of(m->outer_calls);
    uint64_t ps = choice_add(choice_times(m->outer_calls, cost->usual_ps),
                             choice_times(m->outer_calls < first ? m->outer_calls : first, cost->first_ps));
    ps = choice_add(ps, choice_times(nodes < m->nodes ? nodes : m->nodes, cost->node_ps));
    return m->outer_calls > 0 && m->outer_calls < m->calls && ps <= all_ps / SAVED_PART ? ps : 0;
}

bool outermost_take_back(counts *c) {
    bool any = false;
    for (uint32_t i = 0; i < c->entry_count; i++) {
        counted *callee = &c->list[c->entries[i].callee];
        const counted *caller = &c->list[c->entries[i].caller];
        if (!callee->outermost || c->entries[i].calls == 0 || !(caller->left_out || caller->unselected))
            continue;
        callee->outermost = false;
        callee->outer_calls = 0;
        any = true;
    }
    return any;
}
