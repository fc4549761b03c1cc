#include "profile/names_lambdas.h"

#include <stdlib.h>

#include "profile/names_generated.h"
#include "util/list.h"

/* Numbers lambdas among those of their method. csc counts a method's lambdas and local functions together, from 0, so
 * that a lambda's number is known whichever others are instrumented; other compilers count all of a type. */

/* A lambda or local function. */
typedef struct inner {
    uint32_t home; /* the type that the user wrote */
    bytes owner;
    uint32_t group, number, index;
    bool lambda;
} inner;

static bytes type_name(const names *n, uint32_t type) {
    return names_text(n, n->types[type].name);
}

/* False when the method is neither. */
static bool try_inner(inner *out, const names *n, uint32_t index) {
    const names_method *m = &n->methods[index];
    generated_method made = generated_method_of(names_text(n, m->name));
    if (made.kind != GENERATED_LAMBDA && made.kind != GENERATED_LOCAL_FUNCTION)
        return false;
    *out = (inner){m->type, made.owner, made.group, made.number, index, made.kind == GENERATED_LAMBDA};
    for (uint32_t depth = 0; depth < NAMES_MAX_NESTING && n->types[out->home].enclosing != 0; depth++) {
        generated_type t = generated_type_of(type_name(n, out->home));
        if (t.kind != GENERATED_CLOSURE && t.kind != GENERATED_MACHINE)
            break;
        if (out->owner.size == 0)
            out->owner = t.owner;
        if (out->group == GENERATED_NO_NUMBER)
            out->group = t.group;
        out->home = n->types[out->home].enclosing - 1;
    }
    return true;
}

static int compare_owners(const inner *a, const inner *b) {
    int order = list_compare(a->home, b->home);
    return order ? order : bytes_compare(a->owner, b->owner);
}

static int by_place(const void *left, const void *right) {
    const inner *a = left, *b = right;
    int order = compare_owners(a, b);
    if (order == 0)
        order = list_compare(a->group, b->group);
    if (order == 0)
        order = list_compare(a->number, b->number);
    return order ? order : list_compare(a->index, b->index);
}

static void number_all(names *n, const inner *list, uint32_t count) {
    uint32_t before = 0, rank = 0, functions = 0; /* of the owner: used up by groups before; lambdas; of the group */
    for (uint32_t i = 0; i < count; i++) {
        const inner *at = &list[i];
        if (i == 0 || compare_owners(&list[i - 1], at) != 0)
            before = rank = functions = 0;
        else if (list[i - 1].group != at->group)
            before = rank, functions = 0;
        if (!at->lambda) {
            functions++;
            continue;
        }
        bool counted = at->group != GENERATED_NO_NUMBER && at->owner.size > 0 && at->number >= functions;
        uint32_t wanted = before + at->number - functions + 1;
        rank = counted && wanted > rank ? wanted : rank + 1;
        n->methods[at->index].number = rank;
    }
}

bool names_number_lambdas(names *n, arena *a) {
    uint32_t count = 0;
    inner one;
    for (uint32_t i = 0; i < n->method_count; i++)
        count += try_inner(&one, n, i);
    if (count == 0)
        return true;
    inner *list = arena_alloc_array(a, count, sizeof *list);
    if (!list)
        return false;
    count = 0;
    for (uint32_t i = 0; i < n->method_count; i++)
        count += try_inner(&list[count], n, i);
    qsort(list, count, sizeof *list, by_place);
    number_all(n, list, count);
    return true;
}
