/* counts.h - how often methods were called, by name, as profiles say it, and the choice that follows (choice.h).
 *
 * COUNTS_INIT, counts_add for each profile, marks, counts_choose, use, counts_clear. Methods are matched by assembly,
 * full metadata name and parameters, so that a profile is good for the next build as well. The MoveNext of an async
 * method or iterator counts for the method that starts it. No time but a run's processor time is looked at.
 * Where a profile has counts and no tree, what a method calls is taken from its IL (callers.h).
 * The outcome is the same in whatever order the profiles are added. */
#ifndef ILINJECT_CHOICE_COUNTS_H
#define ILINJECT_CHOICE_COUNTS_H

#include "choice/counted.h"
#include "input/image.h"
#include "profile/profile.h"

#define COUNTS_INIT ((counts){0})

/* Adds what was read; nothing of it is kept. Names that are missing or damaged are reported (PROFILE_NAMES), their
 * methods have no part in the choice. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status counts_add(counts *c, const profile *p, diag *d);

/* Reads the file and adds it. Also returns what profile_read returns, and ECMA_IO. */
ecma_status counts_add_file(counts *c, diag *d);

/* Chooses for that many percent. False when memory ran out. */
bool counts_choose(counts *c, unsigned percent);

/* The method with this key, or NULL: no profile knows it. */
const counted *counts_find(const counts *c, bytes key);

/* For sorting: by their keys. */
int counts_compare(const counted *a, const counted *b);

/* Makes the key of a method the content of `b`. */
void counts_key(buffer *b, const ilj_image *image, uint32_t method_row);

void counts_clear(counts *c);

#endif
