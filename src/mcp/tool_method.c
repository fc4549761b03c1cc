#include <stdio.h>
#include <stdlib.h>

#include "mcp/tools.h"
#include "report/view/functions.h"
#include "util/list.h"

/* One method: its figures, and who called it, and what it called. */

/* What calls between it and another method come to. Times count a call once, also where another call of the method
 * stands above it. */
typedef struct edge {
    uint32_t function; /* position */
    uint64_t calls, inclusive_ns, waiting_ns;
} edge;

typedef struct edges {
    edge *callers, *callees; /* by function at first, then those that are there, most first */
    uint32_t caller_count, callee_count;
    uint64_t outermost_calls, outermost_ns; /* that nothing recorded called */
} edges;

static void add(edge *e, const call_tree *t, uint32_t node, bool once) {
    e->calls = profile_add(e->calls, node_number(t, NODE_CALLS, node));
    if (!once)
        return;
    e->inclusive_ns = profile_add(e->inclusive_ns, node_number(t, TIMES_INCLUSIVE, node));
    e->waiting_ns = profile_add(e->waiting_ns, node_number(t, NODE_WAITING_NS, node));
}

static int by_time(const void *left, const void *right) {
    const edge *a = left, *b = right;
    int order = list_compare(b->inclusive_ns, a->inclusive_ns);
    order = order ? order : list_compare(b->calls, a->calls);
    return order ? order : list_compare(a->function, b->function);
}

static uint32_t sorted(edge *list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].calls > 0 || list[i].inclusive_ns > 0) {
            list[kept] = list[i];
            list[kept++].function = i;
        }
    if (kept > 0)
        qsort(list, kept, sizeof *list, by_time);
    return kept;
}

static void edges_clear(edges *e) {
    free(e->callers);
    free(e->callees);
}

static bool edges_make(edges *e, const aggregate *a, uint32_t function) {
    const call_tree *t = &a->tree;
    const fold_link *nodes = t->places.links;
    unsigned char *inside = calloc((size_t)t->node_count + 1, 1); /* a call of it stands above the node */
    e->callers = calloc((size_t)a->list.function_count + 1, sizeof *e->callers);
    e->callees = calloc((size_t)a->list.function_count + 1, sizeof *e->callees);
    bool done = inside && e->callers && e->callees;
    for (uint32_t i = 1; done && i < t->node_count; i++) {
        const fold_link *n = &nodes[i], *above = &nodes[n->parent];
        const bool below_it = link_is_call(above) && node_function(above) == function;
        inside[i] = inside[n->parent] || below_it;
        if (!link_is_call(n))
            continue;
        if (below_it)
            add(&e->callees[node_function(n)], t, i, !inside[n->parent]);
        if (node_function(n) != function)
            continue;
        if (link_is_call(above)) {
            add(&e->callers[node_function(above)], t, i, !inside[i]);
        } else {
            e->outermost_calls = profile_add(e->outermost_calls, node_number(t, NODE_CALLS, i));
            e->outermost_ns = profile_add(e->outermost_ns, node_number(t, TIMES_INCLUSIVE, i));
        }
    }
    free(inside);
    if (done) {
        e->caller_count = sorted(e->callers, a->list.function_count);
        e->callee_count = sorted(e->callees, a->list.function_count);
    }
    return done;
}

static json_t *edge_row(mcp_call *c, const mcp_profile *p, const edge *e) {
    const report_function *f = &p->sum.list.functions[e->function];
    json_t *row = json_object();
    call_method(c, row, p, f);
    call_number(c, row, "calls", e->calls);
    call_number(c, row, "inclusive_ns", e->inclusive_ns);
    if (e->waiting_ns > 0)
        call_number(c, row, "waiting_ns", e->waiting_ns);
    if (f->leaf || f->command)
        call_word(c, row, "leaf", leaf_part_name(f->part));
    return row;
}

/* Callers and callees by turns, so that each answer has some of both. */
static void set_edges(mcp_call *c, const mcp_profile *p, const edges *e, uint32_t first) {
    json_t *callers = call_array(c, c->result, "callers"), *callees = call_array(c, c->result, "callees");
    uint32_t caller = 0, callee = 0, position = 0;
    if (first == 0 && e->outermost_calls > 0) {
        json_t *row = json_object();
        call_word(c, row, "name", "(nothing recorded)");
        call_number(c, row, "calls", e->outermost_calls);
        call_number(c, row, "inclusive_ns", e->outermost_ns);
        call_append(c, callers, row);
    }
    for (; (caller < e->caller_count || callee < e->callee_count) && !c->no_memory; position++) {
        bool above = callee >= e->callee_count || (caller < e->caller_count && caller <= callee);
        const edge *next = above ? &e->callers[caller++] : &e->callees[callee++];
        if (position < first || call_row(c, above ? callers : callees, edge_row(c, p, next)))
            continue;
        call_next(c, position);
        return;
    }
}

/* ---- Objects and exceptions ------------------------------------------------------------------------------------- */

static bool set_allocated(mcp_call *c, const mcp_profile *p, uint32_t function) {
    enum { MOST = 5 };
    const report_sites *s = &p->sum.sites;
    const report_site **all = s->count > 0 ? sites_sorted(s, p->sum.list.functions) : NULL;
    json_t *array = NULL;
    uint32_t shown = 0;
    for (uint32_t i = 0; all && i < s->count && shown < MOST && !c->no_memory; i++) {
        if (all[i]->function != function)
            continue;
        array = array ? array : call_array(c, c->result, "allocated");
        json_t *row = json_object();
        call_text(c, row, "type", s->types[all[i]->type].name);
        call_word(c, row, "kind", site_kind_name(all[i]->kind));
        call_number(c, row, "objects", all[i]->objects);
        call_number(c, row, "il_offset", all[i]->offset);
        call_append(c, array, row);
        shown++;
    }
    bool done = all || s->count == 0;
    free(all);
    return done;
}

/* The types of exceptions that were thrown in it. */
static bool set_thrown(mcp_call *c, const mcp_profile *p, uint32_t function) {
    enum { MOST = 5 };
    const exceptions *e = &p->sum.exceptions;
    uint64_t *counts = calloc((size_t)e->type_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t i = 1; i < e->node_count; i++) {
        uint32_t at = e->nodes[i].parent;
        if (e->nodes[i].kind != EXCEPTION_THROWN || e->nodes[at].function != function)
            continue;
        while (at != 0 && e->nodes[at].kind != EXCEPTION_TYPE)
            at = e->nodes[at].parent;
        if (at != 0)
            counts[e->nodes[at].value] = profile_add(counts[e->nodes[at].value], e->nodes[i].figures.count);
    }
    json_t *array = NULL;
    for (uint32_t round = 0; round < MOST && !c->no_memory; round++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < e->type_count; i++)
            most = counts[i] > counts[most] ? i : most;
        if (counts[most] == 0)
            break;
        array = array ? array : call_array(c, c->result, "thrown");
        json_t *row = json_object();
        call_text(c, row, "type", e->types[most].name);
        call_number(c, row, "count", counts[most]);
        call_append(c, array, row);
        counts[most] = 0;
    }
    free(counts);
    return true;
}

/* ---- The tool --------------------------------------------------------------------------------------------------- */

static void set_identity(mcp_call *c, json_t *of, const mcp_profile *p, const report_function *f) {
    view_function v = view_function_of(&p->r, f);
    char token[16];
    if (v.has_module)
        call_text(c, of, "assembly", store_assembly(&p->sum.list, f));
    if (v.token) {
        snprintf(token, sizeof token, "0x%08x", v.token);
        call_word(c, of, "token", token);
    }
    if (v.machine[0])
        call_word(c, of, "machine", v.machine);
    if (v.route.size > 0)
        call_text(c, of, "route", v.route);
    if (v.part)
        call_word(c, of, "leaf", v.part);
}

bool tool_method(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    const report_function *f = p ? call_function(c, p, call_argument(c, "method")) : NULL;
    edges e = {.callers = NULL};
    uint32_t first;
    if (!f || !call_begin_rows(c, &first))
        return false;
    const uint32_t function = (uint32_t)(f - p->sum.list.functions);
    call_file(c, c->result, "profile", p->id);
    json_t *of = call_object(c, c->result, "of");
    call_method(c, of, p, f);
    call_figures(c, of, p, f);
    set_identity(c, of, p, f);
    bool done = first > 0 || (set_allocated(c, p, function) && set_thrown(c, p, function));
    if (f->by_ticks)
        call_append(c, call_array(c, c->result, "caveats"), json_string("its times are by ticks of a clock"));
    done = done && edges_make(&e, &p->sum, function);
    if (done)
        set_edges(c, p, &e, first);
    edges_clear(&e);
    return done;
}
