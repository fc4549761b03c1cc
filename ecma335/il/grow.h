/* grow.h - arrays that are kept from one method to the next and only ever grow. */
#ifndef ECMA335_IL_GROW_H
#define ECMA335_IL_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* il_grow for an array that has not got the room. */
bool il_grow_more(void *array, size_t *capacity, size_t count, size_t item_size);

/* Gives `*array`, a pointer to items of `item_size` bytes from malloc or NULL, room for `count` of them and keeps what
 * it holds. false when memory ran out; the array is then as it was. */
static inline bool il_grow(void *array, size_t *capacity, size_t count, size_t item_size) {
    return count <= *capacity || il_grow_more(array, capacity, count, item_size);
}

#endif
