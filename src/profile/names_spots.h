/* names_spots.h - lines within methods, as the names resource has them. */
#ifndef ILINJECT_PROFILE_NAMES_SPOTS_H
#define ILINJECT_PROFILE_NAMES_SPOTS_H

#include "profile/names.h"

/* Fills in the lines of the places that allocate, and the calls of leaves. Returns ECMA_OK, ECMA_BAD_FILE (*fault says
 * what is wrong) or ECMA_NO_MEMORY. */
ecma_status names_read_spots(names *n, const char **fault, arena *a, reader *r);

#endif
