#include "select/resolvers_report.h"

#include "metadata/names.h"

#include <strings.h>

/* The name of the managed resource that has the assembly of this name in it, by its own name; NULL: there is none. */
static const char *resource_with(const md_view *v, const char *assembly) {
    size_t size = strlen(assembly);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_ManifestResource); row++)
        for (const char *name = md_name(v, MD_ManifestResource_Name, row), *at = name; *at; at++)
            if (strncasecmp(at, assembly, size) == 0)
                return name;
    return NULL;
}

void resolvers_report(const bodies *b, ilj_image *image, const char *tracker) {
    diag *d = &image->diag;
    if (b->left_out[ILJ_RESOLVER])
        diag_report(d, DIAG_RESOLVER,
                    "%u methods that find assemblies for the program, or run before these, are left out: the tracker "
                    "is perhaps one that they find",
                    b->left_out[ILJ_RESOLVER]);
    const char *resource = resource_with(&image->metadata, tracker);
    bodies_walk walk = {0};
    method_body *m;
    bytes from;
    while (resource && bodies_next(&walk, b, image, &m, &from)) {
        il_body body;
        il_fault fault;
        if (!il_body_try_read(&body, from, &fault) || !resolvers_are_set(&b->resolvers, image, &body))
            continue;
        buffer name = BUFFER_INIT;
        md_append_full_method_name(&name, &image->metadata, &image->index, m->row);
        diag_report(d, DIAG_TRACKER_EMBEDDED,
                    "the tracker is its resource '%s', which is found after %.*s has begun, a method that is "
                    "instrumented: leave out that one and those that call it ([NoProfile], --exclude)",
                    resource, (int)name.size, (const char *)name.data);
        buffer_clear(&name);
        return;
    }
}
