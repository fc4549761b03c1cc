/* text_keep.h - texts that outlive the file they were read from. */
#ifndef ILINJECT_UTIL_TEXT_KEEP_H
#define ILINJECT_UTIL_TEXT_KEEP_H

#include "base/arena.h"
#include "base/bytes.h"

/* Puts a copy in the arena in the text's place; false when memory ran out. */
static inline bool text_keep(arena *a, bytes *text) {
    uint8_t *copy = arena_alloc(a, text->size);
    if (!copy)
        return false;
    if (text->size)
        memcpy(copy, text->data, text->size);
    text->data = copy;
    return true;
}

#endif
