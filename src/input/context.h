/* context.h - what one caller's jobs share: where diagnostics go. */
#ifndef ILINJECT_INPUT_CONTEXT_H
#define ILINJECT_INPUT_CONTEXT_H

#include "base/diag.h"
#include "ilinject.h"

struct rewrite_plan;

/* Called with the layout of each output when it is final, before a byte is written. */
typedef struct layout_watch {
    void (*planned)(void *user, const struct rewrite_plan *plan); /* rewrite.h; the plan is for the call alone */
    void *user;
} layout_watch;

struct ilj_context {
    ilj_diagnostic_fn *sink; /* may be NULL */
    void *user;
    const layout_watch *watch; /* borrowed; NULL: not requested */
};

/* Returns a diag for one input, which reports to the context's sink. `file` is borrowed: it must outlive the diag, as
 * must the context. */
diag context_diag(ilj_context *context, const char *file);

/* Copies a caller's options, which may be of an older, shorter struct: what that has not is 0. Both structs begin with
 * their size, and `own` is of `size` bytes. Reports a size that is not known, with the struct's name. */
ecma_status options_copy(void *own, const void *given, size_t size, const char *name, ilj_context *context);

#endif
