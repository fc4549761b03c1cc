/* unicode.h - UTF-8 from files, and how many columns a terminal gives to it. No locale is asked. */
#ifndef ILINJECT_UTIL_UNICODE_H
#define ILINJECT_UTIL_UNICODE_H

#include "base/bytes.h"

#define UNICODE_REPLACEMENT 0xFFFDu

/* The code point at *at, which moves on; *at < s.size. A sequence that is not UTF-8 gives one UNICODE_REPLACEMENT for
 * its longest part that could have begun one. */
uint32_t unicode_next(bytes s, size_t *at);

/* How many bytes from `at` on are each a character of ASCII that is shown as it is, in one column; unquoted: and stands
 * so in a JSON string. */
size_t unicode_plain(bytes s, size_t at);
size_t unicode_unquoted(bytes s, size_t at);

/* Writes 1 to 4 bytes and returns how many. */
size_t unicode_encode(char out[4], uint32_t code_point);

enum { UNICODE_JSON = 6 };
/* Writes a code point as it stands in a JSON string: itself, or an escape, which is also for what steers a terminal.
 * Returns how many bytes, 1 to 6. */
size_t unicode_json(char out[UNICODE_JSON], uint32_t code_point);

/* Text that may be shown in a line of a terminal: controls, line separators and direction overrides become
 * UNICODE_REPLACEMENT, so that names from a file can't steer it. */
uint32_t unicode_shown(uint32_t code_point);

/* True if unicode_shown replaces it. JSON has those as escapes, so that they reach no terminal raw. */
static inline bool unicode_steers(uint32_t code_point) {
    return unicode_shown(code_point) != code_point;
}

/* Columns of one shown code point: 0, 1 or 2. */
unsigned unicode_columns(uint32_t code_point);

/* Columns of a whole string as it is shown. */
size_t unicode_width(bytes s);

#endif
