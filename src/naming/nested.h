/* nested.h - lambdas and local functions that C# has within an endpoint's lambda: the endpoint is where they were
 * written, and their names in the metadata say only the method that maps it. */
#ifndef ILINJECT_NAMING_NESTED_H
#define ILINJECT_NAMING_NESTED_H

#include "naming/notes.h"

/* Fills in s->homes by s->routes. False: memory ran out. */
bool nested_find(notes_search *s);

#endif
