/* format.h - figures for people. */
#ifndef ILINJECT_REPORT_PRINT_FORMAT_H
#define ILINJECT_REPORT_PRINT_FORMAT_H

#include <stdint.h>

/* UTF-8 with a terminator, and the columns it takes. */
typedef struct figure {
    char text[40];
    unsigned columns;
} figure;

enum { FORMAT_DIGITS = 20 };

/* Decimal digits, no terminator; returns how many. */
unsigned format_digits(char digits[FORMAT_DIGITS], uint64_t number);

/* 1,234,567 */
figure format_count(uint64_t count);

/* Three digits and the unit that suits them: 0 ns, 12.3 µs, 999 ms, 1.00 s, 12,345 s; the unit takes two columns. */
figure format_time(uint64_t ns);

/* Three digits and the unit that suits them: 0 B, 12.3 kB, 999 MB, 1.00 GB, 12,345 GB; units of 1000, in two columns.
 */
figure format_bytes(uint64_t count);

/* Two times with their unit, which stands once when they have the same: 1.20–9.00 ms. */
figure format_range(uint64_t low_ns, uint64_t high_ns);

/* Puts the mark, of one column, before the text. */
void format_mark(figure *f, char mark);

/* The text without the space that a unit of one letter ends with, for use within a line. */
const char *format_trimmed(figure *f);

/* part of whole in percent, with one decimal: 12.5; 0.0 of nothing. */
figure format_percent(uint64_t part, uint64_t whole);

#endif
