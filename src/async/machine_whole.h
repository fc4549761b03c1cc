/* machine_whole.h - is a call of an async method over when its state machine is? */
#ifndef ILINJECT_ASYNC_MACHINE_WHOLE_H
#define ILINJECT_ASYNC_MACHINE_WHOLE_H

#include "async/state_machine.h"
#include "select/bodies.h"

/* True if the machine's starter, after starting it, returns its task and does nothing else. A method that a compiler
 * makes of an async one does; an F# method may work on with the task of an expression in it. */
bool machine_is_whole(const ilj_image *image, const bodies *b, const state_machine *m);

#endif
