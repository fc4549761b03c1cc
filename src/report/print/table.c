#include "report/print/table.h"

enum { GAP = 2, MOST_INDENT = 60 };

static bool is_column(const table *t, int i) {
    return t->titles[i] && !t->hidden[i];
}

static unsigned title_columns(const table *t, int i) {
    return (unsigned)strlen(t->titles[i]);
}

void table_measure(table *t, const table_row *row) {
    for (int i = 0; i < TABLE_COLUMNS && t->titles[i]; i++)
        if (t->widths[i] < row->figures[i].columns)
            t->widths[i] = row->figures[i].columns;
}

static unsigned column_width(const table *t, int i) {
    return t->widths[i] > title_columns(t, i) ? t->widths[i] : title_columns(t, i);
}

void table_fit(table *t, const int *order, size_t room, unsigned width) {
    size_t taken = 0;
    for (int i = 0; i < TABLE_COLUMNS; i++)
        taken += is_column(t, i) ? column_width(t, i) + GAP : 0;
    for (; *order >= 0 && width != 0 && taken + room > width; order++) {
        if (is_column(t, *order))
            taken -= column_width(t, *order) + GAP;
        t->hidden[*order] = true;
    }
}

void table_head(table *t, printer *out, const char *name_title, unsigned width) {
    print_set_style(out, PRINT_DIM);
    for (int i = 0; i < TABLE_COLUMNS; i++) {
        if (!is_column(t, i))
            continue;
        t->widths[i] = column_width(t, i);
        print_spaces(out, t->widths[i] - title_columns(t, i));
        print_string(out, t->titles[i]);
        print_spaces(out, GAP);
        t->name_column += t->widths[i] + GAP;
    }
    print_string(out, name_title);
    print_string(out, "\n");
    print_set_style(out, PRINT_PLAIN);
    t->width = width;
    size_t room = width > t->name_column ? width - t->name_column : 0;
    t->most_indent =
        width == 0 || room / 2 > MOST_INDENT ? MOST_INDENT : (uint32_t)(room / 2 / TABLE_INDENT * TABLE_INDENT);
}

void table_figures(const table *t, printer *out, const table_row *row) {
    if (!row)
        print_spaces(out, t->name_column);
    for (int i = 0; i < TABLE_COLUMNS && t->titles[i] && row; i++) {
        if (t->hidden[i])
            continue;
        print_spaces(out, t->widths[i] - row->figures[i].columns);
        print_string(out, row->figures[i].text);
        print_spaces(out, GAP);
    }
}

/* The columns that the indent takes; *number is set for a depth that is shown as one. */
static size_t indent_of(const table *t, uint32_t depth, bool *number) {
    size_t taken = (size_t)(depth - 1) * TABLE_INDENT;
    *number = taken > t->most_indent;
    return *number ? t->most_indent + format_count(depth).columns + 3 : taken;
}

size_t table_room(const table *t, uint32_t depth) {
    bool number;
    size_t taken = t->name_column + indent_of(t, depth, &number);
    if (t->width == 0)
        return SIZE_MAX;
    return t->width < taken + t->least_name ? t->least_name : t->width - taken;
}

size_t table_indent(const table *t, printer *out, uint32_t depth) {
    bool number;
    size_t taken = indent_of(t, depth, &number);
    print_spaces(out, number ? t->most_indent : taken);
    if (number)
        print_format(out, "[%s] ", format_count(depth).text);
    return table_room(t, depth);
}
