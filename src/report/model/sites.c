#include "report/model/sites.h"

#include <stdlib.h>

#include "util/hash.h"
#include "util/list.h"

static uint64_t hash_of(bytes text, uint8_t kind) {
    return hash_bytes(HASH_START + kind, text);
}

/* The type's position; MAP_NONE when memory ran out. The name lives as long as the names that it is from. */
static uint32_t type_of(report_sites *s, bytes name, uint8_t kind) {
    /* "T[]" as such is an array, whether newarr makes it or a constructor. */
    uint8_t group = kind == NAMES_SITE_BOX ? NAMES_SITE_BOX : NAMES_SITE_NEW;
    uint32_t *slot = map_slot(&s->type_map, hash_of(name, group));
    if (!slot)
        return MAP_NONE;
    for (uint32_t i = *slot; i != MAP_NONE; i = s->types[i].next_alike)
        if (s->types[i].kind == group && bytes_equal(s->types[i].name, name))
            return i;
    if (!list_grow((void **)&s->types, s->type_count, &s->type_capacity, sizeof *s->types))
        return MAP_NONE;
    s->types[s->type_count] = (report_type){.name = name, .kind = group, .next_alike = *slot};
    *slot = s->type_count;
    return s->type_count++;
}

/* The position of what belongs to a place that was met before, or of the next one; MAP_NONE when memory ran out. */
static uint32_t position_of(map *m, uint32_t high, uint32_t low, uint32_t next) {
    uint32_t *slot = map_slot(m, map_key(high, low));
    if (!slot)
        return MAP_NONE;
    if (*slot == MAP_NONE)
        *slot = next;
    return *slot;
}

static bool add_site(report_sites *s, const matching *match, const profile_site *of, const names *n) {
    const names_site *from = &n->sites[of->site];
    uint32_t module, row = n->methods[from->method].row;
    uint32_t function = match_known(match, match->p->modules[of->module].base + from->method, &module);
    uint32_t method = position_of(&s->method_map, module, row, s->method_count);
    if (method == MAP_NONE)
        return false;
    s->method_count += method == s->method_count;
    uint32_t type = type_of(s, names_text(n, from->type), from->kind);
    uint32_t place = type == MAP_NONE ? MAP_NONE : position_of(&s->site_map, method, from->offset, s->count);
    if (place == MAP_NONE)
        return false;
    if (place == s->count) {
        if (!list_grow((void **)&s->list, s->count, &s->capacity, sizeof *s->list))
            return false;
        s->list[s->count++] = (report_site){.function = function,
                                            .type = type,
                                            .row = row,
                                            .offset = from->offset,
                                            .kind = from->kind,
                                            .names = n,
                                            .file = from->file,
                                            .line = from->line};
    }
    if (s->list[place].function == FUNCTION_ROOT)
        s->list[place].function = function;
    s->list[place].objects = profile_add(s->list[place].objects, of->objects);
    s->types[type].objects = profile_add(s->types[type].objects, of->objects);
    s->objects = profile_add(s->objects, of->objects);
    return true;
}

bool sites_add(report_sites *s, const matching *match) {
    for (uint32_t i = 0; i < match->p->site_count; i++) {
        const profile_site *of = &match->p->sites[i];
        const names *n = match_names(match, of->module);
        if (n && of->site < n->site_count && !add_site(s, match, of, n))
            return false;
    }
    return leaf_lines_add(&s->leaves, match);
}

static int by_objects(uint64_t a, uint64_t b) {
    return a > b ? -1 : a < b;
}

static int by_type(const void *left, const void *right) {
    const report_type *a = *(const report_type *const *)left, *b = *(const report_type *const *)right;
    int order = by_objects(a->objects, b->objects);
    if (order == 0)
        order = bytes_compare(a->name, b->name);
    return order ? order : a->kind - b->kind;
}

const report_type **sites_types_sorted(const report_sites *s) {
    const report_type **sorted = calloc((size_t)s->type_count + 1, sizeof *sorted);
    for (uint32_t i = 0; sorted && i < s->type_count; i++)
        sorted[i] = &s->types[i];
    if (sorted && s->type_count)
        qsort(sorted, s->type_count, sizeof *sorted, by_type);
    return sorted;
}

/* A site with the rank of its function. */
typedef struct site_key {
    const report_site *site;
    uint32_t rank;
} site_key;

static int by_site(const void *left, const void *right) {
    const site_key *a = left, *b = right;
    int order = by_objects(a->site->objects, b->site->objects);
    if (order == 0)
        order = list_compare(a->rank, b->rank);
    if (order == 0)
        order = list_compare(a->site->row, b->site->row);
    return order ? order : list_compare(a->site->offset, b->site->offset);
}

const report_site **sites_sorted(const report_sites *s, const report_function *functions) {
    const report_site **sorted = calloc((size_t)s->count + 1, sizeof *sorted);
    site_key *keys = calloc((size_t)s->count + 1, sizeof *keys);
    if (!sorted || !keys) {
        free(sorted);
        free(keys);
        return NULL;
    }
    for (uint32_t i = 0; i < s->count; i++)
        keys[i] = (site_key){&s->list[i],
                             s->list[i].function == FUNCTION_ROOT ? UINT32_MAX : functions[s->list[i].function].rank};
    if (s->count)
        qsort(keys, s->count, sizeof *keys, by_site);
    for (uint32_t i = 0; i < s->count; i++)
        sorted[i] = keys[i].site;
    free(keys);
    return sorted;
}

const char *site_kind_name(uint8_t kind) {
    static const char *const names[] = {"new", "array", "box"};
    return names[kind < NAMES_SITE_KINDS ? kind : NAMES_SITE_NEW];
}

void sites_clear(report_sites *s) {
    free(s->list);
    free(s->types);
    map_clear(&s->site_map);
    map_clear(&s->method_map);
    map_clear(&s->type_map);
    leaf_lines_clear(&s->leaves);
    *s = (report_sites){0};
}
