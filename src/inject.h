/* inject.h - the ret shape: a call at the head of a method, a call before each way out of it.
 *
 * An injector is made once for a module and used for its methods in turn; it knows what the tracker asks for, and keeps
 * the local signatures it extended so that equal ones are added once. */
#ifndef ILINJECT_INJECT_H
#define ILINJECT_INJECT_H

#include "il/edit.h"
#include "il/stack.h"
#include "metadata/index.h"
#include "references.h"

/* A few instructions without a branch. */
typedef struct sequence {
    uint8_t code[16];
    uint32_t size;
} sequence;

typedef struct injector {
    const md_view *view;
    const md_index *index;
    md_edit *edit;
    const tracker *tracker;
    const references *refs;
    md_token *extended_locals; /* by StandAloneSig row of the old signature, 0 for none: the extended one, or 0 */
    buffer name;               /* scratch */
    il_edit il;
    il_stack stack;
    uint8_t *effects; /* by MethodDef, then MemberRef row: what a call does to the stack, once asked; see inject.c */
    sequence enter, leave; /* of the current method: il borrows them */
} injector;

/* Allocates from the arena. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status injector_init(injector *in, const md_view *view, const md_index *index, md_edit *edit, const tracker *t,
                          const references *refs, arena *a, diag *d);
void injector_clear(injector *in);

/* Reads, checks and instruments one body and appends the new one to `out`; *fat says whether it must stand on a 4-byte
 * boundary. `body_bytes` start at its header. Returns ECMA_OK; ECMA_BAD_FILE when the body cannot be understood
 * (`fault` says why, nothing is told to d); ECMA_UNSUPPORTED, ECMA_NO_MEMORY (told). */
ecma_status inject_method(injector *in, buffer *out, bool *fat, uint32_t method_row, uint32_t id, const il_body *body,
                          il_fault *fault, diag *d);

#endif
