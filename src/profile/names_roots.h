/* names_roots.h - the methods that a framework calls, as the names resource has them. */
#ifndef ILINJECT_PROFILE_NAMES_ROOTS_H
#define ILINJECT_PROFILE_NAMES_ROOTS_H

#include "profile/names.h"

/* Fills in `root`, `title` and `uses` of the methods, and what tests use. Returns ECMA_OK, ECMA_BAD_FILE (*fault says
 * what is wrong) or ECMA_NO_MEMORY. */
ecma_status names_read_roots(names *n, const char **fault, arena *a, reader *r);

#endif
