/* machine_calls.h - what is put into the MoveNext of an async state machine beside the calls that every method gets:
 * the ways by which it is suspended, resumed and ended, and who it is. */
#ifndef ILINJECT_INJECT_ASYNC_MACHINE_CALLS_H
#define ILINJECT_INJECT_ASYNC_MACHINE_CALLS_H

#include "async/state_machine.h"
#include "il/edit.h"
#include "tracker/references.h"

/* Adds the calls to `to`, after that of the head. `token` is the local that keeps what enter returned, `value_task`
 * one of the type m->value_task, if m->as_task is not 0. Returns the stack that they need. */
uint32_t machine_insert_calls(il_edit *to, const state_machine *m, const references *refs, uint32_t token,
                              uint32_t value_task);

#endif
