#include <stdio.h>
#include <stdlib.h>

#include "report/model/site_bytes.h"
#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/text/text.h"
#include "report/view/source.h"
#include "util/unicode.h"

/* The text report's section of the objects that the program's own code has allocated. */

enum { LEAST_NAME = 16, MOST_SITES = 8 /* below one type */ };

typedef struct objects_view {
    const report *r;
    const report_sites *s;
    const report_type **types;
    const report_site **sites; /* NULL: only types are shown */
    site_bytes bytes;
    uint32_t shown; /* types */
    table table;
} objects_view;

/* Figures in the order of the columns: what is counted, and where bytes are known those of the type and the method. */
enum { OBJECTS, SHARE, MOST_BYTES, METHOD_BYTES };

static table_row row_of(const objects_view *v, uint64_t objects) {
    return (table_row){{[OBJECTS] = format_count(objects), [SHARE] = format_percent(objects, v->s->objects)}};
}

static table_row row_of_type(const objects_view *v, const report_type *type) {
    table_row row = row_of(v, type->objects);
    uint64_t most = site_bytes_of_type(&v->bytes, (uint32_t)(type - v->s->types));
    if (most != SITE_BYTES_UNKNOWN) {
        figure bytes = format_bytes(most), *to = &row.figures[MOST_BYTES];
        snprintf(to->text, sizeof to->text, "\u2264 %.30s", bytes.text);
        to->columns = bytes.columns + 2;
    }
    return row;
}

static table_row row_of_site(const objects_view *v, const report_site *site) {
    table_row row = row_of(v, site->objects);
    uint64_t bytes = site_bytes_of_method(&v->bytes, site);
    if (bytes != SITE_BYTES_UNKNOWN)
        row.figures[METHOD_BYTES] = format_bytes(bytes);
    return row;
}

static void print_site(const objects_view *v, printer *out, const report_site *site) {
    table_row row = row_of_site(v, site);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, 2);
    char offset[32];
    size_t taken = (size_t)snprintf(offset, sizeof offset, " +0x%x", site->offset);
    buffer place = BUFFER_INIT;
    if (site->function == FUNCTION_ROOT) {
        print_format(out, "(of calls that were taken back, method 0x%08x)", 0x06000000u + site->row);
    } else {
        const report_function *f = &v->r->sum->list.functions[site->function];
        view_site_place(&place, v->r, site);
        size_t columns = place_columns(&place, v->r, true, unicode_width(f->name), LEAST_NAME, room);
        taken = columns > 0 ? columns : taken;
        print_name(out, f->name, f->parts.parameters, f->parts.suffix, room > taken + LEAST_NAME ? room - taken : room);
    }
    print_string(out, place.size > 0 ? "" : offset);
    print_place(out, &place);
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
    table_row row = row_of_type(v, type);
    bool box = type->kind == NAMES_SITE_BOX;
    table_figures(&v->table, out, &row);
    size_t room = table_indent(&v->table, out, 1), taken = box ? sizeof boxed - 1 : 0;
    print_name(out, type->name, type->name.size, type->name.size, room > taken + LEAST_NAME ? room - taken : room);
    print_string(out, box ? boxed : "");
    print_string(out, "\n");
    if (v->sites)
        print_sites(v, out, (uint32_t)(type - v->s->types));
}

static void print_legend(const objects_view *v, printer *out) {
    print_set_style(out, PRINT_DIM);
    if (!v->table.hidden[MOST_BYTES])
        print_string(out, "\u2264 at most: all that the methods with such a place have allocated in their own code\n");
    print_set_style(out, PRINT_PLAIN);
}

static void print_types(objects_view *v, printer *out) {
    bool at_most = false, of_method = false;
    for (uint32_t i = 0; i < v->shown; i++) {
        table_row row = row_of_type(v, v->types[i]);
        table_measure(&v->table, &row);
        at_most |= row.figures[MOST_BYTES].columns > 0;
    }
    for (uint32_t i = 0; i < v->s->count && v->sites; i++) {
        table_row row = row_of_site(v, v->sites[i]);
        table_measure(&v->table, &row);
        of_method |= row.figures[METHOD_BYTES].columns > 0;
    }
    v->table.hidden[MOST_BYTES] = !at_most;
    v->table.hidden[METHOD_BYTES] = !of_method;
    print_string(out, "\n");
    table_head(&v->table, out, "Type", v->r->options->width);
    for (uint32_t i = 0; i < v->shown; i++)
        print_type(v, out, v->types[i]);
    print_legend(v, out);
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
    objects_view v = {
        .r = r,
        .s = s,
        .types = sites_types_sorted(s),
        .sites = most == UINT32_MAX ? sites_sorted(s, r->sum->list.functions) : NULL,
        .shown = s->type_count < most ? s->type_count : most,
        .table = {
            .titles = {[OBJECTS] = "Objects", [SHARE] = "%", [MOST_BYTES] = "Bytes", [METHOD_BYTES] = "of method"},
            .least_name = LEAST_NAME}};
    if (most == UINT32_MAX && r->options->top && r->options->top < s->type_count)
        v.shown = r->options->top;
    bool done = v.types && (v.sites || most != UINT32_MAX) && site_bytes_make(&v.bytes, r->sum);
    if (done)
        print_types(&v, out);
    free(v.types);
    free(v.sites);
    site_bytes_clear(&v.bytes);
    return done;
}
