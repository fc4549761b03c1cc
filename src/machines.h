/* machines.h - the state machines that compilers make of async methods and iterators, found by their call sites.
 *
 * An async machine is a type of this module that some method hands to a builder's Start (or an async iterator's
 * machine, to AsyncIteratorMethodBuilder.MoveNext): the method that does so is its starter. What its MoveNext does is
 * told by what it calls on the builder: Await[Unsafe]OnCompleted suspends, SetResult and SetException end. An iterator
 * is a type by a compiler's name that another type's method creates. Nothing else of a compiler's shapes is relied on.
 * Only methods that are instrumented are looked at. */
#ifndef ILINJECT_MACHINES_H
#define ILINJECT_MACHINES_H

#include "bodies.h"
#include "machine.h"

typedef struct machines {
    machine *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
} machines;

/* Looks through an image whose bodies have been chosen; without their sites, machines tell nothing of themselves.
 * Returns ECMA_OK, ECMA_NO_MEMORY (told). */
ecma_status machines_find(machines *m, ilj_image *image, const bodies *b, bool with_sites);

/* Does any? */
bool machines_have_events(const machines *m);

/* The machine whose MoveNext a MethodDef row is, if it tells of itself, or NULL. *near, 0 at first, is kept from call
 * to call: rows that rise are found at once. */
const machine *machines_with_events(const machines *m, uint32_t method_row, uint32_t *near);

#endif
