/* near.h - the name that a pattern without a match probably meant. */
#ifndef ILINJECT_NEAR_H
#define ILINJECT_NEAR_H

#include "image.h"
#include "selection.h"

/* Looks among the names of the image's namespaces, types and methods; keeps the nearest in the rule, in the arena of
 * the selection. Lack of memory only loses the help. */
void near_look(selection_rule *rule, arena *a, const ilj_image *image);

#endif
