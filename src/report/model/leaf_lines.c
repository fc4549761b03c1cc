#include "report/model/leaf_lines.h"

#include <stdlib.h>

#include "util/list.h"

static bool is_same(const leaf_line *a, const names *n, const names_leaf_call *call) {
    return a->line == call->line && bytes_equal(names_text(a->names, a->file), names_text(n, call->file));
}

static bool add_line(leaf_lines *l, const matching *match, uint32_t module, const names *n,
                     const names_leaf_call *call) {
    const uint32_t caller = match_asked(match, module, call->method), leaf = match_asked(match, module, call->leaf);
    if (caller == FUNCTION_ROOT || leaf == FUNCTION_ROOT)
        return true;
    uint32_t *slot = map_slot(&l->by_call, map_key(caller, leaf)), last = MAP_NONE, count = 0;
    if (!slot)
        return false;
    for (uint32_t at = *slot; at != MAP_NONE; at = l->list[at].next) {
        if (is_same(&l->list[at], n, call) || ++count == LEAF_LINES_MOST)
            return true;
        last = at;
    }
    if (!list_grow((void **)&l->list, l->count, &l->capacity, sizeof *l->list))
        return false;
    *(last == MAP_NONE ? slot : &l->list[last].next) = l->count;
    l->list[l->count++] = (leaf_line){caller, leaf, n, call->file, call->line, MAP_NONE};
    return true;
}

bool leaf_lines_add(leaf_lines *l, const matching *match) {
    for (uint32_t i = 0; i < match->p->module_count; i++) {
        const names *n = match_names(match, i);
        for (uint32_t k = 0; n && k < n->leaf_call_count; k++)
            if (!add_line(l, match, i, n, &n->leaf_calls[k]))
                return false;
    }
    return true;
}

uint32_t leaf_lines_of(const leaf_lines *l, uint32_t caller, uint32_t leaf) {
    return l->count > 0 ? map_find(&l->by_call, map_key(caller, leaf)) : MAP_NONE;
}

void leaf_lines_clear(leaf_lines *l) {
    free(l->list);
    map_clear(&l->by_call);
    *l = (leaf_lines){0};
}
