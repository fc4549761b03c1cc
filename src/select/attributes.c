#include "select/attributes.h"

#include "metadata/signature.h"

enum { MAX_ENCLOSING = 32 };

static bytes text_at(const md_view *view, md_column column, uint32_t row) {
    bytes text;
    return md_try_string(view, md_cell(view, column, row), &text) ? text : (bytes){0};
}

/* The type around a nested one; 0 when there is none. */
static md_token outer_of(const ilj_image *image, md_token type) {
    if (md_token_table(type) == MD_TABLE_TypeDef) {
        uint32_t row = md_enclosing_type(&image->index, md_token_row(type));
        return row ? md_token_of(MD_TABLE_TypeDef, row) : 0;
    }
    md_token scope = md_cell_token(&image->metadata, MD_TypeRef_ResolutionScope, md_token_row(type));
    return md_token_table(scope) == MD_TABLE_TypeRef && md_token_row(scope) != 0 ? scope : 0;
}

static bool names_type(const pattern *p, const ilj_image *image, md_token type) {
    static const char ending[] = "Attribute";
    const size_t ending_bytes = sizeof ending - 1;
    md_token chain[MAX_ENCLOSING];
    unsigned depth = 0;
    bool defined = md_token_table(type) == MD_TABLE_TypeDef;
    const md_view *view = &image->metadata;
    const md_column column = defined ? MD_TypeDef_TypeName : MD_TypeRef_TypeName;
    if (!pattern_may_end_in_text(p, md_name(view, column, md_token_row(type))))
        return false;
    bytes name = text_at(view, column, md_token_row(type));
    for (md_token at = type; at != 0 && depth < MAX_ENCLOSING; at = outer_of(image, at))
        chain[depth++] = at;
    pattern_state state = pattern_feed(
        p, pattern_start(p),
        text_at(view, defined ? MD_TypeDef_TypeNamespace : MD_TypeRef_TypeNamespace, md_token_row(chain[depth - 1])));
    for (; depth-- > 1 && state != 0;)
        state = pattern_feed(
            p, state, text_at(view, defined ? MD_TypeDef_TypeName : MD_TypeRef_TypeName, md_token_row(chain[depth])));
    if (state == 0)
        return false;
    if (pattern_accepts(p, pattern_feed(p, state, name)))
        return true;
    if (name.size <= ending_bytes || memcmp(name.data + name.size - ending_bytes, ending, ending_bytes) != 0)
        return false;
    name.size -= ending_bytes;
    return pattern_accepts(p, pattern_feed(p, state, name));
}

/* The type of an attribute, by its constructor: TypeDef or TypeRef, that of an instantiation too; else 0. */
static md_token type_of(const ilj_image *image, md_token constructor) {
    const md_view *view = &image->metadata;
    if (md_token_table(constructor) == MD_TABLE_MethodDef)
        return md_token_of(MD_TABLE_TypeDef, md_method_type(&image->index, md_token_row(constructor)));
    if (md_token_table(constructor) != MD_TABLE_MemberRef)
        return 0;
    md_token type = md_cell_token(view, MD_MemberRef_Class, md_token_row(constructor));
    bytes signature;
    if (md_token_table(type) == MD_TABLE_TypeSpec &&
        md_try_blob(view, md_cell(view, MD_TypeSpec_Signature, md_token_row(type)), &signature)) {
        reader r = reader_of(signature);
        if (reader_u8(&r) != MD_ELEMENT_GENERICINST)
            return 0;
        reader_skip(&r, 1); /* CLASS */
        type = md_read_type_token(&r);
        if (r.failed)
            return 0;
    }
    md_table_id table = (md_table_id)md_token_table(type);
    return table == MD_TABLE_TypeDef || table == MD_TABLE_TypeRef ? type : 0;
}

typedef struct search {
    const ilj_image *image;
    attribute_marks *marks;
    bool *references, *definitions; /* attribute types, by row */
    bool *properties, *events;      /* that carry it, by row */
    bool members;
} search;

static void mark(search *s, md_token parent) {
    const md_view *view = &s->image->metadata;
    uint32_t row = md_token_row(parent);
    md_table_id table = (md_table_id)md_token_table(parent);
    if (parent == 0 || parent == UINT32_MAX || !md_row_exists(view, table, row))
        return;
    switch (table) {
    case MD_TABLE_Assembly:
    case MD_TABLE_Module:
        s->marks->assembly = true;
        break;
    case MD_TABLE_TypeDef:
        s->marks->types[row] = true;
        break;
    case MD_TABLE_MethodDef:
        s->marks->methods[row] = true;
        break;
    case MD_TABLE_Property:
        s->properties[row] = s->members = true;
        break;
    case MD_TABLE_Event:
        s->events[row] = s->members = true;
        break;
    default:
        break;
    }
}

static void mark_accessors(search *s) {
    const md_view *view = &s->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_MethodSemantics); row++) {
        md_token member = md_cell_token(view, MD_MethodSemantics_Association, row);
        uint32_t method = md_cell(view, MD_MethodSemantics_Method, row), of = md_token_row(member);
        const bool *carry = md_token_table(member) == MD_TABLE_Property ? s->properties
                            : md_token_table(member) == MD_TABLE_Event  ? s->events
                                                                        : NULL;
        if (carry && md_row_exists(view, (md_table_id)md_token_table(member), of) && carry[of] &&
            md_row_exists(view, MD_TABLE_MethodDef, method))
            s->marks->methods[method] = true;
    }
}

static void mark_all(search *s) {
    const md_view *view = &s->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_CustomAttribute); row++) {
        md_token type = type_of(s->image, md_cell_token(view, MD_CustomAttribute_Type, row));
        uint32_t of = md_token_row(type);
        if (type != 0 && md_row_exists(view, (md_table_id)md_token_table(type), of) &&
            (md_token_table(type) == MD_TABLE_TypeRef ? s->references : s->definitions)[of])
            mark(s, md_cell_token(view, MD_CustomAttribute_Parent, row));
    }
    if (s->members)
        mark_accessors(s);
}

static bool *flags_for(ilj_image *image, md_table_id table) {
    return arena_alloc_array(&image->arena, (size_t)md_row_count(&image->metadata, table) + 1, sizeof(bool));
}

/* The types of this name; an array that is only made when there is one. */
static bool find_types(bool **found, bool *any, ilj_image *image, const pattern *p, md_table_id table) {
    *found = NULL;
    for (uint32_t row = 1; row <= md_row_count(&image->metadata, table); row++) {
        if (!names_type(p, image, md_token_of(table, row)))
            continue;
        if (!*found && !(*found = flags_for(image, table)))
            return false;
        (*found)[row] = *any = true;
    }
    return true;
}

ecma_status attributes_find(attribute_marks *marks, ilj_image *image, const pattern *p) {
    search s = {.image = image, .marks = marks};
    *marks = (attribute_marks){0};
    if (md_row_count(&image->metadata, MD_TABLE_CustomAttribute) == 0)
        return ECMA_OK;
    bool any = false;
    if (!find_types(&s.references, &any, image, p, MD_TABLE_TypeRef) ||
        !find_types(&s.definitions, &any, image, p, MD_TABLE_TypeDef))
        return diag_no_memory(&image->diag);
    if (!any)
        return ECMA_OK;
    marks->types = flags_for(image, MD_TABLE_TypeDef);
    marks->methods = flags_for(image, MD_TABLE_MethodDef);
    s.properties = flags_for(image, MD_TABLE_Property);
    s.events = flags_for(image, MD_TABLE_Event);
    if (!s.references)
        s.references = flags_for(image, MD_TABLE_TypeRef);
    if (!s.definitions)
        s.definitions = flags_for(image, MD_TABLE_TypeDef);
    if (!marks->types || !marks->methods || !s.properties || !s.events || !s.references || !s.definitions)
        return diag_no_memory(&image->diag);
    mark_all(&s);
    marks->any = true;
    return ECMA_OK;
}
