/* validate.h - what has to be right in an image's metadata before it is rewritten.
 *
 * Only what the rewriting relies on is checked: that the rows that must exist do, that lists of members ascend and stay
 * in range (rows are appended after them), that the names, signatures and rows that are followed can be. Other
 * rows may be wrong, as they are in what obfuscators write and runtimes load; those that md_index turns round
 * (NestedClass, GenericParam, MethodSemantics, MethodImpl) may be, as it passes over rows that name nothing. */
#ifndef ECMA335_METADATA_VALIDATE_H
#define ECMA335_METADATA_VALIDATE_H

#include "metadata/view.h"

/* Returns ECMA_OK, or ECMA_BAD_FILE after it has reported the first fault: table, token, column, value, what was
 * expected, clause. Warns of a second Module row. */
ecma_status md_validate(const md_view *view, diag *d);

#endif
