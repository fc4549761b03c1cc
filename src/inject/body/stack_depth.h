/* stack_depth.h - how many items stand on the stack where a method is left, as far as its header depends on it. */
#ifndef ILINJECT_INJECT_BODY_STACK_DEPTH_H
#define ILINJECT_INJECT_BODY_STACK_DEPTH_H

#include "il/edit.h"
#include "il/stack.h"
#include "input/call_effects.h"
#include "input/image.h"

/* For one module; its owner uses it for one method after the other. */
typedef struct depths {
    const md_view *view;
    effects *effects; /* the image's */
    il_stack stack;   /* the method's that was analysed last */
} depths;

/* Allocates from the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status depths_init(depths *d, ilj_image *image);
void depths_clear(depths *d);

/* il_stack_analyse, with the signatures of the module's methods. */
ecma_status depths_analyse(depths *d, const il_body *body, bool returns_value);

/* il_walk_over, likewise. */
bool depths_walk(depths *d, const il_body *body, bool returns_value);

/* Follows the code: *excess says whether more than the result stands on the stack at a ret that
 * control comes to, *max_depth is the most items that ever stand there. Where the code cannot be followed, as a
 * compiler will refuse it, *excess is true and *max_depth 0. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status depths_settle(depths *d, const il_edit *il, bool returns_value, bool *excess, uint32_t *max_depth);

/* The same of a body that depths_analyse has followed last. */
void depths_judge(const depths *d, const il_edit *il, bool returns_value, bool *excess, uint32_t *max_depth);

/* The most items that stand on the stack at an exit of the method that `il` has, all insertions included; they put
 * `more` on top of them; where the header has room for it in any case, it may be less or more. `stays_tiny`: a tiny
 * body may stay one. Returns ECMA_OK, ECMA_NO_MEMORY.
 *
 * At a ret that is the returned value (III.3.56), at a jmp nothing (III.3.37); so the code is followed only where this
 * does not say it all: before the arguments of a tail call, and in a tiny body that may stay one, whose header allows
 * 8. Where it cannot be followed, it is what the header allows. */
ecma_status depths_at_exits(depths *d, const il_edit *il, uint32_t method_row, bool stays_tiny, uint32_t more,
                            uint32_t *depth);

#endif
