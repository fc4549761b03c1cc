#include "metadata/edit.h"

void md_edit_init(md_edit *edit, const md_view *view) {
    memset(edit, 0, sizeof *edit);
    edit->view = view;
    /* A last string without its terminator would run into the first new one. */
    if (view->strings.size && view->strings.data[view->strings.size - 1] != 0)
        buffer_u8(&edit->strings, 0);
}

void md_edit_clear(md_edit *edit) {
    buffer_clear(&edit->strings);
    buffer_clear(&edit->user_strings);
    buffer_clear(&edit->blobs);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        buffer_clear(&edit->rows[t]);
}

bool md_edit_failed(const md_edit *edit) {
    bool failed = edit->strings.failed || edit->user_strings.failed || edit->blobs.failed;
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        failed |= edit->rows[t].failed;
    return failed;
}

static uint32_t end_of(md_edit *edit, bytes heap, buffer *added, size_t extra, size_t limit) {
    size_t offset = heap.size + added->size;
    if (offset > limit || extra > limit - offset) {
        edit->over_limit = true;
        return 0;
    }
    return (uint32_t)offset;
}

uint32_t md_edit_string(md_edit *edit, const char *text) {
    size_t size = strlen(text);
    if (size == 0)
        return 0;
    uint32_t offset = end_of(edit, edit->view->strings, &edit->strings, size + 1, MD_HEAP_MAX_BYTES);
    if (!edit->over_limit)
        buffer_append(&edit->strings, text, size + 1);
    return offset;
}

uint32_t md_edit_blob(md_edit *edit, bytes blob) {
    if (blob.size == 0)
        return 0;
    uint32_t offset = end_of(edit, edit->view->blobs, &edit->blobs, blob.size + 4, MD_HEAP_MAX_BYTES);
    if (edit->over_limit)
        return 0;
    buffer_compressed(&edit->blobs, (uint32_t)blob.size);
    buffer_append(&edit->blobs, blob.data, blob.size);
    return offset;
}

md_token md_edit_user_string(md_edit *edit, const uint16_t *utf16, size_t units) {
    /* A heap starts with the empty entry. */
    if (edit->view->user_strings.size + edit->user_strings.size == 0)
        buffer_u8(&edit->user_strings, 0);
    size_t size = units * 2 + 1;
    uint32_t offset = end_of(edit, edit->view->user_strings, &edit->user_strings, size + 4, MD_USER_STRINGS_MAX_BYTES);
    if (edit->over_limit)
        return 0;
    buffer_compressed(&edit->user_strings, (uint32_t)size);
    /* The last byte says whether any character needs more than 8-bit handling (II.24.2.4). */
    uint8_t special = 0;
    for (size_t i = 0; i < units; i++) {
        uint16_t u = utf16[i];
        buffer_u16(&edit->user_strings, u);
        if (u > 0xFF || (u >= 0x01 && u <= 0x08) || (u >= 0x0E && u <= 0x1F) || u == 0x27 || u == 0x2D || u == 0x7F)
            special = 1;
    }
    buffer_u8(&edit->user_strings, special);
    return (md_token)MD_TOKEN_STRING << 24 | offset;
}

/* The Ptr table that lists of the table's rows go through in this module, or MD_TABLE_NONE. */
static md_table_id pointer_table(const md_edit *edit, md_table_id table) {
    md_table_id pointers = (md_table_id)md_pointer_tables[table];
    return pointers && md_row_count(edit->view, pointers) != 0 ? pointers : MD_TABLE_NONE;
}

md_token md_edit_row(md_edit *edit, md_table_id table, const uint32_t *cells) {
    uint32_t row = md_edit_row_count(edit, table) + 1;
    if (row > 0xFFFFFF) {
        edit->over_limit = true;
        return 0;
    }
    buffer_append(&edit->rows[table], cells, md_tables[table].column_count * sizeof *cells);
    edit->added[table]++;
    md_table_id pointers = pointer_table(edit, table);
    if (pointers != MD_TABLE_NONE)
        md_edit_row(edit, pointers, &row);
    return md_token_of(table, row);
}

bool md_edit_in_order(const md_edit *edit, md_table_id table) {
    const md_column key = md_tables[table].sort_key;
    uint32_t last = 0;
    for (uint32_t row = 1; row <= md_row_count(edit->view, table); row++) {
        uint32_t value = md_cell(edit->view, key, row);
        if (value < last)
            return false;
        last = value;
    }
    return true;
}

void md_edit_set_cell(md_edit *edit, md_column column, uint32_t row, uint32_t value) {
    const md_column_schema *c = &md_columns[column];
    const md_table_schema *table = &md_tables[c->table];
    uint32_t added = row - edit->view->tables[c->table].row_count - 1;
    if (added < edit->added[c->table] && !edit->rows[c->table].failed)
        memcpy(edit->rows[c->table].data +
                   ((size_t)added * table->column_count + (column - table->first_column)) * sizeof value,
               &value, sizeof value);
}

uint32_t md_edit_list_end(const md_edit *edit, md_table_id table) {
    md_table_id pointers = pointer_table(edit, table);
    return md_edit_row_count(edit, pointers != MD_TABLE_NONE ? pointers : table) + 1;
}
