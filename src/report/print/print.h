/* print.h - the report's text on its way to the caller's ilj_write_fn, in pieces of a few KiB.
 *
 * A refused write is remembered in `failed`; later prints do nothing, so a writer checks once, with print_flush. */
#ifndef ILINJECT_REPORT_PRINT_PRINT_H
#define ILINJECT_REPORT_PRINT_PRINT_H

#include <string.h>

#include "base/bytes.h"
#include "ilinject.h"

typedef struct printer {
    ilj_write_fn *write;
    void *user;
    bool color;
    bool failed;
    bool no_memory; /* something that was to be printed could not be made */
    size_t used;
    char pending[8192];
} printer;

/* print_bytes of what may not fit into `pending` any more. */
void print_pieces(printer *p, const char *text, size_t size);

static inline void print_bytes(printer *p, const char *text, size_t size) {
    if (size == 0)
        return;
    if (size >= sizeof p->pending - p->used) {
        print_pieces(p, text, size);
        return;
    }
    memcpy(p->pending + p->used, text, size);
    p->used += size;
}

static inline void print_string(printer *p, const char *text) {
    print_bytes(p, text, strlen(text));
}

void print_spaces(printer *p, size_t count);

/* Decimal, without what print_format takes to find out what is wanted. */
void print_number(printer *p, uint64_t number);
void print_signed(printer *p, int64_t number);

/* At most 255 bytes. */
void print_format(printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A string from a file as one line may show it, see unicode_shown. */
void print_shown(printer *p, bytes s);

/* The same as a JSON string, in quotes, all characters as they are. */
void print_json(printer *p, bytes s);

/* The same as code of Markdown. There a forge makes no mention of @name, no link of an address or a number, and no
 * markup of anything: between more backticks than stand in it anywhere. `in_cell`: a line that would end the cell has a
 * backslash. */
void print_markdown(printer *p, bytes text, bool in_cell);

/* The start of a text in at most `columns` columns; ends of lines become spaces, what is left out an ellipsis. */
void print_line(printer *p, bytes text, size_t columns);

/* A full name in at most `columns` columns. Of a method the parameters, from `parameters` to `suffix`, become "(…)";
 * then namespaces and outer types go, one by one, then the parentheses, then type arguments, "<…>", then the start of
 * its type's name. Of other names, and of a method's that is too long by itself, the middle becomes an ellipsis, the
 * end being worth more than the start. What stands from `suffix` on is kept while there is room. Returns the columns
 * taken. */
size_t print_name(printer *p, bytes name, size_t parameters, size_t suffix, size_t columns);

/* What stands after a name, ` [GET /todos] [async]`, without the route, which goes next. */
bytes print_without_route(bytes end);

/* ANSI codes; nothing unless p->color. */
typedef enum print_style { PRINT_PLAIN, PRINT_DIM, PRINT_BOLD } print_style;
void print_set_style(printer *p, print_style style);

/* Hands over what is pending; false when a write was refused. */
bool print_flush(printer *p);

#endif
