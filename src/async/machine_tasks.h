/* machine_tasks.h - the identity of an async machine that is a struct: the task of its builder, or what the builder
 * keeps. */
#ifndef ILINJECT_ASYNC_MACHINE_TASKS_H
#define ILINJECT_ASYNC_MACHINE_TASKS_H

#include "async/state_machines.h"
#include "tracker/references.h"

/* Fills in get_task, as_task and value_task of the machines that are structs, suspend, and have a builder of Task or
 * ValueTask; adds the rows that this takes. Sets by_builder of the others: async void, pooled builders, a program's own
 * builders, and builders with a task that the module never reads itself. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status machine_tasks_find(state_machines *m, ilj_image *image, md_edit *edit);

/* True if there is one with by_builder. */
bool machine_tasks_want_builders(const state_machines *m);

#endif
