/* insertions.h - the code that goes into one method, gathered in any order and given to the editor in the order of
 * offsets that it asks for. */
#ifndef ILINJECT_INSERTIONS_H
#define ILINJECT_INSERTIONS_H

#include "il/edit.h"

typedef struct insertion {
    uint32_t offset;
    il_place place;
    size_t start; /* in insertions.code */
    size_t size;
} insertion;

/* Kept across methods; starts all zero. What is in it is borrowed by the il_edit until that has written its body. */
typedef struct insertions {
    insertion *list;
    size_t capacity;
    uint32_t count;
    bool unsorted; /* some stand behind those that they come before */
    buffer code;
} insertions;

void insertions_clear(insertions *in);

/* Forgets the method before. */
void insertions_begin(insertions *in);

/* What is added first at an offset stands first. Memory that runs out is remembered in in->code. */
void insertions_add(insertions *in, uint32_t offset, il_place place, bytes code);

/* Returns what il_insert returns. */
ecma_status insertions_apply(insertions *in, il_edit *il);

#endif
