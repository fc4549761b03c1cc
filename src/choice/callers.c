#include "choice/callers.h"

#include <stdlib.h>
#include <xxhash.h>

#include "profile/names_generated.h"
#include "util/list.h"

enum { NOBODY = UINT32_MAX, CIRCLE_NODE_CALLS = 5, MOST_NAMES = 3, DEEPER = 8, MOST_LEVELS = 1000, WITH_MACHINE = 2 };

/* A method under one of its names, for calls that say no more. */
typedef struct alias {
    uint64_t hash;
    uint32_t method;
} alias;

/* All methods of one name. */
typedef struct group {
    uint32_t first, end; /* in aliases */
    uint64_t calls;      /* of all of them */
    uint64_t calling;    /* of those that call the name */
} group;

typedef struct edge {
    /* Nodes: a method's position in counts; after them that of a group; after those that of a group at the top. */
    uint32_t callee, caller;
    uint64_t weight;
} edge;

typedef struct graph {
    counts *c;
    alias *aliases;
    group *groups;
    edge *edges; /* from sort_edges on by callee */
    uint32_t alias_count, group_count, edge_count, edge_capacity, node_count;
    uint32_t *starts;  /* of each node: its first edge as the callee; one more */
    uint32_t *circle;  /* of each node: the number of its circle; callers' are lower */
    uint32_t *members; /* nodes by their circles */
    uint32_t circle_count;
    uint64_t *work;          /* of each node: its own, and what came from its callees */
    uint64_t *calling;       /* of each node: the weights of its edges */
    uint64_t *own;           /* of a circle's nodes: the work before it is shared out */
    uint64_t *coming, *next; /* of a circle's nodes: what goes round in it, at a step and the next one */
    uint64_t *leaving;       /* of each node: what comes from the circle that is being walked */
    uint64_t *levels; /* of each method: how deep it calls itself, 0: not; UINT64_MAX: edges do not show all ways */
} graph;

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(bytes name, uint64_t parameters, bytes type) {
    uint64_t hash = XXH64(name.data, name.size, parameters);
    return type.size ? XXH64(type.data, type.size, hash) : hash;
}

static int by_hash(const void *left, const void *right) {
    const alias *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->method > b->method) - (a->method < b->method);
}

/* A lambda is called as a delegate, too. */
static bool find_aliases(graph *g) {
    static const char delegate[] = "Invoke";
    const bytes invoke = bytes_of(delegate, sizeof delegate - 1);
    counts *c = g->c;
    g->aliases = calloc(MOST_NAMES * (size_t)c->count + 1, sizeof *g->aliases);
    g->groups = calloc(MOST_NAMES * (size_t)c->count + 1, sizeof *g->groups);
    if (!g->aliases || !g->groups)
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        const names *n = c->list[i].names;
        const names_method *m = &n->methods[c->list[i].method];
        if (c->list[c->list[i].owner].calls == 0)
            continue;
        bytes name = names_simple(names_text(n, m->name));
        uint64_t parameters = names_parameters_in(names_text(n, m->parameters));
        bytes type = names_text(n, n->types[m->type].name);
        g->aliases[g->alias_count++] = (alias){hash_of(name, parameters, (bytes){0}), c->list[i].owner};
        g->aliases[g->alias_count++] = (alias){hash_of(name, parameters, type), c->list[i].owner};
        if (generated_method_of(names_text(n, m->name)).kind != GENERATED_LAMBDA)
            continue;
        g->levels[c->list[i].owner] = UINT64_MAX;
        g->aliases[g->alias_count++] = (alias){hash_of(invoke, parameters, (bytes){0}), c->list[i].owner};
    }
    qsort(g->aliases, g->alias_count, sizeof *g->aliases, by_hash);
    for (uint32_t i = 0; i < g->alias_count; i++) {
        if (i == 0 || g->aliases[i].hash != g->aliases[i - 1].hash)
            g->groups[g->group_count++] = (group){.first = i};
        group *of = &g->groups[g->group_count - 1];
        of->end = i + 1;
        of->calls = choice_add(of->calls, c->list[g->aliases[i].method].calls);
    }
    return true;
}

/* Returns the position of the group, or NOBODY. */
static uint32_t find_group(const graph *g, uint64_t hash) {
    uint32_t low = 0, high = g->group_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = g->aliases[g->groups[middle].first].hash;
        if (at == hash)
            return middle;
        if (at < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return NOBODY;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------ */

static bool add_edge(graph *g, uint32_t callee, uint32_t caller, uint64_t weight) {
    if (g->edge_count == NOBODY || !list_grow((void **)&g->edges, g->edge_count, &g->edge_capacity, sizeof *g->edges))
        return false;
    g->edges[g->edge_count++] = (edge){callee, caller, weight};
    return true;
}

/* Some times deeper than on average, where calls from outside are known. */
static uint64_t levels_of(const counted *m) {
    return m->outer_calls ? choice_least(choice_times(m->calls / m->outer_calls + 1, DEEPER), MOST_LEVELS)
                          : MOST_LEVELS;
}

static bool add_call(graph *g, const counted_calls *m, uint32_t caller, uint32_t call) {
    const counts *c = g->c;
    uint64_t calls = c->list[caller].calls;
    if (call & 1) {
        const names_callee *called = &m->names->callees[call / 2];
        uint32_t at = find_group(g, hash_of(called->name, called->parameters, called->type));
        if (at == NOBODY)
            return true;
        uint64_t weight = choice_least(calls, g->groups[at].calls);
        g->groups[at].calling = choice_add(g->groups[at].calling, weight);
        return add_edge(g, c->count + at, caller, weight);
    }
    uint32_t callee = c->list[m->positions[call / 2]].owner;
    if (callee == caller && g->levels[callee] == 0)
        g->levels[callee] = levels_of(&c->list[callee]);
    if (callee == caller || c->list[callee].calls == 0)
        return true;
    return add_edge(g, callee, caller, choice_least(calls, c->list[callee].calls));
}

static bool add_groups(graph *g) {
    for (uint32_t i = 0; i < g->group_count; i++) {
        const group *of = &g->groups[i];
        for (uint32_t k = of->first; k < of->end && of->calling > 0; k++) {
            uint32_t method = g->aliases[k].method;
            uint64_t weight = choice_part(choice_least(of->calling, of->calls), g->c->list[method].calls, of->calls);
            g->levels[method] = UINT64_MAX;
            if (!add_edge(g, method, g->c->count + i, weight ? weight : 1))
                return false;
        }
    }
    return true;
}

static bool find_edges(graph *g) {
    for (const counted_calls *m = g->c->called; m; m = m->next) {
        uint32_t call = 0;
        for (uint32_t i = 0; i < m->names->method_count; i++) {
            uint32_t caller = g->c->list[m->positions[i]].owner;
            g->c->list[caller].calls_others |= m->names->call_ends[i] > call;
            for (; call < m->names->call_ends[i]; call++)
                if (g->c->list[caller].calls > 0 && !add_call(g, m, caller, m->names->calls[call]))
                    return false;
        }
    }
    return add_groups(g);
}

/* ---- The top ---------------------------------------------------------------------------------------------------- */

/* At the top stand the methods without a caller that were called once, and what was called once and is called by one at
 * the top. A method that was called often would have called it more often; so its only call came from there. Without
 * this rule, a method with a name that is called all the time would seem to belong to a circle, and to hold next to
 * nothing of it. */
static bool is_at_top(const graph *g, const bool *top, uint32_t node) {
    return top[node] && (node >= g->c->count || g->c->list[node].calls == 1);
}

static int by_caller(const void *left, const void *right) {
    const edge *a = left, *b = right;
    return (a->caller > b->caller) - (a->caller < b->caller);
}

/* The edges by caller: where those of each node begin; one more. */
static void starts_by_caller(graph *g, uint32_t *starts, uint32_t node_count) {
    if (g->edge_count)
        qsort(g->edges, g->edge_count, sizeof *g->edges, by_caller);
    uint32_t at = 0;
    for (uint32_t node = 0; node <= node_count; node++) {
        while (at < g->edge_count && g->edges[at].caller < node)
            at++;
        starts[node] = at;
    }
}

/* Sets top[node] of what is reached from above; a method of those that was called more often is not at the top. */
static void reach_from_top(graph *g, const uint32_t *starts, uint32_t *waiting, bool *top, uint32_t node_count) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->c->count; i++)
        top[i] = g->c->list[i].calls == 1;
    for (uint32_t i = 0; i < g->edge_count; i++)
        top[g->edges[i].callee] = false;
    for (uint32_t node = 0; node < node_count; node++)
        if (top[node])
            waiting[count++] = node;
    while (count > 0) {
        uint32_t node = waiting[--count];
        for (uint32_t k = starts[node]; k < starts[node + 1]; k++) {
            uint32_t callee = g->edges[k].callee;
            if (top[callee])
                continue;
            top[callee] = true;
            if (is_at_top(g, top, callee))
                waiting[count++] = callee;
        }
    }
}

/* Leaves a method at the top the edges to callers there; those of a name come by a group of its own. */
static bool part_top(graph *g, const bool *top) {
    uint32_t kept = 0, methods = g->c->count;
    for (uint32_t i = 0; i < g->edge_count; i++) {
        edge e = g->edges[i];
        if (e.callee < methods && is_at_top(g, top, e.callee)) {
            if (!is_at_top(g, top, e.caller))
                continue;
            e.caller += e.caller >= methods ? g->group_count : 0;
            e.weight = 1;
        }
        g->edges[kept++] = e;
    }
    g->edge_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        edge e = g->edges[i];
        if (e.callee >= methods && is_at_top(g, top, e.caller) && !add_edge(g, e.callee + g->group_count, e.caller, 1))
            return false;
    }
    return true;
}

static bool find_top(graph *g) {
    uint32_t node_count = g->c->count + g->group_count;
    uint32_t *starts = calloc((size_t)node_count + 1, sizeof *starts);
    uint32_t *waiting = calloc((size_t)node_count + 1, sizeof *waiting);
    bool *top = calloc((size_t)node_count + 1, sizeof *top), done = starts && waiting && top;
    if (done) {
        starts_by_caller(g, starts, node_count);
        reach_from_top(g, starts, waiting, top, node_count);
        done = part_top(g, top);
    }
    free(starts);
    free(waiting);
    free(top);
    return done;
}

/* ---- By callees ------------------------------------------------------------------------------------------------- */

static int by_callee(const void *left, const void *right) {
    const edge *a = left, *b = right;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static bool sort_edges(graph *g) {
    g->node_count = g->c->count + 2 * g->group_count;
    g->starts = calloc((size_t)g->node_count + 1, sizeof *g->starts);
    if (!g->starts)
        return false;
    if (g->edge_count)
        qsort(g->edges, g->edge_count, sizeof *g->edges, by_callee);
    uint32_t at = 0;
    for (uint32_t node = 0; node <= g->node_count; node++) {
        while (at < g->edge_count && g->edges[at].callee < node)
            at++;
        g->starts[node] = at;
    }
    return true;
}

/* ---- Circles ---------------------------------------------------------------------------------------------------- */

/* Strongly connected components, by Tarjan's algorithm (1972) with a path of its own instead of recursion. */
typedef struct search {
    uint32_t *number, *low; /* of each node; number 0: not met yet */
    uint32_t *next;         /* of each node: the edge to go on with */
    uint32_t *path, *open;  /* nodes */
    uint32_t path_count, open_count, met;
} search;

static void meet(search *s, const graph *g, uint32_t node) {
    s->number[node] = s->low[node] = ++s->met;
    s->next[node] = g->starts[node];
    s->path[s->path_count++] = s->open[s->open_count++] = node;
}

/* All callers of the innermost node of the path were met. */
static void leave(search *s, graph *g) {
    uint32_t node = s->path[--s->path_count], member;
    if (s->path_count > 0 && s->low[node] < s->low[s->path[s->path_count - 1]])
        s->low[s->path[s->path_count - 1]] = s->low[node];
    if (s->low[node] != s->number[node])
        return;
    do {
        member = s->open[--s->open_count];
        g->circle[member] = g->circle_count;
    } while (member != node);
    g->circle_count++;
}

static void walk(search *s, graph *g, uint32_t root) {
    meet(s, g, root);
    while (s->path_count > 0) {
        uint32_t node = s->path[s->path_count - 1];
        if (s->next[node] == g->starts[node + 1]) {
            leave(s, g);
            continue;
        }
        uint32_t caller = g->edges[s->next[node]++].caller;
        if (s->number[caller] == 0)
            meet(s, g, caller);
        else if (g->circle[caller] == NOBODY && s->number[caller] < s->low[node])
            s->low[node] = s->number[caller];
    }
}

static bool find_circles(graph *g) {
    size_t size = (size_t)g->node_count + 1;
    search s = {.number = calloc(size, sizeof *s.number),
                .low = calloc(size, sizeof *s.low),
                .next = calloc(size, sizeof *s.next),
                .path = calloc(size, sizeof *s.path),
                .open = calloc(size, sizeof *s.open)};
    g->circle = calloc(size, sizeof *g->circle);
    bool done = s.number && s.low && s.next && s.path && s.open && g->circle;
    for (uint32_t i = 0; i < g->node_count && done; i++)
        g->circle[i] = NOBODY;
    for (uint32_t i = 0; i < g->node_count && done; i++)
        if (s.number[i] == 0)
            walk(&s, g, i);
    free(s.number);
    free(s.low);
    free(s.next);
    free(s.path);
    free(s.open);
    return done;
}

static bool sort_members(graph *g) {
    uint32_t *ends = calloc((size_t)g->circle_count + 1, sizeof *ends);
    g->members = calloc((size_t)g->node_count + 1, sizeof *g->members);
    bool done = ends && g->members;
    for (uint32_t i = 0; i < g->node_count && done; i++)
        ends[g->circle[i] + 1]++;
    for (uint32_t i = 0; i < g->circle_count && done; i++)
        ends[i + 1] += ends[i];
    for (uint32_t i = 0; i < g->node_count && done; i++)
        g->members[ends[g->circle[i]]++] = i;
    free(ends);
    return done;
}

/* ---- Work ------------------------------------------------------------------------------------------------------- */

/* One step of the work that goes round in a circle: to the callers in it, and to those outside. Returns how much has
 * left it. */
static uint64_t step(graph *g, uint32_t first, uint32_t end) {
    const uint32_t *members = g->members;
    uint64_t left = 0;
    for (uint32_t i = first; i < end; i++)
        g->next[members[i]] = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t node = members[i];
        for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++) {
            uint32_t caller = g->edges[k].caller;
            uint64_t part = choice_part(g->coming[node], g->edges[k].weight, g->calling[node]);
            if (g->circle[caller] == g->circle[node]) {
                g->next[caller] = choice_add(g->next[caller], part);
                continue;
            }
            g->leaving[caller] = choice_add(g->leaving[caller], part);
            left = choice_add(left, part);
        }
    }
    for (uint32_t i = first; i < end; i++)
        g->coming[members[i]] = g->next[members[i]];
    return left;
}

/* The members' shares of the circle's work: each has its own, and parts of its callees' by how often it calls them, as
 * outside of circles, step by step around the circle; no member has more than the whole. So a method that calls into a
 * circle once does not count for all that others do there, however often that goes round. */
static void share_in_circle(graph *g, uint32_t first, uint32_t end, uint64_t whole) {
    enum { MOST_ROUNDS = 64 };
    const uint32_t *members = g->members;
    bool changed = true;
    for (uint32_t i = first; i < end; i++)
        g->work[members[i]] = g->own[members[i]];
    for (int round = 0; round < MOST_ROUNDS && changed; round++) {
        for (uint32_t i = first; i < end; i++)
            g->next[members[i]] = g->own[members[i]];
        for (uint32_t i = first; i < end; i++) {
            uint32_t node = members[i];
            for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++) {
                uint32_t caller = g->edges[k].caller;
                if (g->circle[caller] == g->circle[node])
                    g->next[caller] =
                        choice_add(g->next[caller], choice_part(g->work[node], g->edges[k].weight, g->calling[node]));
            }
        }
        changed = false;
        for (uint32_t i = first; i < end; i++) {
            uint64_t share = choice_least(g->next[members[i]], whole);
            changed |= share != g->work[members[i]];
            g->work[members[i]] = share;
        }
    }
}

/* The work of a circle goes round in it, in parts by how often its members can have called each other, until it has
 * come to callers outside. So those get most who call where most of the work is, however often others call into the
 * circle elsewhere. Work that would go round for long goes out as the rest did. */
static void go_round(graph *g, uint32_t first, uint32_t end, uint64_t whole) {
    enum { MOST_ROUNDS = 256, LEAST_PART = 1024 };
    const uint32_t *members = g->members;
    uint64_t left = 0;
    for (uint32_t i = first; i < end; i++)
        g->coming[members[i]] = g->own[members[i]] = g->work[members[i]];
    for (int round = 0; round < MOST_ROUNDS && whole - left > whole / LEAST_PART; round++)
        left = choice_least(choice_add(left, step(g, first, end)), whole);
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = g->starts[members[i]]; k < g->starts[members[i] + 1]; k++) {
            uint32_t caller = g->edges[k].caller;
            g->work[caller] = choice_add(g->work[caller], choice_part(whole, g->leaving[caller], left));
            g->leaving[caller] = 0;
        }
}

/* Methods that call each other come by ever new paths: mcs and csc have a node for 4 to 7 calls of them. The paths are
 * as many as the circle is large: of a choice mcs, with circles of 624 and 156 methods, has 50 to 140 nodes a method,
 * csc, with 6,549, has 170 to 220, and Newtonsoft.Json, with less than 9, has 2 or 3. */
static void count_paths(const graph *g, uint32_t first, uint32_t end) {
    enum { PATHS = 16, PATH_MEMBERS = 8 };
    uint64_t methods = 0, threads = choice_times(g->c->threads, g->c->runs);
    for (uint32_t i = first; i < end; i++)
        methods += g->members[i] < g->c->count;
    uint64_t most = choice_times(PATHS + methods / PATH_MEMBERS, threads);
    for (uint32_t i = first; i < end; i++) {
        counted *m = g->members[i] < g->c->count ? &g->c->list[g->members[i]] : NULL;
        if (m && m->nodes < m->calls / CIRCLE_NODE_CALLS)
            m->nodes = m->calls / CIRCLE_NODE_CALLS;
        if (m)
            m->nodes = choice_least(m->nodes, most);
    }
}

/* Gives the work of the circle to those who call its members from outside. */
static void hand_up(graph *g, uint32_t first, uint32_t end) {
    uint64_t work = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t node = g->members[i];
        work = choice_add(work, g->work[node]);
        for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++)
            g->calling[node] = choice_add(g->calling[node], g->edges[k].weight);
    }
    if (end - first > 1) {
        go_round(g, first, end, work);
        share_in_circle(g, first, end, work);
        count_paths(g, first, end);
        return;
    }
    uint32_t node = g->members[first];
    for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++)
        if (g->edges[k].caller != node)
            g->work[g->edges[k].caller] =
                choice_add(g->work[g->edges[k].caller], choice_part(work, g->edges[k].weight, g->calling[node]));
}

static bool share_out(graph *g) {
    counts *c = g->c;
    g->work = calloc((size_t)g->node_count + 1, sizeof *g->work);
    g->calling = calloc((size_t)g->node_count + 1, sizeof *g->calling);
    g->own = calloc((size_t)g->node_count + 1, sizeof *g->own);
    g->coming = calloc((size_t)g->node_count + 1, sizeof *g->coming);
    g->leaving = calloc((size_t)g->node_count + 1, sizeof *g->leaving);
    g->next = calloc((size_t)g->node_count + 1, sizeof *g->next);
    if (!g->work || !g->calling || !g->own || !g->coming || !g->leaving || !g->next)
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        g->work[i] = choice_add(c->list[i].exclusive_ps, c->list[i].compiled_ps);
    for (uint32_t end = g->node_count, first = end; first > 0; end = first) {
        for (first--; first > 0 && g->circle[g->members[first - 1]] == g->circle[g->members[end - 1]];)
            first--;
        hand_up(g, first, end);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        counted *m = &c->list[i];
        uint64_t work = g->work[i] > m->compiled_ps ? g->work[i] - m->compiled_ps : 0;
        if (m->calls > 0 && work > m->inclusive_ps)
            m->inclusive_ps = work;
    }
    return true;
}

/* The one that calls the node most, if any is known. A caller outside of a circle comes before those within,
 * since they call each other. */
static uint32_t caller_of(const graph *g, uint32_t node) {
    const edge *best = NULL;
    for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++) {
        const edge *e = &g->edges[k];
        int more = best ? (g->circle[e->caller] != g->circle[node]) - (g->circle[best->caller] != g->circle[node]) : 1;
        if (e->caller != node && (more > 0 || (more == 0 && e->weight > best->weight)))
            best = e;
    }
    return best ? best->caller : NOBODY;
}

/* Others that are not known may call the name, too: one that ran far less often does not stand for them. */
static bool is_likely(const graph *g, uint32_t node, uint32_t caller) {
    enum { MOST_CALLS_EACH = 1000 };
    return caller < g->c->count && g->c->list[caller].calls >= g->c->list[node].calls / MOST_CALLS_EACH;
}

/* An F# closure has the caller of its constructor, which is the method before it. */
static void find_makers(const graph *g) {
    counted *list = g->c->list;
    for (const counted_calls *m = g->c->called; m; m = m->next)
        for (uint32_t i = 1; i < m->names->method_count; i++) {
            const uint32_t type = m->names->methods[i].type, at = m->positions[i];
            const counted *made = &list[m->positions[i - 1]];
            const bytes name = names_text(m->names, m->names->types[type].name);
            if (m->names->methods[i - 1].type == type && generated_type_of(name).kind == GENERATED_FUNCTION &&
                made->caller != 0 && made->caller != at + 1 && is_likely(g, at, made->caller - 1))
                list[at].caller = made->caller;
        }
}

static void find_callers(const graph *g) {
    for (uint32_t i = 0; i < g->c->count; i++) {
        uint32_t at = caller_of(g, i);
        const bool named = at != NOBODY && at >= g->c->count;
        at = named ? caller_of(g, at) : at;
        if ((!named || is_likely(g, i, at)) && at < g->c->count && g->c->list[i].caller == 0 && at != i)
            g->c->list[i].caller = at + 1;
    }
    find_makers(g);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------ */

/* How many ways lead to the only member of a circle, on one thread, where it calls itself at each of its levels; as
 * many as the calls let expect where edges do not show them all. */
static uint64_t ways_to(const graph *g, const uint64_t *ways, uint32_t node) {
    const counted *m = node < g->c->count ? &g->c->list[node] : NULL;
    uint64_t sum = 0;
    if (m && (g->levels[node] == UINT64_MAX || g->starts[node] == g->starts[node + 1]))
        return m->nodes;
    for (uint32_t k = g->starts[node]; k < g->starts[node + 1]; k++)
        sum = choice_add(sum, ways[g->edges[k].caller]);
    return m && g->levels[node] ? choice_times(sum, g->levels[node]) : sum;
}

/* A method that is only called where edges show it has no more nodes than there are ways to it, on each thread of each
 * run; a state machine has them for the method that starts it, too. */
static void bound_nodes(graph *g) {
    counts *c = g->c;
    uint64_t *ways = g->next, threads = choice_times(choice_times(c->threads, c->runs), WITH_MACHINE);
    for (uint32_t first = 0, end = 0; first < g->node_count; first = end) {
        while (end < g->node_count && g->circle[g->members[end]] == g->circle[g->members[first]])
            end++;
        for (uint32_t i = first; i < end; i++) {
            uint32_t node = g->members[i];
            counted *m = node < c->count ? &c->list[node] : NULL;
            ways[node] = end - first == 1 ? ways_to(g, ways, node) : m ? m->nodes : UINT64_MAX;
            if (m)
                m->nodes = choice_least(m->nodes, choice_times(ways[node], threads));
        }
    }
}

bool callers_estimate(counts *c) {
    graph g = {.c = c, .levels = calloc((size_t)c->count + 1, sizeof *g.levels)};
    bool done = g.levels && find_aliases(&g) && find_edges(&g) && find_top(&g) && sort_edges(&g) && find_circles(&g) &&
                sort_members(&g) && share_out(&g);
    if (done)
        find_callers(&g);
    if (done && !c->has_tree)
        bound_nodes(&g);
    void *owned[] = {g.levels, g.aliases, g.groups, g.edges,  g.starts,  g.circle, g.members,
                     g.work,   g.calling, g.own,    g.coming, g.leaving, g.next};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    return done;
}
