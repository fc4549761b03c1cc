/* routes.h - the endpoints of ASP.NET that code maps: `app.MapGet("/todos", () => …)` holds the pattern and the
 * delegate side by side, and `MapGroup("/todos")` the prefix of what is mapped on it. Each method's code is followed in
 * a straight line, with what stands on the stack and in locals; where paths meet, what differs is not known. A group
 * that is handed to a method of the module is followed there. */
#ifndef ILINJECT_NAMING_ROUTES_H
#define ILINJECT_NAMING_ROUTES_H

#include "naming/notes.h"

/* Does the module name what maps endpoints? */
bool routes_may_be(const ilj_image *image);

/* Fills in s->routes. False: memory ran out. */
bool routes_find(notes_search *s);

#endif
