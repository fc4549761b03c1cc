/* capture_calls.h - calls that are seen with their values: which methods' they are, the code that hands the values
 * over, and what the tracker is told of the methods (docs/capture.md).
 *
 * Life cycle: all zero but for image, edit, refs and selection, capture_begin, then for each method with an id
 * capture_enter, capture_exit, capture_describe, then capture_finish, capture_clear. Values are handed over in the way
 * that their static type allows: numbers and references as they are, values of value types by the generic CallValue<T>;
 * what can be no type argument (ref structs, pointers) is told by its type alone, as the names resource has it. */
#ifndef ILINJECT_INJECT_CAPTURE_CALLS_H
#define ILINJECT_INJECT_CAPTURE_CALLS_H

#include "inject/type_table.h"
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
    uint32_t *rules; /* by MethodDef row: 0, or 1 + the rule's position; NULL: no method is captured */
    attribute_marks by_ref_like;
    type_table calls; /* for values of a type */
    buffer text;      /* descriptions */
    buffer types;     /* scratch: type signatures that stand in no blob */
} capture;

enum { CAPTURE_DEPTH = 4 }; /* stack for what is put in */

/* Asks the selection's rules about each body that is to be instrumented, but those of state machines, which nobody
 * wrote, and adds the tracker's methods when there are any such. Returns ECMA_OK, ECMA_CONFIG (the tracker has no such
 * methods), ECMA_NO_MEMORY (told). */
ecma_status capture_begin(capture *c, const tracker *t, const bodies *b);
void capture_clear(capture *c);

/* The method's rule, or NULL. */
const capture_rule *capture_rule_of(const capture *c, uint32_t method_row);

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

/* When all are described: lets the module's helper type tell the tracker. Returns ECMA_OK, ECMA_NO_MEMORY (told);
 * what #US cannot hold is remembered in the edit. */
ecma_status capture_finish(capture *c, diag *d);

#endif
