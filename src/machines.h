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

typedef enum machine_builder {
    MACHINE_BUILDER_OTHER, /* none of those below, or one whose task cannot be asked for */
    MACHINE_BUILDER_TASK,
    MACHINE_BUILDER_VALUE_TASK,
} machine_builder;

typedef enum machine_event { MACHINE_SUSPENDS, MACHINE_COMPLETES, MACHINE_FAILS } machine_event;

/* A call in a MoveNext that tells of its machine. */
typedef struct machine_site {
    uint32_t offset; /* of the call with its prefixes, in the method's code */
    uint32_t behind; /* of the instruction that follows it; 0: nothing may stand there */
    uint32_t depth;  /* items on the stack before the call */
    machine_event event;
} machine_site;

typedef struct machine {
    uint32_t method; /* MethodDef row of its MoveNext */
    uint32_t owner;  /* MethodDef row of the method that the user wrote */
    bool is_async, is_iterator;
    /* Of async machines. */
    uint32_t starter; /* MethodDef row; 0: none was found */
    bool is_class;
    machine_builder builder;
    bytes address; /* the instructions that give the builder's address; empty when it never suspends */
    md_token
        builder_type; /* as the calls of its members name it: TypeDef, TypeRef, TypeSpec; 0 when it never suspends */
    const machine_site *sites; /* at rising offsets */
    uint32_t site_count;
    /* What machine_tasks_find adds: how the task of a struct is asked for; get_task is 0 when it cannot be. */
    md_token get_task;
    md_token as_task; /* of the ValueTask that get_task gives; 0: it gives a Task */
    bytes value_task; /* that ValueTask's type, in a signature of MoveNext's locals; in the image's arena */
} machine;

typedef struct machines {
    machine *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
} machines;

/* Looks through an image whose bodies have been chosen; without their sites, machines tell nothing of themselves.
 * Returns ECMA_OK, ECMA_NO_MEMORY (told). */
ecma_status machines_find(machines *m, ilj_image *image, const bodies *b, bool with_sites);

/* Does the machine tell of itself: is it async, and known who starts it and how it ends? */
static inline bool machine_has_events(const machine *m) {
    return m->starter && m->site_count;
}

/* Does any? */
bool machines_have_events(const machines *m);

/* The machine whose MoveNext a MethodDef row is, if it tells of itself, or NULL. *near, 0 at first, is kept from call
 * to call: rows that rise are found at once. */
const machine *machines_with_events(const machines *m, uint32_t method_row, uint32_t *near);

#endif
