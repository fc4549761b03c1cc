#include "naming/notes.h"

#include "naming/closures.h"
#include "naming/controllers.h"
#include "naming/nested.h"
#include "naming/routes.h"

static bool gather(method_notes *n, const notes_search *s, uint32_t methods) {
    uint32_t count = 0;
    for (uint32_t row = 1; row <= methods; row++)
        count += s->homes[row] || s->routes[row];
    n->list = arena_alloc_array(&s->image->arena, count + 1u, sizeof *n->list);
    for (uint32_t row = 1; n->list && row <= methods; row++)
        if (s->homes[row] || s->routes[row])
            n->list[n->count++] = (method_note){row, s->homes[row], s->routes[row]};
    return n->list != NULL;
}

ecma_status notes_find(method_notes *n, ilj_image *image, const state_machines *machines) {
    uint32_t methods = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    bool routes = routes_may_be(image), controllers = controllers_may_be(image), closures = closures_may_be(image);
    *n = (method_notes){0};
    if (!routes && !controllers && !closures)
        return ECMA_OK;
    notes_search s = {.image = image, .machines = machines, .memory = ARENA_INIT};
    s.homes = arena_alloc_array(&s.memory, methods + 1u, sizeof *s.homes);
    s.routes = arena_alloc_array(&s.memory, methods + 1u, sizeof *s.routes);
    bool ok = s.homes && s.routes && (!routes || routes_find(&s)) && (!controllers || controllers_find(&s)) &&
              (!closures || closures_find(&s)) && (!routes || nested_find(&s)) && gather(n, &s, methods);
    arena_clear(&s.memory);
    return ok ? ECMA_OK : diag_no_memory(&image->diag);
}
