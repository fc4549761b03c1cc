#include "metadata/type_kinds.h"

#include "metadata/signature.h"

typedef struct finder {
    const md_view *view;
    uint8_t *kinds;
} finder;

static void note_types(const finder *f, reader *r, unsigned depth);

static void note_token(const finder *f, reader *r, uint8_t element) {
    md_token type = md_read_type_token(r);
    r->failed |= element != MD_ELEMENT_CLASS && element != MD_ELEMENT_VALUETYPE;
    if (!r->failed && md_token_table(type) == MD_TABLE_TypeRef &&
        md_row_exists(f->view, MD_TABLE_TypeRef, md_token_row(type)))
        f->kinds[md_token_row(type)] |= element == MD_ELEMENT_VALUETYPE ? MD_KIND_VALUE_TYPE : MD_KIND_CLASS;
}

static void note_list(const finder *f, reader *r, uint32_t count, unsigned depth) {
    for (uint32_t i = 0; i < count && !r->failed && reader_left(r); i++)
        note_types(f, r, depth);
}

static void note_method(const finder *f, reader *r, unsigned depth) {
    md_method_sig sig;
    if (md_try_method_sig(r, &sig))
        note_list(f, r, sig.parameter_count + 1, depth);
}

/* Skips the bounds of an ArrayShape (II.23.2.13): numbers, no types. */
static void skip_shape(reader *r) {
    reader_compressed(r); /* rank */
    for (int list = 0; list < 2; list++)
        for (uint32_t count = reader_compressed(r); count > 0 && !r->failed; count--)
            reader_compressed(r);
}

/* One Type, RetType, Param or LocalVar. */
static void note_types(const finder *f, reader *r, unsigned depth) {
    if (depth >= MD_SIG_MAX_DEPTH) {
        r->failed = true;
        return;
    }
    for (;;) {
        md_skip_modifiers(r);
        uint8_t element = reader_u8(r);
        if (r->failed)
            return;
        switch (element) {
        case MD_ELEMENT_PTR:
        case MD_ELEMENT_BYREF:
        case MD_ELEMENT_SZARRAY:
        case MD_ELEMENT_PINNED:
        case MD_ELEMENT_SENTINEL:
            continue;
        case MD_ELEMENT_CLASS:
        case MD_ELEMENT_VALUETYPE:
            note_token(f, r, element);
            return;
        case MD_ELEMENT_GENERICINST:
            note_token(f, r, reader_u8(r));
            note_list(f, r, reader_compressed(r), depth + 1);
            return;
        case MD_ELEMENT_ARRAY:
            note_types(f, r, depth + 1);
            skip_shape(r);
            return;
        case MD_ELEMENT_FNPTR:
            note_method(f, r, depth + 1);
            return;
        case MD_ELEMENT_VAR:
        case MD_ELEMENT_MVAR:
            reader_compressed(r);
            return;
        default:
            return;
        }
    }
}

/* Any signature but that of a TypeSpec, by its first byte. */
static void note_signature(const finder *f, reader *r) {
    if (!reader_left(r))
        return;
    switch (*r->at & MD_SIG_KIND) {
    case MD_SIG_FIELD:
        reader_u8(r);
        note_types(f, r, 0);
        break;
    case MD_SIG_LOCALS:
    case MD_SIG_METHODSPEC:
        reader_u8(r);
        note_list(f, r, reader_compressed(r), 0);
        break;
    default:
        note_method(f, r, 0);
        break;
    }
}

void md_find_type_kinds(const md_view *view, uint8_t *kinds) {
    static const struct {
        md_table_id table;
        md_column signature;
    } columns[] = {{MD_TABLE_Field, MD_Field_Signature},         {MD_TABLE_MethodDef, MD_MethodDef_Signature},
                   {MD_TABLE_MemberRef, MD_MemberRef_Signature}, {MD_TABLE_StandAloneSig, MD_StandAloneSig_Signature},
                   {MD_TABLE_TypeSpec, MD_TypeSpec_Signature},   {MD_TABLE_MethodSpec, MD_MethodSpec_Instantiation}};
    const finder f = {view, kinds};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (uint32_t row = 1; row <= md_row_count(view, columns[i].table); row++) {
            bytes blob;
            if (!md_try_blob(view, md_cell(view, columns[i].signature, row), &blob))
                continue;
            reader r = reader_of(blob);
            if (columns[i].table == MD_TABLE_TypeSpec)
                note_types(&f, &r, 0);
            else
                note_signature(&f, &r);
        }
}
