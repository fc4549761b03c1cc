/* edit.h - additions to metadata, recorded beside the view that they belong to: rows at the ends of their tables,
 * entries at the ends of their heaps, and new values for columns and the MVID. Every token and offset of the view
 * stays right. Rows of a sorted table, which no token may name, are written where the table's order wants them.
 *
 * md_edit_init, additions, then md_emit_* (emit.h), md_edit_clear. Memory that runs out is remembered: `failed`, or a
 * failed buffer. */
#ifndef ECMA335_METADATA_EDIT_H
#define ECMA335_METADATA_EDIT_H

#include "base/buffer.h"
#include "metadata/view.h"

/* Heap sizes past these cannot be named: by a 4-byte index, by the 24 bits of a ldstr token. */
enum { MD_HEAP_MAX_BYTES = 0x1FFFFFFF, MD_USER_STRINGS_MAX_BYTES = 0xFFFFFF };

typedef struct md_edit {
    const md_view *view;                 /* borrowed */
    buffer strings, user_strings, blobs; /* what comes after the old heaps */
    buffer rows[MD_TABLE_SPACE];         /* added rows: u32 cells, column_count a row, host order */
    uint32_t added[MD_TABLE_SPACE];      /* how many */
    /* New values of a column, one a row, old and added, or NULL: the old ones stay. Set before emitting; borrowed. */
    const uint32_t *columns[MD_COLUMN_COUNT];
    /* For a standalone PDB: the #Pdb stream's new content, and the row counts that it gives, by table; NULL: the old
     * ones. Borrowed. */
    bytes pdb_stream;
    const uint32_t *type_system_rows;
    bool set_mvid;
    uint8_t mvid[16];
    bool over_limit;                                                /* a heap or table would grow past its limit */
    enum { MD_EDIT_UNKNOWN, MD_EDIT_NO, MD_EDIT_YES } core_library; /* is the view one? callers keep it here */
} md_edit;

void md_edit_init(md_edit *edit, const md_view *view);
void md_edit_clear(md_edit *edit);

/* Heap additions; they return the index of the new entry. Text is UTF-8 without NUL; 0 for the empty one. */
uint32_t md_edit_string(md_edit *edit, const char *text);
uint32_t md_edit_blob(md_edit *edit, bytes blob);
/* `utf16` little-endian code units; returns the ldstr token. */
md_token md_edit_user_string(md_edit *edit, const uint16_t *utf16, size_t units);

/* Adds a row; `cells` has one value per column of the table, in order, as they are stored. Rows of a sorted table
 * come in the order of their keys. Returns the new row's token, which means nothing in a sorted table. Where lists go
 * through a Ptr table (#-), a row of that table is added too. */
md_token md_edit_row(md_edit *edit, md_table_id table, const uint32_t *cells);

/* True if a sorted table is in order, so that a search finds its rows as before when more are written among them. */
bool md_edit_in_order(const md_edit *edit, md_table_id table);

/* Changes a cell of an added row. */
void md_edit_set_cell(md_edit *edit, md_column column, uint32_t row, uint32_t value);

/* Rows of a table, old and new. */
static inline uint32_t md_edit_row_count(const md_edit *edit, md_table_id table) {
    return edit->view->tables[table].row_count + edit->added[table];
}

/* The value that a LIST cell of a new row takes so that its run starts after all rows there are now. */
uint32_t md_edit_list_end(const md_edit *edit, md_table_id table);

bool md_edit_failed(const md_edit *edit);

#endif
