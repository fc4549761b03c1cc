/* inject.h - what is put into a method's body, in one of two shapes.
 *
 * ret:     a call at the head, a call before each way out by the method's own code.
 * guarded: a call at the head; the rest in a try block whose fault handler reports that an exception left it; each ret
 *          leaves to one exit behind it, which reports and returns; handlers of the method's own report that they run.
 *
 * With a tracker that only counts, neither: a call at the head alone.
 *
 * An injector is made once for a module and used for its methods in turn; it knows what the tracker asks for. */
#ifndef ILINJECT_INJECT_INJECT_H
#define ILINJECT_INJECT_INJECT_H

#include "async/runtime_async.h"
#include "async/state_machines.h"
#include "il/edit.h"
#include "inject/capture_calls.h"
#include "inject/ids.h"
#include "inject/locals.h"
#include "inject/result_reloads.h"
#include "inject/result_types.h"
#include "inject/stack_depth.h"
#include "inject/values.h"
#include "metadata/index.h"
#include "tracker/references.h"

typedef struct injector {
    /* To be set before injector_init; borrowed. */
    md_edit *edit;
    const tracker *tracker;
    references *refs;
    const state_machines *machines;
    const async_methods *async_methods;
    const ids *ids;
    capture *capture;

    /* To be read: the method that was injected last, laid out. */
    il_edit il;

    /* Not for the owner. */
    const md_view *view;
    const md_index *index;
    values values; /* for a tracker that takes any */
    result_reloads reloads;
    locals locals;
    result_types results;
    uint32_t machine_hint;
    depths depths;
    buffer name, types;         /* scratch */
    buffer catching, unwinding; /* the code that the current method's handlers start with */
    buffer fault, filter, exit; /* of its guard: il borrows them */
    buffer scratch;             /* code */
} injector;

/* A method that gets a new body. */
typedef struct injection {
    uint32_t row; /* MethodDef */
    uint32_t id;
    ilj_exits exits; /* a method that cannot be guarded, or need not be, gets the ret shape all the same */
    const il_body *body;
} injection;

/* Allocates from the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY (told). */
ecma_status injector_init(injector *in, ilj_image *image);
void injector_clear(injector *in);

/* Checks and instruments one body and appends the new one to `out`; *fat says whether it must
 * stand on a 4-byte boundary. Returns ECMA_OK; ECMA_BAD_FILE when the body cannot be understood
 * (`fault` says why, nothing is told to d); ECMA_UNSUPPORTED, ECMA_NO_MEMORY (told). */
ecma_status inject_method(injector *in, buffer *out, bool *fat, const injection *what, il_fault *fault, diag *d);

#endif
