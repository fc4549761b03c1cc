#include "report/model/site_bytes.h"

#include <stdlib.h>

/* The places of one function. */
typedef struct places {
    uint64_t objects;
    uint32_t types, sized; /* how many types there are; those of arrays and strings */
} places;

/* Are its objects of the size that they are made with? */
static bool is_sized(const report_type *type) {
    static const char string[] = "string";
    return type->kind != NAMES_SITE_BOX && ((type->name.size > 0 && type->name.data[type->name.size - 1] == ']') ||
                                            bytes_equal(type->name, bytes_of(string, sizeof string - 1)));
}

/* Is it the first place of its type in its function? *failed: memory ran out. */
static bool is_first(map *seen, const report_site *site, bool *failed) {
    uint32_t *slot = map_slot(seen, map_key(site->type, site->function));
    *failed |= !slot;
    bool first = slot && *slot == MAP_NONE;
    if (first)
        *slot = 0;
    return first;
}

static bool count_places(places *of, const report_sites *s) {
    map seen = MAP_INIT;
    bool failed = false;
    for (uint32_t i = 0; i < s->count && !failed; i++) {
        const report_site *site = &s->list[i];
        if (site->function == FUNCTION_ROOT)
            continue;
        of[site->function].objects = profile_add(of[site->function].objects, site->objects);
        if (is_first(&seen, site, &failed)) {
            of[site->function].types++;
            of[site->function].sized += is_sized(&s->types[site->type]);
        }
    }
    map_clear(&seen);
    return !failed;
}

/* Places keep the objects of calls that were taken back, and their callers have the bytes. */
static void find_methods(uint64_t *methods, const aggregate *a, const places *of) {
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const profile_figures *f = &a->list.functions[i].figures;
        methods[i] = of[i].types > 0 && of[i].objects == f->objects ? f->bytes : SITE_BYTES_UNKNOWN;
    }
}

static bool find_types(uint64_t *types, const aggregate *a, const places *of, const uint64_t *methods) {
    const report_sites *s = &a->sites;
    map seen = MAP_INIT;
    bool failed = false;
    for (uint32_t i = 0; i < s->count && !failed; i++) {
        const report_site *site = &s->list[i];
        uint64_t *most = &types[site->type];
        if (site->function == FUNCTION_ROOT || methods[site->function] == SITE_BYTES_UNKNOWN) {
            *most = SITE_BYTES_UNKNOWN;
            continue;
        }
        const places *p = &of[site->function];
        bool alone = p->types == 1 || (p->sized == 1 && is_sized(&s->types[site->type]));
        if (is_first(&seen, site, &failed) && *most != SITE_BYTES_UNKNOWN)
            *most = alone ? profile_add(*most, methods[site->function]) : SITE_BYTES_UNKNOWN;
    }
    map_clear(&seen);
    return !failed;
}

bool site_bytes_make(site_bytes *b, const aggregate *a) {
    if (a->runs == 0 || a->counted.bytes < a->runs || a->counted.objects < a->runs)
        return true;
    places *of = calloc((size_t)a->list.function_count + 1, sizeof *of);
    b->methods = calloc((size_t)a->list.function_count + 1, sizeof *b->methods);
    b->types = calloc((size_t)a->sites.type_count + 1, sizeof *b->types);
    bool done = of && b->methods && b->types && count_places(of, &a->sites);
    if (done) {
        find_methods(b->methods, a, of);
        done = find_types(b->types, a, of, b->methods);
    }
    free(of);
    return done;
}

void site_bytes_clear(site_bytes *b) {
    free(b->methods);
    free(b->types);
    *b = (site_bytes){NULL, NULL};
}
