/* visited.h - methods that are only visited: one call at the head says that they were called, and none that they were
 * left. */
#ifndef ILINJECT_INJECT_BODY_VISITED_H
#define ILINJECT_INJECT_BODY_VISITED_H

#include "il/edit.h"
#include "metadata/view.h"

/* The code of a getter, a setter, a constructor that stores its arguments: at most that many bytes, which every
 * compiler of .NET puts in line (DefaultPolicy::ALWAYS_INLINE_SIZE of the runtime's JIT; Mono's limit is 20). Their
 * time is their callers', in the plain program, too. */
enum { VISITED_MOST_BYTES = 16, VISITED_MOST_SIZE = 6 + VISITED_MOST_BYTES };

/* Is the body such code, which calls nothing (but, first in a constructor, Object's), cannot throw, and has no loop?
 * `edit` has begun on it. `is_instance`: argument 0 is `this`. */
bool visited_can_be(const md_view *view, const il_edit *edit, const il_body *body, bool is_instance);

#endif
