#include "choice/ahead.h"

/* The lists that are made: `first` counts at [i + 2] while `list` is NULL, and moves on at [i + 1] then. */
typedef struct lists {
    uint32_t *first, *list;
    const uint32_t *places; /* by position: 1 + that in the order; 0: it is in none */
} lists;

static uint32_t place_of(const lists *l, const counts *c, const counted_calls *m, uint32_t method) {
    return l->places[c->list[m->positions[method]].owner];
}

static void add_module(lists *l, const counts *c, const counted_calls *m) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->names->method_count; i++) {
        const uint32_t inlined = place_of(l, c, m, i);
        for (; at < m->names->inliner_ends[i]; at++) {
            const uint32_t inliner = place_of(l, c, m, m->names->inliners[at]);
            if (!inlined || !inliner || inlined == inliner)
                continue;
            if (l->list)
                l->list[l->first[inlined]++] = inliner - 1;
            else
                l->first[inlined + 1]++;
        }
    }
}

static void add_modules(lists *l, const counts *c) {
    for (const counted_calls *m = c->ahead; m; m = m->next)
        add_module(l, c, m);
}

static uint64_t compiling(const counts *c, const counted *m) {
    const bool often = m->calls >= choice_times(c->runs, CHOICE_SELDOM_CALLS);
    return m->calls ? choice_times(c->runs, often ? choice_lost.often_ps : choice_lost.seldom_ps) : 0;
}

static uint64_t slow_calls(const counts *c, const counted *m) {
    const uint64_t first = choice_times(c->runs, CHOICE_FIRST_CALLS);
    const uint64_t il = choice_times(m->names->methods[m->method].il_size, choice_lost.il_ps);
    return choice_times(m->calls < first ? m->calls : first, il);
}

/* Sets what is lost with each, and the sums. */
static void find_lost(ahead *found, const counts *c, const lists *l, counted *const *order, uint64_t *lost) {
    for (const counted_calls *m = c->ahead; m; m = m->next)
        for (uint32_t i = 0; i < m->names->method_count; i++) {
            const uint32_t place = place_of(l, c, m, i);
            if (!place || !m->names->native[i] || lost[place - 1] > 0)
                continue;
            lost[place - 1] = compiling(c, order[place - 1]);
            found->compiling_ps = choice_add(found->compiling_ps, lost[place - 1]);
            found->compiled_ps = choice_add(found->compiled_ps, order[place - 1]->compiled_ps);
        }
}

/* The runs say how many methods they compiled: short ones, or those on a busy machine, none a second time. */
static uint64_t most_compiling(const counts *c, const ahead *found) {
    const uint64_t most = choice_times(c->compiled_methods, choice_lost.seldom_ps);
    return most > 0 && most < found->compiling_ps ? most : found->compiling_ps;
}

bool ahead_find(ahead *found, counts *c, counted *const *order, uint32_t count) {
    *found = (ahead){0};
    if (!c->ahead)
        return true;
    uint32_t *places = arena_alloc_array(&c->memory, (size_t)c->count + 1, sizeof *places);
    uint64_t *lost = arena_alloc_array(&c->memory, (size_t)count + 1, sizeof *lost);
    lists l = {arena_alloc_array(&c->memory, (size_t)count + 3, sizeof *l.first), NULL, places};
    if (!places || !lost || !l.first)
        return false;
    for (uint32_t i = 0; i < count; i++)
        places[order[i]->owner] = i + 1;
    add_modules(&l, c);
    for (uint32_t i = 0; i <= count; i++)
        l.first[i + 2] += l.first[i + 1];
    if (!(l.list = arena_alloc_array(&c->memory, (size_t)l.first[count + 2] + 1, sizeof *l.list)))
        return false;
    add_modules(&l, c);
    find_lost(found, c, &l, order, lost);
    const uint64_t all = found->compiling_ps;
    found->compiling_ps = most_compiling(c, found);
    for (uint32_t i = 0; i < count; i++)
        if (lost[i] > 0)
            lost[i] = choice_add(choice_part(lost[i], found->compiling_ps, all), slow_calls(c, order[i]));
    found->inliners = (choice_inliners){l.first, l.list, lost};
    return true;
}
