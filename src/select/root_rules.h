/* root_rules.h - which methods of an image --root names. */
#ifndef ILINJECT_SELECT_ROOT_RULES_H
#define ILINJECT_SELECT_ROOT_RULES_H

#include "input/image.h"
#include "select/selection.h"

/* Fills in, by MethodDef row, those that it names, in the image's arena; NULL: nothing was asked for. Methods that
 * compilers made are not among them. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status roots_asked_find(bool **roots, ilj_selection *selection, ilj_image *image);

#endif
