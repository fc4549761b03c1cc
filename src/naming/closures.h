/* closures.h - which function of F# a closure is a part of. fsc names them after what they are bound to, `total@18` for
 * a lambda of `let total = …`, and puts them beside the function that they were written in: that is the one that names
 * them. A sequence or task that is only a part of a function, too, is no body of it. */
#ifndef ILINJECT_NAMING_CLOSURES_H
#define ILINJECT_NAMING_CLOSURES_H

#include "naming/notes.h"

/* Is it a module of F#? */
bool closures_may_be(const ilj_image *image);

/* Fills in s->homes. False: memory ran out. */
bool closures_find(notes_search *s);

#endif
