/* arguments.h - the instructions of a body that name an argument. */
#ifndef ECMA335_IL_ARGUMENTS_H
#define ECMA335_IL_ARGUMENTS_H

#include "il/edit.h"

typedef enum il_use { IL_USE_LOADS = 1, IL_USE_LOADS_ADDRESS, IL_USE_STORES } il_use;

typedef struct il_argument {
    uint32_t offset, size; /* of the instruction, without a prefix */
    uint32_t argument;     /* `this` is 0 */
    il_use use;
    bool prefixed; /* a prefix stands before it, which is invalid */
} il_argument;

/* After il_edit_begin: the first of them at or after an offset. False: there is none. */
bool il_next_argument(const il_edit *edit, uint32_t from, il_argument *found);

#endif
