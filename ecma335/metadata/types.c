#include "metadata/types.h"

#include "metadata/signature.h"

/* ---- Types and members ------------------------------------------------------------------------------------------- */

md_token md_type_definition(const md_view *v, md_token type) {
    bytes signature;
    if (md_token_table(type) == MD_TABLE_TypeSpec) {
        if (!md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, md_token_row(type)), &signature))
            return 0;
        reader r = reader_of(signature);
        if (reader_u8(&r) != MD_ELEMENT_GENERICINST)
            return 0;
        reader_skip(&r, 1); /* CLASS or VALUETYPE */
        type = md_read_type_token(&r);
        if (r.failed)
            return 0;
    }
    md_table_id table = (md_table_id)md_token_table(type);
    return (table == MD_TABLE_TypeDef || table == MD_TABLE_TypeRef) && md_row_exists(v, table, md_token_row(type))
               ? type
               : 0;
}

bool md_type_is(const md_view *v, md_token type, const char *namespace, const char *name) {
    uint32_t row = md_token_row(type);
    if (md_token_table(type) == MD_TABLE_TypeRef)
        return md_name_is(v, MD_TypeRef_TypeName, row, name) && md_name_is(v, MD_TypeRef_TypeNamespace, row, namespace);
    return md_token_table(type) == MD_TABLE_TypeDef && md_name_is(v, MD_TypeDef_TypeName, row, name) &&
           md_name_is(v, MD_TypeDef_TypeNamespace, row, namespace);
}

md_token md_member(const md_view *v, md_token token) {
    if (md_token_table(token) == MD_TABLE_MethodSpec)
        token = md_cell_token(v, MD_MethodSpec_Method, md_token_row(token));
    md_table_id table = (md_table_id)md_token_table(token);
    return (table == MD_TABLE_MethodDef || table == MD_TABLE_MemberRef) && md_row_exists(v, table, md_token_row(token))
               ? token
               : 0;
}

const char *md_member_name(const md_view *v, md_token member) {
    return md_token_table(member) == MD_TABLE_MethodDef ? md_name(v, MD_MethodDef_Name, md_token_row(member))
                                                        : md_name(v, MD_MemberRef_Name, md_token_row(member));
}

md_token md_member_type(const md_view *v, const md_index *index, md_token member) {
    uint32_t row = md_token_row(member);
    if (md_token_table(member) == MD_TABLE_MemberRef)
        return md_cell_token(v, MD_MemberRef_Class, row);
    uint32_t type = md_method_type(index, row);
    return type ? md_token_of(MD_TABLE_TypeDef, type) : 0;
}

uint32_t md_field_type(const md_view *view, uint32_t field) {
    if (md_row_count(view, MD_TABLE_FieldPtr))
        return 0;
    uint32_t low = 1, past = md_row_count(view, MD_TABLE_TypeDef) + 1; /* the answer is in [low - 1, past) */
    while (low < past) {
        uint32_t middle = low + (past - low) / 2;
        if (md_cell(view, MD_TypeDef_FieldList, middle) <= field)
            low = middle + 1;
        else
            past = middle;
    }
    return low - 1;
}

bool md_is_value_type(const md_view *view, uint32_t typedef_row) {
    if (!md_row_exists(view, MD_TABLE_TypeDef, typedef_row))
        return false;
    md_token base = md_cell_token(view, MD_TypeDef_Extends, typedef_row);
    uint32_t row = md_token_row(base);
    if (md_token_table(base) == MD_TABLE_TypeRef && md_row_exists(view, MD_TABLE_TypeRef, row))
        return md_name_is(view, MD_TypeRef_TypeName, row, "ValueType") &&
               md_name_is(view, MD_TypeRef_TypeNamespace, row, "System");
    return md_token_table(base) == MD_TABLE_TypeDef && md_row_exists(view, MD_TABLE_TypeDef, row) &&
           md_name_is(view, MD_TypeDef_TypeName, row, "ValueType") &&
           md_name_is(view, MD_TypeDef_TypeNamespace, row, "System");
}

/* ---- Return types --------------------------------------------------------------------------------------------------
 */

/* The type that a Task or ValueTask, generic or not, unwraps to. */
static bool unwrap_task(reader *r, bytes *type) {
    *type = (bytes){0};
    if (reader_left(r) && *r->at != MD_ELEMENT_GENERICINST)
        return md_skip_type(r);
    reader_skip(r, 1);
    reader_u8(r); /* CLASS or VALUETYPE */
    md_read_type_token(r);
    if (reader_compressed(r) != 1)
        return false;
    const uint8_t *start = r->at;
    bool known = md_skip_type(r);
    *type = bytes_of(start, (size_t)(r->at - start));
    return known;
}

static bool is_task_name(const md_view *v, md_column name, md_column namespace, uint32_t row) {
    static const char *const names[] = {"Task", "Task`1", "ValueTask", "ValueTask`1"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (md_name_is(v, name, row, names[i]))
            return md_name_is(v, namespace, row, "System.Threading.Tasks");
    return false;
}

bool md_is_runtime_async(const md_view *view, uint32_t method_row) {
    bytes signature;
    md_method_sig head;
    if (!(md_cell(view, MD_MethodDef_ImplFlags, method_row) & MD_IMPL_ASYNC) ||
        !md_try_blob(view, md_cell(view, MD_MethodDef_Signature, method_row), &signature))
        return false;
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &head))
        return false;
    md_skip_modifiers(&r);
    uint8_t element = reader_u8(&r);
    if (element == MD_ELEMENT_GENERICINST)
        element = reader_u8(&r);
    if (element != MD_ELEMENT_CLASS && element != MD_ELEMENT_VALUETYPE)
        return false;
    md_token type = md_read_type_token(&r);
    uint32_t row = md_token_row(type);
    if (r.failed || !md_row_exists(view, md_token_table(type), row))
        return false;
    if (md_token_table(type) == MD_TABLE_TypeRef)
        return is_task_name(view, MD_TypeRef_TypeName, MD_TypeRef_TypeNamespace, row);
    return md_token_table(type) == MD_TABLE_TypeDef &&
           is_task_name(view, MD_TypeDef_TypeName, MD_TypeDef_TypeNamespace, row);
}

bool md_result_type(bytes signature, bool runtime_async, bytes *type) {
    reader r = reader_of(signature);
    md_method_sig head;
    if (!md_try_method_sig(&r, &head))
        return false;
    md_skip_modifiers(&r);
    if (r.failed || !reader_left(&r) || *r.at == MD_ELEMENT_TYPEDBYREF)
        return false;
    if (runtime_async)
        return unwrap_task(&r, type) && !r.failed;
    const uint8_t *start = r.at;
    bool is_void = *start == MD_ELEMENT_VOID;
    bool known = md_skip_type(&r);
    *type = is_void ? (bytes){0} : bytes_of(start, (size_t)(r.at - start));
    return known;
}
