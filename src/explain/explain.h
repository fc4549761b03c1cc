/* explain.h - for people: what instrumenting does with single methods and with the parts of a file, read from an output
 * that is made in memory. (ilj_image_explain is in explain.c, ilj_image_plan in plan.c.) */
#ifndef ILINJECT_EXPLAIN_EXPLAIN_H
#define ILINJECT_EXPLAIN_EXPLAIN_H

#include "base/buffer.h"
#include "input/image.h"

/* Instruments the opened image in memory. `out` becomes the output's bytes, owned by the caller; empty when the image
 * is copied through, and summary->skip_reason says why. Returns what ilj_instrument returns. */
ilj_status explain_make(buffer *out, ilj_summary *summary, ilj_image *image, const ilj_instrument_options *options);

#endif
