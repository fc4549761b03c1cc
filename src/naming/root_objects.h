/* root_objects.h - the objects that have tests, and their fixtures: a part of roots.c. */
#ifndef ILINJECT_NAMING_ROOT_OBJECTS_H
#define ILINJECT_NAMING_ROOT_OBJECTS_H

#include "naming/root_attributes.h"

/* Marks what sets up and ends objects that have tests, and says which of these methods each test's object uses. False:
 * memory ran out. */
bool root_objects_find(method_roots *r, root_search *s);

#endif
