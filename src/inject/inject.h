/* inject.h - what is put into a method's body, in one of two shapes.
 *
 * ret:     a call at the head, a call before each way out by the method's own code.
 * guarded: a call at the head; the rest in a try block whose fault handler reports that an exception left it; each ret
 *          leaves to one exit after it, which reports and returns; handlers of the method's own report that they run.
 *
 * With a tracker that only counts, neither: a call at the head alone.
 *
 * An injector is made once for a module and used for its methods in turn; it knows what the tracker asks for. */
#ifndef ILINJECT_INJECT_INJECT_H
#define ILINJECT_INJECT_INJECT_H

#include "inject/injector.h"

/* Allocates from the image's arena. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status injector_init(injector *in, ilj_image *image);
void injector_clear(injector *in);

/* Checks and instruments one body and appends the new one to `out`; *fat says whether it must
 * stand on a 4-byte boundary. Returns ECMA_OK; ECMA_BAD_FILE when the body cannot be understood
 * (`fault` says why, nothing is reported to d); ECMA_UNSUPPORTED, ECMA_NO_MEMORY (reported). */
ecma_status inject_method(injector *in, buffer *out, bool *fat, const injection *what, il_fault *fault, diag *d);

#endif
