#include "metadata/emit.h"

#include "base/pages.h"

enum { TABLE_HEADER_BYTES = 24 };

static size_t aligned(size_t size) {
    return (size + 3) & ~(size_t)3;
}

static bool is_table_stream(const md_stream *s) {
    return strcmp(s->name, "#~") == 0 || strcmp(s->name, "#-") == 0;
}

/* The bytes after the old ones of a stream. */
static const buffer *addition(const md_edit *edit, const md_stream *s) {
    if (strcmp(s->name, "#Strings") == 0)
        return &edit->strings;
    if (strcmp(s->name, "#US") == 0)
        return &edit->user_strings;
    if (strcmp(s->name, "#Blob") == 0)
        return &edit->blobs;
    return NULL;
}

static size_t stream_size(const md_plan *plan, const md_edit *edit, const md_stream *s) {
    if (is_table_stream(s))
        return plan->table_stream_bytes;
    if (edit->pdb_stream.data && strcmp(s->name, "#Pdb") == 0)
        return edit->pdb_stream.size;
    const buffer *added = addition(edit, s);
    return added && added->size ? aligned(s->size + added->size) : s->size;
}

ecma_status md_emit_plan(md_plan *plan, const md_edit *edit, diag *d) {
    const md_view *view = edit->view;
    if (md_edit_failed(edit))
        return diag_no_memory(d);
    if (edit->over_limit)
        return diag_report(d, DIAG_HEAP_LIMIT,
                           "metadata: a heap or table would grow past what its indexes can name (II.24.2)");
    if ((edit->strings.size && !view->strings.data) || (edit->blobs.size && !view->blobs.data) ||
        (edit->user_strings.size && !view->user_strings.data))
        return diag_report(d, DIAG_HEAP_LIMIT, "metadata: a heap that has to grow is missing (II.24.2.2)");

    memset(plan, 0, sizeof *plan);
    plan->heap_sizes = view->heap_sizes;
    if (edit->strings.size && view->strings.size + edit->strings.size >= 0x10000)
        plan->heap_sizes |= MD_HEAP_STRINGS_WIDE;
    if (edit->blobs.size && view->blobs.size + edit->blobs.size >= 0x10000)
        plan->heap_sizes |= MD_HEAP_BLOB_WIDE;
    plan->valid = view->valid;
    uint32_t width_rows[MD_TABLE_SPACE];
    size_t present = 0, rows = 0;
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++) {
        plan->row_counts[t] = view->tables[t].row_count + edit->added[t];
        width_rows[t] = edit->added[t] ? plan->row_counts[t] : view->width_rows[t];
        if (edit->type_system_rows && t < MD_PDB_FIRST_TABLE)
            width_rows[t] = edit->type_system_rows[t];
        if (edit->added[t])
            plan->valid |= (uint64_t)1 << t;
        present += plan->valid >> t & 1;
    }
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++) {
        const md_table_schema *schema = &md_tables[t];
        for (unsigned c = 0; c < schema->column_count; c++) {
            md_column column = schema->first_column + c;
            plan->column_width[column] = (uint8_t)md_column_width_for(column, width_rows, plan->heap_sizes);
            plan->row_bytes[t] += plan->column_width[column];
        }
        rows += (size_t)plan->row_counts[t] * plan->row_bytes[t];
    }
    size_t tables = TABLE_HEADER_BYTES + present * 4 + (view->heap_sizes & MD_HEAP_EXTRA_DATA ? 4 : 0) + rows;
    plan->table_stream_bytes = (uint32_t)aligned(tables);

    size_t size = view->stream_count ? view->streams[0].header_offset : 0;
    for (uint32_t i = 0; i < view->stream_count; i++)
        size += 8 + aligned(strlen(view->streams[i].name) + 1);
    for (uint32_t i = 0; i < view->stream_count; i++)
        size = aligned(size) + stream_size(plan, edit, &view->streams[i]);
    size = aligned(size);
    if (tables > INT32_MAX || size > INT32_MAX)
        return diag_report(d, DIAG_HEAP_LIMIT, "metadata: %zu bytes would be more than 2 GiB", size);
    plan->size = (uint32_t)size;
    return ECMA_OK;
}

static uint8_t *put(uint8_t *p, uint32_t value, unsigned width) {
    if (width == 2)
        store_u16(p, (uint16_t)value);
    else if (width == 4)
        store_u32(p, value);
    else
        *p = (uint8_t)value;
    return p + width;
}

static bool same_widths(const md_plan *plan, const md_view *view, unsigned t) {
    const md_table_schema *schema = &md_tables[t];
    return memcmp(&plan->column_width[schema->first_column], &view->column_width[schema->first_column],
                  schema->column_count) == 0;
}

/* Writes the new values of the table's columns over the old ones. */
static void replace_columns(const md_plan *plan, const md_edit *edit, unsigned t, uint8_t *rows) {
    const md_table_schema *schema = &md_tables[t];
    for (unsigned c = 0; c < schema->column_count; c++) {
        md_column column = schema->first_column + c;
        const uint32_t *values = edit->columns[column];
        const unsigned width = plan->column_width[column];
        const uint32_t count = values ? plan->row_counts[t] : 0, row_bytes = plan->row_bytes[t];
        uint8_t *cell = rows;
        for (uint32_t i = 0; i < count; i++, cell += row_bytes)
            put(cell, values[i], width);
        rows += width;
    }
}

/* Where metadata is written to. */
typedef struct target {
    uint8_t *out;
    md_borrowed *borrowed; /* NULL: all is written */
} target;

static void keep(const target *to, uint8_t *at, const uint8_t *data, size_t size, bool changes) {
    md_borrowed *b = to->borrowed;
    if (size == 0)
        return;
    if (!b || changes || size < MD_BORROWED_BYTES || b->count == MD_BORROWED_MOST)
        pages_copy(at, data, size);
    else
        b->runs[b->count++] = (borrowed_run){data, (uint32_t)(at - to->out), (uint32_t)size};
}

static bool replaces_columns(const md_edit *edit, unsigned t) {
    const md_table_schema *schema = &md_tables[t];
    for (unsigned c = 0; c < schema->column_count; c++)
        if (edit->columns[schema->first_column + c])
            return true;
    return false;
}

/* Writes the old rows after the first `from`, up to number `end`. */
static uint8_t *write_old_rows(const md_plan *plan, const md_edit *edit, unsigned t, const target *to, uint8_t *p,
                               uint32_t from, uint32_t end) {
    const md_view *view = edit->view;
    const md_table *table = &view->tables[t];
    const md_table_schema *schema = &md_tables[t];
    if (same_widths(plan, view, t)) {
        size_t size = (size_t)(end - from) * table->row_bytes;
        keep(to, p, table->rows + (size_t)from * table->row_bytes, size, replaces_columns(edit, t));
        return p + size;
    }
    for (uint32_t row = from + 1; row <= end; row++)
        for (unsigned c = 0; c < schema->column_count; c++)
            p = put(p, md_cell(view, schema->first_column + c, row), plan->column_width[schema->first_column + c]);
    return p;
}

static uint32_t added_cell(const md_edit *edit, unsigned t, uint32_t added, unsigned c) {
    uint32_t value;
    memcpy(&value, edit->rows[t].data + ((size_t)added * md_tables[t].column_count + c) * sizeof value, sizeof value);
    return value;
}

/* Counts the old rows that stand before an added one: all of them, or, in a sorted table, those with smaller or equal
 * keys. */
static uint32_t rows_before(const md_edit *edit, unsigned t, uint32_t added) {
    const md_table_schema *schema = &md_tables[t];
    uint32_t low = 0, high = edit->view->tables[t].row_count;
    if (schema->sort_key == MD_NONE)
        return high;
    const uint32_t key = added_cell(edit, t, added, schema->sort_key - schema->first_column);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (md_cell(edit->view, schema->sort_key, middle + 1) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint8_t *write_table(const md_plan *plan, const md_edit *edit, unsigned t, const target *to, uint8_t *p) {
    const md_table_schema *schema = &md_tables[t];
    uint8_t *start = p;
    uint32_t written = 0;
    for (uint32_t i = 0; i < edit->added[t]; i++) {
        uint32_t before = rows_before(edit, t, i);
        if (before > written) {
            p = write_old_rows(plan, edit, t, to, p, written, before);
            written = before;
        }
        for (unsigned c = 0; c < schema->column_count; c++)
            p = put(p, added_cell(edit, t, i, c), plan->column_width[schema->first_column + c]);
    }
    p = write_old_rows(plan, edit, t, to, p, written, edit->view->tables[t].row_count);
    replace_columns(plan, edit, t, start);
    return p;
}

static void write_tables(const md_plan *plan, const md_edit *edit, const target *to, uint8_t *out) {
    const md_view *view = edit->view;
    memcpy(out, view->table_stream.data, TABLE_HEADER_BYTES);
    out[6] = plan->heap_sizes;
    store_u64(out + 8, plan->valid);
    uint8_t *p = out + TABLE_HEADER_BYTES;
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        if (plan->valid >> t & 1)
            p = put(p, plan->row_counts[t], 4);
    if (view->heap_sizes & MD_HEAP_EXTRA_DATA)
        p = put(p, view->extra_data, 4);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        if (plan->row_counts[t])
            p = write_table(plan, edit, t, to, p);
    memset(p, 0, plan->table_stream_bytes - (size_t)(p - out));
}

void md_emit_write(const md_plan *plan, const md_edit *edit, uint8_t *out, md_borrowed *borrowed) {
    const md_view *view = edit->view;
    const target to = {out, borrowed};
    size_t root = view->stream_count ? view->streams[0].header_offset : 0;
    memcpy(out, view->metadata.data, root);
    size_t header = root, offset = root;
    for (uint32_t i = 0; i < view->stream_count; i++)
        offset += 8 + aligned(strlen(view->streams[i].name) + 1);
    memset(out + root, 0, offset - root);
    for (uint32_t i = 0; i < view->stream_count; i++) {
        const md_stream *s = &view->streams[i];
        size_t name = strlen(s->name) + 1, size = stream_size(plan, edit, s), start = aligned(offset);
        memset(out + offset, 0, start - offset);
        store_u32(out + header, (uint32_t)start);
        store_u32(out + header + 4, (uint32_t)size);
        memcpy(out + header + 8, s->name, name);
        header += 8 + aligned(name);
        if (is_table_stream(s) && view->metadata.data + s->offset == view->table_stream.data) {
            write_tables(plan, edit, &to, out + start);
        } else if (edit->pdb_stream.data && strcmp(s->name, "#Pdb") == 0) {
            memcpy(out + start, edit->pdb_stream.data, size);
        } else {
            const buffer *added = addition(edit, s);
            size_t old = s->size < size ? s->size : size;
            keep(&to, out + start, view->metadata.data + s->offset, old, strcmp(s->name, "#GUID") == 0);
            size_t end = old;
            if (added && added->size) {
                memcpy(out + start + old, added->data, added->size);
                end += added->size;
            }
            memset(out + start + end, 0, size - end);
        }
        bytes guid;
        if (edit->set_mvid && strcmp(s->name, "#GUID") == 0 &&
            md_try_guid(view, md_cell(view, MD_Module_Mvid, 1), &guid) &&
            guid.data >= view->metadata.data + s->offset &&
            (size_t)(guid.data - view->metadata.data) - s->offset + 16 <= s->size)
            memcpy(out + start + ((size_t)(guid.data - view->metadata.data) - s->offset), edit->mvid, 16);
        offset = start + size;
    }
    memset(out + offset, 0, plan->size - offset);
}
