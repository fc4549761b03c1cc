#include "report/model/parts.h"

#include <stdlib.h>

const char *part_name(int part) {
    return part == PART_METHODS ? "methods" : leaf_part_name((leaf_part)part);
}

bool parts_find(function_list *a) {
    leaf_parts parts = {0};
    for (uint32_t i = 0; i < a->function_count && !a->scratch.failed; i++) {
        report_function *f = &a->functions[i];
        if (f->command)
            f->part = LEAF_PART_DATABASES;
        if (!f->leaf || !f->names)
            continue;
        if (!parts.patterns && !leaf_parts_make(&parts, &a->memory))
            return false;
        f->part = leaf_parts_find(&parts, f->names, f->method, &a->scratch);
    }
    return !a->scratch.failed;
}

bool parts_any(const aggregate *a) {
    for (uint32_t i = 0; i < a->list.function_count; i++)
        if (a->list.functions[i].leaf)
            return true;
    return false;
}

uint64_t *parts_awaiting(const aggregate *a) {
    uint64_t *ns = calloc((size_t)a->list.function_count + 1, sizeof *ns);
    for (uint32_t i = 1; ns && i < a->async.place_count; i++) {
        const async_place *place = &a->async.places[i];
        ns[place->function] = profile_add(ns[place->function], place->own_awaiting_ns);
    }
    return ns;
}

bool parts_sum(part_sum sums[PARTS], const aggregate *a) {
    uint64_t *awaiting = parts_awaiting(a);
    memset(sums, 0, PARTS * sizeof *sums);
    for (uint32_t i = 0; awaiting && i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        part_sum *sum = &sums[part_of(f)];
        sum->calls = profile_add(sum->calls, part_calls(f));
        sum->exclusive_ns = profile_add(sum->exclusive_ns, f->times.exclusive_ns);
        sum->waiting_ns = profile_add(sum->waiting_ns, f->waiting_ns);
        sum->awaiting_ns = profile_add(sum->awaiting_ns, awaiting[i]);
        profile_add_figures(sum->figures, f->figures.all);
    }
    free(awaiting);
    return awaiting != NULL;
}
