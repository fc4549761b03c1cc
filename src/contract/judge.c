#include "contract/judge.h"

#include <stdlib.h>

#include "report/diff/gate.h"
#include "util/list.h"

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

static bool rule_names(contract_rule *rule, const contract_entry *e, buffer *scratch, buffer *name) {
    contract_name(name, e);
    const uint8_t *open = e->name.size ? memchr(e->name.data, '(', e->name.size) : NULL;
    uint32_t method = (uint32_t)(e->type.size + (e->type.size > 0));
    uint32_t end = (uint32_t)name->size;
    const diff_function f = {.assembly = e->assembly,
                             .name = buffer_bytes(name),
                             .parts = {.type_bytes = (uint32_t)e->type.size,
                                       .method = method,
                                       .parameters = open ? method + (uint32_t)(open - e->name.data) : end,
                                       .suffix = end}};
    const diff_gate gate = {.pattern = rule->pattern};
    return diff_gate_names(&gate, &f, scratch);
}

/* Of each metric the last rule that names the entry, or NULL. False: a line says `ignore`. */
static bool rules_of(judgement *j, const contract_entry *e, const contract_rule *rules[CONTRACT_METRICS],
                     buffer *name) {
    bool judged = true;
    memset(rules, 0, CONTRACT_METRICS * sizeof *rules);
    for (uint32_t i = 0; i < j->before->rule_count; i++) {
        contract_rule *rule = &j->before->rules[i];
        if (!rule_names(rule, e, &j->scratch, name))
            continue;
        rule->named++;
        judged = judged && !rule->ignore;
        for (int m = 0; m < CONTRACT_METRICS; m++)
            if (rule->metric == CONTRACT_METRICS || (int)rule->metric == m)
                rules[m] = rule;
    }
    return judged;
}

/* ---- Ranges ----------------------------------------------------------------------------------------------------- */

enum { MOVES = 50 }; /* what does not hold still may move by that part of it in any case: 2 % */

/* How far below and above the baseline's range a run may lie. */
static uint64_t allowed(const contract_range *range, uint32_t runs, const contract_rule *rule) {
    uint64_t width = range->most - range->least, spread = width;
    if (width > 0 && runs < 7)
        spread = runs < 2 ? 6 * width : (width > PROFILE_MAX / 6 ? PROFILE_MAX : 6 * width / (runs - 1));
    if (width > 0 && spread < range->most / MOVES)
        spread = range->most / MOVES;
    uint64_t limit = !rule ? 0
                     : rule->percent
                         ? profile_add((uint64_t)((double)range->most * (double)rule->limit / 100000), rule->more)
                         : rule->limit;
    return spread > limit ? spread : limit;
}

static bool changed(const contract_range *before, const contract_range *after, uint32_t runs,
                    const contract_rule *rule) {
    if (before->unknown || after->unknown)
        return false;
    uint64_t more = allowed(before, runs, rule);
    return after->least > profile_add(before->most, more) || profile_add(after->most, more) < before->least;
}

contract_range change_range(const judgement *j, const change *c, contract_metric m, bool after) {
    uint32_t entry = after ? c->after : c->before;
    return entry == MAP_NONE ? (contract_range){0} : (after ? j->after : j->before)->entries[entry].values[m];
}

/* Compares one entry; false when memory ran out. */
static bool compare_entry(judgement *j, uint32_t before, uint32_t after, buffer *name) {
    const contract_rule *rules[CONTRACT_METRICS];
    change c = {.before = before, .after = after, .kind = CHANGE_OWN};
    const contract_entry *e = c.entry = after != MAP_NONE ? &j->after->entries[after] : &j->before->entries[before];
    bool judged = rules_of(j, e, rules, name);
    for (int m = 0; m < CONTRACT_METRICS && judged; m++) {
        const contract_range was = change_range(j, &c, (contract_metric)m, false),
                             is = change_range(j, &c, (contract_metric)m, true);
        bool known = j->before->known[m] && j->after->known[m] && (m == CONTRACT_OBJECTS) == e->is_type;
        c.metrics |= (unsigned)(known && changed(&was, &is, j->before->runs, rules[m])) << m;
    }
    j->same += judged && c.metrics == 0;
    j->ignored += !judged;
    if (c.metrics)
        j->list[j->count++] = c;
    return !name->failed && !j->scratch.failed;
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

static const change *change_of(const judgement *j, uint32_t after) {
    return j->changes[after] ? &j->list[j->changes[after] - 1] : NULL;
}

/* Where the edges of this callee begin. */
static uint32_t first_edge(const contract *c, uint32_t callee) {
    uint32_t low = 0, high = c->edge_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->edges[middle].callee < callee)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t change_next_caller(const judgement *j, const change *c, uint32_t at) {
    const contract *after = j->after;
    if (c->after == MAP_NONE)
        return 0;
    for (uint32_t i = at > 0 ? at : first_edge(after, c->after);
         i < after->edge_count && after->edges[i].callee == c->after; i++)
        if (after->edges[i].caller != c->after)
            return i + 1;
    return 0;
}

uint32_t change_next_callee(const judgement *j, const change *c, uint32_t at) {
    const contract *after = j->after;
    if (c->after == MAP_NONE)
        return 0;
    for (uint32_t i = at; i < after->edge_count; i++) {
        const change *callee = after->edges[i].caller == c->after ? change_of(j, after->edges[i].callee) : NULL;
        if (callee && callee != c && change_has(callee, CONTRACT_CALLS))
            return i + 1;
    }
    return 0;
}

/* True if what changed has a caller that explains it. */
static bool follows(const judgement *j, const change *c) {
    for (uint32_t edge = change_next_caller(j, c, 0); edge; edge = change_next_caller(j, c, edge)) {
        const change *caller = change_of(j, j->after->edges[edge - 1].caller);
        if (caller && (change_has(caller, CONTRACT_CALLS) || change_has(caller, CONTRACT_MADE)))
            return true;
    }
    return false;
}

/* Methods that are gone follow where some method makes fewer calls, or is gone or called less itself. */
static bool is_fewer(const judgement *j, const change *c) {
    contract_metric m = change_has(c, CONTRACT_CALLS) ? CONTRACT_CALLS : CONTRACT_MADE;
    return change_has(c, m) && change_range(j, c, m, true).most < change_range(j, c, m, false).least;
}

/* A method with calls and callees as before that calls something that does not hold still, makes a number
 * of calls that need not hold still either. */
static bool calls_movers(const judgement *j, const change *c) {
    const contract *after = j->after;
    bool moves = false;
    if (c->after == MAP_NONE || c->metrics != 1u << CONTRACT_MADE || change_next_callee(j, c, 0))
        return false;
    for (uint32_t i = 0; i < after->edge_count && !moves; i++) {
        uint32_t before = after->edges[i].caller == c->after
                              ? contract_find(j->before, &after->entries[after->edges[i].callee])
                              : MAP_NONE;
        const contract_range *r = before != MAP_NONE ? &j->before->entries[before].values[CONTRACT_CALLS] : NULL;
        moves = r && r->most > r->least;
    }
    return moves;
}

static void number_changes(judgement *j) {
    for (uint32_t i = 0; i < j->count; i++)
        if (j->list[i].after != MAP_NONE)
            j->changes[j->list[i].after] = i + 1;
}

static void drop_movers(judgement *j) {
    uint32_t count = 0;
    number_changes(j);
    for (uint32_t i = 0; i < j->count; i++)
        j->list[i].kind = calls_movers(j, &j->list[i]) ? CHANGE_KINDS : CHANGE_OWN;
    memset(j->changes, 0, j->after->count * sizeof *j->changes);
    for (uint32_t i = 0; i < j->count; i++) {
        if (j->list[i].kind == CHANGE_OWN)
            j->list[count++] = j->list[i];
        else
            j->same++;
    }
    j->count = count;
}

static void find_kinds(judgement *j) {
    uint32_t fewer = 0, methods = 0;
    for (uint32_t i = 0; i < j->count; i++) {
        const change *c = &j->list[i];
        bool type = c->entry->is_type;
        methods += !type;
        fewer += !type && c->after != MAP_NONE && is_fewer(j, c);
    }
    number_changes(j);
    for (uint32_t i = 0; i < j->count; i++) {
        change *c = &j->list[i];
        if (c->entry->is_type)
            c->kind = methods > 0 ? CHANGE_FOLLOWS : CHANGE_OWN;
        else if (change_has(c, CONTRACT_MADE) && !change_has(c, CONTRACT_CALLS))
            c->kind = CHANGE_PARTS;
        else if (change_has(c, CONTRACT_CALLS) && c->after == MAP_NONE)
            c->kind = fewer > 0 ? CHANGE_FOLLOWS : CHANGE_OWN;
        else if (change_has(c, CONTRACT_CALLS) && follows(j, c))
            c->kind = CHANGE_FOLLOWS;
        j->kinds[c->kind]++;
    }
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

static int by_rank(const void *left, const void *right) {
    const change *a = left, *b = right;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->kind == CHANGE_PARTS && a->entry->depth != b->entry->depth)
        return list_compare(a->entry->depth, b->entry->depth);
    return contract_compare(a->entry, b->entry);
}

bool judge(judgement *j) {
    contract *before = j->before;
    const contract *after = j->after;
    buffer name = BUFFER_INIT;
    j->list = calloc((size_t)before->count + after->count + 1, sizeof *j->list);
    j->changes = calloc((size_t)after->count + 1, sizeof *j->changes);
    bool done = j->list && j->changes;
    for (uint32_t i = 0; i < before->count && done; i++)
        done = compare_entry(j, i, contract_find(after, &before->entries[i]), &name);
    for (uint32_t i = 0; i < after->count && done; i++)
        if (contract_find(before, &after->entries[i]) == MAP_NONE)
            done = compare_entry(j, MAP_NONE, i, &name);
    buffer_clear(&name);
    if (!done)
        return false;
    drop_movers(j);
    find_kinds(j);
    qsort(j->list, j->count, sizeof *j->list, by_rank);
    number_changes(j);
    return true;
}

void judgement_clear(judgement *j) {
    free(j->list);
    free(j->changes);
    buffer_clear(&j->scratch);
    j->list = NULL;
    j->changes = NULL;
}
