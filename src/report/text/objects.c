#include <stdio.h>
#include <stdlib.h>

#include "report/print/table.h"
#include "report/text/text.h"

/* The text report's section of the objects that the program's own code has allocated. */

enum { LEAST_NAME = 16, MOST_SITES = 8 /* below one type */ };

typedef struct objects_view {
    const report *r;
    const report_sites *s;
    const report_type **types;
    const report_site **sites; /* NULL: only types are shown */
    uint32_t shown;            /* types */
    table table;
} objects_view;

static table_row row_of(const objects_view *v, uint64_t objects) {
    return (table_row){{format_count(objects), format_percent(objects, v->s->objects)}};
}

static void print_site(const objects_view *v, printer *out, const report_site *site) {
    table_row row = row_of(v, site->objects);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, 2);
    char place[32];
    int taken = snprintf(place, sizeof place, " +0x%x", site->offset);
    if (site->function == FUNCTION_ROOT) {
        print_format(out, "(of calls that were taken back, method 0x%08x)", 0x06000000u + site->row);
    } else {
        const report_function *f = &v->r->sum->list.functions[site->function];
        print_name(out, f->name, f->parts.parameters, f->parts.suffix,
                   room > (size_t)taken + LEAST_NAME ? room - (size_t)taken : room);
    }
    print_string(out, place);
    print_string(out, "\n");
    print_set_style(out, PRINT_PLAIN);
}

static void print_sites(const objects_view *v, printer *out, uint32_t type) {
    uint32_t most = v->r->options->top == 0 ? UINT32_MAX : MOST_SITES, count = 0;
    uint64_t rest = 0;
    for (uint32_t i = 0; i < v->s->count; i++) {
        if (v->sites[i]->type != type)
            continue;
        if (count++ < most)
            print_site(v, out, v->sites[i]);
        else
            rest = profile_add(rest, v->sites[i]->objects);
    }
    if (count <= most)
        return;
    table_row row = row_of(v, rest);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, &row);
    table_indent(&v->table, out, 2);
    print_format(out, "\u2026 %s more places\n", format_count(count - most).text);
    print_set_style(out, PRINT_PLAIN);
}

static void print_type(const objects_view *v, printer *out, const report_type *type) {
    static const char boxed[] = " (boxed)";
    table_row row = row_of(v, type->objects);
    bool box = type->kind == NAMES_SITE_BOX;
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, 1), taken = box ? sizeof boxed - 1 : 0;
    print_name(out, type->name, type->name.size, type->name.size, room > taken + LEAST_NAME ? room - taken : room);
    print_string(out, box ? boxed : "");
    print_string(out, "\n");
    if (v->sites)
        print_sites(v, out, (uint32_t)(type - v->s->types));
}

static void print_types(objects_view *v, printer *out) {
    for (uint32_t i = 0; i < v->shown; i++) {
        table_row row = row_of(v, v->types[i]->objects);
        table_measure(&v->table, &row);
    }
    print_string(out, "\n");
    table_head(&v->table, out, "Type", v->r->options->width);
    for (uint32_t i = 0; i < v->shown; i++)
        print_type(v, out, v->types[i]);
    if (v->shown == v->s->type_count)
        return;
    print_set_style(out, PRINT_DIM);
    print_format(out, "\u2026 %s more types; --view=objects shows them, and where\n",
                 format_count(v->s->type_count - v->shown).text);
    print_set_style(out, PRINT_PLAIN);
}

bool objects_write(printer *out, const report *r, uint32_t most) {
    const report_sites *s = &r->sum->sites;
    if (s->type_count == 0)
        return true;
    objects_view v = {.r = r,
                      .s = s,
                      .types = sites_types_sorted(s),
                      .sites = most == UINT32_MAX ? sites_sorted(s, r->sum->list.functions) : NULL,
                      .shown = s->type_count < most ? s->type_count : most,
                      .table = {.titles = {"Objects", "%"}, .least_name = LEAST_NAME}};
    if (most == UINT32_MAX && r->options->top && r->options->top < s->type_count)
        v.shown = r->options->top;
    bool done = v.types && (v.sites || most != UINT32_MAX);
    if (done)
        print_types(&v, out);
    free(v.types);
    free(v.sites);
    return done;
}
