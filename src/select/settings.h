/* settings.h - the tracker's settings that are put into an output: docs/configuration.md, "Settings of the tracker". */
#ifndef ILINJECT_SELECT_SETTINGS_H
#define ILINJECT_SELECT_SETTINGS_H

#include "base/buffer.h"
#include "base/diag.h"
#include "ilinject.h"

/* Appends what the helper type's type initializer gives to the tracker: a line name=value for each setting, in their
 * order, and for the built-in one the price that the selection has to keep, unless a setting says another. Those for
 * the built-in tracker have to be among its own and usable; another one's are its own affair, but for their form.
 * Returns ECMA_OK, ECMA_CONFIG (reported to d), ECMA_NO_MEMORY (reported). */
ecma_status settings_join(buffer *text, const ilj_instrument_options *options, diag *d);

#endif
