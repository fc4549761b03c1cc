/* table.h - rows of figures in columns, right-aligned, with a name after them that may be indented.
 *
 * Set titles and hidden, table_measure each row, table_head, then print each row. Columns that are hidden take no
 * place. */
#ifndef ILINJECT_REPORT_PRINT_TABLE_H
#define ILINJECT_REPORT_PRINT_TABLE_H

#include "report/print/format.h"
#include "report/print/print.h"

/* As many as functions have; other tables have less. */
enum {
#define FIGURE(ID, ...) TABLE_COLUMN_##ID,
#include "facts/figures.def"
    TABLE_COLUMNS,
    TABLE_INDENT = 2
};

typedef struct table {
    const char *titles[TABLE_COLUMNS]; /* NULL after the last */
    bool hidden[TABLE_COLUMNS];
    size_t least_name; /* columns of a name that has no room left */
    unsigned widths[TABLE_COLUMNS];
    size_t name_column, width; /* width 0: unlimited */
    uint32_t most_indent;      /* columns; deeper rows show their depth as a number */
} table;

typedef struct table_row {
    figure figures[TABLE_COLUMNS];
} table_row;

void table_measure(table *t, const table_row *row);

/* After measuring: hides the columns of `order`, ended by -1, one by one until names have `room` columns. */
void table_fit(table *t, const int *order, size_t room, unsigned width);

/* Prints the titles and then that of the names; fixes where the names start. `width` 0: unlimited. */
void table_head(table *t, printer *out, const char *name_title, unsigned width);

/* A row up to where its name starts; with NULL nothing but the space. */
void table_figures(const table *t, printer *out, const table_row *row);

/* The columns left for a name of this depth (from 1). */
size_t table_room(const table *t, uint32_t depth);

/* Indents a name of this depth and returns the columns left for it. */
size_t table_indent(const table *t, printer *out, uint32_t depth);

#endif
