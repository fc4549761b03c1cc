/* columns.h - rows of numbers, in columns: most numbers are small, and most columns are 0 in all rows.
 *
 * A column takes memory once one of its numbers is not 0: four bytes a row. Larger numbers stand apart as long as they
 * are few; then the column takes eight bytes a row. COLUMNS_INIT, columns_extend, columns_set and so on, columns_clear.
 * When memory ran out, `failed` is set and numbers are lost: ask once, at the end. */
#ifndef ILINJECT_UTIL_COLUMNS_H
#define ILINJECT_UTIL_COLUMNS_H

#include "util/map.h"

enum { COLUMNS_MOST = 32 };
#define COLUMN_LARGE UINT32_MAX /* in place of a number that stands apart */

typedef struct number_column {
    uint32_t *small; /* NULL: they are in `wide` */
    uint64_t *wide;
    uint64_t *large; /* those apart */
    uint32_t large_count, large_capacity;
    map at; /* their positions, by row */
} number_column;

typedef struct columns {
    uint32_t rows, room;
    bool failed;
    uint32_t used;                     /* a bit for each column that is there */
    number_column *list[COLUMNS_MOST]; /* NULL: all are 0 */
} columns;

#define COLUMNS_INIT ((columns){.rows = 0})

/* Makes it so many rows: those that are new are 0. False when memory ran out. */
bool columns_extend(columns *t, uint32_t rows);

/* Leaves the first that many rows. */
void columns_cut(columns *t, uint32_t rows);

/* For the functions below alone. */
uint64_t columns_large(const number_column *c, uint32_t row);
void columns_set_slowly(columns *t, unsigned column, uint32_t row, uint64_t number);

static inline uint64_t columns_at(const columns *t, unsigned column, uint32_t row) {
    const number_column *c = t->list[column];
    if (!c)
        return 0;
    if (!c->small)
        return c->wide[row];
    uint32_t number = c->small[row];
    return number != COLUMN_LARGE ? number : columns_large(c, row);
}

static inline void columns_set(columns *t, unsigned column, uint32_t row, uint64_t number) {
    number_column *c = t->list[column];
    if (c && c->small && number < COLUMN_LARGE)
        c->small[row] = (uint32_t)number;
    else if (c || number != 0)
        columns_set_slowly(t, column, row, number);
}

/* The sum of a column, UINT64_MAX where it is larger; *bits gets those that are set in any number. */
uint64_t columns_sum(const columns *t, unsigned column, uint64_t *bits);

/* Of what is put together from columns a caller needs a few: the others are then not read. */
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Adds the numbers of the first `count` rows of a column to the rows `rows`; with `parents`, a row for each, only where
 * the row is not that of the parent. The sums fit 64 bits. */
void columns_add(columns *to, unsigned column, const uint32_t *rows, const columns *from, uint32_t count,
                 const uint32_t *parents);

/* Is it 0 in all rows, as far as no number was ever set? */
static inline bool columns_is_empty(const columns *t, unsigned column) {
    return t->list[column] == NULL;
}

/* The same of `count` columns from `first` on. */
static inline bool columns_are_empty(const columns *t, unsigned first, unsigned count) {
    return (t->used >> first & ((1u << count) - 1)) == 0;
}

/* Gives the memory of a column back: it is 0 again. */
void columns_drop(columns *t, unsigned column);

/* False when memory ran out; `copy` has to be cleared all the same. */
bool columns_copy(columns *copy, const columns *t);

void columns_clear(columns *t);

/* Signed numbers, those near 0 as small ones. */
static inline uint64_t columns_folded(int64_t number) {
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}
static inline int64_t columns_unfolded(uint64_t number) {
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

#endif
