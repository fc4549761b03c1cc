/* choice_file.h - the name that a pattern without a match probably meant. */
#ifndef ILINJECT_SELECT_SUGGEST_H
#define ILINJECT_SELECT_SUGGEST_H

#include "input/image.h"
#include "select/selection.h"

/* Where more rules than this match nothing in an image, no name was misspelt: they are for
 * other images. */
enum { SUGGEST_MOST_RULES = 1000 };

/* For each rule that matched nothing so far: looks among the names of the image's namespaces,
 * types and methods; keeps the nearest in the rule, in the arena of the selection. The names
 * are gathered once for all rules. Does nothing for more than SUGGEST_MOST_RULES. Lack of memory
 * only loses the help. */
void suggest_names(ilj_selection *selection, const ilj_image *image);

#endif
