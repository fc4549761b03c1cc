/* ready_to_run.h - ReadyToRun images: their IL taken out into an image that holds nothing else.
 *
 * A runtime runs the precompiled code of such an image, not what is put into its IL; so that code has to go. */
#ifndef ILINJECT_INPUT_READY_TO_RUN_H
#define ILINJECT_INPUT_READY_TO_RUN_H

#include "input/image.h"
#include "ready_to_run/image.h"

/* The outcome for an image. */
typedef struct ready_to_run {
    bool found;
    uint16_t machine;    /* of code that was taken out, and could be compiled again: the header's Machine; else 0 */
    bool component;      /* of a composite image, which knows the module by its MVID */
    bool kept;           /* its native code stays where it lies; `code` is a view of it */
    const char *why_not; /* it was to stay, and does not: a static text */
    r2r_image code;
} ready_to_run;

/* NULL, or why the native code of an image, which `code` is a view of, cannot stay: a static text. After md_validate.
 */
const char *ready_to_run_why_not(const r2r_image *code, const ilj_image *image);

/* Decides that the native code of a ReadyToRun image stays, where it can. After md_validate. */
void ready_to_run_keep(ready_to_run *p, ilj_image *image);

/* Takes that back: the code does not stay, as hardly a method would use it. */
void ready_to_run_give_up(ready_to_run *p, ilj_image *image);

/* When the image is a ReadyToRun one, and its code does not stay, puts an IL-only image, made in its arena, in its
 * place: same tables, heaps and tokens, other RVAs. The metadata has passed md_validate. Returns ECMA_OK,
 * ECMA_UNSUPPORTED, ECMA_BAD_FILE, ECMA_NO_MEMORY; all reported to the image's diag. */
ecma_status ready_to_run_take_out(ready_to_run *p, ilj_image *image);

/* The one line about it. */
void ready_to_run_report(const ready_to_run *p, ilj_image *image);

#endif
