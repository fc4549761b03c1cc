/* walk.h - one walk over a body's code, from its first byte to its last, that follows no path. */
#ifndef ECMA335_IL_WALK_H
#define ECMA335_IL_WALK_H

#include "il/body.h"

/* The stack effect of a call of the token: twice the items that it takes, and one more when it returns a value;
 * a newobj is asked about like a call. Negative when it cannot be told. */
typedef int32_t il_token_effect(void *user, uint32_t token);

/* Does no more than the result stand on the stack at each ret that control comes to? false: il_stack_analyse has to
 * tell. Takes a body that il_edit_begin understands; does not fail and allocates nothing.
 *
 * The walk takes the stack to be empty behind an instruction that control does not go on behind, unless it has seen a
 * branch to that place. Compilers write code of which this holds (III.1.7.5), and the walk notices when it does not. */
bool il_walk_over(const il_body *body, bool returns_value, il_token_effect *effect, void *user);

#endif
