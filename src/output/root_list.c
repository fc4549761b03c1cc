#include "output/root_list.h"

#include "output/names_resource.h"

/* The uses of a type's tests, a run of the list. */
typedef struct use_run {
    uint32_t first, end;
} use_run;

static use_run next_run(const method_roots *r, uint32_t at) {
    use_run run = {at, at};
    while (run.end < r->use_count && r->uses[run.end].type == r->uses[at].type)
        run.end++;
    return run;
}

/* A run and its number, from 1. */
typedef struct run_place {
    use_run run;
    uint32_t group;
} run_place;

/* The number of a type's run; 0: its tests use nothing. Types are asked for in ascending order, nearly always. */
static uint32_t group_of(run_place *at, const method_roots *r, uint32_t type) {
    if (at->group == 0 || (at->run.first < r->use_count && r->uses[at->run.first].type > type))
        *at = (run_place){next_run(r, 0), 1};
    for (; at->run.first < r->use_count && r->uses[at->run.first].type < type; at->group++)
        at->run = next_run(r, at->run.end);
    return at->run.first < r->use_count && r->uses[at->run.first].type == type ? at->group : 0;
}

static void add_groups(buffer *data, const method_roots *r, const ids *ids) {
    uint32_t count = 0;
    for (use_run run = next_run(r, 0); run.first < r->use_count; run = next_run(r, run.end))
        count++;
    buffer_varuint(data, count);
    for (use_run run = next_run(r, 0); run.first < r->use_count; run = next_run(r, run.end)) {
        uint32_t named = 0, before = 0;
        for (uint32_t i = run.first; i < run.end; i++)
            named += ids_of(ids, r->uses[i].method) != NO_ID;
        buffer_varuint(data, named);
        for (uint32_t i = run.first; i < run.end; i++) {
            uint32_t id = ids_of(ids, r->uses[i].method);
            if (id == NO_ID)
                continue;
            buffer_varuint(data, id - before);
            before = id;
        }
    }
}

uint16_t root_list_append(buffer *data, buffer *root_ids, const method_roots *roots, const root_source *from,
                          uint16_t flags) {
    const ids *ids = from->ids;
    uint32_t count = 0, before = 0;
    run_place at = {.group = 0};
    for (uint32_t i = 0; i < roots->count; i++)
        count += ids_of(ids, roots->list[i].method) != NO_ID;
    if (count == 0)
        return flags;
    if (!(flags & (NAMES_FILE_ALLOCATIONS | NAMES_FILE_NOTES | NAMES_FILE_LINES)) && !from->calls) {
        buffer_varuint(data, 0);
        buffer_varuint(data, 0);
        flags |= NAMES_FILE_ALLOCATIONS;
    }
    buffer_varuint(data, count);
    buffer_varuint(root_ids, count);
    for (uint32_t i = 0; i < roots->count; i++) {
        const method_root *root = &roots->list[i];
        uint32_t id = ids_of(ids, root->method);
        if (id == NO_ID)
            continue;
        buffer_varuint(data, id - before);
        buffer_varuint(root_ids, id - before);
        buffer_varuint(data, root->kind);
        buffer_varuint(data,
                       root->kind == ROOT_TEST ? group_of(&at, roots, md_method_type(from->index, root->method)) : 0);
        buffer_string(data, root->title ? root->title : "");
        buffer_u8(data, 0);
        before = id;
    }
    add_groups(data, roots, ids);
    return (uint16_t)(flags | NAMES_FILE_ROOTS);
}
