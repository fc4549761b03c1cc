/* context.h - what one caller's jobs share: where diagnostics go. Joins the library's types to those of ecma335/. */
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

#define STATUS_AGREES(name) _Static_assert((int)ECMA_##name == (int)ILJ_##name, "ecma_status and ilj_status differ")
STATUS_AGREES(OK);
STATUS_AGREES(BAD_FILE);
STATUS_AGREES(UNSUPPORTED);
STATUS_AGREES(IO);
STATUS_AGREES(NO_MEMORY);
STATUS_AGREES(CONFIG);
STATUS_AGREES(BUG);
#undef STATUS_AGREES

static inline ilj_status status_of(ecma_status status) {
    return (ilj_status)status;
}

#endif
