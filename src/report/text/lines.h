/* lines.h - lines of text that are no wider than the report. */
#ifndef ILINJECT_REPORT_TEXT_LINES_H
#define ILINJECT_REPORT_TEXT_LINES_H

#include "base/buffer.h"
#include "report/model/model.h"
#include "report/print/print.h"

/* Prints a line of the head in as many columns as there are, what has no room below it. */
void print_fitted_text(printer *out, const report *r, bytes text);
/* The same of a buffer, which it empties. */
void print_fitted(printer *out, const report *r, buffer *b);

/* Prints a function's name in the columns that are left where some are `taken`, at least in `least`. */
void print_function(printer *out, const report *r, const report_function *f, size_t taken, size_t least);

/* Prints it in that many columns; `bare`: without its namespace, which other rows have no room for. */
void print_short_function(printer *out, const report_function *f, bool bare, size_t columns);
/* Is its name without parameters too long for that many columns? */
bool function_is_long(const report_function *f, size_t columns);
/* The bytes of its namespace, with the dot. */
size_t function_space(const report_function *f);

/* A function's file and line after its name: empties `place` where they have no room, and returns the columns that they
 * take with the space before them, or 0. With --lines they leave a name of `whole` columns `least` of `room`; without
 * it they take what all of the name leaves, where lines are `wide`. */
size_t place_columns(buffer *place, const report *r, bool wide, size_t whole, size_t least, size_t room);
bool has_wide_lines(const report *r);

/* Prints it so, and empties it. */
void print_place(printer *out, buffer *place);

/* Prints text that begins at a column in as many lines as it needs, the further ones from there on, at
 * most in that many; what is left out is an ellipsis. `width` 0: unlimited. */
void print_wrapped(printer *out, bytes text, size_t column, size_t width, unsigned lines);

/* The lines that it takes so, if it may have any number. `width` is not 0. */
size_t wrapped_lines(bytes text, size_t column, size_t width);

#endif
