#include "metadata/validate.h"

#include <stdio.h>

/* The columns that are followed, and where the standard describes them. */
typedef struct check {
    md_column column;
    bool may_be_null;
    const char *clause;
} check;

static const check checks[] = {
    {MD_TypeRef_ResolutionScope, true, "II.22.38"}, {MD_TypeRef_TypeName, false, "II.22.38"},
    {MD_TypeRef_TypeNamespace, true, "II.22.38"},   {MD_TypeDef_TypeName, false, "II.22.37"},
    {MD_TypeDef_TypeNamespace, true, "II.22.37"},   {MD_TypeDef_Extends, true, "II.22.37"},
    {MD_TypeDef_FieldList, true, "II.22.37"},       {MD_TypeDef_MethodList, true, "II.22.37"},
    {MD_MethodPtr_Method, false, "II.22.26"},       {MD_MethodDef_Name, false, "II.22.26"},
    {MD_MethodDef_Signature, false, "II.22.26"},    {MD_MethodDef_ParamList, true, "II.22.26"},
    {MD_MemberRef_Class, true, "II.22.25"},         {MD_MemberRef_Name, false, "II.22.25"},
    {MD_MemberRef_Signature, false, "II.22.25"},    {MD_AssemblyRef_Name, false, "II.22.5"},
};

static ecma_status fault(diag *d, diag_code code, const check *c, uint32_t row, uint32_t value, const char *expected) {
    const md_column_schema *column = &md_columns[c->column];
    return diag_report(d, code, "%s 0x%08x: %s is 0x%x, expected %s (%s)", md_tables[column->table].name,
                       md_token_of(column->table, row), column->name, value, expected, c->clause);
}

/* Strings end within the heap when they start at or before its last zero byte. */
static uint32_t strings_end(const md_view *view) {
    size_t end = view->strings.size;
    while (end > 0 && view->strings.data[end - 1] != 0)
        end--;
    return (uint32_t)end;
}

static ecma_status check_strings(const md_view *view, const check *c, diag *d) {
    uint32_t end = strings_end(view);
    md_cells cells = md_cells_of(view, c->column);
    for (uint32_t row = 1; row <= cells.row_count; row++) {
        uint32_t offset = md_cells_take(&cells);
        if (offset >= end && !(offset == 0 && c->may_be_null))
            return fault(d, DIAG_HEAP, c, row, offset, "the offset of a string that ends within #Strings");
    }
    return ECMA_OK;
}

static ecma_status check_blobs(const md_view *view, const check *c, diag *d) {
    md_cells cells = md_cells_of(view, c->column);
    for (uint32_t row = 1; row <= cells.row_count; row++) {
        bytes blob;
        uint32_t offset = md_cells_take(&cells);
        /* The usual length has one byte. */
        bool is_short = offset < view->blobs.size && view->blobs.data[offset] < 0x80 &&
                        view->blobs.data[offset] < view->blobs.size - offset;
        if (!is_short && !md_try_blob(view, offset, &blob))
            return fault(d, DIAG_HEAP, c, row, offset, "the offset of a blob that ends within #Blob");
    }
    return ECMA_OK;
}

static ecma_status check_row(const md_view *view, const check *c, diag *d) {
    md_table_id target = (md_table_id)md_columns[c->column].argument;
    md_cells cells = md_cells_of(view, c->column);
    for (uint32_t row = 1; row <= cells.row_count; row++) {
        uint32_t value = md_cells_take(&cells);
        if (!md_row_exists(view, target, value) && !(value == 0 && c->may_be_null))
            return fault(d, DIAG_ROW, c, row, value, "a row that exists");
    }
    return ECMA_OK;
}

static ecma_status check_coded(const md_view *view, const check *c, diag *d) {
    md_coded kind = (md_coded)md_columns[c->column].argument;
    const md_coded_schema *schema = &md_codeds[kind];
    md_cells cells = md_cells_of(view, c->column);
    uint32_t tag_mask = (1u << schema->bits) - 1;
    for (uint32_t row = 1; row <= cells.row_count; row++) {
        uint32_t value = md_cells_take(&cells), tag = value & tag_mask, target = value >> schema->bits;
        if (target == 0 && c->may_be_null)
            continue;
        if (tag >= schema->table_count || schema->tables[tag] == MD_TABLE_NONE ||
            !md_row_exists(view, (md_table_id)schema->tables[tag], target))
            return fault(d, DIAG_ROW, c, row, value, "a coded index of a row that exists");
    }
    return ECMA_OK;
}

/* A list's first row lies between that of the row before and one past the last; 0 stands for an empty one at the start.
 */
static ecma_status check_list(const md_view *view, const check *c, diag *d) {
    md_run all = md_list(view, c->column, 1);
    md_table_id target = all.pointer == MD_NONE ? all.table : md_columns[all.pointer].table;
    uint32_t past = md_row_count(view, target) + 1, before = 0;
    md_cells cells = md_cells_of(view, c->column);
    for (uint32_t row = 1; row <= cells.row_count; row++) {
        uint32_t value = md_cells_take(&cells);
        if (value < before || value > past) {
            char expected[80];
            snprintf(expected, sizeof expected, "0x%x to 0x%x: ascending, at most one past the last %s", before, past,
                     md_tables[target].name);
            return fault(d, DIAG_ROW, c, row, value, expected);
        }
        before = value;
    }
    return ECMA_OK;
}

static ecma_status check_column(const md_view *view, const check *c, diag *d) {
    switch (md_columns[c->column].kind) {
    case MD_KIND_STRING:
        return check_strings(view, c, d);
    case MD_KIND_BLOB:
        return check_blobs(view, c, d);
    case MD_KIND_ROW:
        return check_row(view, c, d);
    case MD_KIND_CODED:
        return check_coded(view, c, d);
    case MD_KIND_LIST:
        return check_list(view, c, d);
    default:
        return ECMA_OK;
    }
}

/* Only the first row of Module and of Assembly is read: some obfuscators append others that name nothing. */
static ecma_status check_module(const md_view *view, diag *d) {
    static const check name = {MD_Module_Name, false, "II.22.30"}, mvid = {MD_Module_Mvid, false, "II.22.30"},
                       assembly = {MD_Assembly_Name, false, "II.22.2"};
    bytes found;
    uint32_t modules = md_row_count(view, MD_TABLE_Module), value;
    if (modules == 0)
        return diag_report(d, DIAG_NO_MODULE, "table Module has no row, expected one (II.22.30)");
    if (modules > 1)
        diag_report(d, DIAG_MODULE_ROWS, "table Module has %u rows, expected one; the first one counts (II.22.30)",
                    modules);
    value = md_cell(view, MD_Module_Name, 1);
    if (!md_try_string(view, value, &found))
        return fault(d, DIAG_HEAP, &name, 1, value, "the offset of a string that ends within #Strings");
    value = md_cell(view, MD_Module_Mvid, 1);
    if (!md_try_guid(view, value, &found))
        return fault(d, DIAG_HEAP, &mvid, 1, value, "the index of a GUID within #GUID");
    value = md_cell(view, MD_Assembly_Name, 1);
    if (md_row_count(view, MD_TABLE_Assembly) && !md_try_string(view, value, &found))
        return fault(d, DIAG_HEAP, &assembly, 1, value, "the offset of a string that ends within #Strings");
    return ECMA_OK;
}

ecma_status md_validate(const md_view *view, diag *d) {
    ecma_status status = check_module(view, d);
    if (status)
        return status;
    if (md_row_count(view, MD_TABLE_TypeDef) == 0)
        return diag_report(d, DIAG_ROW, "table TypeDef has no row, expected <Module> in row 1 (II.22.37)");
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if ((status = check_column(view, &checks[i], d)))
            return status;
    return ECMA_OK;
}
