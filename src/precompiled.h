/* precompiled.h - ReadyToRun images: their IL taken out into an image that holds nothing else.
 *
 * A runtime runs the precompiled code of such an image, not what is put into its IL; so that code has to go. */
#ifndef ILINJECT_PRECOMPILED_H
#define ILINJECT_PRECOMPILED_H

#include "image.h"

/* What became of an image. */
typedef struct precompiled {
    bool found;
    bool component; /* of a composite image, which knows the module by its MVID */
} precompiled;

/* When the image is a ReadyToRun one, puts an IL-only image, made in its arena, in its place: same tables, heaps and
 * tokens, other RVAs. The metadata has passed md_validate. Returns ECMA_OK, ECMA_UNSUPPORTED, ECMA_BAD_FILE,
 * ECMA_NO_MEMORY; all told to the image's diag. */
ecma_status precompiled_take_out(precompiled *p, ilj_image *image);

/* The one line about it. */
void precompiled_tell(const precompiled *p, ilj_image *image);

#endif
