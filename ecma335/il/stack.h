/* stack.h - how many items stand on the evaluation stack at each instruction (III.1.7.5). */
#ifndef ECMA335_IL_STACK_H
#define ECMA335_IL_STACK_H

#include "base/status.h"
#include "il/decode.h"

/* The effect of a call, callvirt, calli or newobj on the stack, by its token: `pops` the arguments (with `this`, unless
 * it is a newobj; without the function pointer of a calli), `pushes` 1 when a value is returned, else 0 (not looked at
 * for newobj). false when it is not known. */
typedef bool il_call_effect(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes);

/* Scratch for il_stack_analyse, kept across methods; also holds the result. Starts as IL_STACK_INIT. */
typedef struct il_stack {
    uint16_t *depths; /* by code offset */
    size_t depths_capacity;
    uint32_t *work; /* offsets reached and not yet followed */
    size_t work_capacity;
    uint32_t work_count;
    uint32_t max_depth; /* the most items that ever stand there */
} il_stack;

#define IL_STACK_INIT ((il_stack){0})
void il_stack_clear(il_stack *stack);

/* No path from the start or into a handler comes by. */
enum { IL_UNREACHED = 0xFFFF };

/* Follows every path from the start and into the handlers. Returns ECMA_OK, with stack->max_depth set; ECMA_BAD_FILE
 * when the depth is not known: `effect` says no, the code is not understood, too few items, paths that meet with
 * different depths, control that runs off the end; ECMA_NO_MEMORY. */
ecma_status il_stack_analyse(il_stack *stack, const il_body *body, bool returns_value, il_call_effect *effect,
                             void *user);

/* After il_stack_analyse has given ECMA_OK: the items on the stack before the instruction (or prefix) at an offset
 * within the code; IL_UNREACHED when nothing leads there. */
static inline uint32_t il_stack_depth_at(const il_stack *stack, uint32_t offset) {
    return stack->depths[offset];
}

#endif
