#include "select/leaf_parts.h"

#include "select/name_filter.h"

static const struct {
    leaf_part part;
    const char *text;
} listed[] = {
#define LEAF(part, pattern, reason) {LEAF_PART_##part, pattern},
#include "select/leaves.def"
};

enum { LISTED = sizeof listed / sizeof listed[0] };

const char *leaf_part_name(leaf_part part) {
    static const char *const part_names[LEAF_PARTS] = {
        [LEAF_PART_OTHER] = "other calls",
#define LEAF_PART(part, name) [LEAF_PART_##part] = name,
#include "select/leaves.def"
    };
    return part_names[part];
}

bool leaf_parts_make(leaf_parts *l, arena *a) {
    const char *fault;
    l->patterns = arena_alloc_array(a, LISTED, sizeof *l->patterns);
    for (size_t i = 0; l->patterns && i < LISTED; i++)
        if (listed[i].part != LEAF_PART_OTHER && pattern_compile(&l->patterns[i], listed[i].text, a, &fault))
            return false;
    return l->patterns != NULL;
}

leaf_part leaf_parts_find(const leaf_parts *l, const names *n, uint32_t method, buffer *scratch) {
    for (size_t i = LISTED; i-- > 0;)
        if (listed[i].part != LEAF_PART_OTHER && filter_match_method(&l->patterns[i], n, method, scratch) != FILTER_NOT)
            return listed[i].part;
    return LEAF_PART_OTHER;
}
