#include "metadata/schema.h"

/* FIRST_x and END_x are the numbers of a table's first column and of the one after its last; they take no place among
 * the columns. */
enum {
#define MD_TABLE(number, name, key)            FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define MD_COLUMN(table, name, kind, argument) COLUMN_##table##_##name,
#define MD_END(name)                           END_##name, LAST_##name = END_##name - 1,
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
    COLUMN_END
};
_Static_assert((int)COLUMN_END == (int)MD_COLUMN_COUNT, "both enumerations count the same columns");

enum {
    TABLE_COUNT = 0
#define MD_TABLE(number, name, key) +1
#define MD_COLUMN(table, name, kind, argument)
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
};
_Static_assert(TABLE_COUNT == 45 + 8, "45 tables of the standard, 8 of the portable PDB");

#define ARGUMENT_U1(x)     0
#define ARGUMENT_U2(x)     0
#define ARGUMENT_U4(x)     0
#define ARGUMENT_STRING(x) 0
#define ARGUMENT_GUID(x)   0
#define ARGUMENT_BLOB(x)   0
#define ARGUMENT_ROW(x)    MD_TABLE_##x
#define ARGUMENT_LIST(x)   MD_TABLE_##x
#define ARGUMENT_CODED(x)  MD_CODED_##x

const md_column_schema md_columns[MD_COLUMN_COUNT] = {
#define MD_TABLE(number, name, key)
#define MD_COLUMN(table, name, kind, argument)                                                                         \
    {#name, MD_TABLE_##table, MD_KIND_##kind, (int)ARGUMENT_##kind(argument)},
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
};

const md_table_schema md_tables[MD_TABLE_SPACE] = {
#define MD_TABLE(number, name, key) [number] = {#name, (md_column)FIRST_##name, END_##name - FIRST_##name, MD_##key},
#define MD_COLUMN(table, name, kind, argument)
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
};

const uint8_t md_pointer_tables[MD_TABLE_SPACE] = {
#define MD_TABLE(number, name, key)
#define MD_COLUMN(table, name, kind, argument)
#define MD_END(name)
#define MD_POINTERS(name, of) [MD_TABLE_##of] = MD_TABLE_##name,
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
};

/* coded.def names its tables bare: each expands to its number through these. */
#define CODED_TABLES(...)                                                                                              \
    (const uint8_t[]) {                                                                                                \
        __VA_ARGS__                                                                                                    \
    }
enum {
#define MD_TABLE(number, name, key) name = number,
#define MD_COLUMN(table, name, kind, argument)
#define MD_END(name)
#include "metadata/tables.def"
#undef MD_TABLE
#undef MD_COLUMN
#undef MD_END
    NONE = 0xFF
};

const md_coded_schema md_codeds[MD_CODED_COUNT] = {
#define MD_CODED(name, bits, ...) {#name, bits, sizeof CODED_TABLES(__VA_ARGS__), CODED_TABLES(__VA_ARGS__)},
#include "metadata/coded.def"
#undef MD_CODED
};

uint32_t md_coded_encode(md_coded kind, md_token token) {
    const md_coded_schema *schema = &md_codeds[kind];
    for (uint32_t tag = 0; tag < schema->table_count; tag++)
        if (schema->tables[tag] == md_token_table(token))
            return md_token_row(token) << schema->bits | tag;
    return 0;
}
