#include "inject/loops/float_registers.h"

#include "metadata/flags.h"
#include "metadata/signature.h"

/* More fields than that are not looked at: then the type may be one. */
enum { MOST_FIELDS = 64 };

typedef struct search {
    const md_view *view;
    uint32_t looked_at;
} search;

static bool type_may(search *s, reader *r);

/* System and System.X, but for the namespaces that have vectors, points and rectangles. */
static bool holds_integers(const char *namespace) {
    static const char *const with_floats[] = {"Numerics", "Runtime.Intrinsics", "Drawing", "Windows"};
    if (strncmp(namespace, "System", 6) != 0 || (namespace[6] != '\0' && namespace[6] != '.'))
        return false;
    for (size_t i = 0; i < sizeof with_floats / sizeof *with_floats && namespace[6]; i++)
        if (strncmp(namespace + 7, with_floats[i], strlen(with_floats[i])) == 0)
            return false;
    return true;
}

static bool field_may(search *s, uint32_t row) {
    const md_view *v = s->view;
    bytes signature;
    if (!md_row_exists(v, MD_TABLE_Field, row) || md_cell(v, MD_Field_Flags, row) & MD_FIELD_STATIC ||
        !md_try_blob(v, md_cell(v, MD_Field_Signature, row), &signature))
        return false;
    reader r = reader_of(signature);
    return ++s->looked_at > MOST_FIELDS || (reader_u8(&r) == MD_SIG_FIELD && type_may(s, &r));
}

static bool token_may(search *s, md_token token) {
    const md_view *v = s->view;
    uint32_t row = md_token_row(token);
    md_table_id table = md_token_table(token);
    if (!md_row_exists(v, table, row))
        return false;
    if (table == MD_TABLE_TypeRef) {
        bool nested = md_token_table(md_cell_token(v, MD_TypeRef_ResolutionScope, row)) == MD_TABLE_TypeRef;
        return nested || !holds_integers(md_name(v, MD_TypeRef_TypeNamespace, row));
    }
    if (table != MD_TABLE_TypeDef)
        return true;
    md_run fields = md_list(v, MD_TypeDef_FieldList, row);
    for (uint32_t at = fields.first; at < fields.end; at++)
        if (field_may(s, md_run_row(v, &fields, at)))
            return true;
    return false;
}

/* A span of doubles has none in its own fields. */
static bool is_span(const md_view *v, md_token token) {
    static const char *const spans[] = {"Span`1", "ReadOnlySpan`1", "Memory`1", "ReadOnlyMemory`1", "ArraySegment`1"};
    uint32_t row = md_token_row(token);
    if (md_token_table(token) != MD_TABLE_TypeRef || !md_row_exists(v, MD_TABLE_TypeRef, row) ||
        !md_name_is(v, MD_TypeRef_TypeNamespace, row, "System"))
        return false;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (md_name_is(v, MD_TypeRef_TypeName, row, spans[i]))
            return true;
    return false;
}

/* An instance may be one when its generic type may, or an argument may. */
static bool instance_may(search *s, reader *r) {
    if (reader_u8(r) != MD_ELEMENT_VALUETYPE)
        return false;
    md_token generic = md_read_type_token(r);
    if (r->failed || is_span(s->view, generic))
        return false;
    if (token_may(s, generic))
        return true;
    uint32_t count = reader_compressed(r);
    for (uint32_t i = 0; i < count && reader_left(r); i++) {
        reader argument = *r;
        if (++s->looked_at > MOST_FIELDS || type_may(s, &argument))
            return true;
        if (!md_skip_type(r))
            return false;
    }
    return false;
}

static bool type_may(search *s, reader *r) {
    md_skip_modifiers(r);
    switch (reader_u8(r)) {
    case MD_ELEMENT_R4:
    case MD_ELEMENT_R8:
    case MD_ELEMENT_VAR:
    case MD_ELEMENT_MVAR:
        return true;
    case MD_ELEMENT_VALUETYPE: {
        md_token token = md_read_type_token(r);
        return !r->failed && token_may(s, token);
    }
    case MD_ELEMENT_GENERICINST:
        return instance_may(s, r);
    default:
        return false;
    }
}

bool float_registers_may_hold(const md_view *view, bytes type) {
    search s = {.view = view};
    reader r = reader_of(type);
    return type_may(&s, &r);
}

bool float_types_may_hold(float_types *t, const md_view *view, bytes type) {
    enum { BITS_OF_INDEX = 6 };
    uint64_t key = (uint64_t)type.size << 56;
    if (type.size == 0 || type.size >= sizeof key)
        return float_registers_may_hold(view, type);
    for (size_t i = 0; i < type.size; i++)
        key |= (uint64_t)type.data[i] << 8 * i;
    const size_t at = key * 0x9E3779B97F4A7C15 >> (64 - BITS_OF_INDEX);
    if (t->recent[at].type != key) {
        t->recent[at].may = float_registers_may_hold(view, type);
        t->recent[at].type = key;
    }
    return t->recent[at].may;
}
