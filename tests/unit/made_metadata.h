/* made_metadata.h - metadata built by hand, cell by cell, for tests: what no compiler would write.
 *
 * MADE_INIT, made_string / made_blob for heap offsets, made_row for rows, made_finish for the bytes, made_clear. */
#ifndef TESTS_MADE_METADATA_H
#define TESTS_MADE_METADATA_H

#include <stdlib.h>

#include "base/buffer.h"
#include "metadata/view.h"

typedef struct made {
    buffer strings, blobs, user_strings, guids;
    buffer cells[MD_TABLE_SPACE]; /* 32-bit values, row after row */
    uint8_t heap_sizes;
    uint64_t sorted;
    bool uncompressed;                /* #- */
    const char *unknown;              /* name of the last stream instead of #Pdb, or NULL */
    buffer pdb;                       /* of a standalone PDB: the #Pdb stream */
    const uint32_t *type_system_rows; /* and the counts in it, by table */
    buffer out;
} made;

static inline void made_init(made *m) {
    *m = (made){0};
    buffer_u8(&m->strings, 0);
    buffer_u8(&m->blobs, 0);
    buffer_u8(&m->user_strings, 0);
}

static inline void made_clear(made *m) {
    buffer_clear(&m->strings);
    buffer_clear(&m->blobs);
    buffer_clear(&m->user_strings);
    buffer_clear(&m->guids);
    buffer_clear(&m->out);
    buffer_clear(&m->pdb);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        buffer_clear(&m->cells[t]);
}

static inline uint32_t made_string(made *m, const char *text) {
    if (!text[0])
        return 0;
    uint32_t offset = (uint32_t)m->strings.size;
    buffer_append(&m->strings, text, strlen(text) + 1);
    return offset;
}

static inline uint32_t made_blob(made *m, const void *data, size_t size) {
    uint32_t offset = (uint32_t)m->blobs.size;
    buffer_compressed(&m->blobs, (uint32_t)size);
    buffer_append(&m->blobs, data, size);
    return offset;
}
#define MADE_BLOB(m, ...) made_blob(m, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static inline uint32_t made_rows(const made *m, md_table_id table) {
    return (uint32_t)(m->cells[table].size / 4 / md_tables[table].column_count);
}

/* Appends a row, one value a column in the table's order (padding is a column); returns its number. Aborts on another
 * count. */
#define MADE_ROW(m, table, ...)                                                                                        \
    made_row(m, MD_TABLE_##table, (const uint32_t[]){__VA_ARGS__}, sizeof(const uint32_t[]){__VA_ARGS__} / 4)
static inline uint32_t made_row(made *m, md_table_id table, const uint32_t *values, size_t count) {
    if (count != md_tables[table].column_count)
        abort();
    for (size_t i = 0; i < count; i++)
        buffer_u32(&m->cells[table], values[i]);
    return made_rows(m, table);
}

/* Changes one cell. */
static inline void made_set(made *m, md_column column, uint32_t row, uint32_t value) {
    const md_table_schema *schema = &md_tables[md_columns[column].table];
    size_t at = (size_t)(row - 1) * schema->column_count + (size_t)(column - schema->first_column);
    store_u32(m->cells[md_columns[column].table].data + at * 4, value);
}

static inline void made_cell(buffer *b, uint32_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        buffer_u8(b, (uint8_t)(value >> (8 * i)));
}

static inline void made_tables(const made *m, buffer *b) {
    uint32_t rows[MD_TABLE_SPACE] = {0};
    uint64_t valid = 0;
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        if (m->cells[t].size) {
            rows[t] = made_rows(m, (md_table_id)t);
            valid |= (uint64_t)1 << t;
        }
    uint32_t widths[MD_TABLE_SPACE];
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        widths[t] = m->type_system_rows && t < MD_PDB_FIRST_TABLE ? m->type_system_rows[t] : rows[t];
    buffer_u32(b, 0);
    buffer_u8(b, 2);
    buffer_u8(b, 0);
    buffer_u8(b, m->heap_sizes);
    buffer_u8(b, 1);
    buffer_u32(b, (uint32_t)valid);
    buffer_u32(b, (uint32_t)(valid >> 32));
    buffer_u32(b, (uint32_t)m->sorted);
    buffer_u32(b, (uint32_t)(m->sorted >> 32));
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        if (rows[t])
            buffer_u32(b, rows[t]);
    if (m->heap_sizes & MD_HEAP_EXTRA_DATA)
        buffer_u32(b, 0x12345678);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        for (uint32_t row = 0; row < rows[t]; row++)
            for (unsigned c = 0; c < md_tables[t].column_count; c++)
                made_cell(b, load_u32(m->cells[t].data + ((size_t)row * md_tables[t].column_count + c) * 4),
                          md_column_width_for(md_tables[t].first_column + c, widths, m->heap_sizes));
}

/* The metadata root with its streams; borrowed until the next call or made_clear. */
static inline bytes made_finish(made *m) {
    buffer tables = BUFFER_INIT;
    made_tables(m, &tables);
    const struct {
        const char *name;
        const buffer *content;
    } streams[] = {{m->uncompressed ? "#-" : "#~", &tables},
                   {"#Strings", &m->strings},
                   {"#US", &m->user_strings},
                   {"#GUID", &m->guids},
                   {"#Blob", &m->blobs},
                   {m->unknown ? m->unknown : "#Pdb", &m->pdb}};
    const uint16_t count = m->pdb.size ? 6 : 5;
    static const char version[12] = "v4.0.30319";
    m->out.size = 0;
    buffer_u32(&m->out, 0x424A5342);
    buffer_u16(&m->out, 1);
    buffer_u16(&m->out, 1);
    buffer_u32(&m->out, 0);
    buffer_u32(&m->out, sizeof version);
    buffer_append(&m->out, version, sizeof version);
    buffer_u16(&m->out, 0);
    buffer_u16(&m->out, count);
    size_t at = m->out.size;
    for (unsigned i = 0; i < count; i++)
        at += 8 + (strlen(streams[i].name) + 4) / 4 * 4;
    for (unsigned i = 0; i < count; i++) {
        buffer_u32(&m->out, (uint32_t)at);
        buffer_u32(&m->out, (uint32_t)streams[i].content->size);
        buffer_append(&m->out, streams[i].name, strlen(streams[i].name) + 1);
        buffer_align(&m->out, 4);
        at += (streams[i].content->size + 3) / 4 * 4;
    }
    for (unsigned i = 0; i < count; i++) {
        buffer_append(&m->out, streams[i].content->data, streams[i].content->size);
        buffer_align(&m->out, 4);
    }
    buffer_clear(&tables);
    return buffer_bytes(&m->out);
}

#endif
