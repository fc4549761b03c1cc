/* grow.h - arrays that are kept from one method to the next and only ever grow. */
#ifndef ECMA335_IL_GROW_H
#define ECMA335_IL_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Gives `*array`, a pointer to items of `item_size` bytes from malloc or NULL, room for `count` of them and keeps what
 * it holds. false when memory ran out; the array is then as it was. */
bool il_grow(void *array, size_t *capacity, size_t count, size_t item_size);

#endif
