/* instrument.h - the pipeline over bytes in memory: what ilj_instrument does between reading and writing. */
#ifndef ILINJECT_INSTRUMENT_INSTRUMENT_H
#define ILINJECT_INSTRUMENT_INSTRUMENT_H

#include "base/buffer.h"
#include "input/image.h"

/* Instruments `input` (borrowed for the call; diagnostics call it `name`). `out` becomes the output's bytes, owned by
 * the caller; empty when the summary's outcome is ILJ_OUTCOME_COPIED. Returns what ilj_instrument returns, but for
 * ILJ_IO of the input and output. */
ilj_status instrument_bytes(buffer *out, ilj_summary *summary, ilj_context *context, const char *name, bytes input,
                            const ilj_instrument_options *options);

#endif
