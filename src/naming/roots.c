#include "naming/root_objects.h"

#include <stdlib.h>

static const attribute_kind attributes[] = {
#define ROOT_ATTRIBUTE(space, name, KIND, argument) {space, name, ROOT_##KIND, argument},
#define ROOT_TITLE(space, name)                     {space, name, 0, NULL},
#include "facts/roots.def"
};

/* Of types that another assembly has. */
static const attribute_kind endings[] = {
#define ROOT_ENDING(ending, KIND) {"", ending, ROOT_##KIND, "DisplayName"},
#include "facts/roots.def"
};

static bool ends_in(const char *name, const char *ending) {
    size_t size = strlen(name), end = strlen(ending);
    return size >= end && memcmp(name + size - end, ending, end) == 0;
}

/* ---- Attributes -------------------------------------------------------------------------------------------------- */

static const attribute_kind *listed_kind(const md_view *v, md_token type) {
    const md_table_id table = (md_table_id)md_token_table(type);
    if (table != MD_TABLE_TypeDef && table != MD_TABLE_TypeRef)
        return NULL;
    const char initial =
        *md_name(v, table == MD_TABLE_TypeDef ? MD_TypeDef_TypeName : MD_TypeRef_TypeName, md_token_row(type));
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (*attributes[i].name == initial && md_type_is(v, type, attributes[i].space, attributes[i].name))
            return &attributes[i];
    return NULL;
}

static const attribute_kind *kind_of_reference(const md_view *v, uint32_t row) {
    const char *name = md_name(v, MD_TypeRef_TypeName, row);
    if (!ends_in(name, "Attribute"))
        return NULL;
    const attribute_kind *listed = listed_kind(v, md_token_of(MD_TABLE_TypeRef, row));
    if (listed)
        return listed;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_in(name, endings[i].name))
            return &endings[i];
    return NULL;
}

static bool find_references(root_search *s, bool *any) {
    const md_view *v = &s->image->metadata;
    uint32_t count = md_row_count(v, MD_TABLE_TypeRef);
    for (uint32_t row = 1; row <= count; row++) {
        const attribute_kind *kind = kind_of_reference(v, row);
        if (!kind)
            continue;
        if (!s->references && !(s->references = arena_alloc_array(&s->memory, count + 1u, sizeof *s->references)))
            return false;
        s->references[row] = kind;
        *any = true;
    }
    return true;
}

/* A framework that is merged into the assembly. */
static void find_definitions(const md_view *v, bool *any) {
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeDef) && !*any; row++)
        *any = ends_in(md_name(v, MD_TypeDef_TypeName, row), "Attribute") &&
               listed_kind(v, md_token_of(MD_TABLE_TypeDef, row));
}

/* Of a type, or of the nearest one that it extends. */
static const attribute_kind *kind_of_type(const root_search *s, md_token type) {
    const md_view *v = &s->image->metadata;
    for (int depth = 0; type && depth < ROOT_MOST_BASES; depth++) {
        if (md_token_table(type) == MD_TABLE_TypeRef)
            return s->references ? s->references[md_token_row(type)] : NULL;
        const attribute_kind *listed = listed_kind(v, type);
        if (listed)
            return listed;
        type = md_type_definition(v, md_cell_token(v, MD_TypeDef_Extends, md_token_row(type)));
    }
    return NULL;
}

/* ---- What an attribute says ------------------------------------------------------------------------------------- */

static bool keep_title(root_search *s, uint32_t method, bytes title) {
    if (title.size == 0)
        return true;
    char *copy = arena_alloc(&s->image->arena, title.size + 1);
    if (copy)
        memcpy(copy, title.data, title.size);
    s->titles[method] = copy;
    return copy != NULL;
}

/* A test's own attribute counts for more than one that says what is done before tests. */
static bool take_attribute(root_search *s, uint32_t row) {
    const md_view *v = &s->image->metadata;
    md_token parent = md_cell_token(v, MD_CustomAttribute_Parent, row), constructor = root_constructor(v, row);
    uint32_t method = md_token_row(parent);
    if (md_token_table(parent) != MD_TABLE_MethodDef || !md_row_exists(v, MD_TABLE_MethodDef, method) || !constructor)
        return true;
    const attribute_kind *kind = kind_of_type(s, root_attribute_type(s, constructor));
    if (!kind)
        return true;
    root_said of = root_attribute_read(s, row, kind);
    uint8_t is = kind->kind;
    if (is == ROOT_SET_UP && kind->argument[0] == '#' && of.number != 0)
        is = of.number == 1 ? ROOT_FIXTURE : ROOT_SHARED;
    if (is && (s->kinds[method] == 0 || is == ROOT_TEST))
        s->kinds[method] = is;
    return keep_title(s, method, of.title);
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool gather(method_roots *r, const root_search *s, const bool *own) {
    uint32_t methods = md_row_count(&s->image->metadata, MD_TABLE_MethodDef), count = 0;
    for (uint32_t row = 1; row <= methods; row++) {
        if (own && own[row])
            s->kinds[row] = ROOT_OWN;
        count += s->kinds[row] != 0;
    }
    r->list = count ? arena_alloc_array(&s->image->arena, count, sizeof *r->list) : NULL;
    for (uint32_t row = 1; r->list && row <= methods; row++)
        if (s->kinds[row])
            r->list[r->count++] = (method_root){row, s->kinds[row], s->titles[row]};
    return r->list || count == 0;
}

static bool find_by_attributes(method_roots *r, root_search *s) {
    const md_view *v = &s->image->metadata;
    bool tests = false;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_CustomAttribute); row++)
        if (!take_attribute(s, row))
            return false;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodDef) && !tests; row++)
        tests = s->kinds[row] == ROOT_TEST;
    return !tests || root_objects_find(r, s);
}

void roots_clear(method_roots *r) {
    free(r->uses);
    *r = (method_roots){0};
}

ecma_status roots_find(method_roots *r, ilj_image *image, const bool *own) {
    root_search s = {.image = image, .memory = ARENA_INIT};
    uint32_t methods = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    bool any = false;
    *r = (method_roots){0};
    bool ok = find_references(&s, &any);
    find_definitions(&image->metadata, &any);
    if (ok && (any || own)) {
        s.kinds = arena_alloc_array(&s.memory, methods + 1u, sizeof *s.kinds);
        s.titles = arena_alloc_array(&s.memory, methods + 1u, sizeof *s.titles);
        ok = s.kinds && s.titles && (!any || find_by_attributes(r, &s)) && gather(r, &s, own);
    }
    arena_clear(&s.memory);
    return ok ? ECMA_OK : diag_no_memory(&image->diag);
}
