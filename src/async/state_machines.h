/* state_machines.h - the state machines that compilers make of async methods and iterators, found by their call sites.
 *
 * An async machine is a type of this module that some method hands to a builder's Start (or an async iterator's
 * machine, to AsyncIteratorMethodBuilder.MoveNext): the method that does so is its starter. The calls of its MoveNext
 * on the builder show what it does: Await[Unsafe]OnCompleted suspends, SetResult and SetException end. An iterator is a
 * type by a compiler's name that another type's method creates. Nothing else of a compiler's shapes is relied on. Only
 * methods that are instrumented are looked at. */
#ifndef ILINJECT_ASYNC_STATE_MACHINES_H
#define ILINJECT_ASYNC_STATE_MACHINES_H

#include "async/state_machine.h"
#include "select/bodies.h"

typedef struct state_machines {
    state_machine *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
} state_machines;

/* Finds the machines of an image after its bodies are chosen. Without `with_sites` they report no events. Returns
 * ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status state_machines_find(state_machines *m, ilj_image *image, const bodies *b, bool with_sites);

/* True if any machine reports events. */
bool state_machines_have_events(const state_machines *m);

/* Returns the machine that has a MethodDef row as MoveNext if it reports events, else NULL. *hint, 0 at first, is kept
 * from call to call, so that ascending rows are found at once. */
const state_machine *state_machines_with_events(const state_machines *m, uint32_t method_row, uint32_t *hint);

#endif
