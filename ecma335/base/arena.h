/* arena.h - memory that is freed all at once: everything derived from one opened image.
 *
 * Zero-filled, but for arena_alloc_open. arena_alloc returns NULL when memory ran out. An arena hides overruns from
 * sanitizers, so with `one_by_one` set every request is an allocation of its own; tests run in both ways. */
#ifndef ECMA335_BASE_ARENA_H
#define ECMA335_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks;
    bool one_by_one;
} arena;

#define ARENA_INIT ((arena){0})

void *arena_alloc(arena *a, size_t size);
/* count * size bytes, NULL also when the product overflows. */
void *arena_alloc_array(arena *a, size_t count, size_t size);
/* The same, but what it holds is not known: for much that is written before it is read. */
void *arena_alloc_open(arena *a, size_t count, size_t size);
/* Says that about `size` bytes more will be needed: they are kept ready if they are many. */
void arena_expect(arena *a, size_t size);
/* Has it `size` bytes left of what was kept ready? */
bool arena_has(const arena *a, size_t size);
/* The memory that it takes, in bytes. */
size_t arena_bytes(const arena *a);
void arena_clear(arena *a);

#endif
