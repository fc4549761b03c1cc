/* modules.h - assemblies of several files (II.6.1): what a manifest says of its modules, when these were instrumented
 * into the same folder before it. */
#ifndef ILINJECT_OUTPUT_MODULES_H
#define ILINJECT_OUTPUT_MODULES_H

#include "input/image.h"
#include "metadata/edit.h"

/* Lets the assembly's resources lead to the names that its instrumented modules carry, for the tracker to find.
 * `output` is the manifest's path to be. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY. */
ecma_status modules_add_names(md_edit *edit, const char *output, diag *d);

/* Brings the hashes in the File rows of `out`, an image, in step with its instrumented modules; `renewed`: how many
 * were changed. A module that is missing, or has another hash without being instrumented, is reported. Returns ECMA_OK,
 * ECMA_BAD_FILE, ECMA_IO, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status modules_renew_hashes(uint32_t *renewed, const buffer *out, const char *output, diag *d);

#endif
