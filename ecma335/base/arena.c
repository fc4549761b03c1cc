#include "base/arena.h"

#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Blocks double from the first, as most arenas of a small file hold little, up to a size. */
enum { FIRST_BLOCK_BYTES = 4 * 1024, BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    bool zero;   /* what is not used yet */
    bool mapped; /* by pages_map */
    _Alignas(16) unsigned char data[];
};

static void *take(arena *a, size_t size, bool cleared) {
    if (size > SIZE_MAX - sizeof(struct arena_block) - ALIGNMENT)
        return NULL;
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = a->blocks;
    if (a->one_by_one || !block || rounded > block->size - block->used) {
        size_t grown = !block ? FIRST_BLOCK_BYTES : block->size < BLOCK_BYTES / 2 ? block->size * 2 : BLOCK_BYTES;
        size_t capacity = a->one_by_one ? size : rounded > grown ? rounded : grown;
        /* Fresh pages are zero. Much of another block may stay unused, so each piece of it is cleared when it is taken.
         */
        const size_t whole = sizeof *block + capacity;
        const bool zero = cleared && (a->one_by_one || capacity > BLOCK_BYTES), mapped = zero && !a->one_by_one;
        block = mapped ? pages_map(whole) : zero ? calloc(1, whole) : malloc(whole);
        if (!block)
            return NULL;
        if (mapped)
            pages_use(block, whole);
        block->used = 0;
        block->size = capacity;
        block->zero = zero;
        block->mapped = mapped;
        /* A large request must not hide what is left of the current block. */
        if (a->blocks && !a->one_by_one && rounded > BLOCK_BYTES) {
            block->next = a->blocks->next;
            a->blocks->next = block;
        } else {
            block->next = a->blocks;
            a->blocks = block;
        }
    }
    void *p = block->data + block->used;
    block->used += a->one_by_one ? size : rounded;
    return block->zero || !cleared ? p : memset(p, 0, a->one_by_one ? size : rounded);
}

void *arena_alloc(arena *a, size_t size) {
    return take(a, size, true);
}

void *arena_alloc_array(arena *a, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return arena_alloc(a, total);
}

void *arena_alloc_open(arena *a, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    return take(a, total, false);
}

/* Only what fills a large page is worth one. */
void arena_expect(arena *a, size_t size) {
    const size_t mapped = size & ~(size_t)(PAGES_LARGE - 1);
    struct arena_block *block = mapped && !a->one_by_one ? pages_map(mapped) : NULL;
    if (!block)
        return;
    *block = (struct arena_block){.next = a->blocks, .size = mapped - sizeof *block, .zero = true, .mapped = true};
    a->blocks = block;
}

bool arena_has(const arena *a, size_t size) {
    return a->blocks && a->blocks->mapped && a->blocks->size - a->blocks->used >= size;
}

size_t arena_bytes(const arena *a) {
    size_t bytes = 0;
    for (const struct arena_block *block = a->blocks; block; block = block->next)
        bytes += sizeof *block + block->size;
    return bytes;
}

void arena_clear(arena *a) {
    for (struct arena_block *block = a->blocks; block;) {
        struct arena_block *next = block->next;
        if (block->mapped)
            pages_unmap(block, sizeof *block + block->size);
        else
            free(block);
        block = next;
    }
    a->blocks = NULL;
}
