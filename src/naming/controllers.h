/* controllers.h - the routes of controllers' actions, by their attributes: [Route] of the type, [HttpGet] and those
 * like it of the method. */
#ifndef ILINJECT_NAMING_CONTROLLERS_H
#define ILINJECT_NAMING_CONTROLLERS_H

#include "naming/notes.h"

/* Does the module name such attributes? */
bool controllers_may_be(const ilj_image *image);

/* Adds to s->routes. False: memory ran out. */
bool controllers_find(notes_search *s);

#endif
