/* explain_calls.h - which calls of a method became leaves, and which places count an object; both read from a body and
 * what became of it. */
#ifndef ILINJECT_EXPLAIN_CALLS_H
#define ILINJECT_EXPLAIN_CALLS_H

#include "async/state_machine.h"
#include "dump/text_out.h"
#include "il/body.h"
#include "input/image.h"
#include "select/selection.h"

typedef struct explained_body {
    ilj_image *image, *made; /* the input, and the output */
    const ilj_selection *selection;
    const state_machine *machine; /* the state machine this MoveNext belongs to if it reports events, else NULL */
    uint32_t row;
    uint32_t first_leaf; /* ids from here on are leaves' */
    il_body before, after;
} explained_body;

/* True if the token names a row that the output has and the input has not. */
bool explain_is_added(const explained_body *e, md_token token);

/* Writes a line for each call of code that is not instrumented: the leaf and the pattern that made it one, or why it is
 * none. Nothing without patterns of leaves. `scratch` is written over. */
void explain_leaves(const explained_body *e, text_out *out, buffer *scratch);

/* Writes how many of the places that may allocate an object count one. */
void explain_objects(const explained_body *e, text_out *out);

#endif
