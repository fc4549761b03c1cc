/* near.h - the name that a pattern without a match probably meant. */
#ifndef ILINJECT_NEAR_H
#define ILINJECT_NEAR_H

#include "image.h"
#include "selection.h"

/* Where more rules than this match nothing in an image, no name was misspelt: they are for
 * other images. */
enum { NEAR_MOST_RULES = 1000 };

/* For each rule that matched nothing so far: looks among the names of the image's namespaces,
 * types and methods; keeps the nearest in the rule, in the arena of the selection. The names
 * are gathered once for all rules. Does nothing for more than NEAR_MOST_RULES. Lack of memory
 * only loses the help. */
void near_look(ilj_selection *selection, const ilj_image *image);

#endif
