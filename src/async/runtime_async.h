/* runtime_async.h - async methods without a state machine, which the runtime suspends (MethodImpl 0x2000): where they
 * may be suspended, and what is put there.
 *
 * A call of AsyncHelpers.Await… may go on on another thread. So such a method keeps the call that the tracker gives it,
 * an object, in place of a token; before each Await of an operand that has not completed it reports that it suspends,
 * and after each Await that it goes on. The code asks the task itself whether it has completed; before an Await of an
 * unknown kind it reports a suspension in any case. */
#ifndef ILINJECT_ASYNC_RUNTIME_ASYNC_H
#define ILINJECT_ASYNC_RUNTIME_ASYNC_H

#include "il/edit.h"
#include "select/bodies.h"
#include "tracker/references.h"

enum { AWAIT_NO_LOCAL = UINT32_MAX };

typedef struct await_site {
    uint32_t offset; /* of the call with its prefixes, in the method's code */
    uint32_t behind; /* of the instruction that follows it; 0: nothing may stand there */
    uint32_t depth;  /* items on the stack before the call */
    /* How the operand is asked whether it has completed, if is_completed is not 0: a task as it is, a struct through a
     * local, with get_awaiter through its awaiter in another one. Locals are numbers among those that are added. */
    md_token is_completed, get_awaiter;
    uint32_t value, awaiter;
} await_site;

typedef struct async_method {
    uint32_t method; /* MethodDef row */
    const await_site *sites;
    uint32_t site_count;
    bytes types; /* of the locals that it needs, one after another as in a local signature */
    uint32_t type_count;
} async_method;

typedef struct async_methods {
    async_method *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
} async_methods;

/* Finds those that are instrumented. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status async_methods_find(async_methods *m, ilj_image *image, const bodies *b);

/* Finds their sites and adds the rows that asking takes, after references_add. Returns ECMA_OK, ECMA_NO_MEMORY
 * (reported).
 */
ecma_status async_methods_reference(async_methods *m, ilj_image *image, const bodies *b, md_edit *edit);

/* The method of this row, or NULL. */
const async_method *async_methods_of(const async_methods *m, uint32_t method_row);

typedef struct async_locals {
    uint32_t call;     /* keeps what enter returned */
    uint32_t first;    /* of those of async_method.types */
    uint32_t captured; /* keeps the call that is seen with its values; AWAIT_NO_LOCAL: none is */
} async_locals;

/* Adds the calls to `to`. Returns the stack that they need. */
uint32_t async_insert_calls(il_edit *to, const async_method *m, const references *refs, const async_locals *l);

#endif
