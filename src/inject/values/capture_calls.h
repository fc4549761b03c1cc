/* capture_calls.h - calls that are seen with their values: which methods' they are, the code that hands the values
 * over, and what the tracker is told of the methods (docs/capture.md).
 *
 * Life cycle: all zero but for image, edit, refs and selection, capture_choose, capture_begin, then for each method with
 * an id capture_enter, capture_exit, capture_describe, then capture_finish, capture_clear. Values are handed over in the
 * way that their static type allows: numbers and references as they are, values of value types by the generic
 * CallValue<T>; what can be no type argument (ref structs, pointers) is told by its type alone, as the names resource
 * has it. */
#ifndef ILINJECT_INJECT_VALUES_CAPTURE_CALLS_H
#define ILINJECT_INJECT_VALUES_CAPTURE_CALLS_H

#include "async/runtime_async.h"
#include "async/state_machines.h"
#include "inject/module/type_table.h"
#include "inject/values/capture_types.h"
#include "metadata/edit.h"
#include "select/attributes.h"
#include "select/bodies.h"
#include "select/selection.h"
#include "tracker/references.h"

typedef struct capture {
    ilj_image *image;
    md_edit *edit;
    references *refs;
    const ilj_selection *selection;
    uint32_t *rules;  /* by MethodDef row: 0, or 1 + the rule's position; NULL: no method is captured */
    uint8_t *awaited; /* by MethodDef row: CAPTURE_AWAITED_…; NULL: no captured method is async */
    md_token can_call_value; /* bool CanCallValue(RuntimeTypeHandle); 0: not added yet */
    attribute_marks by_ref_like;
    type_table calls; /* for values of a type */
    buffer text;      /* descriptions */
    buffer types;     /* scratch: type signatures that stand in no blob */
} capture;

enum { CAPTURE_DEPTH = 4 }; /* stack for what is put in */

/* A captured async method: its calls end with the one machine that it starts, or when the runtime is through with it.
 */
enum { CAPTURE_AWAITED_MACHINE = 1, CAPTURE_AWAITED_RUNTIME = 2 };

/* Asks the selection's rules about each body that is to be instrumented, but those of state machines, which nobody
 * wrote: c->rules. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status capture_choose(capture *c, const bodies *b, const state_machines *m);

/* Adds the tracker's methods, which it has, when there are such methods. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status capture_begin(capture *c, const tracker *t, const bodies *b, const state_machines *m,
                          const async_methods *a);
void capture_clear(capture *c);

/* The method's rule, or NULL. */
const capture_rule *capture_rule_of(const capture *c, uint32_t method_row);

/* CAPTURE_AWAITED_… of a captured method, or 0. */
unsigned capture_awaited_of(const capture *c, uint32_t method_row);

/* Appends what hands over a result of this type, which is in the local `from`, for the call in the local `call`. */
void capture_hand_over_result(capture *c, buffer *code, const capture_type *t, uint32_t call, uint32_t from);

/* Appends what stands at the method's head: asks the tracker, keeps its answer in `local`, hands over the arguments. */
void capture_enter(capture *c, buffer *code, uint32_t method_row, uint32_t id, uint32_t local);

/* The result of a captured method. */
typedef struct capture_result {
    uint32_t local; /* that it is in */
    bytes type;     /* empty: there is none */
    bool values;    /* false before a tail call: neither the result nor what parameters have become is there */
} capture_result;

/* Appends what stands before a return: hands over the result and what parameters have become. `local` keeps what
 * capture_enter's call answered. */
void capture_exit(capture *c, buffer *code, uint32_t method_row, uint32_t local, const capture_result *result);

/* Describes the method for the tracker. */
void capture_describe(capture *c, uint32_t method_row, uint32_t id, bool runtime_async);

/* When all are described: lets the module's helper type tell the tracker. Returns ECMA_OK, ECMA_NO_MEMORY (reported);
 * what #US cannot hold is remembered in the edit. */
ecma_status capture_finish(capture *c, diag *d);

#endif
