/* names_operators.h - the names of operators, and how texts are put together for names. */
#ifndef ILINJECT_PROFILE_NAMES_OPERATORS_H
#define ILINJECT_PROFILE_NAMES_OPERATORS_H

#include "profile/names.h"

/* Appends `operator +`, `explicit operator int`; false when it is none. `result`: the type that it gives. */
bool names_try_operator(buffer *b, bytes name, bytes result);

/* A name over NAMES_MAX_NAME bytes is cut. */
static inline bool full(const buffer *b) {
    return b->size > NAMES_MAX_NAME;
}

static inline void append(buffer *b, bytes s) {
    if (!full(b))
        buffer_append(b, s.data, s.size < NAMES_MAX_NAME ? s.size : NAMES_MAX_NAME + 1);
}

static inline bool is(bytes text, const char *other) {
    return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

static inline bool starts_with(bytes text, const char *start) {
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.data, start, size) == 0;
}

static inline bytes from(bytes text, size_t at) {
    return (bytes){text.data + at, text.size - at};
}

#endif
