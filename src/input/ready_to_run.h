/* ready_to_run.h - ReadyToRun images: their IL taken out into an image that holds nothing else.
 *
 * A runtime runs the precompiled code of such an image, not what is put into its IL; so that code has to go. */
#ifndef ILINJECT_INPUT_READY_TO_RUN_H
#define ILINJECT_INPUT_READY_TO_RUN_H

#include "input/image.h"

/* The outcome for an image. */
typedef struct ready_to_run {
    bool found;
    bool component; /* of a composite image, which knows the module by its MVID */
} ready_to_run;

/* When the image is a ReadyToRun one, puts an IL-only image, made in its arena, in its place: same tables, heaps and
 * tokens, other RVAs. The metadata has passed md_validate. Returns ECMA_OK, ECMA_UNSUPPORTED, ECMA_BAD_FILE,
 * ECMA_NO_MEMORY; all reported to the image's diag. */
ecma_status ready_to_run_take_out(ready_to_run *p, ilj_image *image);

/* The one line about it. */
void ready_to_run_report(const ready_to_run *p, ilj_image *image);

#endif
