#include "naming/root_attributes.h"

#include "metadata/signature.h"

enum { TITLE_MOST = 1024 };

/* A SerString (II.23.3); data NULL: a null. */
static bytes take_string(reader *r) {
    enum { NONE = 0xFF };
    if (reader_left(r) > 0 && *r->at == NONE) {
        reader_skip(r, 1);
        return (bytes){0};
    }
    uint32_t size = reader_compressed(r);
    return reader_bytes(r, size);
}

/* Passes over a value of an element type; a string is *text. Arrays, and what is boxed, are a failure. */
static void take_value(reader *r, uint8_t element, bytes *text) {
    enum { TYPE = 0x50, ENUM = 0x55, ENUM_BYTES = 4 };
    static const uint8_t sizes[] = {
        [MD_ELEMENT_BOOLEAN] = 1, [MD_ELEMENT_CHAR] = 2, [MD_ELEMENT_I1] = 1, [MD_ELEMENT_U1] = 1,
        [MD_ELEMENT_I2] = 2,      [MD_ELEMENT_U2] = 2,   [MD_ELEMENT_I4] = 4, [MD_ELEMENT_U4] = 4,
        [MD_ELEMENT_I8] = 8,      [MD_ELEMENT_U8] = 8,   [MD_ELEMENT_R4] = 4, [MD_ELEMENT_R8] = 8};
    *text = (bytes){0};
    if (element == MD_ELEMENT_STRING || element == TYPE)
        *text = take_string(r);
    else if (element == ENUM || element == MD_ELEMENT_VALUETYPE)
        reader_skip(r, ENUM_BYTES);
    else if (element < sizeof sizes && sizes[element])
        reader_skip(r, sizes[element]);
    else
        r->failed = true;
}

static void take_fixed(root_said *of, reader *values, reader *signature, const attribute_kind *kind, uint32_t count) {
    for (uint32_t i = 0; i < count && !values->failed && !signature->failed; i++) {
        bytes text;
        uint8_t element = reader_left(signature) > 0 ? *signature->at : 0;
        if (i == 0 && element == MD_ELEMENT_VALUETYPE && reader_left(values) >= sizeof of->number)
            of->number = load_u32(values->at);
        take_value(values, element, &text);
        if (count == 1 && element == MD_ELEMENT_STRING &&
            (!kind->argument || strcmp(kind->argument, "DisplayName") == 0))
            of->title = text;
        md_skip_type(signature);
    }
}

static void take_named(root_said *of, reader *values, const attribute_kind *kind) {
    enum { ENUM = 0x55 };
    for (uint32_t count = reader_u16(values); count > 0 && !values->failed; count--) {
        reader_skip(values, 1); /* a field or a property */
        uint8_t element = reader_u8(values);
        if (element == ENUM)
            take_string(values);
        bytes name = take_string(values), text;
        take_value(values, element, &text);
        if (kind->argument && *kind->argument && bytes_equal(name, bytes_of(kind->argument, strlen(kind->argument))) &&
            !values->failed)
            of->title = text;
    }
}

md_token root_constructor(const md_view *v, uint32_t row) {
    return md_member(v, md_cell_token(v, MD_CustomAttribute_Type, row));
}

md_token root_attribute_type(const root_search *s, md_token constructor) {
    const md_view *v = &s->image->metadata;
    return md_type_definition(v, md_member_type(v, &s->image->index, constructor));
}

root_said root_attribute_read(const root_search *s, uint32_t row, const attribute_kind *kind) {
    enum { PROLOG = 1 };
    const md_view *v = &s->image->metadata;
    md_token constructor = root_constructor(v, row);
    uint32_t method = md_token_row(constructor);
    bool defined = md_token_table(constructor) == MD_TABLE_MethodDef;
    bytes signature, blob;
    md_method_sig sig;
    root_said of = {0};
    if (!md_try_blob(v, md_cell(v, defined ? MD_MethodDef_Signature : MD_MemberRef_Signature, method), &signature) ||
        !md_try_blob(v, md_cell(v, MD_CustomAttribute_Value, row), &blob))
        return of;
    reader r = reader_of(signature), values = reader_of(blob);
    if (!md_try_method_sig(&r, &sig) || !md_skip_type(&r) || reader_u16(&values) != PROLOG)
        return of;
    take_fixed(&of, &values, &r, kind, sig.parameter_count);
    if (!values.failed && !r.failed)
        take_named(&of, &values, kind);
    if (of.title.size > TITLE_MOST || (of.title.size && memchr(of.title.data, 0, of.title.size)))
        of.title = (bytes){0};
    return of;
}

bytes root_only_text(const root_search *s, uint32_t row) {
    static const attribute_kind only = {"", "", 0, NULL};
    return root_attribute_read(s, row, &only).title;
}
