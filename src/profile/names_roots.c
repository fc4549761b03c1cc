#include "profile/names_roots.h"

#include "util/varuint.h"

/* Until the groups are known, a number beyond them is a fault of the last check. */
static const char *read_list(names *n, reader *r, uint64_t *most_group) {
    uint64_t count = reader_varuint(r), method = 0;
    for (; count > 0 && !r->failed; count--) {
        uint64_t step = reader_varuint(r), kind = reader_varuint(r), group = reader_varuint(r);
        uint32_t title = (uint32_t)reader_offset(r);
        bytes text = reader_strz(r);
        if (r->failed)
            break;
        if (step >= n->method_count - method)
            return "a root is a method that does not exist";
        method += step;
        *most_group = group > *most_group ? group : *most_group;
        n->methods[method].root = kind < NAMES_ROOT_KINDS ? (uint32_t)kind : 0;
        n->methods[method].title = text.size > 0 ? title : 0;
        n->methods[method].uses = (uint32_t)group;
    }
    return r->failed ? "the roots run past the end of the names" : NULL;
}

static const char *read_groups(names *n, reader *r) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < n->use_group_count; i++) {
        uint64_t count = reader_varuint(r), method = 0;
        if (r->failed || count > reader_left(r))
            return "what tests use runs past the end of the names";
        for (; count > 0; count--) {
            uint64_t step = reader_varuint(r);
            if (r->failed || step >= n->method_count - method)
                return "a test uses a method that does not exist";
            method += step;
            n->uses[end++] = (uint32_t)method;
        }
        n->use_ends[i] = end;
    }
    return NULL;
}

/* A group and a use take a byte each at least: the bytes that are left are room for all. */
ecma_status names_read_roots(names *n, const char **fault, arena *a, reader *r) {
    uint64_t most_group = 0;
    *fault = read_list(n, r, &most_group);
    if (*fault)
        return ECMA_BAD_FILE;
    uint64_t count = reader_varuint(r);
    if (r->failed || count > reader_left(r) || most_group > count) {
        *fault = "the number of groups of what tests use does not fit the names";
        return ECMA_BAD_FILE;
    }
    n->use_group_count = (uint32_t)count;
    n->use_ends = arena_alloc_array(a, (size_t)count + 1, sizeof *n->use_ends);
    n->uses = arena_alloc_array(a, reader_left(r) + 1, sizeof *n->uses);
    if (!n->use_ends || !n->uses)
        return ECMA_NO_MEMORY;
    *fault = read_groups(n, r);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}
