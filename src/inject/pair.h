/* pair.h - the calls that every method gets: on its way in, and on each of its ways out. */
#ifndef ILINJECT_INJECT_PAIR_H
#define ILINJECT_INJECT_PAIR_H

#include "inject/plan.h"

/* Each inserts its part of a planned method's code, as a row of rows.c says. They return the stack that it needs;
 * in->il.refused keeps what has failed. */
uint32_t pair_enter(injector *in, const method_plan *p);
uint32_t pair_handle(injector *in, const method_plan *p);
uint32_t pair_leave(injector *in, const method_plan *p);

#endif
