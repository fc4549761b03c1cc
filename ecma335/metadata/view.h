/* view.h - metadata as it lies in the file (II.24): streams, tables, rows, heaps. A view borrows and owns nothing but
 * the stream list in the caller's arena.
 *
 * Rows count from 1. A cell of a row that does not exist reads as 0, so a loop over what the file claims is safe;
 * whether a claim is right is for the one who uses it to check (md_row_exists). */
#ifndef ECMA335_METADATA_VIEW_H
#define ECMA335_METADATA_VIEW_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "metadata/schema.h"

/* Flags of the table stream's HeapSizes byte (II.24.2.6; the last two only in #-). */
enum {
    MD_HEAP_STRINGS_WIDE = 0x01,
    MD_HEAP_GUID_WIDE = 0x02,
    MD_HEAP_BLOB_WIDE = 0x04,
    MD_HEAP_DELTA_ONLY = 0x20,
    MD_HEAP_EXTRA_DATA = 0x40,
    MD_HEAP_HAS_DELETE = 0x80
};

typedef struct md_stream {
    char name[33];
    uint32_t header_offset; /* of its header, from the start of the metadata root */
    uint32_t offset;        /* of its bytes, from the start of the metadata root */
    uint32_t size;
} md_stream;

typedef struct md_table {
    const uint8_t *rows;
    uint32_t row_count;
    uint32_t row_bytes;
} md_table;

typedef struct md_view {
    bytes metadata; /* from the root on */
    uint16_t major_version, minor_version;
    bytes version; /* the version string, padding included */
    uint32_t stream_count;
    md_stream *streams; /* in header order; in the arena */

    bytes strings, user_strings, guids, blobs; /* heaps; empty when missing */
    bytes table_stream, pdb_stream;
    bool uncompressed; /* #- instead of #~ */

    uint8_t schema_major, schema_minor; /* of the table stream */
    uint8_t heap_sizes, row_id_bits;
    uint64_t valid, sorted;
    uint32_t extra_data;    /* with MD_HEAP_EXTRA_DATA */
    uint32_t tables_offset; /* of the first table's rows, from the start of the table stream */

    md_table tables[MD_TABLE_SPACE];
    /* Row counts that decide widths: the table's own, or for a standalone PDB those its #Pdb stream gives. */
    uint32_t width_rows[MD_TABLE_SPACE];
    uint8_t column_offset[MD_COLUMN_COUNT];
    uint8_t column_width[MD_COLUMN_COUNT]; /* 1, 2 or 4 */
} md_view;

/* Returns ECMA_OK, ECMA_BAD_FILE, ECMA_NO_MEMORY. `metadata` must outlive the view. */
ecma_status md_view_open(md_view *view, bytes metadata, arena *a, diag *d);

/* Width in bytes of a column when tables have `row_counts` rows and heaps are wide as `heap_sizes` says. */
unsigned md_column_width_for(md_column column, const uint32_t row_counts[MD_TABLE_SPACE], uint8_t heap_sizes);

static inline uint32_t md_row_count(const md_view *view, md_table_id table) {
    return view->tables[table].row_count;
}
static inline bool md_row_exists(const md_view *view, md_table_id table, uint32_t row) {
    return row != 0 && row <= view->tables[table].row_count;
}

/* The raw value of a cell; 0 when there is no such row. */
static inline uint32_t md_cell(const md_view *view, md_column column, uint32_t row) {
    const md_table *t = &view->tables[md_columns[column].table];
    if (row - 1 >= t->row_count)
        return 0;
    const uint8_t *p = t->rows + (size_t)(row - 1) * t->row_bytes + view->column_offset[column];
    switch (view->column_width[column]) {
    case 1:
        return *p;
    case 2:
        return load_u16(p);
    default:
        return load_u32(p);
    }
}

/* One column, for who reads many of its cells: what md_cell looks up each time is found once. */
typedef struct md_cells {
    const uint8_t *next; /* the cell of row 1, or after the last one that was taken */
    uint32_t row_count, row_bytes;
    unsigned width;
} md_cells;

static inline md_cells md_cells_of(const md_view *view, md_column column) {
    const md_table *t = &view->tables[md_columns[column].table];
    return (md_cells){t->row_count ? t->rows + view->column_offset[column] : NULL, t->row_count, t->row_bytes,
                      view->column_width[column]};
}

/* One after the other, from row 1 on; not more often than there are rows. */
static inline uint32_t md_cells_take(md_cells *cells) {
    const uint8_t *p = cells->next;
    cells->next += cells->row_bytes;
    return cells->width == 2 ? load_u16(p) : cells->width == 4 ? load_u32(p) : *p;
}

/* The cell of a row, in any order. The row has to be there. */
static inline uint32_t md_cells_at(const md_cells *cells, uint32_t row) {
    const uint8_t *p = cells->next + (size_t)(row - 1) * cells->row_bytes;
    return cells->width == 2 ? load_u16(p) : cells->width == 4 ? load_u32(p) : *p;
}

/* A CODED cell as a token; 0 when null; 0xFFFFFFFF when its tag is reserved. */
md_token md_cell_token(const md_view *view, md_column column, uint32_t row);

/* The run of rows that a LIST cell starts: positions first to end - 1 in the list's table, or in its Ptr table when
 * there is one
 * (#-). Out of range ends are cut. */
typedef struct md_run {
    uint32_t first, end;
    md_table_id table; /* of the rows themselves */
    md_column pointer; /* the Ptr table's column, or MD_NONE */
} md_run;
md_run md_list(const md_view *view, md_column column, uint32_t row);
/* The row at a position of a run. */
uint32_t md_run_row(const md_view *view, const md_run *run, uint32_t position);

/* Heap entries (II.24.2.3, II.24.2.4). false when the offset or the length it claims is outside the heap. */
bool md_try_string(const md_view *view, uint32_t offset, bytes *text); /* UTF-8 without the terminator */
bool md_try_any_blob(const md_view *view, uint32_t offset, bytes *blob);
static inline bool md_try_blob(const md_view *view, uint32_t offset, bytes *blob) {
    const bytes heap = view->blobs;
    /* Nearly all say their length in one byte. */
    if (offset >= heap.size || heap.data[offset] >= 0x80 || heap.data[offset] >= heap.size - offset)
        return md_try_any_blob(view, offset, blob);
    *blob = bytes_of(heap.data + offset + 1, heap.data[offset]);
    return true;
}
bool md_try_user_string(const md_view *view, uint32_t offset, bytes *utf16); /* with the final byte, as stored */
bool md_try_guid(const md_view *view, uint32_t index, bytes *guid);          /* index from 1; 16 bytes */

/* The text at an offset of #Strings, empty when it cannot be read; terminated within the heap. */
const char *md_string_within(const md_view *view, uint32_t offset);
static inline const char *md_string_at(const md_view *view, uint32_t offset) {
    const bytes heap = view->strings;
    /* Where the heap ends with a zero, as nearly all do, every text in it is terminated. */
    return offset < heap.size && heap.data[heap.size - 1] == 0 ? (const char *)heap.data + offset
                                                               : md_string_within(view, offset);
}

/* The text of a STRING cell of a row. */
static inline const char *md_name(const md_view *view, md_column column, uint32_t row) {
    return md_string_at(view, md_cell(view, column, row));
}

/* True if the name equals a literal. */
static inline bool md_name_is(const md_view *view, md_column column, uint32_t row, const char *text) {
    const char *name = md_name(view, column, row);
    return name[0] == text[0] && strcmp(name, text) == 0;
}

#endif
