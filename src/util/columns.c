#include "util/columns.h"

#include <stdlib.h>
#include <string.h>

#include "util/large.h"
#include "util/list.h"

/* Numbers apart take at most 72 bytes each. */
enum { FEW_LARGE = 16 /* one row in that many */, FIRST_LARGE = 8 };

uint64_t columns_large(const number_column *c, uint32_t row) {
    return c->large[map_find(&c->at, row)];
}

static void column_free(number_column *c) {
    if (!c)
        return;
    free(c->small);
    free(c->wide);
    free(c->large);
    map_clear(&c->at);
    free(c);
}

static bool grow(number_column *c, uint32_t room) {
    size_t size = c->small ? sizeof *c->small : sizeof *c->wide;
    void *moved = large(realloc(c->small ? (void *)c->small : (void *)c->wide, room * size), room * size);
    if (!moved)
        return false;
    if (c->small)
        c->small = moved;
    else
        c->wide = moved;
    return true;
}

static void set_zero(number_column *c, uint32_t first, uint32_t end) {
    if (c->small)
        memset(c->small + first, 0, (end - first) * sizeof *c->small);
    else
        memset(c->wide + first, 0, (end - first) * sizeof *c->wide);
}

bool columns_extend(columns *t, uint32_t rows) {
    if (rows > t->room) {
        uint32_t room = t->room == 0 || t->room > UINT32_MAX / 2 || t->room * 2 < rows ? rows : t->room * 2;
        for (int i = 0; i < COLUMNS_MOST; i++)
            if (t->list[i] && !grow(t->list[i], room)) {
                t->failed = true;
                return false;
            }
        t->room = room;
    }
    for (int i = 0; i < COLUMNS_MOST && rows > t->rows; i++)
        if (t->list[i])
            set_zero(t->list[i], t->rows, rows);
    t->rows = rows;
    return true;
}

void columns_cut(columns *t, uint32_t rows) {
    t->rows = rows;
}

/* Gives each row eight bytes. */
static bool widen(number_column *c, const columns *t) {
    uint64_t *wide = large_zero((size_t)t->room + 1, sizeof *wide);
    if (!wide)
        return false;
    for (uint32_t i = 0; i < t->rows; i++)
        wide[i] = c->small[i] != COLUMN_LARGE ? c->small[i] : columns_large(c, i);
    free(c->small);
    free(c->large);
    map_clear(&c->at);
    c->small = NULL;
    c->large = NULL;
    c->large_count = c->large_capacity = 0;
    c->wide = wide;
    return true;
}

static bool set_apart(number_column *c, uint32_t row, uint64_t number) {
    /* Room comes first: a slot stands for a number that is there. */
    if (!list_grow((void **)&c->large, c->large_count, &c->large_capacity, sizeof *c->large))
        return false;
    uint32_t *at = map_slot(&c->at, row);
    if (!at)
        return false;
    if (*at == MAP_NONE)
        *at = c->large_count++;
    c->small[row] = COLUMN_LARGE;
    c->large[*at] = number;
    return true;
}

/* False when memory ran out. */
static bool set(columns *t, number_column *c, uint32_t row, uint64_t number) {
    if (c->small && number < COLUMN_LARGE) {
        c->small[row] = (uint32_t)number;
        return true;
    }
    if (c->small && c->large_count >= FIRST_LARGE + t->rows / FEW_LARGE && !widen(c, t))
        return false;
    if (c->small)
        return set_apart(c, row, number);
    c->wide[row] = number;
    return true;
}

void columns_set_slowly(columns *t, unsigned column, uint32_t row, uint64_t number) {
    number_column **c = &t->list[column];
    if (!*c && (*c = calloc(1, sizeof **c))) {
        (*c)->small = large_zero((size_t)t->room + 1, sizeof *(*c)->small);
        if (!(*c)->small) {
            free(*c);
            *c = NULL;
        }
    }
    if (*c)
        t->used |= 1u << column;
    if (!*c || !set(t, *c, row, number))
        t->failed = true;
}

uint64_t columns_sum(const columns *t, unsigned column, uint64_t *bits) {
    const number_column *c = t->list[column];
    uint64_t sum = 0;
    bool more = false;
    *bits = 0;
    if (!c)
        return 0;
    if (c->small && c->large_count == 0) { /* the usual */
        uint32_t any = 0;
        for (uint32_t i = 0; i < t->rows; i++) {
            sum += c->small[i];
            any |= c->small[i];
        }
        *bits = any;
        return sum;
    }
    for (uint32_t i = 0; i < t->rows; i++) {
        const uint64_t number = columns_at(t, column, i);
        more |= __builtin_add_overflow(sum, number, &sum);
        *bits |= number;
    }
    return more ? UINT64_MAX : sum;
}

void columns_add(columns *to, unsigned column, const uint32_t *rows, const columns *from, uint32_t count,
                 const uint32_t *parents) {
    const number_column *c = from->list[column];
    const uint32_t *small = c ? c->small : NULL;
    uint32_t *sums = to->list[column] ? to->list[column]->small : NULL;
    for (uint32_t i = 0; i < count && c; i++) {
        const uint32_t row = rows[i], number = small ? small[i] : COLUMN_LARGE;
        if (number == 0 || (parents && i > 0 && row == rows[parents[i]]))
            continue;
        if (sums && number != COLUMN_LARGE && sums[row] < COLUMN_LARGE - number) { /* so is the sum small */
            sums[row] += number;
            continue;
        }
        columns_set(to, column, row, columns_at(to, column, row) + columns_at(from, column, i));
        sums = to->list[column] ? to->list[column]->small : NULL;
    }
}

void columns_drop(columns *t, unsigned column) {
    column_free(t->list[column]);
    t->list[column] = NULL;
    t->used &= ~(1u << column);
}

bool columns_copy(columns *copy, const columns *t) {
    *copy = COLUMNS_INIT;
    bool done = columns_extend(copy, t->rows);
    for (unsigned k = 0; k < COLUMNS_MOST; k++)
        for (uint32_t i = 0; i < t->rows && !columns_is_empty(t, k); i++)
            columns_set(copy, k, i, columns_at(t, k, i));
    return done && !copy->failed;
}

void columns_clear(columns *t) {
    for (unsigned k = 0; k < COLUMNS_MOST; k++)
        column_free(t->list[k]);
    *t = COLUMNS_INIT;
}
