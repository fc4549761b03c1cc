/* inject.h - what is put into a method's body, in one of two shapes.
 *
 * ret:     a call at the head, a call before each way out by the method's own code.
 * guarded: a call at the head; the rest in a try block whose fault handler reports that an exception left it; each ret
 *          leaves to one exit behind it, which reports and returns; handlers of the method's own report that they run.
 *
 * With a tracker that only counts, neither: a call at the head alone.
 *
 * An injector is made once for a module and used for its methods in turn; it knows what the tracker asks for. */
#ifndef ILINJECT_INJECT_H
#define ILINJECT_INJECT_H

#include "capture_calls.h"
#include "depth.h"
#include "il/edit.h"
#include "inject/result_reloads.h"
#include "inject/result_types.h"
#include "locals.h"
#include "machines.h"
#include "metadata/index.h"
#include "references.h"
#include "runtime_async.h"
#include "values.h"

typedef struct injector {
    const md_view *view;
    const md_index *index;
    md_edit *edit;
    const tracker *tracker;
    const references *refs;
    const machines *machines;
    const async_methods *async_methods;
    values values; /* for a tracker that takes any */
    result_reloads reloads;
    capture *capture; /* NULL: no call is seen with its values */
    buffer fixups;    /* starter_fixup */
    locals locals;
    result_types results;
    uint32_t near_machine;
    buffer name, types; /* scratch */
    il_edit il;
    depths depths;
    buffer catching, unwinding; /* what its handlers start with */
    buffer fault, filter, exit; /* of the current method's guard: il borrows them */
    buffer scratch;             /* code */
} injector;

/* Where in the new bodies the id of the method that starts a machine belongs, which can come behind it. */
typedef struct starter_fixup {
    size_t at;
    uint32_t starter; /* MethodDef row */
    uint32_t id;      /* of MoveNext: what stands there when the starter got no id after all */
} starter_fixup;

/* Allocates from the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY (told). */
ecma_status injector_init(injector *in, ilj_image *image, md_edit *edit, const tracker *t, references *refs,
                          const machines *machines, const async_methods *async_methods, capture *capture);
void injector_clear(injector *in);

/* Reads, checks and instruments one body and appends the new one to `out`; *fat says whether it must stand on a 4-byte
 * boundary. `body_bytes` start at its header. A method that cannot be guarded, or need not be, gets the ret shape all
 * the same. Returns ECMA_OK; ECMA_BAD_FILE when the body cannot be understood (`fault` says why, nothing is told to d);
 * ECMA_UNSUPPORTED, ECMA_NO_MEMORY (told). */
ecma_status inject_method(injector *in, buffer *out, bool *fat, uint32_t method_row, uint32_t id, ilj_exits exits,
                          const il_body *body, il_fault *fault, diag *d);

#endif
