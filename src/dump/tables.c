#include "dump/dump.h"
#include "input/budget.h"

#include "metadata/field_data.h"
#include "metadata/signature.h"

enum { BLOB_BYTES_SHOWN = 64 };

static void token(dumper *d, md_token value, uint32_t raw) {
    unsigned table = md_token_table(value);
    uint32_t row = md_token_row(value);
    if (row == 0)
        buffer_u8(d->b, '0');
    else if (table >= MD_TABLE_SPACE || row > d->view->width_rows[table]) /* a PDB's rows can name an image's */
        dumper_bad(d, "row", value == 0xFFFFFFFF ? raw : value);
    else
        buffer_printf(d->b, "0x%08x", value);
}

/* A list may start one past the last row: then it is empty. */
static void list_start(dumper *d, md_column column, uint32_t value) {
    md_run run = md_list(d->view, column, 1);
    md_table_id target = run.pointer == MD_NONE ? run.table : md_columns[run.pointer].table;
    if (value > md_row_count(d->view, target) + 1)
        dumper_bad(d, "list", value);
    else
        buffer_printf(d->b, "%u", value);
}

static void cell(dumper *d, md_column column, uint32_t row) {
    const md_column_schema *schema = &md_columns[column];
    uint32_t value = md_cell(d->view, column, row);
    bytes found;
    switch (schema->kind) {
    case MD_KIND_U1:
        buffer_printf(d->b, "0x%02x", value);
        break;
    case MD_KIND_U2:
        buffer_printf(d->b, "0x%04x", value);
        break;
    case MD_KIND_U4:
        buffer_printf(d->b, "0x%08x", value);
        break;
    case MD_KIND_STRING:
        if (md_try_string(d->view, value, &found))
            text_quoted(d->b, bytes_of(found.data, budget_name((const char *)found.data, found.size)));
        else if (value == 0)
            buffer_string(d->b, "\"\"");
        else
            dumper_bad(d, "string", value);
        break;
    case MD_KIND_GUID:
        if (value == 0)
            buffer_u8(d->b, '0');
        else if (md_try_guid(d->view, value, &found))
            dumper_guid(d, found);
        else
            dumper_bad(d, "guid", value);
        break;
    case MD_KIND_BLOB:
        if (md_try_blob(d->view, value, &found))
            dumper_hex(d, found, BLOB_BYTES_SHOWN);
        else
            dumper_bad(d, "blob", value);
        break;
    case MD_KIND_ROW:
        token(d, md_token_of((md_table_id)schema->argument, value & 0xFFFFFF), value);
        break;
    case MD_KIND_LIST:
        list_start(d, column, value);
        break;
    case MD_KIND_CODED:
        token(d, md_cell_token(d->view, column, row), value);
        break;
    }
}

static void field_data(dumper *d, const uint32_t *sizes, uint32_t row) {
    uint32_t rva = md_cell(d->view, MD_FieldRVA_RVA, row);
    uint32_t size = md_field_size(d->view, sizes, md_cell(d->view, MD_FieldRVA_Field, row));
    bytes data;
    buffer_printf(d->b, " data %u bytes ", size);
    if (pe_try_bytes(&d->image->pe, rva, size, &data)) {
        dumper_hex(d, data, 16);
        return;
    }
    /* Data of zeros alone may lie in a section's part that is not in the file. */
    const pe_section *section = pe_section_at(&d->image->pe, rva);
    if (section && rva - section->rva >= section->raw_size)
        buffer_string(d->b, "not in the file");
    else
        dumper_bad(d, "rva", rva);
}

static void table(dumper *d, md_table_id id, const uint32_t *sizes) {
    const md_table_schema *schema = &md_tables[id];
    uint32_t rows = md_row_count(d->view, id);
    buffer_printf(d->b, "table %s 0x%02x, %u rows of %u bytes%s\n", schema->name, (unsigned)id, rows,
                  d->view->tables[id].row_bytes, d->view->sorted >> id & 1 ? ", sorted" : "");
    for (uint32_t row = 1; row <= rows && text_out_flush(&d->out); row++) {
        buffer_printf(d->b, "0x%08x", md_token_of(id, row));
        for (unsigned c = 0; c < schema->column_count; c++) {
            md_column column = schema->first_column + c;
            buffer_printf(d->b, " %s=", md_columns[column].name);
            cell(d, column, row);
        }
        if (id == MD_TABLE_FieldRVA)
            field_data(d, sizes, row);
        buffer_u8(d->b, '\n');
    }
}

void dump_tables(dumper *d) {
    arena a = ARENA_INIT;
    const uint32_t *sizes = md_class_sizes(d->view, &a);
    if (!sizes)
        d->no_memory = true;
    for (unsigned id = 0; sizes && id < MD_TABLE_SPACE; id++)
        if (md_tables[id].name && md_row_count(d->view, (md_table_id)id))
            table(d, (md_table_id)id, sizes);
    arena_clear(&a);
}
