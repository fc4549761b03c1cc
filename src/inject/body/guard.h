/* guard.h - which methods can be guarded against exceptions, and from where on. */
#ifndef ILINJECT_INJECT_BODY_GUARD_H
#define ILINJECT_INJECT_BODY_GUARD_H

#include "il/edit.h"
#include "il/stack.h"
#include "metadata/index.h"
#include "metadata/types.h"

/* Can no instruction of the body from `start` on throw, where the stack is empty? `is_instance`: argument 0 is `this`,
 * whose fields are taken to be there. An exception that the runtime may throw anywhere (an abort, the end of memory or
 * of the stack) is not looked at. */
bool guard_is_needless(const il_body *body, uint32_t start, bool is_instance);

/* Does a finally or fault handler of the body run to its end by itself, each instruction at most once, without throwing
 * (as above) or running other code? That is: no call, no loop, no protected region of its own, no static field, whose
 * type may have an initializer, and instance fields of `this` alone, before the first branch. The clause is within the
 * code. */
bool guard_handler_is_quiet(const il_body *body, const il_clause *clause, bool is_instance);

/* guard_constructor_start of a body that begins with such a call of plain arguments; 0: that does not decide. */
uint32_t guard_constructor_head(const md_view *view, const md_index *index, uint32_t method_row, const il_body *body);

/* Where the protected region of a constructor starts, in bytes of code: after the call of a constructor of its own or
 * its base type on `this` (II.10.5.1: until then `this` is not initialised, and a verifier refuses a region around
 * that). 0 when there is no such call. `stack` is the body's, analysed. */
uint32_t guard_constructor_start(const md_view *view, const md_index *index, uint32_t method_row, const il_stack *stack,
                                 const il_body *body);

#endif
