#include "report/text/lines.h"

#include "util/unicode.h"

/* Where a line of at most `columns` ends: at the last space, if there is one. */
static size_t line_end(bytes text, size_t columns) {
    size_t at = 0, taken = 0, end = 0;
    while (at < text.size) {
        size_t start = at;
        uint32_t c = unicode_next(text, &at);
        if (c == ' ' && start > 0)
            end = start;
        taken += unicode_columns(unicode_shown(c));
        if (taken > columns)
            return end;
    }
    return text.size;
}

void print_fitted_text(printer *out, const report *r, bytes text) {
    enum { COLUMN = 9, LEAST = 20 }; /* where what follows a title stands; narrower is of no use */
    size_t width = r->options->width == 0 ? SIZE_MAX : r->options->width < LEAST ? LEAST : r->options->width;
    for (size_t indent = 0; text.size > 0; indent = COLUMN) {
        size_t end = line_end(text, width - indent);
        print_spaces(out, indent);
        print_line(out, (bytes){text.data, end > 0 ? end : text.size}, width - indent);
        print_string(out, "\n");
        end = end > 0 ? end : text.size;
        while (end < text.size && text.data[end] == ' ')
            end++;
        text = (bytes){text.data + end, text.size - end};
    }
}

void print_fitted(printer *out, const report *r, buffer *b) {
    out->no_memory |= b->failed;
    print_fitted_text(out, r, buffer_bytes(b));
    b->size = 0;
}

void print_function(printer *out, const report *r, const report_function *f, size_t taken, size_t least) {
    size_t width = r->options->width;
    print_name(out, f->name, f->parts.parameters, f->parts.suffix,
               width == 0              ? SIZE_MAX
               : width > taken + least ? width - taken
                                       : least);
}

enum { BETWEEN = 2 }; /* a name and its place */

/* More than what is written to a file has. */
bool has_wide_lines(const report *r) {
    enum { USUAL = 120 };
    return r->options->width > USUAL;
}

size_t place_columns(buffer *place, const report *r, bool wide, size_t whole, size_t least, size_t room) {
    size_t taken = place->size ? BETWEEN + unicode_width(buffer_bytes(place)) : 0;
    bool fits = r->options->lines ? room > taken + least : wide && whole <= room && taken <= room - whole;
    if (!fits)
        place->size = 0;
    return fits ? taken : 0;
}

void print_place(printer *out, buffer *place) {
    if (place->size > 0) {
        print_set_style(out, PRINT_DIM);
        print_spaces(out, BETWEEN);
        print_shown(out, buffer_bytes(place));
        print_set_style(out, PRINT_PLAIN);
    }
    out->no_memory |= place->failed;
    buffer_clear(place);
}

enum { LEAST_WRAPPED = 20 }; /* columns */

size_t wrapped_lines(bytes text, size_t column, size_t width) {
    size_t lines = 1, room = width < column + LEAST_WRAPPED ? LEAST_WRAPPED : width - column;
    for (size_t end; (end = line_end(text, room)) > 0 && end < text.size; lines++) {
        while (end < text.size && text.data[end] == ' ')
            end++;
        text = (bytes){text.data + end, text.size - end};
    }
    return lines;
}

size_t function_space(const report_function *f) {
    size_t space = f->parts.space_bytes;
    return space > 0 && space + 1 < f->parts.parameters && f->name.data[space] == '.' ? space + 1 : 0;
}

void print_short_function(printer *out, const report_function *f, bool bare, size_t columns) {
    size_t from = bare ? function_space(f) : 0;
    print_name(out, (bytes){f->name.data + from, f->name.size - from}, f->parts.parameters - from,
               f->parts.suffix - from, columns);
}

bool function_is_long(const report_function *f, size_t columns) {
    size_t marks = f->parts.suffix > f->parts.parameters ? 3 : 0;
    return unicode_width((bytes){f->name.data, f->parts.parameters}) + marks > columns;
}

void print_wrapped(printer *out, bytes text, size_t column, size_t width, unsigned lines) {
    size_t room = width == 0 ? SIZE_MAX : width < column + LEAST_WRAPPED ? LEAST_WRAPPED : width - column;
    for (bool first = true; text.size > 0 || first; first = false) {
        size_t end = line_end(text, room);
        if (!first)
            print_spaces(out, column);
        if (width > 0 && --lines == 0)
            end = text.size;
        bytes line = {text.data, end > 0 ? end : text.size};
        print_line(out, line, room);
        print_string(out, "\n");
        end = line.size;
        while (end < text.size && text.data[end] == ' ')
            end++;
        text = (bytes){text.data + end, text.size - end};
    }
}
