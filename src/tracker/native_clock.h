/* native_clock.h - libilinject_clock, which the tracker reads fast clocks through (runtime-tracker/clock/clock.h):
 * whether an output needs it, and its bytes. Its name is the same for every processor: a folder of outputs is for one.
 */
#ifndef ILINJECT_TRACKER_NATIVE_CLOCK_H
#define ILINJECT_TRACKER_NATIVE_CLOCK_H

#include "base/bytes.h"
#include "base/diag.h"
#include "ilinject.h"

#define NATIVE_CLOCK_FILE "libilinject_clock.so"

/* The library that belongs beside the outputs of these options; size 0: none. DIAG_NATIVE_CLOCK when the one that is
 * asked for was not built into this program. Returns ECMA_OK, ECMA_CONFIG. */
ecma_status native_clock_choose(bytes *library, const ilj_instrument_options *options, diag *d);

#endif
