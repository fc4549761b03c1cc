/* name_columns.h - columns of the names resource that repeat values: docs/profile-format.md, section 2. Fewer bytes
 * are to be deflated, and they take less than the values one after another. */
#ifndef ILINJECT_OUTPUT_NAME_COLUMNS_H
#define ILINJECT_OUTPUT_NAME_COLUMNS_H

#include "base/arena.h"
#include "base/buffer.h"

/* Numbers by runs: a value, and how often it stands there. */
typedef struct run_column {
    buffer *to;
    uint64_t value;
    uint32_t count;
} run_column;

static inline void run_column_end(run_column *c) {
    if (c->count) {
        buffer_varuint(c->to, c->value);
        buffer_varuint(c->to, c->count);
    }
    c->count = 0;
}

static inline void run_column_add(run_column *c, uint64_t value) {
    if (c->count && c->value == value) {
        c->count++;
        return;
    }
    run_column_end(c);
    c->value = value;
    c->count = 1;
}

/* Texts, each once: an entry is 0, the next new one, or the number of one before, from 1. */
typedef struct text_column {
    uint32_t *numbers; /* of each entry */
    uint32_t count;
    uint32_t known; /* texts */
    buffer texts;   /* each with its zero */
    struct text_key *slots;
    uint32_t *starts; /* of each text; and by its hash a number: NULL unless texts are compared */
    uint32_t *by_text;
    uint32_t mask;
} text_column;

/* Where an input has a text, so that it is asked once. */
typedef struct text_key {
    uint32_t key, number; /* 0: the slot is free */
} text_key;

/* Makes room for `count` entries, from the arena; `most`: a bound of their bytes; `compares`: for text_column_add.
 * false: no memory. */
bool text_column_begin(text_column *c, arena *a, uint32_t count, size_t most, bool compares);

/* The slot of a key, free or not. Not more keys than entries are put into slots. */
static inline text_key *text_column_slot(const text_column *c, uint32_t key) {
    const uint32_t spread = 0x9E3779B1; /* 2^32 by the golden ratio */
    uint32_t at = key * spread >> 12 & c->mask;
    while (c->slots[at].number && c->slots[at].key != key)
        at = (at + 1) & c->mask;
    return &c->slots[at];
}

/* Adds an entry for a text that is there. */
static inline void text_column_again(text_column *c, uint32_t number) {
    c->numbers[c->count++] = number;
}

/* Adds an entry for the one that has just been appended to c->texts; returns its number. */
static inline uint32_t text_column_new(text_column *c) {
    c->numbers[c->count++] = 0;
    return ++c->known;
}

/* Does either for a text, its zero among the bytes. Returns its number. */
uint32_t text_column_add(text_column *c, bytes text);

/* Appends the column, and clears its texts. */
void text_column_end(text_column *c, buffer *b);

#endif
