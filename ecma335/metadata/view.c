#include "metadata/view.h"

enum { ROOT_SIGNATURE = 0x424A5342, MAX_STREAMS = 64, MAX_ROWS = 0xFFFFFF };

/* Each has bytes of its own: who writes one again would change the other. Both lie in the metadata. */
static bool streams_overlap(const md_stream *a, const md_stream *b) {
    return a->size && b->size && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Remembers a stream that the view reads; others stay as they are. */
static void take_stream(md_view *view, const md_stream *s, bytes all) {
    if (strcmp(s->name, "#Strings") == 0) {
        view->strings = all;
    } else if (strcmp(s->name, "#US") == 0) {
        view->user_strings = all;
    } else if (strcmp(s->name, "#GUID") == 0) {
        view->guids = all;
    } else if (strcmp(s->name, "#Blob") == 0) {
        view->blobs = all;
    } else if (strcmp(s->name, "#Pdb") == 0) {
        view->pdb_stream = all;
    } else if (strcmp(s->name, "#~") == 0 || strcmp(s->name, "#-") == 0) {
        view->table_stream = all;
        view->uncompressed = s->name[1] == '-';
    }
}

/* Reads the header of stream `i`, and finds `all` its bytes. */
static ecma_status read_stream(md_view *view, reader *r, uint32_t i, bytes *all, diag *d) {
    md_stream *s = &view->streams[i];
    s->header_offset = (uint32_t)reader_offset(r);
    s->offset = reader_u32(r);
    s->size = reader_u32(r);
    /* The name is padded with zeros to a multiple of 4 bytes, at most 32 in all (II.24.2.2). */
    bool ended = false;
    for (unsigned at = 0; at < 32 && !ended && !r->failed; at += 4) {
        const uint8_t *p = reader_take(r, 4);
        if (p) {
            memcpy(s->name + at, p, 4);
            ended = memchr(p, 0, 4) != NULL;
        }
    }
    if (r->failed || !ended)
        return diag_report(d, DIAG_METADATA_ROOT,
                           "stream header %u at metadata offset 0x%x: its name does not end (II.24.2.2)", i,
                           s->header_offset);
    if (!bytes_try_sub(view->metadata, s->offset, s->size, all))
        return diag_report(d, DIAG_METADATA_ROOT,
                           "stream %s: %u bytes at metadata offset 0x%x run past the metadata's %zu bytes (II.24.2.2)",
                           s->name, s->size, s->offset, view->metadata.size);
    for (uint32_t k = 0; k < i; k++)
        if (streams_overlap(s, &view->streams[k]))
            return diag_report(d, DIAG_METADATA_ROOT,
                               "streams %s and %s share bytes at metadata offset 0x%x (II.24.2.2)",
                               view->streams[k].name, s->name,
                               s->offset > view->streams[k].offset ? s->offset : view->streams[k].offset);
    return ECMA_OK;
}

static ecma_status read_root(md_view *view, arena *a, diag *d) {
    reader r = reader_of(view->metadata);
    uint32_t signature = reader_u32(&r);
    view->major_version = reader_u16(&r);
    view->minor_version = reader_u16(&r);
    reader_skip(&r, 4);
    uint32_t length = reader_u32(&r);
    if (r.failed || signature != ROOT_SIGNATURE)
        return diag_report(d, DIAG_METADATA_ROOT, "metadata root: signature 0x%08x, expected 0x424a5342 (II.24.2.1)",
                           signature);
    /* The length counts the padding; the writer of some files left it unpadded. */
    if (length > 255 + 4)
        return diag_report(d, DIAG_METADATA_ROOT,
                           "metadata root: version string of %u bytes, expected at most 255 (II.24.2.1)", length);
    view->version = reader_bytes(&r, (length + 3u) & ~3u);
    reader_skip(&r, 2);
    view->stream_count = reader_u16(&r);
    if (r.failed || view->stream_count > MAX_STREAMS)
        return diag_report(d, DIAG_METADATA_ROOT,
                           "metadata root: %u streams, or its header runs past the metadata's %zu bytes (II.24.2.1)",
                           view->stream_count, view->metadata.size);
    view->streams = arena_alloc_array(a, view->stream_count + 1u, sizeof *view->streams);
    if (!view->streams)
        return diag_no_memory(d);
    for (uint32_t i = 0; i < view->stream_count; i++) {
        bytes all = {0};
        ecma_status status = read_stream(view, &r, i, &all, d);
        if (status)
            return status;
        take_stream(view, &view->streams[i], all);
    }
    return ECMA_OK;
}

/* The #Pdb stream: id (20 bytes), entry point, a mask of the type system tables it refers to, and their row counts. */
static ecma_status read_pdb_stream(md_view *view, diag *d) {
    if (view->pdb_stream.size == 0)
        return ECMA_OK;
    reader r = reader_of(view->pdb_stream);
    reader_skip(&r, 24);
    uint64_t referenced = reader_u64(&r);
    for (unsigned t = 0; t < 64; t++) {
        if (!(referenced >> t & 1))
            continue;
        uint32_t rows = reader_u32(&r);
        if (t >= MD_PDB_FIRST_TABLE || rows > MAX_ROWS)
            return diag_report(d, DIAG_TABLE_STREAM, "#Pdb stream: table 0x%02x with %u rows cannot be referred to", t,
                               rows);
        view->width_rows[t] = rows;
    }
    if (r.failed)
        return diag_report(d, DIAG_TABLE_STREAM, "#Pdb stream: %zu bytes are too few for its row counts",
                           view->pdb_stream.size);
    return ECMA_OK;
}

unsigned md_column_width_for(md_column column, const uint32_t row_counts[MD_TABLE_SPACE], uint8_t heap_sizes) {
    const md_column_schema *c = &md_columns[column];
    switch (c->kind) {
    case MD_KIND_U1:
        return 1;
    case MD_KIND_U2:
        return 2;
    case MD_KIND_U4:
        return 4;
    case MD_KIND_STRING:
        return heap_sizes & MD_HEAP_STRINGS_WIDE ? 4 : 2;
    case MD_KIND_GUID:
        return heap_sizes & MD_HEAP_GUID_WIDE ? 4 : 2;
    case MD_KIND_BLOB:
        return heap_sizes & MD_HEAP_BLOB_WIDE ? 4 : 2;
    case MD_KIND_ROW:
    case MD_KIND_LIST: {
        uint32_t rows = row_counts[c->argument];
        /* A list may go through its Ptr table, which has as many rows or more (#-, Edit and Continue). */
        uint8_t pointers = md_pointer_tables[c->argument];
        if (c->kind == MD_KIND_LIST && pointers && row_counts[pointers] > rows)
            rows = row_counts[pointers];
        return rows < 0x10000 ? 2 : 4;
    }
    case MD_KIND_CODED:
        break;
    }
    const md_coded_schema *coded = &md_codeds[c->argument];
    uint32_t limit = 0x10000u >> coded->bits;
    for (unsigned i = 0; i < coded->table_count; i++)
        if (coded->tables[i] != MD_TABLE_NONE && row_counts[coded->tables[i]] >= limit)
            return 4;
    return 2;
}

static ecma_status read_tables(md_view *view, diag *d) {
    if (!view->table_stream.data)
        return diag_report(d, DIAG_TABLE_STREAM, "no table stream: #~ or #- is missing (II.24.2.6)");
    reader r = reader_of(view->table_stream);
    reader_skip(&r, 4);
    view->schema_major = reader_u8(&r);
    view->schema_minor = reader_u8(&r);
    view->heap_sizes = reader_u8(&r);
    view->row_id_bits = reader_u8(&r);
    view->valid = reader_u64(&r);
    view->sorted = reader_u64(&r);
    for (unsigned t = 0; t < 64; t++) {
        if (!(view->valid >> t & 1))
            continue;
        uint32_t rows = reader_u32(&r);
        if (t >= MD_TABLE_SPACE || !md_tables[t].name)
            return diag_report(d, DIAG_TABLE_STREAM,
                               "table stream: Valid names table 0x%02x, which does not exist (II.22)", t);
        if (rows > MAX_ROWS)
            return diag_report(d, DIAG_TABLE_STREAM, "table %s: %u rows, expected at most %u (II.24.2.6)",
                               md_tables[t].name, rows, MAX_ROWS);
        view->tables[t].row_count = rows;
        if (rows)
            view->width_rows[t] = rows;
    }
    if (view->heap_sizes & MD_HEAP_EXTRA_DATA)
        view->extra_data = reader_u32(&r);
    if (r.failed)
        return diag_report(d, DIAG_TABLE_STREAM, "table stream: %zu bytes are too few for its header (II.24.2.6)",
                           view->table_stream.size);
    view->tables_offset = (uint32_t)reader_offset(&r);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++) {
        const md_table_schema *schema = &md_tables[t];
        unsigned offset = 0;
        for (unsigned c = 0; c < schema->column_count; c++) {
            md_column column = schema->first_column + c;
            unsigned width = md_column_width_for(column, view->width_rows, view->heap_sizes);
            view->column_offset[column] = (uint8_t)offset;
            view->column_width[column] = (uint8_t)width;
            offset += width;
        }
        md_table *table = &view->tables[t];
        table->row_bytes = offset;
        size_t size;
        if (__builtin_mul_overflow((size_t)table->row_count, (size_t)offset, &size) || size > reader_left(&r))
            return diag_report(d, DIAG_TABLE_STREAM,
                               "table %s: %u rows of %u bytes run past the table stream's end (II.24.2.6)",
                               schema->name, table->row_count, offset);
        table->rows = reader_take(&r, size);
    }
    return ECMA_OK;
}

ecma_status md_view_open(md_view *view, bytes metadata, arena *a, diag *d) {
    md_view opened = {.metadata = metadata};
    ecma_status status;
    if ((status = read_root(&opened, a, d)) || (status = read_pdb_stream(&opened, d)) ||
        (status = read_tables(&opened, d)))
        return status;
    *view = opened;
    return ECMA_OK;
}

md_token md_cell_token(const md_view *view, md_column column, uint32_t row) {
    uint32_t value = md_cell(view, column, row);
    return value == 0 ? 0 : md_coded_decode((md_coded)md_columns[column].argument, value);
}

md_run md_list(const md_view *view, md_column column, uint32_t row) {
    md_run run = {0, 0, (md_table_id)md_columns[column].argument, MD_NONE};
    md_table_id target = run.table, pointers = (md_table_id)md_pointer_tables[target];
    if (pointers && md_row_count(view, pointers) != 0) {
        run.pointer = md_tables[pointers].first_column;
        target = pointers;
    }
    uint32_t past = md_row_count(view, target) + 1;
    run.first = md_cell(view, column, row);
    run.end = row < md_row_count(view, md_columns[column].table) ? md_cell(view, column, row + 1) : past;
    if (run.end > past)
        run.end = past;
    if (run.first == 0 || run.first > run.end)
        run.first = run.end;
    return run;
}

uint32_t md_run_row(const md_view *view, const md_run *run, uint32_t position) {
    return run->pointer == MD_NONE ? position : md_cell(view, run->pointer, position);
}

bool md_try_string(const md_view *view, uint32_t offset, bytes *text) {
    if (offset >= view->strings.size)
        return false;
    const uint8_t *start = view->strings.data + offset;
    const uint8_t *end = memchr(start, 0, view->strings.size - offset);
    if (!end)
        return false;
    *text = (bytes){start, (size_t)(end - start)};
    return true;
}

static bool try_counted(bytes heap, uint32_t offset, bytes *entry) {
    if (offset >= heap.size)
        return false;
    reader r = reader_of((bytes){heap.data + offset, heap.size - offset});
    uint32_t size = reader_compressed(&r);
    bytes found = reader_bytes(&r, size);
    if (r.failed)
        return false;
    *entry = found;
    return true;
}

bool md_try_any_blob(const md_view *view, uint32_t offset, bytes *blob) {
    if (offset == 0 && view->blobs.size == 0) {
        *blob = (bytes){0};
        return true;
    }
    return try_counted(view->blobs, offset, blob);
}

bool md_try_user_string(const md_view *view, uint32_t offset, bytes *utf16) {
    return try_counted(view->user_strings, offset, utf16);
}

bool md_try_guid(const md_view *view, uint32_t index, bytes *guid) {
    return index != 0 && bytes_try_sub(view->guids, (size_t)(index - 1) * 16, 16, guid);
}

const char *md_string_within(const md_view *view, uint32_t offset) {
    bytes text;
    return md_try_string(view, offset, &text) ? (const char *)text.data : "";
}
