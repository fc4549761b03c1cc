/* loops.h - which methods wait while others work: `Main` with `app.Run()`, `Application.Run` or `Thread.Join`. */
#ifndef ILINJECT_NAMING_LOOPS_H
#define ILINJECT_NAMING_LOOPS_H

#include "input/image.h"

/* Adds NAME_LOOP to the roles (method_roles.h) of the entry point and of methods that its calls lead to, if they call a
 * method of loops.def, and of the entry point that waits for an async `Main`. */
void loops_mark(const ilj_image *image, uint16_t *roles);

#endif
