/* schema.h - tables, columns and coded indexes as enumerations and arrays, all expanded from tables.def and coded.def.
 *
 * A column is numbered across all tables (MD_TypeDef_Flags), so that one number says table and column both. */
#ifndef ECMA335_METADATA_SCHEMA_H
#define ECMA335_METADATA_SCHEMA_H

#include <stdint.h>

typedef enum md_table_id {
#define MD_TABLE(number, name, key) MD_TABLE_##name = number,
#define MD_COLUMN(table, name, kind, argument)
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
    MD_TABLE_NONE = 0xFF,
} md_table_id;

/* One past the highest table number; numbers 0x2D to 0x2F are free. */
enum { MD_TABLE_SPACE = 0x38, MD_PDB_FIRST_TABLE = 0x30 };

typedef enum md_column {
#define MD_TABLE(number, name, key)
#define MD_COLUMN(table, name, kind, argument) MD_##table##_##name,
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
    MD_COLUMN_COUNT,
    MD_NONE = 0xFFFF,
} md_column;

typedef enum md_coded {
#define MD_CODED(name, bits, ...) MD_CODED_##name,
#include "metadata/coded.def"
#undef MD_CODED
    MD_CODED_COUNT,
} md_coded;

typedef enum md_column_kind {
    MD_KIND_U1,
    MD_KIND_U2,
    MD_KIND_U4,
    MD_KIND_STRING,
    MD_KIND_GUID,
    MD_KIND_BLOB,
    MD_KIND_ROW,
    MD_KIND_LIST,
    MD_KIND_CODED,
} md_column_kind;

typedef struct md_column_schema {
    const char *name;
    md_table_id table;
    md_column_kind kind;
    int argument; /* md_table_id for ROW and LIST, md_coded for CODED */
} md_column_schema;

typedef struct md_table_schema {
    const char *name; /* NULL: no such table */
    md_column first_column;
    unsigned column_count;
    md_column sort_key; /* MD_NONE when the table is not sorted */
} md_table_schema;

typedef struct md_coded_schema {
    const char *name;
    unsigned bits;
    unsigned table_count;
    const uint8_t *tables; /* by tag; MD_TABLE_NONE: reserved */
} md_coded_schema;

extern const md_column_schema md_columns[MD_COLUMN_COUNT];
extern const md_table_schema md_tables[MD_TABLE_SPACE];
extern const md_coded_schema md_codeds[MD_CODED_COUNT];

/* By md_table_id: the table that a LIST of its rows may go through, a md_table_id; 0, which is none of these: no table.
 */
extern const uint8_t md_pointer_tables[MD_TABLE_SPACE];

/* A metadata token: table number in the top byte, row in the rest (III.1.9). 0x70 is a #US offset. */
typedef uint32_t md_token;
enum { MD_TOKEN_STRING = 0x70 };
static inline md_token md_token_of(md_table_id table, uint32_t row) {
    return (uint32_t)table << 24 | row;
}
static inline uint32_t md_token_row(md_token token) {
    return token & 0xFFFFFF;
}
static inline unsigned md_token_table(md_token token) {
    return token >> 24;
}

/* The token that a coded index value names, row 0 included; 0xFFFFFFFF when its tag is reserved. */
static inline md_token md_coded_decode(md_coded kind, uint32_t value) {
    const md_coded_schema *schema = &md_codeds[kind];
    uint32_t tag = value & ((1u << schema->bits) - 1);
    if (tag >= schema->table_count || schema->tables[tag] == MD_TABLE_NONE)
        return 0xFFFFFFFF;
    return md_token_of((md_table_id)schema->tables[tag], (value >> schema->bits) & 0xFFFFFF);
}
/* The coded index value of a token; the table must be one of the kind's. */
uint32_t md_coded_encode(md_coded kind, md_token token);

#endif
