/* run_end.h - what `ilinject run` says of a program that left no profile. */
#ifndef ILINJECT_CLI_RUN_END_H
#define ILINJECT_CLI_RUN_END_H

#include "command.h"

/* A run that dies writes nothing, whatever it has called. A file where its profile would be is of a run before.
 * `output`: the path that was given, or NULL; `is_copy`: an instrumented copy ran; `value`: what the program ended
 * with. */
void run_says_none_written(console *c, const char *output, bool is_copy, const char *command, int value);

#endif
