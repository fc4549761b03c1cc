#include "metadata/names.h"
#include "metadata/types.h"

static void append_name(buffer *b, const md_view *view, md_column column, uint32_t row) {
    enum { MAX_NAME_BYTES = 1023 };
    bytes name;
    if (!md_try_string(view, md_cell(view, column, row), &name) || name.size == 0)
        name = bytes_of("?", 1);
    buffer_append(b, name.data, name.size < MAX_NAME_BYTES ? name.size : MAX_NAME_BYTES);
}

static void append_member_ref(buffer *b, const md_view *view, const md_index *index, uint32_t row, uint32_t type_row,
                              uint32_t method_row) {
    md_token parent = md_cell_token(view, MD_MemberRef_Class, row);
    switch (md_token_table(parent)) {
    case MD_TABLE_ModuleRef: /* a global function of another module */
        append_name(b, view, MD_ModuleRef_Name, md_token_row(parent));
        break;
    case MD_TABLE_MethodDef: /* a call with more arguments than the vararg method declares */
        md_append_type_name(b, view, index, md_method_type(index, md_token_row(parent)), MD_NAME_FULL);
        break;
    default:
        md_append_type_token(b, view, index, parent, type_row, method_row, MD_NAME_FULL);
        break;
    }
    bytes signature;
    if (md_name(view, MD_MemberRef_Name, row)[0] != '.')
        buffer_string(b, ".");
    append_name(b, view, MD_MemberRef_Name, row);
    if (!md_try_blob(view, md_cell(view, MD_MemberRef_Signature, row), &signature) || signature.size == 0) {
        buffer_string(b, "(?)");
    } else if ((signature.data[0] & MD_SIG_KIND) != MD_SIG_FIELD) {
        buffer_string(b, "(");
        md_append_signature_parameters(b, view, index, signature);
        buffer_string(b, ")");
    }
}

static void append_method_spec(buffer *b, const md_view *view, const md_index *index, uint32_t row, uint32_t type_row,
                               uint32_t method_row) {
    md_token method = md_cell_token(view, MD_MethodSpec_Method, row);
    bytes instantiation = {0};
    /* A MethodSpec of a MethodSpec cannot be written, so this goes one level down only. */
    md_append_member(b, view, index, method, type_row, method_row);
    if (!md_try_blob(view, md_cell(view, MD_MethodSpec_Instantiation, row), &instantiation))
        return;
    reader r = reader_of(instantiation);
    if (reader_u8(&r) != MD_SIG_METHODSPEC)
        return;
    uint32_t count = reader_compressed(&r);
    size_t limit = b->size + 16384;
    buffer_string(b, "<");
    for (uint32_t i = 0; i < count && !r.failed && !b->failed && b->size < limit; i++) {
        if (i > 0)
            buffer_string(b, ", ");
        md_append_type(b, view, index, &r, type_row, method_row, MD_NAME_ENCLOSING);
    }
    buffer_string(b, ">");
}

void md_append_member(buffer *b, const md_view *view, const md_index *index, md_token token, uint32_t type_row,
                      uint32_t method_row) {
    uint32_t row = md_token_row(token);
    unsigned table = md_token_table(token);
    if (table >= MD_TABLE_SPACE || !md_row_exists(view, (md_table_id)table, row)) {
        buffer_string(b, "?");
        return;
    }
    switch (table) {
    case MD_TABLE_MethodDef:
        md_append_full_method_name(b, view, index, row);
        break;
    case MD_TABLE_Field: {
        uint32_t type = md_field_type(view, row);
        if (type != 0) {
            md_append_type_name(b, view, index, type, MD_NAME_FULL);
            buffer_string(b, ".");
        }
        append_name(b, view, MD_Field_Name, row);
        break;
    }
    case MD_TABLE_MemberRef:
        append_member_ref(b, view, index, row, type_row, method_row);
        break;
    case MD_TABLE_MethodSpec:
        append_method_spec(b, view, index, row, type_row, method_row);
        break;
    default:
        buffer_string(b, "?");
        break;
    }
}
